"""The files for containers, as far as they can be looked at without building one."""

from __future__ import annotations

from browser_steps import ROOT


def words(name):
    lines = (line.strip() for line in (ROOT / name).read_text().splitlines())
    return {line.removeprefix("**/").strip("/") for line in lines if line and not line.startswith("#")}


def test_what_git_leaves_out_no_image_holds():
    """All of the folder went into the image: its history, its environments, and secrets where there are any."""
    assert words(".gitignore") | {".git"} <= words(".dockerignore")


def test_a_container_is_asked_for_its_health_where_it_listens():
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    assert "HEALTHCHECK" in text
    assert '"--bind", ":8080"' in text
    assert "127.0.0.1:8080/_stcore/health" in text
    assert "\n    init: true\n" in (ROOT / "deploy" / "compose.yaml").read_text()
