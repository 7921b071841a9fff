"""The distributions that tests go through, with other parameters too."""

from ldpcore.datasets import DATASETS, DISTRIBUTIONS

Z_MAX = 6.5
# Other parameters than the paper's, and the ends of what is allowed.
VARIANTS = [
    *((name, {}) for name in DATASETS),
    ("gaussian", {"mean": -3.0, "sd": 0.01}),
    ("exponential", {"rate": 250.0}),
    ("uniform", {"low": -2.0, "high": -1.0}),
    ("poisson", {"rate": 0.3}),
    ("poisson", {"rate": 900.5}),
    ("triangular", {"left": 0.0, "mode": 0.0, "right": 2.0}),
    ("triangular", {"left": -1.0, "mode": 2.0, "right": 2.0}),
]


def over_whole_numbers(name):
    """Tell whether the values of a distribution are whole numbers, as those of Poisson's."""
    return DISTRIBUTIONS[name].whole


def variant_ids(variant):
    name, params = variant
    return "-".join([name, *(f"{k}={v:g}" for k, v in params.items())])
