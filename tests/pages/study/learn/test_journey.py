"""The life of a report: what the pupil sees at the end has the law of the mechanism's own `privatize`."""

import re

import numpy as np
import pytest
from mechanism_cases import chi2_limit

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms import ReportKind
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpcore.mechanisms.unary import OUE
from pages.study.learn import journey
from pages.study.learn.life import MECHANISMS, can_be_shown, make
from pages.study.learn.life_words import SURE
from pages.study.learn.population import NAMES
from pages.study.learn.sender import Sender

# Of four values there are 16 sets. At ε = 0.5 SS sends two values and OLH has three cells; at ε = 1, one and four.
FEW, OWN, REPORTS = NAMES[:4], 2, 50_000
# Another ε is noticed at the first. At the second a set of one value and a hash function of four cells are told right,
# which takes fewer.
LIVES = {0.5: 1_200, 1.0: 400}
# Two reports together have 64 outcomes with three values, and 256 with four: with three, that they have a memo in
# common shows in fewer lives.
FEWER, LIVES_OF_TWO = NAMES[:3], 700


def small(name, eps=0.5, names=FEW):
    more = {"eps_inf": 2 * eps, "calibration": "tight"} if name in ldp.LONGITUDINAL else {}
    return ldp.mechanism(name, k=len(names), eps=eps, **more)


def codes(lit):
    return np.asarray(lit) @ (2 ** np.arange(np.shape(lit)[1]))


def two_samples(one, other):
    """Return χ² of two samples, and its degrees of freedom; outcomes that are rare share a cell."""
    a, b = (np.bincount(sample, minlength=int(max(one.max(), other.max())) + 1) for sample in (one, other))
    rare = (a + b) * one.size / (one.size + other.size) < 8
    a, b = (np.append(c[~rare], c[rare].sum()) for c in (a, b))
    both = a + b
    scale = (other.size / one.size) ** 0.5
    return float(((scale * a - b / scale) ** 2 / np.where(both, both, 1)).sum()), int((both > 0).sum()) - 1


def seen(m, draws, seed):
    """Return the values that are lit at the last stage of many lives, each of another user."""
    rng = np.random.default_rng(seed)
    return codes([journey.send(Sender.new(m, OWN, FEW, rng), rng).stages[-1].lit for _ in range(draws)])


def sent_by(m, seed=2):
    """Return the values that many reports of the mechanism itself support."""
    return codes(m.supports(m.privatize(np.full(REPORTS, OWN), np.random.default_rng(seed))))


# A false alarm in one of a million runs of all of them.
TESTS = 2 * len(MECHANISMS) + len(ldp.LONGITUDINAL)


@pytest.mark.parametrize("eps", LIVES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_what_travels_has_the_law_of_privatize(name, eps):
    m = small(name, eps)
    value, freedom = two_samples(seen(m, LIVES[eps], 1), sent_by(m))
    assert value < chi2_limit(freedom, tests=TESTS)


def test_how_many_values_and_cells_there_are():
    assert [(small("SS", eps).support_size, small("OLH", eps).g) for eps in LIVES] == [(2, 3), (1, 4)]


@pytest.mark.parametrize("name", ldp.LONGITUDINAL)
def test_two_reports_of_one_sender_have_their_law_together(name):
    """The second is made from the same memo as the first: not only its own law, but that of both is compared."""
    m, rng = small(name, names=FEWER), np.random.default_rng(11)
    senders = (Sender.new(m, OWN, FEWER, rng) for _ in range(LIVES_OF_TWO))
    shown = [[journey.send(sender, rng).stages[-1].lit for _ in range(2)] for sender in senders]
    memo = m.memoize(np.full(REPORTS, OWN), rng)
    first, second = (codes(m.supports(m.report(memo, rng))) for _ in range(2))
    both = 2**m.k * first + second
    value, freedom = two_samples(2**m.k * codes([s[0] for s in shown]) + codes([s[1] for s in shown]), both)
    assert value < chi2_limit(freedom, tests=TESTS)
    # With a memo of its own for every report it would be another law.
    apart = 2**m.k * sent_by(m, 12) + sent_by(m, 13)
    value, freedom = two_samples(both, apart)
    assert value > 1.5 * chi2_limit(freedom)


def test_another_law_is_caught():
    value, freedom = two_samples(seen(small("OUE"), LIVES[0.5], 1), sent_by(small("OUE", 1.0)))
    assert value > 1.5 * chi2_limit(freedom)


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_stages_tell_the_report_and_nothing_else(name):
    m, rng = make(name, 1.0), np.random.default_rng(3)
    sender = Sender.new(m, 4, NAMES, rng)
    memos = set()
    for _ in range(20):
        life = journey.send(sender, rng)
        first, last = life.stages[0], life.stages[-1]
        assert np.flatnonzero(first.lit).tolist() == [4]
        assert (last.lit == m.supports(life.report)[0]).all()
        assert (life.stages[-2].lit == last.lit).all()
        titles = [stage.title for stage in life.stages]
        assert titles[0] == "The value"
        assert titles[-1] == "What travels"
        assert ("Memo" in titles) == m.longitudinal
        assert ("Threshold" in titles) == m.takes_reals
        assert all(len(stage.words) == len(NAMES) and stage.text for stage in life.stages)
        memos |= {tuple(stage.lit) for stage in life.stages if stage.title == "Memo"}
    assert len(memos) == m.longitudinal


def test_what_is_said_to_travel_is_what_travels():
    rng = np.random.default_rng(4)
    for name in MECHANISMS:
        m = make(name, 1.0)
        life = journey.send(Sender.new(m, 0, NAMES, rng), rng)
        told = re.findall(r"\*\*(.+)\*\*", life.stages[-1].text)[0]
        if m.report_kind.key == "bits":
            assert told == "".join(str(int(bit)) for bit in life.report[0])
        elif m.report_kind.key == "pairs":
            assert told == f"hash function no. {life.report.seed[0]:,}, cell {life.report.value[0]}"
        else:
            assert told.replace("“", "").replace("”", "").split(", ") == [
                NAMES[v] for v in np.flatnonzero(m.supports(life.report)[0])
            ]


def test_numbers_above_the_threshold_are_those_that_are_lit():
    m, rng = make("THE", 1.0), np.random.default_rng(5)
    for _ in range(20):
        life = journey.send(Sender.new(m, 1, NAMES, rng), rng)
        reals = [float(word.replace("−", "-")) for word in life.stages[2].words]
        shown = np.array(reals)
        clear = np.abs(shown - m.threshold) > 0.005
        assert ((shown > m.threshold) == life.stages[3].lit)[clear].all()


def test_a_set_is_filled_one_by_one():
    m, rng = make("SS", 0.5), np.random.default_rng(6)
    for _ in range(10):
        life = journey.send(Sender.new(m, 1, NAMES, rng), rng)
        sizes = [int(stage.lit.sum()) for stage in life.stages if stage.title == "Noise"]
        held = int(life.stages[-1].lit[1])
        assert sizes == list(range(held, m.omega + 1))


def test_a_chain_that_does_not_tell_its_rounds_is_refused(monkeypatch):
    m, rng = make("L-SUE", 1.0), np.random.default_rng(7)
    sender = Sender.new(m, 1, NAMES, rng)
    monkeypatch.setattr(type(m), "rounds", None)
    with pytest.raises(ldp.Refused, match="two rounds"):
        journey.send(sender, rng)


def test_no_single_report_of_the_lesson_makes_anybody_sure():
    # The guess of the lesson says "never", for every choice that it offers.
    for name in MECHANISMS:
        m = make(name, 4.0)
        assert m.likelihood_ratio / (m.likelihood_ratio + m.k - 1) < SURE


def test_the_lesson_offers_what_it_can_follow(monkeypatch):
    class Silent(LSUE):
        rounds = None

    class Worded(OUE):
        report_kind = ReportKind("words", "a word")

    assert set(MECHANISMS) == {*ldp.ONE_TIME, *ldp.LONGITUDINAL}
    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Silent)
    monkeypatch.setitem(mechanisms._CLASSES, "OUE", Worded)
    assert [name for name in MECHANISMS if not can_be_shown(name)] == ["OUE", "L-SUE"]
