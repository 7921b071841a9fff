"""Who says too much, or without end, is cut off by a server, and others are served."""

from __future__ import annotations

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from visitor import Visitor
from websockets.exceptions import ConnectionClosed

from ldpui.serving import endless

pytestmark = pytest.mark.slow


def test_a_browser_that_says_too_much_is_disconnected(server):
    with Visitor(server.address) as visitor:
        visitor.run("about")
        visitor.states["much"] = WidgetState(id="$$ID-much", string_value="x" * 12_000_000)
        assert not visitor.run("about").problems
        visitor.states["much"] = WidgetState(id="$$ID-much", string_value="x" * 14_000_000)
        with pytest.raises(ConnectionClosed) as closed:
            visitor.run("about")
    assert closed.value.rcvd.code == 1009


def flood(program):
    for _ in range(2_000):
        program.ask()
    while True:
        program.listen()


def test_a_program_that_never_stops_speaking_is_cut_off(server):
    """Its messages were all answered before anybody else's: a hundred thousand of them, for minutes."""
    with Visitor(server.address) as other, Visitor(server.address) as program:
        other.run("about")
        program.run("about")
        with pytest.raises(ConnectionClosed) as closed:
            flood(program)
        assert closed.value.rcvd.code == 1008
        assert not other.run("learn").problems


def test_a_program_that_asks_for_endless_files_is_not_answered(server):
    """Each was given three addresses, in the loop that serves everybody."""
    with Visitor(server.address) as program:
        program.run("about")
        for number in (endless.MOST_FILES + 1, 1):
            ask = BackMsg(file_urls_request={"request_id": str(number), "file_names": [""] * number})
            program.socket.send(ask.SerializeToString())
        while (message := ForwardMsg.FromString(program.socket.recv(60))).WhichOneof("type") != "file_urls_response":
            pass
        assert message.file_urls_response.response_id == "1"
