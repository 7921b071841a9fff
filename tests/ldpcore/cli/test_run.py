"""`run`: what it prints, what it refuses."""

import json
import re

import pytest
from commands import call

import ldpcore as ldp


def test_run_prints_a_summary(capsys):
    assert call("run", "--data", "poisson", "--mechanism", "OUE", "--n", "2e4", "--k", 50, "--max-iter", 500) == 0
    out = capsys.readouterr().out
    r = ldp.run(ldp.Setting(data="poisson", mechanism="OUE", k=50, max_iter=500))
    assert "OUE on poisson: ε = 1, n = 20,000, k = 50, 20 runs, seed 0" in out
    assert f"{r.error('ibu', 'mse'):.3g}" in out
    assert f"{r.gain('mse'):.1f} %" in out
    assert "IBU: 500 iterations at most" in out


def test_run_takes_every_field_and_prints_json(capsys):
    fields = {
        "data": "exponential", "mechanism": "L-GRR", "eps": 1.5, "n": 3_000, "k": 7, "runs": 2, "seed": 5,
        "calibration": "tight", "channel": "published", "binning": "paper", "max_iter": 40, "tol": 1e-3, "stop": "mae",
        "start": "observed", "eps_inf": 4.0,
    }  # fmt: skip
    arguments = [word for name, value in fields.items() for word in (f"--{name.replace('_', '-')}", value)]
    assert call("run", *arguments, "--param", "rate=2.5", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    setting = ldp.Setting(**fields, params={"rate": 2.5})
    assert told["setting"] == setting.as_dict()
    r = ldp.run(setting)
    assert told["iterations"] == r.iterations.tolist()
    means = {(row["estimator"], row["metric"]): row["mean"] for row in told["results"]}
    assert means["ibu", "mae"] == r.error("ibu", "mae").mean
    assert means["limit", "gain_mse"] == r.gain("mse", estimator="limit").mean


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--eps", "0"], "eps must be .* got 0"),
        (["--mechanism", "RR"], "mechanism must be one of GRR, .* got 'RR'"),
        (["--mechanism", "L-OUE", "--eps", "1.9", "--eps-inf", "2"], "L-OUE"),
        (["--n", "1.5"], "n must be a whole number .* got 1.5"),
        (["--param", "rate"], "--param must be NAME=VALUE .* got 'rate'"),
        (["--param", "rate=many"], "--param must be NAME=VALUE .* got 'rate=many'"),
    ],
)
def test_run_says_what_is_wrong(arguments, says, capsys):
    assert call("run", *arguments) == 2
    assert re.search(says, capsys.readouterr().err)


@pytest.mark.parametrize("arguments", [[], ["walk"], ["run", "--k", "many"], ["sweep", "grid.toml"]])
def test_usage_errors_end_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        call(*arguments)
    assert end.value.code == 2
    assert "usage: python -m ldpcore" in capsys.readouterr().err
