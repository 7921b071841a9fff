"""Widgets that pages share."""

from app_steps import QUICK, assert_calm, open_page, session_of

import ldpcore as ldp


def test_a_typed_number_moves_the_slider_and_a_slid_one_the_box():
    at = open_page(state=QUICK)
    at.main.number_input(key="eps_typed").set_value(0.73).run()
    assert_calm(at)
    assert at.main.select_slider(key="eps").value == "0.73"
    assert session_of(at).setting.eps == 0.73
    at.main.number_input(key="n_typed").set_value(12345).run()
    assert session_of(at).setting.n == 12345
    at.main.select_slider(key="eps").set_value("1").run()
    assert at.main.number_input(key="eps_typed").value == 1.0
    assert (session_of(at).setting.eps, session_of(at).setting.n) == (1.0, 12345)


def test_an_emptied_box_goes_back_to_the_default_and_not_to_the_lowest_number():
    at = open_page(state=QUICK | {"eps": "0.5"})
    for key, default in (("eps", 2), ("n", 20_000), ("k", 100)):
        box = at.main.number_input(key=f"{key}_typed").proto
        assert box.default == default
        # Of 1e9 Streamlit's client reads only the 1 where whole numbers are asked for.
        assert box.data_type == box.FLOAT


def test_what_is_compared_is_counted_without_estimators_that_pages_do_not_know(monkeypatch):
    here = len(ldp.ESTIMATORS)
    for key, needs in (("added", "counts"), ("added-too", "reports")):
        record = ldp.estimators.Estimator(key, key, "", lambda data, n, m, options: data, needs=needs)
        monkeypatch.setitem(ldp.ESTIMATORS, key, record)
    said = " ".join(text.value for text in open_page(state=QUICK).main.markdown)
    assert f"can compare {here + 1} ways" in said
