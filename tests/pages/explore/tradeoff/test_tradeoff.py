"""Trade-off: every view draws what `ldpcore` computes, and says what it leaves out."""

import re
from dataclasses import replace
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from app_steps import TRADEOFF, assert_calm, charts, names, numbers, open_page, sentences, session_of

import ldpcore as ldp
from ldpcore.metrics import RECORDS, Metric
from ldpui import export, grids, sidebar, sweeps
from pages.explore.tradeoff import captions as tradeoff_captions
from pages.explore.tradeoff import controls, sweep

SMALL = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "10"}
BASE = ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=1000, k=10, runs=2, max_iter=10)
CHAIN = {"reports": "repeatedly", "chain": "L-OUE", "share": "95%"}
REFERENCES = ["Cramér–Rao (OUE)", "Sampling", "Central model"]


def opened(**state):
    """Open the page at a small setting; it must be calm."""
    at = open_page(TRADEOFF, SMALL | state)
    assert_calm(at)
    assert not at.warning
    return at


def only_chart(at):
    (figure,) = charts(at).values()
    return figure


def drawn(at, name):
    """Return x and y of a line."""
    trace = next(t for t in only_chart(at)["data"] if t.get("name") == name)
    return numbers(trace["x"]), numbers(trace["y"])


def captions(at):
    return [caption.value for caption in at.main.caption]


def test_the_defaults_are_calm_and_described():
    # Fewer runs than by default: the settings are the same, and the sweep is not what is tested.
    at = open_page(TRADEOFF, {"runs": "1", "iterations": "10"})
    assert_calm(at)
    assert not sentences(at)
    assert names(only_chart(at)) == ["MI", "IBU", *REFERENCES]
    assert all(len(element.proto.alt) > 20 for element in at.main.get("plotly_chart"))


@pytest.mark.parametrize("draw", controls.DRAW)
@pytest.mark.parametrize("against", controls.AGAINST)
def test_curves_against_everything(against, draw):
    at = opened(against=against, draw=draw, estimators=["MI", "IBU", "IBU limit"], metric_k="MSE")
    field, gain = controls.AGAINST[against], draw == controls.DRAW[1]
    lines = ["IBU", "IBU limit"] if gain else ["MI", "IBU", "IBU limit", *REFERENCES]
    assert names(only_chart(at)) == lines
    settings, notes = grids.along(BASE, field, ["OUE"])
    assert not notes
    expected = sorted(settings, key=lambda s: getattr(s, field))
    x, y = drawn(at, "IBU")
    assert x.tolist() == [getattr(s, field) for s in expected]
    # A few of them computed anew.
    for i in (0, len(expected) // 2, -1):
        result = ldp.run(expected[i])
        assert y[i] == pytest.approx(result.gain("mse") if gain else result.error("ibu", "mse"), rel=1e-9)


def test_errors_against_k_are_those_of_the_whole_histogram_at_first():
    at = opened(against="k")
    settings, _ = grids.along(BASE, "k", ["OUE"])
    x, y = drawn(at, "IBU")
    for s in (settings[0], settings[-1]):
        assert y[x.tolist().index(s.k)] == pytest.approx(float(ldp.run(s).error("ibu", "tv")), rel=1e-9)
    assert only_chart(at)["layout"]["yaxis"]["title"]["text"] == "total variation distance<br>(share of the users)"
    assert "total variation" not in " ".join(captions(at))
    # Fewer bins win back accuracy, which an error per bin would deny.
    mean = dict(zip(x, drawn(at, "MI")[1], strict=True))
    assert mean[2] < mean[10] < mean[100]


@pytest.mark.parametrize(
    ("state", "key"),
    [
        ({"against": "k"}, "metric_k"),
        ({"against": "k", "draw": "gain Γ"}, "metric"),
        ({"against": "k", "view": "gain map"}, "metric"),
        ({"against": "n"}, "metric"),
    ],
    ids=str,
)
def test_only_errors_against_k_have_a_measure_of_their_own(state, key):
    at = opened(**state, runs="1", iterations="1")
    (box,) = [box for box in at.main.selectbox if box.label.startswith("Error measured")]
    assert (box.key, box.value) == (key, "TV" if key == "metric_k" else "MSE")


def test_a_measure_that_a_link_names_holds_against_k_too():
    at = open_page(TRADEOFF, query=SMALL | {"against": "k", "metric": "MAE"})
    assert_calm(at)
    assert at.session_state["metric_k"] == "MAE"
    assert only_chart(at)["layout"]["yaxis"]["title"]["text"].startswith("mean absolute error")


def measure(at):
    (box,) = [box for box in at.main.selectbox if box.label.startswith("Error measured")]
    return box.value


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ({"against": "k"}, "MSE"),  # as the first version had it
        ({"against": "k", "v": "1"}, "MSE"),
        ({"against": "k", "v": "2"}, "TV"),
        ({"against": "k", "metric": "MAE"}, "MAE"),
        ({"against": "k", "metric": "MAE", "v": "2"}, "MAE"),
        ({"against": "k", "metric_k": "Max"}, "Max"),
        ({"against": "k", "v": "nonsense"}, "TV"),
    ],
    ids=str,
)
def test_a_link_against_k_measures_what_its_version_measured_and_so_does_the_address_it_leads_to(query, meant):
    at = open_page(TRADEOFF, query=SMALL | query)
    assert_calm(at)
    assert measure(at) == meant
    # What the address says by now, and what the link to copy says, show the same in a new session.
    again = open_page(TRADEOFF, query=dict(at.query_params))
    assert measure(again) == meant
    copied = parse_qs(at.sidebar.code[0].value.partition("?")[2])
    assert copied["v"] == ["2"]
    assert measure(open_page(TRADEOFF, query={key: words[-1] for key, words in copied.items()})) == meant


@pytest.mark.slow
def test_whoever_turns_to_k_gets_the_measure_of_today_and_an_address_that_says_so():
    at = opened()
    assert "v" not in at.query_params
    at.main.segmented_control(key="against").set_value("k").run()
    assert measure(at) == "TV"
    assert at.query_params["v"] == "2"
    # A link of the first version that does not speak of the axis opens what it opened; what is chosen there is new.
    at = open_page(TRADEOFF, query=SMALL)
    at.main.segmented_control(key="against").set_value("k").run()
    assert measure(at) == "TV"


def test_several_mechanisms_are_drawn_beside_each_other():
    at = opened(beside=["GRR", "L-SUE"], estimators=["IBU"])
    assert names(only_chart(at)) == [f"{name}, IBU" for name in ("OUE", "GRR", "L-SUE")] + REFERENCES
    lines = [t for t in only_chart(at)["data"] if str(t.get("name")).endswith(", IBU")]
    assert len({(t["line"]["dash"], t["marker"]["symbol"]) for t in lines}) == 3


def test_a_mechanism_that_becomes_the_sidebars_own_is_drawn_once():
    at = opened(beside=["GRR"])
    at.sidebar.selectbox(key="mechanism").set_value("GRR").run()
    assert_calm(at)
    assert names(only_chart(at)) == ["MI", "IBU", "Cramér–Rao (GRR)", *REFERENCES[1:]]


@pytest.mark.parametrize("chosen", ["MI", "IBU", "IBU limit"])
def test_only_the_chosen_estimator_is_drawn(chosen):
    assert names(only_chart(opened(estimators=[chosen], metric="MAE"))) == [chosen]


@pytest.mark.parametrize("state", [{"estimators": []}, {"estimators": ["MI"], "draw": "gain Γ"}], ids=str)
def test_nothing_to_draw_is_a_sentence(state):
    at = opened(**state)
    assert not charts(at)
    assert len(sentences(at)) == 1


@pytest.mark.parametrize(("metric", "draw"), [("MSE", "error"), ("MSE", "gain Γ"), ("KL", "error")])
def test_theory_is_drawn_for_the_squared_error_alone(metric, draw):
    listed = names(only_chart(opened(metric=metric, draw=draw)))
    assert [name for name in listed if name in REFERENCES] == (REFERENCES if (metric, draw) == ("MSE", "error") else [])


@pytest.mark.parametrize("field", controls.AGAINST.values())
@pytest.mark.parametrize("name", ["GRR", "L-OSUE"])
def test_references_are_those_of_theory(name, field):
    s = ldp.Setting(data="poisson", mechanism=name, eps=1.5, eps_inf=4.0 if "-" in name else None, n=2000, k=20)
    lines = sweep.references(s, field, sweeps.limits(sweep.reference_settings(s, field)))
    assert [line.name for line in lines] == [f"Cramér–Rao ({name})", *REFERENCES[1:]]
    for i in (0, 4, -1):
        changes = {field: lines[0].x[i] if field == "eps" else int(lines[0].x[i])}
        point = {"eps": s.eps, "n": s.n, "k": s.k} | changes
        wide = None if s.eps_inf is None else point["eps"] * 4 / 1.5
        m = ldp.mechanism(name, k=point["k"], eps=point["eps"], eps_inf=wide)
        true = ldp.sample_histogram("poisson", point["n"], point["k"]).counts / point["n"]
        expected = [
            ldp.theory.cramer_rao(m, true, point["n"], against="users").mse,
            ldp.theory.sampling_mse(true, point["n"]),
            ldp.theory.central_mse(point["eps"], point["n"]),
        ]
        assert [line.y[i] for line in lines] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("field", controls.AGAINST.values())
@pytest.mark.parametrize("name", ["OUE", *ldp.LONGITUDINAL])
def test_the_setting_itself_is_among_the_points(name, field):
    # To the last digit of ε∞: it decides the noise, and so whether Estimate shows the same numbers.
    for eps_inf in ("0.6", "1.4", "7"):
        for share in ("15%", "45%", "95%"):
            eps, _ = sidebar.first_report(name, float(eps_inf), int(share[:-1]) / 100) if "-" in name else (1.25, "")
            s = ldp.Setting(mechanism=name, eps=eps, eps_inf=float(eps_inf) if "-" in name else None, n=5000, k=12)
            settings, _ = grids.along(s, field, [name])
            assert s in settings
            assert len(set(settings)) == len(settings)


def test_points_that_are_not_possible_are_named():
    at = opened(**CHAIN)
    left_out = [text for text in captions(at) if "L-OUE is left out" in text]
    assert len(left_out) == 1
    assert "ε = 0.1, 0.2, 0.3, 0.5" in left_out[0]
    x, _ = drawn(at, "IBU")
    assert x.min() > 3
    assert session_of(at).setting.eps in x


def test_a_mechanism_that_is_never_possible_leaves_the_others():
    at = opened(**CHAIN | {"chain": "L-SUE"}, against="n", beside=["L-SOUE", "L-OSUE"], estimators=["MI"])
    assert [name for name in names(only_chart(at)) if name.endswith(", MI")] == ["L-SUE, MI", "L-OSUE, MI"]
    assert sum("L-SOUE is left out" in text for text in captions(at)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("over", ["n", "k"])
def test_the_gain_map_has_the_gains(over):
    at = opened(view="gain map", over=over, runs="1")
    heat, _ = only_chart(at)["data"]  # the points that take the clicks lie over it
    settings, _ = grids.grid(session_of(at).setting, over, ["OUE"])
    z = numbers(heat["z"])
    assert z.shape == (len(heat["y"]), len(heat["x"]))
    assert z.size == len(settings)
    for i in (0, len(settings) // 2, -1):
        assert z.flat[i] == pytest.approx(float(ldp.run(settings[i]).gain("mse")), rel=1e-9)


@pytest.mark.parametrize("state", [{"over": "n"}, CHAIN | {"over": "k"}], ids=str)
def test_the_best_mechanism_map_names_one_in_every_cell(state, monkeypatch):
    # A few cells, the ends among them, take a tenth of the time of all.
    for key, values in grids._MAP_GRIDS.items():
        monkeypatch.setitem(grids._MAP_GRIDS, key, (values[0], values[2], values[-1]))
    at = opened(view="best mechanism", runs="1", iterations="1", **state)
    heat, _ = only_chart(at)["data"]  # the points that take the clicks lie over it
    shown = {name for line in heat["text"] for name in line}
    assert shown <= set(ldp.LONGITUDINAL if "chain" in state else ldp.ONE_TIME)
    assert len(shown) > 1
    # One sentence for each mechanism that is left out somewhere, however many cells that is.
    assert len(captions(at)) == (3 if "chain" in state else 1)


def test_a_map_with_holes_is_drawn():
    at = opened(view="gain map", **CHAIN)
    heat, _ = only_chart(at)["data"]  # the points that take the clicks lie over it
    told = np.array(heat["text"])
    assert (told[:, :5] == "").all()
    assert (told[:, 5:] != "").all()


@pytest.mark.parametrize(("metric", "estimators"), [("mse", ("mi", "ibu", "limit")), ("tv", ("mi", "limit"))])
def test_the_table_has_the_numbers_of_run(metric, estimators):
    settings, _ = grids.along(BASE, "n", ["OUE", "L-OLH"])
    few = [settings[0], settings[1], settings[-1]]
    frame = sweep.table(sweeps.progressive(few, metric, estimators, lambda rows: None), RECORDS[metric], "n")
    names_of_columns = [
        "mechanism",
        "eps",
        "eps_inf",
        "n",
        "k",
        "binning",
        "quantity",
        "metric",
        "mean",
        "standard_error",
    ]
    assert list(frame.columns) == names_of_columns
    expected = []
    for s in few:
        result = ldp.run(s)
        for name in estimators:
            quantities = {name: result.error(name, metric)}
            if name != "mi":
                quantities[f"gain_{name}"] = result.gain(metric, estimator=name)
            for quantity, value in quantities.items():
                at = [s.mechanism, s.eps, s.eps_inf, s.n, s.k, "equal-width", quantity, RECORDS[metric].name]
                expected.append([*at, float(value), value.se])
    pd.testing.assert_frame_equal(frame, pd.DataFrame(expected, columns=frame.columns))


def test_the_table_says_how_its_own_bins_were_made_and_what_is_missing_to_a_score():
    """With other users there is not one bin per value any more, whatever the page is set to."""
    by_value = replace(BASE, data="poisson", binning="values")
    settings, _ = grids.along(by_value, "n", ["OUE"])
    rows = [sweeps.Measure(setting, "mi", 0.25, 0.0) for setting in settings]
    frame = export.with_setting(sweep.table(rows, RECORDS["top10"], "n"), by_value)
    assert set(frame["binning"]) == {setting.binning for setting in settings} == {"equal-width"}
    assert set(frame["metric"]) == {"1 − Top ten"}


@pytest.mark.parametrize(("runs", "marks"), [(2, True), (1, False)])
def test_a_map_of_single_runs_does_not_pass_for_sure(runs, marks):
    """Nothing is known of their noise, and so no cell is marked."""
    said = tradeoff_captions.about_map(replace(BASE, runs=runs), "MSE", best=True)
    assert ("≈: too close to call" in said) is marks
    assert ("does not tell a difference from noise" in said) is not marks
    one, other = (sweeps.Measure(replace(BASE, mechanism=name), "limit", 1.0, np.nan) for name in ("GRR", "OUE"))
    cells = grids.best_cells([one, replace(other, mean=1.01)], BASE, "n").words
    assert [words for line in cells for words in line if words] == ["GRR 1 ± –; OUE 1.01 ± –"]


@pytest.mark.parametrize(("view", "said"), [("gain map", "there is no gain over it"), ("best mechanism", "not ranked")])
def test_a_map_says_where_errors_are_infinite_and_shows_no_gains_over_them(view, said):
    """Of a hundred users KL of MI is infinite in nearly every cell, and IBU's gain over that was 100 %."""
    at = opened(view=view, over="k", metric="KL", n="100")
    (sentence,) = [caption for caption in captions(at) if caption.startswith("KL is infinite")]
    assert said in sentence
    if view == "gain map":
        heat, _ = only_chart(at)["data"]
        settings, _ = grids.grid(session_of(at).setting, "k", ["OUE"])
        texts = dict(zip(settings, np.ravel(heat["text"]).tolist(), strict=True))
        few = [s for s in settings if s.k <= 10]
        assert [bool(texts[s]) for s in few] == [bool(np.isfinite(ldp.run(s).error("mi", "kl").mean)) for s in few]
        assert sum(map(bool, texts.values())) < 20


def test_what_auto_chose_is_told_along_the_axis():
    one = ldp.Setting(mechanism="GRR", n=1_000, k=10)
    found = [
        (replace(one, eps=eps), kinds)
        for eps, kinds in ((2.0, {"PowerNS": 3}), (0.5, {"smoothed": 2, "PowerNS": 1}), (1.0, {"smoothed": 3}))
    ]
    found += [(replace(setting, mechanism="OUE"), {"raw MI": 3}) for setting, _ in found]
    said = sweep.chosen(found, "eps")
    assert "GRR: smoothed (0.5 to 1), PowerNS (2); OUE: raw MI (0.5 to 2)." in said


def test_the_page_says_what_auto_chose():
    at = opened(estimators=["MI", "auto"], against="n")
    (said,) = [box.value for box in at.main.caption if box.value.startswith("**auto** chose most often")]
    base = session_of(at).setting
    ends = [ldp.run(replace(base, n=n)).choices for n in (100, 1_000_000)]
    assert all(any(choice.candidate.kind in said for choice in chosen) for chosen in ends)


def test_an_infinite_error_is_said_by_its_name_and_a_reason_is_given_where_it_is_known():
    rows = [sweeps.Measure(BASE, "mi", np.inf, np.nan), sweeps.Measure(BASE, "ibu", 0.1, 0.0)]
    said = sweep.infinite(rows, RECORDS["kl"])
    assert said.startswith("KL is infinite where an estimate gives 0 to a bin that has users. It is, somewhere on ")
    assert "for OUE with MI:" in said
    # A metric that was added, and that nobody knows anything of.
    far = Metric("far", "Far", "far", "", lambda estimate, true: np.abs(estimate - true).max(axis=-1))
    assert sweep.infinite(rows, far).startswith("Far is infinite, somewhere on this chart, for OUE with MI:")
    # One that divides by the estimate is infinite for KL's reason.
    with_0 = Metric("chi", "χ²", "χ²", "", lambda estimate, true: ((estimate - true) ** 2 / estimate).sum(axis=-1))
    assert sweep.infinite(rows, with_0).startswith("χ² is infinite where an estimate gives 0 to a bin")
    assert sweep.infinite(rows[1:], RECORDS["kl"]) is None


@pytest.mark.parametrize("beside", [["GRR", "SS"], ["GRR", "SUE", "SS", "THE", "BLH", "OLH", "L-OSUE"]])
def test_what_a_picture_says_of_itself_fits_on_a_phone(beside):
    """Sixty letters of its size are as wide as a phone; the names of eight mechanisms were cut at both ends."""
    title = only_chart(opened(beside=beside))["layout"]["xaxis"]["title"]["text"]
    lines = re.findall(r'<span style="font-size:11px">([^<]*)</span>', title)
    assert all(len(line) <= 60 for line in lines)
    assert ("OUE, GRR, SS on Gaussian" in lines[0]) == (len(beside) == 2)
    assert ("8 mechanisms on Gaussian" in lines[0]) == (len(beside) == 7)
