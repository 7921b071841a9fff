"""Local differential privacy for frequency estimation: fourteen mechanisms, Matrix Inversion and Iterative Bayesian Update.

The mathematics of Arcolezi, Cerna and Palamidessi, "On the Utility Gain of Iterative Bayesian
Update for Locally Differentially Private Mechanisms" (DBSec 2023), exact and fast, and what lies beyond it.
"""

from ldpcore.estimators import (
    POSTPROCESSINGS,
    IBURun,
    IBUTrace,
    ibu,
    ibu_full,
    ibu_limit,
    ibu_run,
    ibu_supports,
    mi,
)
from ldpcore.mechanisms import (
    LONGITUDINAL,
    ONE_TIME,
    HashedReports,
    InfeasibleError,
    LongitudinalMechanism,
    Mechanism,
    max_eps,
    mechanism,
    mechanism_class,
)

__version__ = "0.1.0"
