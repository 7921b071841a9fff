"""The client's code comes packed to who can unpack it; everything else as the server has it."""

import gzip

import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from streamlit import config
from threads import awaited

from ldpui.serving import delivery
from ldpui.serving.delivery import Delivery, files, pack_ahead, packed

OWN = b"the server's own"


def get(path, accepted, method="GET", app=None):
    """Ask for a path; return the headers and the bytes that come."""
    app = app or Delivery(PlainTextResponse(OWN))
    scope = {"type": "http", "method": method, "path": path, "headers": [(b"accept-encoding", accepted.encode())]}
    messages = []

    async def send(message):
        messages.append(message)

    awaited(app(scope, None, send))
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return headers, b"".join(message.get("body", b"") for message in messages[1:])


def largest():
    return max(files().items(), key=lambda item: item[1].stat().st_size)


@pytest.mark.parametrize("base", ["", "/ldp"])
def test_code_comes_packed_and_is_the_same(base):
    name, path = largest()
    headers, content = get(f"{base}/static/{name}", "gzip, br")
    assert headers["content-encoding"] == "gzip"
    assert headers["content-type"].startswith("text/javascript")
    assert headers["vary"] == "accept-encoding"
    assert "immutable" in headers["cache-control"]
    assert gzip.decompress(content) == path.read_bytes()
    # The library of charts, five megabytes, is what phones wait for.
    assert len(content) < path.stat().st_size / 2.5


@pytest.mark.parametrize(
    ("path", "accepted"),
    [
        ("/static/" + largest()[0], "identity"),  # cannot unpack
        ("/static/" + largest()[0], "gzip;q=0"),
        ("/static/" + largest()[0], "br, gzip ; q=0.000, identity"),
        ("/static/" + largest()[0], "x-gzip-like"),
        ("/static/js/../../../../config.py", "gzip"),
        ("/static//etc/passwd", "gzip"),
        ("/static/js/nothing.js", "gzip"),
        ("/static/", "gzip"),
        ("/compare", "gzip"),
        ("/_stcore/health", "gzip"),
    ],
)
def test_everything_else_is_the_servers_own(path, accepted):
    headers, content = get(path, accepted)
    assert content == OWN
    assert "content-encoding" not in headers


@pytest.mark.parametrize("accepted", ["gzip", "br;q=1.0, GZIP;q=0.5", "gzip;q=1"])
def test_who_takes_it_gets_it_packed(accepted):
    assert get("/static/" + largest()[0], accepted)[0]["content-encoding"] == "gzip"


def test_a_request_for_headers_alone_is_the_servers_own():
    assert "content-encoding" not in get("/static/" + largest()[0], "gzip", method="HEAD")[0]


def test_a_file_is_packed_once():
    path = min(files().values(), key=lambda path: path.stat().st_size)
    assert packed(path) is packed(path)


def announced(path, app=None):
    return get(path, "gzip", app=app or Delivery(HTMLResponse(OWN), {"", "compare"}))[0].get("link", "")


def test_a_page_that_begins_with_a_chart_says_what_it_needs():
    for path in ("/", "", "/compare", "/compare/"):
        links = announced(path).split(", ")
        # What draws charts is by far the largest, and comes last.
        assert links[-1] == f"<./static/{largest()[0]}>; rel=modulepreload; fetchpriority=low"
        assert len(links) == 8, "this Streamlit calls one of them otherwise"
        assert all(link.partition(">")[0].removeprefix("<./static/") in files() for link in links)


def test_below_a_base_too(monkeypatch):
    monkeypatch.setattr(config, "get_option", {"server.baseUrlPath": "ldp"}.get)
    assert all(announced(path) for path in ("/ldp", "/ldp/", "/ldp/compare"))
    assert not announced("/ldp/class")


def test_no_other_answer_says_so():
    # A phone in a class has no use for it, and there are as many of them as students.
    assert not any(announced(path) for path in ("/class", "/about", "/compare/more", "/_stcore/health"))
    assert not announced("/", Delivery(PlainTextResponse(OWN), {""}))


def test_a_streamlit_without_such_a_file_is_left_alone(monkeypatch):
    monkeypatch.setattr(delivery, "announcement", str)
    assert not announced("/")


def test_large_files_are_packed_ahead():
    packed.cache_clear()
    pack_ahead().join(30)
    ahead = packed.cache_info().currsize
    assert ahead >= 7  # else this Streamlit calls one of them otherwise
    packed(largest()[1])
    assert packed.cache_info().currsize == ahead
