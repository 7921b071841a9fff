"""ACS income: the bracket table, and folktables' files without and with (a stand-in for) folktables."""

import ast
import importlib.util
import inspect
import math
import os
import sys
import time
from importlib import resources

import numpy as np
import pytest

from ldpcore import metrics
from ldpcore.datasets import (
    DISTRIBUTIONS,
    acs,
    acs_records,
    base,
    binning,
    distribution,
    download_acs,
    sample,
    sampling,
    synthetic,
)

HEADER = "RT,SERIALNO,AGEP,PINCP,WKHP,PWGTP,SEX\n"


# ---- the bracket table -------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    text = resources.files("ldpcore.datasets").joinpath("acs_income_2024_brackets.csv").read_text()
    return [tuple(int(cell) for cell in line.split(",")) for line in text.splitlines()[1:]]


def test_table_is_complete(table):
    assert len(table) == 1157
    assert sum(persons for _, persons in table) == 1_399_926
    starts = [start for start, _ in table]
    assert starts == sorted(set(starts))
    assert all(start % 1000 == 0 for start in starts)
    assert all(persons > 0 for _, persons in table)


def test_description_says_what_it_is():
    text = DISTRIBUTIONS["acs-income"].description
    for part in (
        "U.S. Census Bureau ACS PUMS 2024 1-Year person file",
        "persons per $1,000 bracket of PINCP",
        "48 states and DC without California and Texas",
        "AGEP > 16, PINCP > 100, WKHP > 0, PWGTP >= 1",
        "unweighted",
        "offline stand-in for the paper's 2018 5-Year records",
    ):
        assert part in text


def test_cdf_at_every_bracket(table):
    dist, total, below = distribution("acs-income"), 1_399_926, 0
    for start, persons in table:
        assert float(dist.cdf(start)) == pytest.approx(below / total, rel=1e-14)
        middle = start + 500 if start else 550  # nobody has $100 or less
        assert float(dist.cdf(middle)) == pytest.approx((below + persons / 2) / total, rel=1e-14)
        below += persons
        assert float(dist.survival(start + 1000)) == pytest.approx((total - below) / total, rel=1e-14, abs=0)


def test_quantiles_skip_empty_brackets(table):
    dist, total = distribution("acs-income"), 1_399_926
    (last, persons), (before, _) = table[-1], table[-2]
    assert last - before > 1000
    assert float(dist.upper_quantile(persons / 2 / total)) == pytest.approx(last + 500)
    assert float(dist.upper_quantile((persons + 1e-6) / total)) == pytest.approx(before + 1000)
    assert float(dist.quantile(0)) == 100
    assert float(dist.quantile(1)) == last + 1000


def test_sample_by_bracket(table):
    """Persons per bracket within 6.5 sigma of their expectation: false alarm below 1e-7 for 1,157 brackets.

    Small brackets are pooled, so that every count is near normal.
    """
    n = 400_000
    x = sample("acs-income", n, seed=1)
    assert x.min() > 100
    starts, persons = np.array(table).T
    inside = np.searchsorted(starts, x, side="right") - 1
    assert np.all(x - starts[inside] <= 1000)
    seen = np.bincount(inside, minlength=starts.size)
    p = persons / persons.sum()
    big = p * n > 100
    seen, p = np.append(seen[big], seen[~big].sum()), np.append(p[big], p[~big].sum())
    assert np.max(np.abs(seen - n * p) / np.sqrt(n * p * (1 - p))) < 6.5
    share = (x - starts[inside])[inside > 0] / 1000  # uniform inside the bracket
    assert abs(share.mean() - 0.5) < 6.5 / math.sqrt(12 * share.size)


@pytest.mark.slow
def test_draw_in_blocks_is_one_stream():
    n = 2_500_000
    x = distribution("acs-income").draw(n, np.random.default_rng(0))
    u = np.random.default_rng(0).random(n)
    np.testing.assert_array_equal(x, distribution("acs-income").quantile(u))


def test_table_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        acs._brackets().persons[0] = 1


# ---- records that folktables has stored ----------------------------------------------


def store(root, rows, state="01", year="2018", horizon="5-Year", header=HEADER, name=None):
    folder = root / year / horizon
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"psam_p{state}.csv")
    path.write_text(header + "".join(f"P,1,{row},2\n" for row in rows))
    return path


def test_records_are_filtered(tmp_path):
    rows = ["17,101,1,1", "16,500,40,1", "50,100,40,1", "50,500,0,1", "50,500,40,0", "50,500,,1", "50,,40,1"]
    store(tmp_path, [*rows, "99,1945000.5,99,50"])
    np.testing.assert_array_equal(acs_records(tmp_path), [101, 1945000.5])
    np.testing.assert_array_equal(acs_records(str(tmp_path), states="AL", year=2018), [101, 1945000.5])


def test_states_years_and_horizons(tmp_path):
    store(tmp_path, ["50,1000,40,1"], state="11", year="2019", horizon="1-Year")
    store(tmp_path, ["50,2000,40,1"], state="72", year="2019", horizon="1-Year")
    store(tmp_path, ["50,3000,40,1"], year="2016", name="ss16pal.csv")
    np.testing.assert_array_equal(acs_records(tmp_path, ["DC", "PR", "DC"], 2019, "1-Year"), [1000, 2000])
    np.testing.assert_array_equal(acs_records(tmp_path, year="2016"), [3000])


def test_chunks_and_blanks(tmp_path, monkeypatch):
    monkeypatch.setattr(acs, "CHUNK_ROWS", 3)
    store(tmp_path, [f" 50, {1000 + i}, 40, 1" for i in range(10)])
    np.testing.assert_array_equal(acs_records(tmp_path), 1000 + np.arange(10))


def test_no_record_passes(tmp_path):
    store(tmp_path, [])
    assert acs_records(tmp_path).shape == (0,)
    store(tmp_path, ["10,500,40,1"])
    assert acs_records(tmp_path).shape == (0,)


def test_missing_file_names_the_call(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"psam_p06\.csv; download_acs\(.*states=\['CA'\]"):
        acs_records(tmp_path, ["CA"])
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("column", ["AGEP", "PINCP", "WKHP", "PWGTP"])
def test_missing_column(tmp_path, column):
    store(tmp_path, ["50,500,40,1"], header=HEADER.replace(column, "OTHER"))
    with pytest.raises(ValueError, match=rf"psam_p01\.csv must be .* column {column} is missing"):
        acs_records(tmp_path)


@pytest.mark.parametrize(
    ("row", "column"),
    [("x,500,40,1", "AGEP"), ("50,5OO,40,1", "PINCP"), ("50,500,many,1", "WKHP"), ("50,500,40,inf", "PWGTP")],
)
def test_garbage_in_a_column(tmp_path, row, column):
    store(tmp_path, ["50,500,40,1", row])
    with pytest.raises(ValueError, match=rf"psam_p01\.csv must be .* column {column} must hold"):
        acs_records(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\x00\x01\xff\xfe" * 50, b"PK\x03\x04 zip", b"<html>not found</html>"]
)
def test_file_of_another_kind(tmp_path, content):
    store(tmp_path, []).write_bytes(content)
    with pytest.raises(ValueError, match=r"psam_p01\.csv must be an ACS person file"):
        acs_records(tmp_path)


def test_row_with_too_many_fields(tmp_path):
    """Columns must never shift: refused, or read in place."""
    store(tmp_path, ["50,500,40,1", "50,600,40,1,7,8,9"])
    try:
        incomes = acs_records(tmp_path)
    except ValueError as problem:
        assert "psam_p01.csv" in str(problem)  # noqa: PT017 - either outcome is right
    else:
        np.testing.assert_array_equal(incomes, [500, 600])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"states": ["XX"]}, "states must be one of AL, .*; got 'XX'"),
        ({"states": "al"}, "states must be one of"),
        ({"states": []}, "at least one postal code"),
        ({"states": 5}, "states must be one of"),
        ({"year": 2013}, "year must be a whole number from 2,014"),
        ({"year": "../2018"}, "year must"),
        ({"year": "²"}, "year must"),
        ({"horizon": "3-Year"}, "horizon must be one of 1-Year, 5-Year"),
        ({"horizon": "../.."}, "horizon must"),
    ],
)
def test_bad_arguments(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        acs_records(tmp_path, **arguments)
    with pytest.raises(ValueError, match=message):
        download_acs(tmp_path, **{"states": ["AL"], **arguments})


def test_fips_codes():
    assert len(acs.FIPS) == len(set(acs.FIPS.values())) == 52
    # FIPS left five numbers free for territories that later got others.
    assert sorted(set(range(1, 57)) - {int(code) for code in acs.FIPS.values()}) == [3, 7, 14, 43, 52]
    known = {"AL": "01", "CA": "06", "DC": "11", "NY": "36", "TX": "48", "WY": "56", "PR": "72"}
    assert known.items() <= acs.FIPS.items()


# ---- the explicit download, with a stand-in for folktables ----------------------------

FAKE = """
import os, time

class ACSDataSource:
    def __init__(self, survey_year, horizon, survey, root_dir):
        assert survey == "person"
        self.folder = os.path.join(root_dir, survey_year, horizon)

    def get_data(self, states, density, download):
        assert download
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, "psam_p" + {"AL": "01", "AK": "02"}[states[0]] + ".csv")
        self.fetch(path, states[0])

    def fetch(self, path, state):
"""

CONTENT = HEADER + "P,1,50,1234,40,1,2\n"

FETCH = {
    "success": f"open(path, 'w').write({CONTENT!r})",
    "no file": "print('Exception: ', 'no route'); open(path)",
    "partial": "open(path, 'w').write('RT,AG'); print('Exception: ', 'bad CRC')",
    "crash": f"open(path, 'w').write({CONTENT!r}); raise RuntimeError('disk on fire')",
    "silent": "pass",
    "hang": "open(path, 'w').write('RT,AG'); time.sleep(60)",
    "first only": f"time.sleep(60 if state == 'AK' else 0); open(path, 'w').write({CONTENT!r})",
}


@pytest.fixture
def fake_folktables(tmp_path, monkeypatch):
    def install(source):
        folder = tmp_path / "modules"
        folder.mkdir()
        (folder / "folktables.py").write_text(source)
        monkeypatch.setenv("PYTHONPATH", str(folder))
        monkeypatch.syspath_prepend(folder)
        importlib.invalidate_caches()

    return install


def everything_under(root):
    return sorted(path.name for path in root.rglob("*") if path.is_file() or path.name.startswith("."))


def test_download_succeeds(tmp_path, fake_folktables):
    fake_folktables(FAKE + "        " + FETCH["success"])
    root = tmp_path / "new" / "root"
    (path,) = download_acs(root, ["AL"])
    assert path == root / "2018" / "5-Year" / "psam_p01.csv"
    np.testing.assert_array_equal(acs_records(root), [1234])
    assert everything_under(root) == ["psam_p01.csv"]


def test_download_keeps_what_is_there(tmp_path):
    path = store(tmp_path, ["50,500,40,1"])
    before = path.stat().st_mtime_ns
    assert download_acs(tmp_path, "AL") == [path]
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("no file", "no route"), ("partial", "bad CRC"), ("crash", "disk on fire"), ("silent", "no reason")],
)
def test_failed_download_leaves_nothing(tmp_path, fake_folktables, kind, reason):
    fake_folktables(FAKE + "        " + FETCH[kind])
    root = tmp_path / "root"
    with pytest.raises(ConnectionError, match=rf"2018 5-Year person file of AL .*network.*{reason}"):
        download_acs(root, ["AL"])
    assert everything_under(root) == []


def test_time_out_kills_the_download(tmp_path, fake_folktables):
    fake_folktables(FAKE + "        " + FETCH["hang"])
    root, started = tmp_path / "root", time.monotonic()
    with pytest.raises(TimeoutError, match="person file of AL was not complete"):
        download_acs(root, ["AL"], timeout=0.5)
    assert time.monotonic() - started < 10
    assert everything_under(root) == []


@pytest.mark.slow
def test_time_out_keeps_the_states_that_are_complete(tmp_path, fake_folktables):
    fake_folktables(FAKE + "        " + FETCH["first only"])
    root = tmp_path / "root"
    with pytest.raises(TimeoutError, match="of AK"):
        download_acs(root, ["AL", "AK"], timeout=3)
    assert everything_under(root) == ["psam_p01.csv"]
    np.testing.assert_array_equal(acs_records(root), [1234])


def test_dc_is_not_in_folktables_list(tmp_path):
    with pytest.raises(ValueError, match=r"'DC' is not in its list.*psam_p11\.csv"):
        download_acs(tmp_path, ["AL", "DC"])
    assert everything_under(tmp_path) == []


@pytest.mark.parametrize("timeout", [0, -1, math.nan, math.inf, "10", None])
def test_bad_timeout(tmp_path, timeout):
    with pytest.raises(ValueError, match="timeout must be"):
        download_acs(tmp_path, ["AL"], timeout=timeout)


def test_without_folktables(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match="needs the package folktables, which is not installed"):
        download_acs(tmp_path, ["AL"])


def test_folktables_that_does_not_load(tmp_path, fake_folktables):
    fake_folktables("import a_package_that_nobody_has")
    with pytest.raises(ImportError, match=r"does not load.*a_package_that_nobody_has"):
        download_acs(tmp_path / "root", ["AL"])


def test_nothing_is_imported_early():
    """Only NumPy: neither pandas nor folktables may slow the start down."""
    for module in (acs, base, binning, sampling, synthetic, metrics):
        for node in ast.parse(inspect.getsource(module)).body:
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            roots = {name.split(".")[0] for name in names}
            assert roots <= {*sys.stdlib_module_names, "numpy", "ldpcore"}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("folktables") is None, reason="folktables is not installed")
def test_real_folktables_without_a_network(tmp_path, monkeypatch):
    """A proxy at a closed port: no network for the download, wherever this test runs."""
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        for key in (name, name.upper()):
            monkeypatch.setenv(key, "http://127.0.0.1:9")
    for key in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(key, raising=False)
    with pytest.raises(ConnectionError, match=r"person file of AL could not be downloaded.*Max retries"):
        download_acs(tmp_path, ["AL"], timeout=60)
    assert everything_under(tmp_path) == []


def test_shell_is_never_involved(tmp_path, fake_folktables):
    fake_folktables(FAKE + "        " + FETCH["success"])
    root = tmp_path / "a root; with 'odd' $names"
    download_acs(os.fspath(root), ["AL"])
    assert acs_records(root).tolist() == [1234]
