"""Settings that have little in common, for what every setting must survive."""

import ldpcore as ldp

SETTINGS = {
    "once": ldp.Setting(
        data="uniform", params=(("low", -3.5), ("high", 12.25)), mechanism="OLH", eps=1.75, n=3000, k=17, runs=4,
        seed=11, max_iter=300, start="mi", binning="paper",
    ),
    "repeatedly": ldp.Setting(
        data="triangular", params=(("mode", 300.0),), mechanism="L-GRR", eps=0.7, eps_inf=2.5, n=2000, k=9, runs=3,
        seed=2**31 - 1, max_iter=100, channel="published", calibration="tight", start="observed",
    ),
    "one run": ldp.Setting(data="acs-income", mechanism="GRR", eps=0.3, n=500, k=6, runs=1, max_iter=10),
}  # fmt: skip
