"""Noise that nobody can repeat: where it comes from, and what must not be published of any other."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
from mechanism_cases import HASHING, MECHANISMS

import ldpcore as ldp
from ldpcore.mechanisms import secure


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.bytes(16),
        lambda rng: rng.random(),
        lambda rng: rng.random(5),
        lambda rng: rng.random(5, dtype=np.float32),
        lambda rng: rng.integers(0, 2**32, size=5),
        lambda rng: rng.integers(0, 10),
        lambda rng: rng.spawn(2)[1].integers(0, 10, 5),
        lambda rng: pickle.loads(pickle.dumps(rng)).integers(0, 10, 5),  # noqa: S301
    ],
)
def test_every_draw_is_the_operating_systems(draw, monkeypatch):
    """What the system gives decides everything: nothing comes from anywhere else."""

    def drawn(byte):
        monkeypatch.setattr(secure.os, "urandom", lambda size: byte * size)
        return draw(ldp.secure_rng())

    assert np.array_equal(drawn(b"\x11"), drawn(b"\x11"))
    assert not np.array_equal(drawn(b"\x11"), drawn(b"\xee"))


def test_draws_are_spread_as_they_should_be():
    """Counts of 40,000 draws in 20 cells; chi-square with 19 degrees of freedom is above 70 once in 10⁷."""
    rng = ldp.secure_rng()
    for cells in (
        rng.integers(0, 20, 40_000),
        (20 * rng.random(40_000)).astype(int),
        np.array([int(20 * rng.random()) for _ in range(40_000)]),
        (20 * np.exp(-rng.standard_exponential(40_000))).astype(int),
    ):
        counts = np.bincount(cells, minlength=20)
        assert counts.size == 20
        assert ((counts - 2_000) ** 2 / 2_000).sum() < 70


@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_take_it(name):
    """A value is supported by its holders with p; six standard deviations off happens once in 10⁸."""
    m, n = ldp.mechanism(name, k=5, eps=1.0), 2_000
    count = m.support_counts(m.privatize(np.full(n, 3), ldp.secure_rng()))[3]
    assert abs(count - n * m.p) < 6 * np.sqrt(n * m.p * (1 - m.p)) + 1


def test_it_has_nothing_to_repeat():
    rng = ldp.secure_rng()
    assert "operating system" in repr(rng)
    assert not hasattr(rng.bit_generator, "state")
    assert rng.random(2, out=np.empty(2)).shape == (2,)
    assert rng.random((2, 3)).shape == (2, 3)


@pytest.mark.parametrize("name", HASHING)
def test_published_hash_functions_are_no_output_of_the_noise(name):
    """One report told a small seed once: the hash function's number was the generator's first output."""
    m = ldp.mechanism(name, k=5, eps=1.0)
    reports = m.privatize(np.full(50, 3), np.random.default_rng(77))
    outputs = np.random.default_rng(77).bit_generator.random_raw(10_000)
    halves = np.concatenate([outputs & np.uint64(2**32 - 1), outputs >> np.uint64(32)])
    # Of 50 numbers and 20,000 others, two of 32 bits are the same by chance once in 4,000 runs; this is one run.
    assert not np.isin(reports.seed, halves).any()
    again = m.privatize(np.full(50, 3), np.random.default_rng(77))
    assert (reports.seed == again.seed).all()
    assert (reports.value == again.value).all()
    assert len(set(reports.seed.tolist())) == 50


def test_reals_are_not_sent_unasked():
    m = ldp.mechanism("THE", k=3, eps=1.0)
    with pytest.raises(ldp.Refused, match=r"floating-point.*accept_leak=True"):
        m.noisy_histograms([0, 1], ldp.secure_rng())
    reals = m.noisy_histograms([0, 1], ldp.secure_rng(), accept_leak=True)
    # Whoever was sent them counts them.
    assert (m.support_counts(reals) == (reals > m.threshold).sum(axis=0)).all()


DRAWS = {
    "integers": lambda rng: rng.integers(0, 10, 5),
    "an integer": lambda rng: rng.integers(10),
    "small integers": lambda rng: rng.integers(0, 10, 5, dtype=np.uint8),
    "a real": lambda rng: rng.random(),
    "short reals": lambda rng: rng.random(5, dtype=np.float32),
    "uniform": lambda rng: rng.uniform(0, 2, 5),
    "normal": lambda rng: rng.normal(size=5),
    "exponential": lambda rng: rng.exponential(),
    "gamma": lambda rng: rng.gamma(2.0, size=5),
    "binomial": lambda rng: rng.binomial(1_000, 0.3, 5),
    "hypergeometric": lambda rng: rng.hypergeometric(10, 20, 5),
    "geometric": lambda rng: rng.geometric(0.1),
    "multinomial": lambda rng: rng.multinomial(10, [0.5, 0.5]),
    "choice": lambda rng: rng.choice(10, 3),
    "choice without replacement": lambda rng: rng.choice(1_000, 3, replace=False),
    "choice with weights": lambda rng: rng.choice(3, p=[0.2, 0.3, 0.5]),
    "permutation": lambda rng: rng.permutation(10),
    "permuted": lambda rng: rng.permuted(np.arange(10)),
    "shuffle": lambda rng: rng.shuffle(np.arange(10)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_where_the_system_gives_nothing_nothing_is_drawn(name, monkeypatch):
    """The number was 0 then, as anybody can guess, and nobody was told."""
    source, fails, ignored = secure.os.urandom, iter([True]), []

    def failing(size):
        if next(fails, False):
            raise InterruptedError("no numbers")
        return source(size)

    monkeypatch.setattr(secure.os, "urandom", failing)
    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    rng = ldp.secure_rng()
    with pytest.raises(OSError, match=r"no numbers|gave no random numbers"):
        DRAWS[name](rng)
    for _ in range(2):  # it is over when the system gives some again
        DRAWS[name](rng)


def test_nothing_of_python_runs_in_a_draw():
    """Ctrl-C is raised where Python runs code of Python. Within a draw it was lost, and a number was 0."""
    rng, called = ldp.secure_rng(), set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename == secure.__file__:
            called.add(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        rng.integers(0, 10, 50)
        rng.integers(0, 2**40, 50)
        rng.standard_normal(50)
    finally:
        sys.setprofile(None)
    assert called == {"__exit__"}
