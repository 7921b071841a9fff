"""What the reproduction found. Every number is computed from the shipped results, none is written down here."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import reduction
from ldpui.address import vocabulary
from ldpui.format import significant
from pages.study import results
from pages.study.findings import pictures
from pages.study.findings.finding import Finding


@st.cache_resource(show_spinner="Reading the shipped results, and running one setting…")
def findings() -> list[Finding]:
    """Return the findings on the paper's own experiment, the reproduction first."""
    return [_reproduced(), _channel(), _shrinkage(), _tails(), _clipping(), _calibration()]


def _reproduced() -> Finding:
    parts = []
    for table in (1, 2):
        away = [results.deviation(table, metric) for metric in ldp.paper.GAIN_METRICS]
        worst = max(away, key=lambda a: a.distributions)
        parts.append(
            f"Table {table} ({results.draws(table)}): {max(a.mechanisms for a in away):.1f} points for the averages of "
            f"the mechanisms, {worst.distributions:.1f} for those of the distributions ({worst.farthest}), "
            f"{max(a.cells for a in away):.1f} for any cell"
        )
    text = (
        "With the paper's own binning, channel, 10,000 iterations and 20 runs, averaged over several draws of the data "
        f"sets, both tables come out again. Largest differences: {'; '.join(parts)}. The ACS income row uses 2024 "
        "brackets, not the paper's 2018 records."
    )
    return Finding(
        "reproduced", "The published tables reproduce", text, pictures.reproduced,
        "Every cell of both tables: printed against reproduced.",
    )  # fmt: skip


def _channel() -> Finding:
    def gain(data: str, value: str) -> str:
        return f"{results.cell(2, 'mse', data, 'L-GRR', value):.0f}%"

    text = (
        "For L-GRR, L-BLH and L-OLH the paper's IBU assumes that a report supports another value with probability q = "
        "p₁q₂ + q₁p₂, where (1−q₁)q₂ + q₁p₂ is right (q₁ is 1/g where values are hashed). For L-GRR that leaves out "
        "the detour by a third value, (k−2)q₁q₂, and IBU flattens its estimate. "
        f"On data that are flat this looks like a gain: L-GRR has {gain('uniform', 'published')} on "
        f"Uniform and {gain('triangular', 'published')} on Triangular in the paper. With the exact channel it is "
        f"{gain('uniform', 'exact channel')} and {gain('triangular', 'exact channel')} after 10,000 iterations, and "
        f"{gain('uniform', 'at convergence')} and {gain('triangular', 'at convergence')} at convergence. On Poisson "
        f"it hides a real gain: {gain('poisson', 'published')} in the paper, {gain('poisson', 'exact channel')} with "
        "the exact channel."
    )
    text += " What is left after 10,000 iterations comes from large k at ε₁ = 1, where IBU has hardly left its start."
    words = {"data": "Poisson", "reports": vocabulary.REPEATED, "chain": "L-GRR", "channel": "published"}
    return Finding(
        "channel", "One channel is not the mechanism's", text, pictures.channel,
        "Gain of L-GRR with the published channel, with the exact one, and at convergence.", words,
    )  # fmt: skip


def _shrinkage() -> Finding:
    def gain(data: str, value: str) -> str:
        return f"{results.cell(1, 'mse', data, 'BLH', value):.0f}%"

    text = (
        "IBU starts from the uniform distribution, and 10,000 iterations are often far from its limit. Stopping "
        f"early pulls the estimate towards uniform: BLH's gain on Uniform data is {gain('uniform', 'as published')} "
        f"after 10,000 iterations and {gain('uniform', 'at convergence')} at convergence, while on Poisson data it "
        f"is {gain('poisson', 'as published')} and {gain('poisson', 'at convergence')}. A gain on uniform data says "
        "that the answer was put in at the start."
    )
    words = {"data": "Poisson", "mechanism": "BLH", "eps": "1", "limit": "true"}
    return Finding(
        "shrinkage", "Stopping early is shrinkage", text, pictures.shrinkage,
        "Gain of BLH after 10,000 iterations and at convergence, by distribution.", words,
    )  # fmt: skip


def _tails() -> Finding:
    spreads = {data: results.spread(1, "mse", data) for data in ldp.paper.TABLES[1].data}
    long_tailed = max(spreads.pop("exponential"), spreads.pop("acs-income"))
    others = max(spreads.values())
    text = (
        "Bins of equal width reach from the smallest to the largest sample, so for long tails one user decides how "
        f"wide all bins are. From draw to draw the cells of Exponential or ACS income move by up to {long_tailed:.1f} "
        "points (standard deviation, mean over the mechanisms), those of the other distributions by at most "
        f"{others:.1f}."
    )
    text += " Draw a new seed under Advanced, press *Show all bins*, and watch the end of the horizontal axis."
    words = {"data": "Exponential", "mechanism": "OUE", "eps": "1"}
    return Finding(
        "tails", "Long tails hang on one user", text, pictures.tails,
        "Gain on each distribution in the draw of its data where it is lowest, and in that where it is highest.", words,
    )  # fmt: skip


def _clipping() -> Finding:
    setting = ldp.Setting(data="triangular", mechanism="SUE", eps=1.0, n=20_000, k=2, runs=100)
    result = ldp.run(setting)
    less, se = reduction(result.error("mi").values, result.error("ibu").values)
    text = (
        "Γ counts a loss in a run as 0 before it averages. Where MI and IBU differ only by chance, that alone makes "
        f"a gain: for two bins of the Triangular data, SUE at ε = 1 has Γ = {result.gain('mse'):.0f}% ± "
        f"{result.gain('mse').se:.0f}, although IBU's mean squared error differs from MI's by only {less:.1f}% ± "
        f"{se:.1f}, over 100 runs."
    )
    words = {"data": "Triangular", "mechanism": "SUE", "k": "2", "eps": "1", "runs": "100"}
    return Finding(
        "clipping", "Clipping every run makes gains of noise", text, lambda dark: pictures.clipping(result, dark),
        "The gain of each of 100 runs, and its mean with the losses set to 0 and with the losses counted.", words,
    )  # fmt: skip


def _calibration() -> Finding:
    published = ldp.mechanism("L-GRR", k=20, eps=1.0, eps_inf=2.0, calibration="published")
    tight = ldp.mechanism("L-GRR", k=20, eps=1.0, eps_inf=2.0, calibration="tight")
    worse, better = (float(m.noise_variance(0.0, 1)) for m in (published, tight))
    text = (
        "The published second round of L-GRR is exact only for two values. With 20 values, ε₁ = 1 and ε∞ = 2 its "
        f"first report costs {significant(published.effective_eps, 2)} instead of 1, and the variance of an estimate "
        f"is {significant(worse, 2)}/n where {significant(better, 2)}/n would do at the stated budget."
    )
    words = {"data": "Gaussian", "reports": vocabulary.REPEATED, "chain": "L-GRR", "eps_inf": "2", "k": "20"}
    return Finding(
        "calibration", "L-GRR pays for privacy that it does not use", text,
        lambda dark: pictures.calibration(published, tight, dark),
        "Effective ε and variance of L-GRR, as published and calibrated tightly.", words,
    )  # fmt: skip
