"""How far a command is: a bar on a terminal, lines elsewhere."""

import io

from ldpcore.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_on_a_terminal():
    screen = Terminal()
    with Progress("settings", 4, file=screen) as progress:
        progress._shown = float("-inf")
        progress.advance(1)
    states = screen.getvalue().split("\r")
    assert states[0] == ""
    assert states[1].startswith("[" + "." * 30 + "] 0 of 4 settings, 0 %")
    assert states[2].startswith("[" + "#" * 7 + "." * 23 + "] 1 of 4 settings, 25 %, ")
    assert screen.getvalue().endswith("\n")


def test_lines_elsewhere():
    file = io.StringIO()
    with Progress("settings", 4, 2, file=file) as progress:
        progress.reach(4)
    assert file.getvalue().splitlines() == [
        "2 of 4 settings were done before",
        "2 of 4 settings, 50 %",
        "4 of 4 settings, 100 %",
    ]
