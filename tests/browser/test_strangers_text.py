"""What a stranger writes into a link is text on the page, and nothing else."""

from __future__ import annotations

from browser_steps import open_page

TEXTS = {
    "eps": "![x](https://a.example/c.png)",
    "n": "https://evil.example/x",
    "k": "www.evil.example/a",
    "iterations": "a@evil.example",
    "seed": "[a](//evil.example)",
    "runs": "<b>x</b> :red[y] $z$",
}


def test_the_text_of_a_link_is_plain(page, address):
    open_page(page, address, **TEXTS)
    note = page.get_by_test_id("stAlert").first
    shown = note.inner_text().replace("\u2060", "")
    for text in TEXTS.values():
        assert f"“{text}”" in shown
    assert note.locator("a, img, b, code, .katex").count() == 0
