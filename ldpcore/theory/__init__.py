"""What is possible at all: bounds on the error, models to compare with, and what an attacker learns, also over time."""

from ldpcore.theory.attack import Chance, attack_success, attack_success_after
from ldpcore.theory.attack_curve import attack_curve, attack_is_exact
from ldpcore.theory.bounds import Bound, best_unbiased_mse, central_mse, cramer_rao, sampling_mse
from ldpcore.theory.life import Life, live
from ldpcore.theory.linking import change_noticed, linkability
from ldpcore.theory.observer import observer_beliefs
from ldpcore.theory.repeated import averaged_variance, changing_eps, effective_eps_after

__all__ = [
    "Bound",
    "Chance",
    "Life",
    "attack_curve",
    "attack_is_exact",
    "attack_success",
    "attack_success_after",
    "averaged_variance",
    "best_unbiased_mse",
    "central_mse",
    "change_noticed",
    "changing_eps",
    "cramer_rao",
    "effective_eps_after",
    "linkability",
    "live",
    "observer_beliefs",
    "sampling_mse",
]
