"""A server that tells what it does: `python tests/helpers/witness.py PORT` answers every line of its input with a line.

The line is JSON: how many tables, uploaded files and sessions are in memory, and which files were opened for writing
since the server started, but those that Python and Streamlit keep of themselves. Where the line of input is a word, in
letters with spaces between them, also how many texts there are that hold the word: anywhere that an object, or a thread
at work or at rest, can reach. With a `!` behind it, also what nobody can reach any more and has not been freed.
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


def mentions(word):
    """Count the texts that hold a word, but for those of this thread."""
    word, dead, _ = word.partition("!")
    own, found = threading.get_ident(), set()
    # What nobody can reach does not count. (The list of all objects would also keep the server's own sweep, if it came
    # now, from freeing anything.)
    if not dead:
        gc.collect()
    holders = gc.get_objects()
    for thread, frame in sys._current_frames().items():
        while frame is not None and thread != own:
            holders.append(frame)
            frame = frame.f_back
    both = {str: word, bytes: word.encode()}
    for holder in holders:
        things = gc.get_referents(holder)
        # What an object has as a dict of its own is in no list of objects, where it holds texts and numbers alone.
        for attributes in [one for one in things if type(one) is dict and not gc.is_tracked(one)]:
            things += attributes.values()
        for text in things:
            if type(text) in both and len(text) > len(word) and both[type(text)] in text:
                found.add(id(text))
    return len(found)


def answer():
    from streamlit import runtime

    from ldpcore.tables import Table
    from ldpui.computing.reading import UploadedTable

    for line in sys.stdin:
        tables = sum(type(thing) in (Table, UploadedTable) for thing in gc.get_objects())
        manager = runtime.get_instance().uploaded_file_mgr
        files = sum(map(len, manager.file_storage.values()))
        own = [path for path in written if "__pycache__" not in path and not path.startswith("/dev/")]
        sessions = len(runtime.get_instance()._session_mgr.list_sessions())
        said = {"tables": tables, "files": files, "written": own, "sessions": sessions}
        if line.strip():
            said["mentions"] = mentions("".join(line.split()))
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    from streamlit.web import cli

    sys.path.insert(0, str(Path.cwd()))
    threading.Thread(target=answer, daemon=True).start()
    sys.addaudithook(listen)
    sys.argv = ["streamlit", "run", "app.py", "--server.port", sys.argv[1], "--server.address", "127.0.0.1"]
    # In this menu caches can be emptied; what is held then is asked too.
    sys.argv += ["--client.toolbarMode", "developer"]
    cli.main(prog_name="streamlit")
