"""A tournament that is stopped goes on where it was, on any worker, and never mixes two seeds."""

import json
import re
from dataclasses import replace
from shutil import copytree

import pandas as pd
import pytest

import ldpcore
from ldpcore import tournament
from ldpcore.cli.main import main
from ldpcore.cli.tournament import PART_HELP
from ldpcore.tournament import Match, run
from ldpcore.tournament.run import PARTS

FEW = [Match(name, 1.0, 1_000, 4, ("zipf", "spike")) for name in ("GRR", "OUE", "OLH")]


def small(monkeypatch):
    def tasks(draw, seed):
        return [replace(match, draw=draw, seed=seed) for match in FEW]

    monkeypatch.setitem(PARTS, "matches", replace(PARTS["matches"], tasks=tasks))


@pytest.fixture
def few(monkeypatch):
    small(monkeypatch)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small tournament that was played to its end: its folder, and its rows."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as monkeypatch:
        small(monkeypatch)
        return folder, tournament.play("matches", folder, workers=1)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The same tournament in three sittings, the first of which is stopped after two matches.

    Its folder, the rows after the first and after the second sitting, and what each said of its progress.
    """
    folder, seen = tmp_path_factory.mktemp("stopped"), ([], [])
    with pytest.MonkeyPatch.context() as monkeypatch:
        small(monkeypatch)

        def stop_after_two(done, total):
            seen[0].append((done, total))
            return done < 2

        part = tournament.play("matches", folder, workers=1, on_progress=stop_after_two)
        again = tournament.play("matches", folder, workers=1, on_progress=lambda *a: seen[1].append(a))
        # Nothing is left to do, and a caller may say so.
        assert len(tournament.play("matches", folder, on_progress=lambda *_: False)) == len(again)
    return folder, part, again, seen


@pytest.fixture
def folder(few, played, tmp_path):
    """A copy of the folder of that tournament."""
    return copytree(played[0], tmp_path / "played")


@pytest.mark.slow
def test_a_stopped_tournament_goes_on_and_is_the_same(played, stopped):
    whole, (_, part, again, seen) = played[1], stopped
    assert len(whole) == 3 * 2 * tournament.REPEATS
    assert len(part) == 2 * 2 * tournament.REPEATS
    assert seen == ([(0, 3), (1, 3), (2, 3)], [(2, 3), (3, 3)])
    # What was in the file is rounded to 11 binary digits.
    pd.testing.assert_frame_equal(whole, again, rtol=1e-3, check_dtype=False, check_categorical=False)


@pytest.mark.slow
def test_processes_give_the_same_numbers_and_more_draws_are_added(played, folder, tmp_path):
    alone = played[1]
    apart = tournament.play("matches", tmp_path / "two", workers=2)
    pd.testing.assert_frame_equal(alone, apart)
    both = tournament.play("matches", folder, draws=2, workers=1)
    assert both["draw"].value_counts().to_dict() == {0: len(alone), 1: len(alone)}
    notes = json.loads((folder / "matches.json").read_text())
    assert notes["draws"] == 2
    assert notes["version"] == ldpcore.__version__
    assert notes["command"] == "python -m ldpcore tournament --part matches --draws 2 --seed 0 --out DIR"


def test_another_seed_is_not_mixed_in(folder):
    with pytest.raises(ldpcore.Refused, match="made with seed 0, not 1"):
        tournament.play("matches", folder, seed=1)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"revision": 0}, f"made with revision 0, not {run.REVISION}"),
        ({"version": "0"}, "made with version 0"),
        ({"probe": {}}, "made when raw, mi"),
        ({"probe": run.probe() | {"auto": 1.02 * run.probe()["auto"]}}, "made when auto gave something else"),
    ],
)
def test_rows_of_other_estimators_are_not_mixed_in(folder, other, said):
    notes = folder / "matches.json"
    notes.write_text(json.dumps(json.loads(notes.read_text()) | other))
    with pytest.raises(ldpcore.Refused, match=said):
        tournament.play("matches", folder, workers=1)


def test_the_probe_is_what_the_estimators_give(monkeypatch):
    """Another estimator behind a name is another probe."""
    before = run.probe()
    record = ldpcore.ESTIMATORS["norm-sub"]
    monkeypatch.setitem(ldpcore.ESTIMATORS, "norm-sub", ldpcore.ESTIMATORS["mi"])
    run._probe.cache_clear()
    after = run.probe()
    monkeypatch.setitem(ldpcore.ESTIMATORS, "norm-sub", record)
    run._probe.cache_clear()
    assert {key for key in before if before[key] != after[key]} == {"norm-sub"}


def test_what_it_took_is_told_for_every_sitting(stopped):
    sittings = json.loads((stopped[0] / "matches.json").read_text())["sittings"]
    # In the third there was nothing left to do, and so there is nothing to tell.
    assert [sitting["pieces"] for sitting in sittings] == [2, 1]
    assert all(sitting["workers"] == 1 <= sitting["cores"] for sitting in sittings)
    assert all(0 < sitting["seconds"] < 600 for sitting in sittings)


def test_the_command_line_plays(few, tmp_path, capsys):
    assert main(["tournament", "--part", "matches", "--workers", "1", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert "matches: 12 rows" in said.out
    assert "3 of 3 pieces of matches" in said.err


def test_the_help_says_what_every_part_is():
    assert re.findall(r"(\w+):", PART_HELP.rpartition(" (default")[0]) == list(PARTS)


def test_two_tournaments_do_not_share_a_folder(few, tmp_path):
    """Whoever saved last kept its own results, and lost the other's."""
    (tmp_path / ".matches-0123abcd.parquet").write_bytes(b"half")
    (tmp_path / ".matches-0123abcd.json").write_bytes(b"half")

    def meanwhile(done, total):
        with pytest.raises(ldpcore.Refused, match=r"another tournament is writing to '.*matches\.parquet'"):
            tournament.play("matches", tmp_path, workers=1)
        return False

    tournament.play("matches", tmp_path, workers=1, on_progress=meanwhile)
    # Nothing is left of one that was killed, nor of a lock.
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    tournament.play("matches", tmp_path, workers=1, on_progress=lambda *_: False)


def test_a_folder_of_another_seed_is_not_locked(folder):
    for _ in range(2):
        with pytest.raises(ldpcore.Refused, match="was made with seed 0"):
            tournament.play("matches", folder, seed=1)
