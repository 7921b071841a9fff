"""What is possible at all: bounds on the error, models to compare with, and what an attacker learns."""

from ldpcore.theory.attack import Chance, attack_success, attack_success_after
from ldpcore.theory.bounds import Bound, best_unbiased_mse, central_mse, cramer_rao, sampling_mse

__all__ = [
    "Bound",
    "Chance",
    "attack_success",
    "attack_success_after",
    "best_unbiased_mse",
    "central_mse",
    "cramer_rao",
    "sampling_mse",
]
