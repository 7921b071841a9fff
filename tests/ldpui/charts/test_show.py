"""Pictures of the pages that show many settings say which, in their name and on them."""

import json

import pytest
from app_steps import QUICK, assert_calm, charts, open_page

import ldpcore as ldp


def saved_as(at):
    """Return the names of the pictures of a page by the keys of their charts."""
    configs = {element.key: json.loads(element.proto.config) for element in at.main.get("plotly_chart")}
    return {key: config["toImageButtonOptions"]["filename"] for key, config in configs.items()}


def below(at, key):
    """Return what stands at the horizontal axis of a chart."""
    return charts(at)[key]["layout"]["xaxis"]["title"]["text"]


@pytest.mark.parametrize(
    ("page", "state", "key", "name", "said"),
    [
        ("compare", {"mechanisms": ["GRR", "L-SUE"]}, "compare_repeatedly",
         "compare-gaussian-eps2-n1000-k10-repeatedly", "1 mechanism on Gaussian, ε₁ = 2, ε∞ = 4, n = 1,000, k = 10"),
        ("tradeoff", {"beside": ["SS"]}, "curves", "against-eps-gaussian-OUE-n1000-k10",
         "OUE, SS on Gaussian, n = 1,000, k = 10"),
        ("tradeoff", {"view": "best mechanism", "over": "n"}, "map", "best-map-gaussian-k10",
         "7 mechanisms on Gaussian, k = 10"),
        ("paper", {}, "paper_table", "paper-table1-mse", "Table 1 of the paper, Γ of MSE, reproduced"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_picture_says_its_setting_in_its_name_and_on_it(page, state, key, name, said):
    at = open_page(page, QUICK | {"runs": "1"} | state)
    assert_calm(at)
    assert saved_as(at)[key] == f"ldp-{name}"
    assert said in below(at, key)
    assert f"LDP Explorer {ldp.__version__}" in below(at, key)
