"""A server that tells what it does: `python tests/helpers/witness.py PORT` answers every line of its input with a line.

The line is JSON: how many tables and uploaded files are in memory, and which files were opened for writing since the
server started, but those that Python and Streamlit keep of themselves.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR
written: list[str] = []


def listen(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
        written.append(str(arguments[0]))


def answer():
    from streamlit import runtime

    from ldpcore.tables import Table
    from ldpui.reading import Held

    for _ in sys.stdin:
        tables = sum(type(thing) in (Table, Held) for thing in gc.get_objects())
        manager = runtime.get_instance().uploaded_file_mgr
        files = sum(map(len, manager.file_storage.values()))
        own = [path for path in written if "__pycache__" not in path and not path.startswith("/dev/")]
        print(json.dumps({"tables": tables, "files": files, "written": own}), flush=True)


if __name__ == "__main__":
    from streamlit.web import cli

    sys.path.insert(0, str(Path.cwd()))
    threading.Thread(target=answer, daemon=True).start()
    sys.addaudithook(listen)
    sys.argv = ["streamlit", "run", "app.py", "--server.port", sys.argv[1], "--server.address", "127.0.0.1"]
    cli.main(prog_name="streamlit")
