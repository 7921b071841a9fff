"""How to cite what is shown, and where its source is."""

import re
from email.message import Message

import pytest
from app_steps import ROOT

from pages.explore.estimate import citation


def test_bibtex_says_what_the_citation_file_says():
    cited, text = (ROOT / "CITATION.cff").read_text(encoding="utf-8"), citation.bibtex()
    assert text.count("@") == 2
    assert text.count("{") == text.count("}")
    plain = text.replace("{", "").replace("}", "").replace("\\'e", "é")
    for field in ("title", "given-names", "family-names", "doi", "year", "collection-title", "version"):
        for value in re.findall(rf"^\W*{field}: (.*)$", cited, re.M):
            assert value in plain, field
    assert re.search(r"- name: (.*)", cited)[1] in plain
    assert "url" not in text


@pytest.mark.parametrize(
    ("lines", "address"),
    [
        (["Documentation, https://d.example", "Source, https://s.example"], "https://s.example"),
        (["Homepage,https://h.example"], "https://h.example"),
        (["Documentation, https://d.example"], None),
        ([], None),
    ],
)
def test_the_source_is_what_the_package_names(monkeypatch, lines, address):
    package = Message()
    for line in lines:
        package["Project-URL"] = line
    monkeypatch.setattr(citation.metadata, "metadata", lambda name: package)
    assert citation.source_address() == address
    assert (f"{{{address}}}" in citation.bibtex()) == (address is not None)


def test_no_package_no_address():
    assert citation.source_address("no-such-package") is None
