"""What is said about collected reports: only what concerns the mechanism counts, and the file is described."""

import pytest

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms import ReportKind
from ldpcore.mechanisms.unary import OUE
from ldpui.address import links
from pages.practice.your_reports import controls, layout
from pages.practice.your_reports.description import Description

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL
DEFAULTS = {key: control.default for key, control in links.CONTROLS.items() if key.startswith("r_")}
EVERYTHING = DEFAULTS | {"r_calibration": "tight", "r_family": controls.PEERS_HASH, "r_n": 500.0}


def described(name, **values):
    return Description.of(EVERYTHING | {"r_mechanism": name} | {f"r_{key}": value for key, value in values.items()})


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_concern_the_mechanism_is_none(name):
    d = described(name)
    hashed = name.endswith("LH")
    assert (d.eps_inf is None) == (name not in ldp.LONGITUDINAL)
    assert (d.calibration == "tight") == (name in ("L-GRR", "L-OLH"))
    assert (d.hash_family == "xxh32") == (d.pair is not None) == hashed
    assert d.n is None
    m = d.make_mechanism()
    assert (m.name, m.k, m.eps) == (name, 20, 1.0)
    assert ldp.mechanism(name, **d.options()) == m


@pytest.mark.parametrize("name", NAMES)
def test_support_counts_ask_for_n_where_they_do_not_tell(name):
    d = described(name, holds=controls.COUNTS)
    assert (d.n is None) == (d.make_mechanism().support_size is not None)
    assert d.pair is d.hash_family is None


@pytest.mark.parametrize("name", NAMES)
def test_an_eps_in_a_column_is_for_reports_alone(name):
    assert described(name, each=controls.COLUMN).eps is None
    assert described(name, each=controls.COLUMN, holds=controls.COUNTS).eps == 1.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("holds", [controls.REPORTS, controls.COUNTS])
def test_the_file_is_described(name, holds):
    text = layout.words(described(name, holds=holds))
    assert text.startswith(f"**{ldp.mechanism_class(name).full_name}.**")
    assert "The file has" in text
    assert ("real numbers" in text) == (name == "THE" and holds == controls.REPORTS)


def test_settings_that_are_refused_are_no_reason_to_be_silent():
    text = layout.words(described("L-OUE", eps=1.9, eps_inf=2.0))
    assert text == f"**{ldp.mechanism_class('L-OUE').full_name}.** {ldp.mechanism_class('L-OUE').summary} "


def test_reports_that_no_format_holds_are_said_to_be_unreadable(monkeypatch):
    class Worded(OUE):
        report_kind = ReportKind("words", "a word")

    monkeypatch.setitem(mechanisms._CLASSES, "OUE", Worded)
    assert "Only support counts can be read: there is no format for reports of OUE yet" in layout.words(
        described("OUE")
    )
    assert "The file has a row for each" in layout.words(described("OUE", holds=controls.COUNTS))
