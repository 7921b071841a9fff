"""The command `ldp-explorer`: which script it runs, and whose settings win."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit import config
from streamlit.web import bootstrap, cli

from ldpui.serving import launch

ROOT = Path(__file__).resolve().parents[3]


def _write(folder: Path, text: str) -> None:
    (folder / ".streamlit").mkdir(parents=True)
    (folder / ".streamlit" / "config.toml").write_text(text)


@pytest.fixture
def app(tmp_path, monkeypatch):
    """Return a script with settings of its own, in a home and a current folder that have none yet."""
    for name in ("home", "current", "installed"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.chdir(tmp_path / "current")
    text = "[server]\nmaxUploadSize = 50\n[runner]\npostScriptGC = false\n[theme]\nheadingFontSizes = ['2rem']\n"
    _write(tmp_path / "installed", text + "[theme.light]\ntextColor = 'black'\n")
    return tmp_path / "installed" / "app.py"


def test_the_repositorys_own_script_is_run_where_there_is_no_wheel():
    assert launch.app_file() == ROOT / "app.py"


def test_without_settings_of_the_host_ours_hold(app):
    assert launch.host_flags(app) == []


def test_what_host_and_dashboard_both_decide_the_host_decides(app, tmp_path):
    _write(tmp_path / "home", "[server]\nmaxUploadSize = 7\nport = 80\n[runner]\npostScriptGC = true\n")
    _write(tmp_path / "current", "[server]\nmaxUploadSize = 8\n[theme]\nheadingFontSizes = ['3rem', '2rem']\n")
    flags = ["--server.maxUploadSize=8", "--runner.postScriptGC=true", '--theme.headingFontSizes=["3rem", "2rem"]']
    assert launch.host_flags(app) == flags  # the port is not ours: Streamlit reads it itself


def test_the_environment_decides_over_files(app, tmp_path, monkeypatch):
    _write(tmp_path / "current", "[runner]\npostScriptGC = true\n[theme.light]\ntextColor = 'red'\n")
    monkeypatch.setenv("STREAMLIT_RUNNER_POST_SCRIPT_GC", "false")
    assert launch.host_flags(app) == ["--theme.light.textColor=red"]
    monkeypatch.setenv("STREAMLIT_THEME_LIGHT_TEXT_COLOR", "blue")
    assert launch.host_flags(app) == []


def test_settings_that_cannot_be_read_are_left_to_streamlit(app, tmp_path):
    _write(tmp_path / "current", "[server\n")
    assert launch.host_flags(app) == []


def test_in_the_repository_our_settings_are_not_taken_for_the_hosts(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(ROOT)
    assert launch.host_flags(ROOT / "app.py") == []


def test_streamlit_is_told_script_flags_and_arguments(app, tmp_path, monkeypatch):
    """What is typed wins over the host's files, and these over ours."""
    _write(tmp_path / "current", "[server]\nmaxUploadSize = 8\n[runner]\npostScriptGC = true\n")
    monkeypatch.setattr(launch, "app_file", lambda: app)
    app.write_text("")
    told: list[dict[str, object]] = []
    monkeypatch.setattr(bootstrap, "load_config_options", lambda flag_options: told.append(flag_options))
    monkeypatch.setattr(bootstrap, "run", lambda script, *_: told.append({"script": script}))
    monkeypatch.setattr(cli, "check_credentials", lambda: None)
    monkeypatch.setattr(config, "_main_script_path", config._main_script_path)
    monkeypatch.setattr("sys.argv", ["ldp-explorer", "--server.maxUploadSize", "9"])
    with pytest.raises(SystemExit) as end:
        launch.main()
    assert end.value.code == 0
    options, script = told
    assert script == {"script": str(app)}
    assert options["server_maxUploadSize"] == 9
    assert options["runner_postScriptGC"] is True
    assert options["server_port"] is None


def test_names_of_variables_are_streamlits():
    for name, option in config._config_options_template.items():
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(option.env_var, "1")
            assert launch._in_environment(name), name
