"""The link to copy."""

from urllib.parse import parse_qs

from app_steps import assert_calm, charts, metrics, open_page, session_of


def test_the_link_to_copy_is_empty_at_the_defaults():
    assert "?" not in open_page().sidebar.code[0].value


def test_the_link_to_copy_holds_only_what_is_not_the_default():
    state = {"k": "10", "runs": "2", "limit": True, "closer": "One user's report", "eps": "2", "seed": 5}
    words = parse_qs(open_page(state=state).sidebar.code[0].value.partition("?")[2])
    expected = {"v": "2", "k": "10", "runs": "2", "limit": "true", "closer": "One user's report", "seed": "5"}
    assert words == {key: [word] for key, word in expected.items()}


def test_the_link_to_copy_opens_the_same_page():
    state = {
        "data": "Exponential", "exponential_rate": 0.25, "reports": "repeatedly", "chain": "L-OLH", "share": "35%",
        "n": "5k", "k": "15", "runs": "2", "seed": 3, "calibration": "tight", "observed": True, "axis": "log",
    }  # fmt: skip
    first = open_page(state=state)
    assert_calm(first)
    query = first.sidebar.code[0].value.partition("?")[2]
    second = open_page(query={key: words[0] for key, words in parse_qs(query).items()})
    assert not second.warning
    assert session_of(second).setting == session_of(first).setting
    assert charts(second) == charts(first)
    assert metrics(second) == metrics(first)
