"""Income of U.S. persons: the bracket table that comes with the library, and folktables' stored records.

Nothing here touches a network, but for `download_acs`, which must be called by name.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets.base import Distribution, drawing, probabilities
from ldpcore.errors import Refused

BRACKET_WIDTH = 1000
HORIZONS = ("1-Year", "5-Year")

# The filter of the paper and of folktables' income task.
AGE_ABOVE, INCOME_ABOVE, HOURS_ABOVE, WEIGHT_FROM = 16, 100, 0, 1
COLUMNS = ("AGEP", "PINCP", "WKHP", "PWGTP")
CHUNK_ROWS = 100_000

# Two-digit FIPS codes, by which the Census Bureau names the files of the states.
FIPS = dict(
    pair.split(":")
    for pair in (
        "AL:01 AK:02 AZ:04 AR:05 CA:06 CO:08 CT:09 DE:10 DC:11 FL:12 GA:13 HI:15 ID:16 IL:17 IN:18 IA:19 "
        "KS:20 KY:21 LA:22 ME:23 MD:24 MA:25 MI:26 MN:27 MS:28 MO:29 MT:30 NE:31 NV:32 NH:33 NJ:34 NM:35 "
        "NY:36 NC:37 ND:38 OH:39 OK:40 OR:41 PA:42 RI:44 SC:45 SD:46 TN:47 TX:48 UT:49 VT:50 VA:51 WA:53 "
        "WV:54 WI:55 WY:56 PR:72"
    ).split()
)


# ---- the bracket table -------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Brackets:
    """Brackets in ascending order; `below` and `above` are the persons outside of each, exactly."""

    start: FloatArray
    width: FloatArray
    persons: IntArray
    below: IntArray
    above: IntArray
    total: int


@lru_cache(maxsize=1)
def _brackets() -> _Brackets:
    table = resources.files("ldpcore.datasets").joinpath("acs_income_2024_brackets.csv")
    with table.open(encoding="ascii") as lines:
        rows = np.loadtxt(lines, dtype=np.int64, delimiter=",", skiprows=1)
    # The filter leaves nobody at or below $100, so the first bracket starts there.
    start = np.maximum(rows[:, 0], INCOME_ABOVE).astype(np.float64)
    persons = rows[:, 1]
    upto, total = np.cumsum(persons), int(persons.sum())
    brackets = _Brackets(start, rows[:, 0] + BRACKET_WIDTH - start, persons, upto - persons, total - upto, total)
    for array in (start, brackets.width, persons, brackets.below, brackets.above):
        array.setflags(write=False)  # one copy serves everyone
    return brackets


@dataclass(frozen=True)
class AcsIncome(Distribution):
    """Income by the bracket table: a bracket by its persons, then uniform inside it."""

    name: ClassVar[str] = "acs-income"
    label: ClassVar[str] = "ACS income"
    axis: ClassVar[str] = "income per year"
    unit: ClassVar[str] = "$"
    description: ClassVar[str] = (
        "U.S. Census Bureau ACS PUMS 2024 1-Year person file: persons per $1,000 bracket of PINCP, "
        "48 states and DC without California and Texas, filters AGEP > 16, PINCP > 100, WKHP > 0, "
        "PWGTP >= 1, unweighted. Inside a bracket incomes are uniform. "
        "The offline stand-in for the paper's 2018 5-Year records."
    )

    def _inside(self, x: npt.ArrayLike) -> tuple[IntArray, FloatArray]:
        """Return the bracket at or before each x, and the share of it that lies below x."""
        b, x = _brackets(), check.reals("x", x)
        i = np.maximum(np.searchsorted(b.start, x, side="right") - 1, 0)
        return i, np.clip((x - b.start[i]) / b.width[i], 0, 1)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        b = _brackets()
        i, share = self._inside(x)
        return np.asarray((b.below[i] + b.persons[i] * share) / b.total)

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        b = _brackets()
        i, share = self._inside(x)
        return np.asarray((b.above[i] + b.persons[i] * (1 - share)) / b.total)

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        b, wanted = _brackets(), probabilities("u", u) * _brackets().total
        i = np.maximum(np.searchsorted(b.below, wanted, side="left") - 1, 0)
        return np.asarray(b.start[i] + b.width[i] * np.minimum((wanted - b.below[i]) / b.persons[i], 1))

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        b, wanted = _brackets(), probabilities("s", s) * _brackets().total
        j = np.maximum(np.searchsorted(b.above[::-1], wanted, side="left") - 1, 0)
        i = b.above.size - 1 - j
        return np.asarray(b.start[i] + b.width[i] * (1 - np.minimum((wanted - b.above[i]) / b.persons[i], 1)))

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        n, rng = drawing(n, rng)
        values = np.empty(n)
        for block in np.array_split(values, max(1, n // 1_000_000)):  # views: `quantile` needs several arrays
            block[:] = self.quantile(rng.random(block.size))
        return values


# ---- records that folktables has stored --------------------------------------------


def acs_records(
    root: str | os.PathLike[str],
    states: str | Iterable[str] = ("AL",),
    year: str | int = "2018",
    horizon: str = "5-Year",
) -> FloatArray:
    r"""Return the incomes (PINCP) of the records that folktables has stored under `root`.

    Reads `<root>/<year>/<horizon>/psam_p<FIPS>.csv` for each state, without a network and without
    folktables, in chunks. Keeps AGEP > 16, PINCP > 100, WKHP > 0 and PWGTP >= 1, as the paper does.

    Parameters
    ----------
    root : path
        The `root_dir` of folktables.
    states : iterable of str
        Postal codes: the 50 states, "DC" and "PR".
    year : str or int
        Survey year, 2014 or later.
    horizon : {"1-Year", "5-Year"}
        Length of the survey.

    Raises
    ------
    FileNotFoundError
        If a state has not been downloaded; names the file and the call that downloads it.
    ValueError
        If a file is not an ACS person file; names the file and the column.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     path = Path(root, "2018", "5-Year", "psam_p01.csv")
    ...     path.parent.mkdir(parents=True)
    ...     _ = path.write_text("AGEP,PINCP,WKHP,PWGTP\n40,52000,40,10\n12,0,,8\n")
    ...     acs_records(root, ["AL"])
    array([52000.])
    """
    year, horizon = _check_survey(year, horizon)
    wanted = {state: _person_file(check.path("root", root), state, year, horizon) for state in _check_states(states)}
    for state, path in wanted.items():
        if not path.is_file():
            call = f"download_acs({str(root)!r}, states=[{state!r}], year={str(year)!r}, horizon={horizon!r})"
            raise FileNotFoundError(f"there is no file {path}; {call} downloads it")
    return np.concatenate([_read_incomes(path) for path in wanted.values()])


def _check_survey(year: str | int, horizon: str) -> tuple[int, str]:
    number = int(year) if isinstance(year, str) and year.isascii() and year.isdigit() else year
    return check.integer("year", number, 2014, 2100), check.choice("horizon", horizon, HORIZONS)


def _check_states(states: str | Iterable[str]) -> list[str]:
    one = isinstance(states, str) or not isinstance(states, Iterable)
    names = [states] if one else check.sequence("states", states, "postal codes")
    if not names:
        raise Refused("states must hold at least one postal code, such as 'AL'; got none")
    return list(dict.fromkeys(check.choice("states", name, FIPS) for name in names))


def _person_file(root: Path, state: str, year: int, horizon: str) -> Path:
    # The Census Bureau changed its file names with the survey of 2017.
    name = f"psam_p{FIPS[state]}.csv" if year >= 2017 else f"ss{year % 100}p{state.lower()}.csv"
    return root / str(year) / horizon / name


def _read_incomes(path: Path) -> FloatArray:
    import pandas as pd

    # index_col=False: a row with a field too many must not shift the columns. Blanks occur in early files.
    options: dict[str, Any] = {"index_col": False, "skipinitialspace": True, "encoding_errors": "replace"}
    try:
        header = pd.read_csv(path, nrows=0, **options).columns
        for column in COLUMNS:
            if column not in header:
                raise Refused(f"the column {column} is missing")
        with pd.read_csv(path, usecols=list(COLUMNS), chunksize=CHUNK_ROWS, low_memory=False, **options) as chunks:
            incomes = [_filtered_incomes(chunk) for chunk in chunks]
    except ValueError as problem:  # pandas' own parser errors are ValueErrors too
        raise Refused(f"{path} must be an ACS person file: {problem}") from problem
    return np.concatenate(incomes) if incomes else np.empty(0)


def _filtered_incomes(chunk: Any) -> FloatArray:
    """Return PINCP of the rows that pass the filter; a blank field (a child's hours) never passes."""
    if chunk.empty:  # pandas gives columns without a single row no type
        return np.empty(0)
    for column in COLUMNS:
        if chunk[column].dtype.kind not in "iuf":
            text = next((v for v in chunk[column] if isinstance(v, str) and not _is_number(v)), "")
            raise Refused(f"the column {column} must hold numbers; got {text!r:.40}")
        if np.isinf(chunk[column].to_numpy(dtype=np.float64)).any():
            raise Refused(f"the column {column} must hold finite numbers; got inf")
    keep = (
        (chunk["AGEP"] > AGE_ABOVE)
        & (chunk["PINCP"] > INCOME_ABOVE)
        & (chunk["WKHP"] > HOURS_ABOVE)
        & (chunk["PWGTP"] >= WEIGHT_FROM)
    )
    return np.asarray(chunk.loc[keep, "PINCP"], dtype=np.float64)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- the explicit download ---------------------------------------------------------

# In a process of its own, because folktables downloads without a time-out and a thread cannot be stopped.
# density=0 keeps it from loading the whole state into memory after the download.
_DOWNLOAD = """
import sys
from folktables import ACSDataSource
root, state, year, horizon = sys.argv[1:]
source = ACSDataSource(survey_year=year, horizon=horizon, survey="person", root_dir=root)
source.get_data(states=[state], density=0.0, download=True)
"""


def download_acs(
    root: str | os.PathLike[str],
    states: str | Iterable[str],
    year: str | int = "2018",
    horizon: str = "5-Year",
    timeout: float = 600,
) -> list[Path]:
    """Download person files through folktables to where `acs_records` reads them.

    Alabama's file of 2018, 5-Year, is about 40 MB zipped. States that are already there are not
    downloaded again. A file appears under its name only when it is complete.

    Parameters
    ----------
    root, states, year, horizon
        As for `acs_records`; folktables cannot download "DC".
    timeout : float
        Seconds for the whole call, up to a day.

    Returns
    -------
    list of Path
        The files, one for each state.

    Raises
    ------
    ConnectionError
        If a file cannot be downloaded, as without a network.
    TimeoutError
        If the time is over; states that were complete by then stay.
    ImportError
        If folktables is not installed.

    Examples
    --------
    A state that is there is not downloaded again:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as root:
    ...     path = Path(root, "2018", "5-Year", "psam_p01.csv")
    ...     path.parent.mkdir(parents=True)
    ...     path.touch()
    ...     download_acs(root, ["AL"]) == [path]
    True
    """
    year, horizon = _check_survey(year, horizon)
    files = {state: _person_file(check.path("root", root), state, year, horizon) for state in _check_states(states)}
    deadline = time.monotonic() + check.real("timeout", timeout, 0.001, 86_400)
    missing = {state: path for state, path in files.items() if not path.is_file()}
    _check_downloadable(missing)
    for state, path in missing.items():
        _download_state(path, state, year, horizon, deadline)
    return list(files.values())


def _check_downloadable(missing: dict[str, Path]) -> None:
    if "DC" in missing:
        raise Refused(
            "states must be states that folktables can download, and 'DC' is not in its list; got 'DC' "
            f"(acs_records reads the Census Bureau's file from {missing['DC']} once it is there)"
        )
    if missing and importlib.util.find_spec("folktables") is None:
        raise ImportError("download_acs needs the package folktables, which is not installed: pip install folktables")


def _download_state(path: Path, state: str, year: int, horizon: str, deadline: float) -> None:
    what = f"the {year} {horizon} person file of {state}"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, hence on the same file system, where os.replace is atomic.
    with tempfile.TemporaryDirectory(prefix=".download-", dir=path.parent) as folder:
        command = [sys.executable, "-c", _DOWNLOAD, folder, state, str(year), horizon]
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and code; it kills the process when the time is over
                command,
                timeout=max(deadline - time.monotonic(), 0.001),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{what} was not complete when the time was over; a longer timeout may help") from None
        fresh = _person_file(Path(folder), state, year, horizon)
        _raise_failure(done, what, complete=fresh.is_file())
        fresh.replace(path)


def _raise_failure(done: subprocess.CompletedProcess[str], what: str, *, complete: bool) -> None:
    """Raise what really happened: folktables prints the reason of a failed download and goes on."""
    printed = [line for line in done.stdout.splitlines() if line.startswith("Exception:")]
    if done.returncode == 0 and complete and not printed:
        return
    last = done.stderr.strip().splitlines()[-1:]
    if last and last[0].startswith(("ImportError", "ModuleNotFoundError")):
        raise ImportError(f"download_acs needs the package folktables, which does not load: {last[0]}")
    reason = (printed or last or ["no reason was given"])[-1].removeprefix("Exception:").strip()
    raise ConnectionError(
        f"{what} could not be downloaded from the U.S. Census Bureau; "
        f"is there a network? The reason given: {reason[:300]}"
    )
