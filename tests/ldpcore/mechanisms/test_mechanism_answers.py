"""What a mechanism says about itself: its kind of report, its support, its parameters, its twins, its looks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_cases import CASES, KNOWN_CASES, MECHANISMS, case_id, frequency_z, make, z_limit
from strangers import HadamardResponse

import ldpcore.mechanisms as package
from ldpcore import Refused, paper
from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME, max_eps, mechanism, mechanism_class
from ldpcore.mechanisms.histogram_encoding import optimal_theta
from ldpcore.mechanisms.reports import BITS, PAIRS, REPORT_KINDS, SETS, VALUES

OPTIONS = [
    ("THE", {"theta": 0.9}),
    ("SS", {"omega": 5}),
    ("BLH", {"hash_family": "xxh32"}),
    ("OLH", {"hash_family": "xxh32", "g": 7}),
    ("L-BLH", {"hash_family": "xxh32", "eps_inf": 3.0}),
    ("L-OLH", {"g": 7, "calibration": "tight"}),
    ("L-GRR", {"eps_inf": 3.5, "calibration": "tight"}),
]


# ---- reports ----------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_reports_are_of_the_kind_that_the_mechanism_names(case):
    m = make(case, 12, 1.5)
    values = np.arange(12).repeat(3)
    reports = m.privatize(values, np.random.default_rng(1))
    kind = m.report_kind
    assert REPORT_KINDS[kind.key] is kind
    assert kind.length(reports) == 36
    rows = np.array([5, 2, 30])
    some = kind.take(reports, rows)
    assert kind.length(some) == 3
    np.testing.assert_array_equal(m.supports(some), m.supports(reports)[rows])
    mask = np.arange(36) % 2 == 0
    np.testing.assert_array_equal(m.supports(kind.take(reports, mask)), m.supports(reports)[mask])
    sizes = m.supports(reports).sum(axis=1)
    if m.support_size is None:
        assert np.ptp(sizes) > 0
    else:
        assert set(sizes.tolist()) == {m.support_size}


def test_the_four_kinds():
    kinds = {name: mechanism_class(name).report_kind for name in MECHANISMS}
    assert set(kinds.values()) <= set(REPORT_KINDS.values())
    kinds = {name: kinds[name] for name in paper.ONE_TIME + paper.LONGITUDINAL}
    assert kinds == (
        dict.fromkeys(("SUE", "OUE", "THE", "L-SUE", "L-OUE", "L-SOUE", "L-OSUE"), BITS)
        | dict.fromkeys(("BLH", "OLH", "L-BLH", "L-OLH"), PAIRS)
        | {"GRR": VALUES, "L-GRR": VALUES, "SS": SETS}
    )


def test_a_report_in_words():
    assert VALUES.text([4, 2], 1) == "bin 2"
    assert BITS.text(np.array([[0, 1, 1]])) == "2 of 3 bits are 1 (bins 1, 2)"
    assert BITS.text(np.array([[0, 0]])) == "no bit is 1"
    assert SETS.text(np.arange(20)[None]) == "a set of 20 bins (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)"
    assert PAIRS.text((np.array([77, 78]), np.array([0, 3])), 1) == "hash function no. 78, cell 3"


# ---- supports ---------------------------------------------------------------------


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
def test_base_rate_is_what_p_and_the_likelihood_ratio_imply(case, eps):
    """From Pr[S | v] = κ·b(S)·λ^[v ∈ S]: p = λβ/(1+(λ-1)β) and q is β's share of what is left."""
    m = make(case, 9, eps)
    beta, ratio = m.base_rate, m.likelihood_ratio
    assert m.p == pytest.approx(ratio * beta / (1 + (ratio - 1) * beta), rel=1e-9)
    if m.support_law == "independent":
        assert m.q == pytest.approx(beta, rel=1e-12)
    else:
        assert m.p + (m.k - 1) * m.q == pytest.approx(m.support_size, rel=1e-9)


@pytest.mark.parametrize("name", LONGITUDINAL)
def test_the_rounds_make_the_report(name):
    m = mechanism(name, k=9, eps=1.0, eps_inf=2.5, calibration="tight")
    r = m.rounds
    if r.cells is None:
        assert m.p == pytest.approx(r.p1 * r.p2 + (1 - r.p1) * r.q2)
        assert m.q == pytest.approx(r.q1 * r.p2 + (1 - r.q1) * r.q2)
    else:
        assert r.p1 + (r.cells - 1) * r.q1 == pytest.approx(1)
        assert m.p == pytest.approx(r.p1 * r.p2 + (r.cells - 1) * r.q1 * r.q2)
        assert r.cells == (m.k if m.g is None else m.g)


def test_one_time_mechanisms_have_no_rounds_and_no_eps_inf():
    for name in ONE_TIME:
        m = mechanism(name, k=4, eps=1.0)
        assert (m.rounds, m.eps_inf, m.calibration) == (None, None, None)
    for name in LONGITUDINAL:
        assert mechanism(name, k=4, eps=1.0).eps_inf == 2.0


def test_calibration_matters_where_it_changes_the_mechanism():
    for name in LONGITUDINAL:
        published, tight = (mechanism(name, k=9, eps=2.0, calibration=c) for c in ("published", "tight"))
        same = (published.p, published.q) == pytest.approx((tight.p, tight.q), rel=1e-12)
        # With two cells the published calibration is tight.
        assert mechanism_class(name).calibration_matters == (not same) == (name in ("L-GRR", "L-OLH"))


def test_channel_matters_where_it_differs():
    for name in ONE_TIME + LONGITUDINAL:
        m = mechanism(name, k=9, eps=2.0)
        assert mechanism_class(name).channel_matters() == (m.published_channel != (m.p, m.q))


# ---- parameters -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), [(name, {}) for name in MECHANISMS] + OPTIONS)
def test_a_mechanism_is_remade_from_its_parameters_and_from_its_text(name, options):
    m = mechanism(name, k=10, eps=1.0, **options)
    assert options.items() <= m.parameters.items()
    from_text = eval(repr(m), vars(package))  # noqa: S307 - our own text
    for again in (mechanism(name, **m.parameters), from_text, type(m)(**m.all_parameters)):
        assert again == m
        assert hash(again) == hash(m)
        assert (again.p, again.q, again.all_parameters) == (m.p, m.q, m.all_parameters)


@pytest.mark.parametrize(("name", "options"), OPTIONS)
def test_other_parameters_are_another_mechanism(name, options):
    m = mechanism(name, k=10, eps=1.0, **options)
    for option in options:
        assert m != mechanism(name, k=10, eps=1.0, **{o: v for o, v in options.items() if o != option})
    assert m != m.with_eps(1.5)
    assert m != mechanism("GRR", k=10, eps=1.0)
    assert m != repr(m)


def test_what_a_mechanism_chose_itself_is_shown_and_not_kept():
    the = mechanism("THE", k=10, eps=1.0)
    assert repr(the) == f"THE(k=10, eps=1.0, theta={optimal_theta(1.0)!r})"
    assert the.parameters == {"k": 10, "eps": 1.0}
    assert the.with_eps(4.0).theta == optimal_theta(4.0)
    assert mechanism("THE", k=10, eps=1.0, theta=0.9).with_eps(4.0).theta == 0.9
    assert mechanism("OLH", k=10, eps=1.0).with_eps(3.0).g == 21
    assert mechanism("OLH", k=10, eps=1.0, g=9).with_eps(3.0).g == 9


def test_the_same_at_another_eps_keeps_everything_else():
    m = mechanism("L-OLH", k=10, eps=1.0, eps_inf=4.0, calibration="tight", hash_family="xxh32")
    other = m.with_eps(2.0)
    assert other == mechanism("L-OLH", k=10, eps=2.0, eps_inf=4.0, calibration="tight", hash_family="xxh32")
    same = m.with_eps(3.9, same_shape=True)
    assert (same.g, same.eps, same.eps_inf, same.hash_family) == (m.g, 3.9, 4.0, "xxh32")
    assert mechanism("SS", k=40, eps=1.0).with_eps(4.0, same_shape=True).omega == 11
    assert mechanism("OLH", k=40, eps=1.0).with_eps(4.0, same_shape=True).g == 4
    with pytest.raises(Refused, match=r"^eps .* must be below eps_inf"):
        m.with_eps(4.0)


@pytest.mark.parametrize(("name", "options"), [("SS", {"omega": 3}), ("OLH", {"g": 7}), ("L-OLH", {"g": 7})])
def test_reports_of_another_shape_have_the_stated_probabilities(name, options):
    """60 000 reports a value; a right library fails with a chance of 1e-6 (Bonferroni)."""
    m = mechanism(name, k=8, eps=1.0, **options)
    users = 60_000
    rng = np.random.default_rng(3)
    counts = m.support_counts(m.privatize(np.zeros(users, dtype=np.int64), rng))
    expected = np.where(np.arange(8) == 0, m.p, m.q)
    assert np.abs(frequency_z(counts / users, expected, users)).max() < z_limit(8)
    assert m.likelihood_ratio <= math.exp(1.0) * (1 + 1e-12)
    sampled = m.sample_counts(np.eye(8, dtype=np.int64)[0] * users, 1, rng)[0]
    assert np.abs(frequency_z(sampled / users, expected, users)).max() < z_limit(8)


@pytest.mark.parametrize(("name", "option", "value"), [("SS", "omega", 0), ("SS", "omega", 10), ("OLH", "g", 1)])
def test_impossible_shapes_are_refused(name, option, value):
    with pytest.raises(Refused, match=f"^{option} must be .*; got {value}"):
        mechanism(name, k=10, eps=1.0, **{option: value})


def test_each_class_says_which_options_it_takes():
    for name in MECHANISMS:
        takes = ", ".join(["k", "eps", *mechanism_class(name).options])
        for option in ("theta", "hash_family", "g", "omega", "nonsense"):
            if option not in mechanism_class(name).options:
                with pytest.raises(Refused, match=f"^{name} has no parameter '{option}'; it takes {takes}$"):
                    mechanism(name, k=4, eps=1.0, **{option: 1})


def test_every_mechanism_knows_its_largest_eps():
    for name in LONGITUDINAL:
        assert mechanism_class(name).max_eps(2.0) == max_eps(name, 2.0) <= 2.0
        with pytest.raises(Refused, match=r"^eps_inf must"):
            mechanism_class(name).max_eps(None)
    assert mechanism_class("OUE").max_eps() == 50.0


# ---- twins and looks --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "k", "eps", "twin"),
    [("SS", 10, 3.0, "GRR"), ("OLH", 10, 0.2, "BLH"), ("L-OLH", 10, 0.2, "L-BLH")],
)
def test_twins_have_the_same_probabilities(name, k, eps, twin):
    m = mechanism(name, k=k, eps=eps)
    assert m.same_as == twin
    other = mechanism(twin, k=k, eps=eps)
    assert (m.p, m.q, m.likelihood_ratio) == pytest.approx((other.p, other.q, other.likelihood_ratio), rel=1e-12)
    assert m != other


def test_most_have_no_twin():
    assert {mechanism(name, k=10, eps=1.0).same_as for name in MECHANISMS if name != "L-OLH"} == {None}
    assert mechanism("L-OLH", k=10, eps=4.0, eps_inf=6.0).same_as is None


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_notebook_shows_a_table(name):
    m = mechanism(name, k=10, eps=1.0)
    shown = m._repr_html_()
    assert f"<b>{name}</b>, {m.full_name}" in shown
    for row in (f"<th>p</th><td>{m.p:.6g}</td>", f"<th>q</th><td>{m.q:.6g}</td>", "<th>eps</th><td>1.0</td>"):
        assert row in shown
    assert mechanism_class(name).summary.endswith(".")


def test_what_needs_it_is_escaped_in_a_notebook():
    class Odd(package.GRR):
        name = "<script>"
        full_name = "a & b"

    shown = Odd(k=2, eps=1.0)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "a &amp; b" in shown


def test_how_a_value_is_written_down():
    texts = {name: mechanism(name, k=10, eps=1.0).encoding(3) for name in MECHANISMS}
    assert texts["GRR"] is texts["L-GRR"] is None
    assert texts["OUE"] == texts["L-SUE"] == "10 bits, all 0 but the one of bin 3."
    assert "1 for bin 3" in texts["THE"]
    assert "one of 2 cells" in texts["BLH"]
    assert "one of 4 cells" in texts["OLH"]
    assert texts["SS"]


@pytest.mark.parametrize("eps", [0.1, 1.0, 8.0])
def test_a_no_of_oue_is_flipped_less_often_than_a_yes_and_not_always_rarely(eps):
    """At ε = 0.1 a no flips in 47 % of all cases: "rarely" was untrue there."""
    m, rng = mechanism("OUE", k=2, eps=eps), np.random.default_rng(1)
    reports = m.privatize(np.zeros(40_000, dtype=int), rng)
    flipped_yes, flipped_no = 1 - reports[:, 0].mean(), reports[:, 1].mean()
    # Standard errors of at most 0.0025 each; at ε = 0.1 the two chances are 0.025 apart: seven of their difference's.
    assert flipped_no < flipped_yes
    assert ("rarely" in m.summary) <= (flipped_no < 0.1)
    assert "a yes is kept half of the time, a no flips less often" in m.summary


# ---- a stranger's mechanism -------------------------------------------------------


def test_a_stranger_s_counts_are_drawn_from_its_reports():
    """Means of 200 collections of 600 users; a right library fails with a chance of 1e-6 (Bonferroni)."""
    m = HadamardResponse(k=3, eps=1.0)
    histogram = np.array([100, 300, 200])
    counts = m.sample_counts(histogram, 200, np.random.default_rng(5))
    mean = (m.q + (m.p - m.q) * histogram / 600) * 600
    spread = np.sqrt(600**2 * m.noise_variance(histogram / 600, 600) * (m.p - m.q) ** 2 / 200)
    assert counts.shape == (200, 3)
    assert np.abs((counts.mean(axis=0) - mean) / spread).max() < z_limit(3)


def test_a_stranger_answers_like_all_others():
    m = HadamardResponse(k=3, eps=1.0)
    assert repr(m) == "HadamardResponse(k=3, eps=1.0)"
    assert m.with_eps(2.0) == HadamardResponse(k=3, eps=2.0)
    assert (m.same_as, m.eps_inf, m.support_size, m.support_law) == (None, None, None, "unknown")
