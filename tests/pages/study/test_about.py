"""About: every mechanism and distribution that there is has its line."""

from app_steps import ABOUT, assert_calm, open_page

import ldpcore as ldp


def test_every_mechanism_and_distribution_has_its_line():
    at = open_page(ABOUT)
    assert_calm(at)
    text = "\n".join(markdown.value for markdown in at.main.markdown)
    for name in ldp.ONE_TIME + ldp.LONGITUDINAL:
        m = ldp.mechanism_class(name)
        assert f"- **{name}**, {m.full_name}. {m.summary}" in text
    for name in ldp.DATASETS:
        d = ldp.distribution(name)
        assert f"- **{d.label}**. {d.description}" in text.replace("\\$", "$")
