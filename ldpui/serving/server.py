"""What is done once, when the server starts."""

from __future__ import annotations

import contextlib
import gc
import importlib

from starlette import formparsers
from streamlit import config, net_util
from streamlit.runtime.pages_manager import PagesManager

from ldpcore.tables import MAX_BYTES
from ldpui import uploads
from ldpui.charts import finished
from ldpui.computing import compute
from ldpui.serving import bundles, delivery, downloads, endless, forged, held_files, logs, shortcuts

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


def raise_limit_of_files() -> None:
    """Allow as many open files as the system lets: each visitor takes a few, and 256 end a server at 80 visitors."""
    if resource is not None:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def ask_nobody_for_the_address() -> None:
    """Keep Streamlit from asking a service outside for this machine's address.

    It does so for every page of a name that it does not know, two seconds long where nobody answers, and all visitors
    wait. Who has the address in the address bar is of the same origin, and needs no such answer.
    """
    if hasattr(net_util, "get_external_ip"):
        net_util.get_external_ip = lambda: None


def prepare() -> None:
    """Get ready for the first visitor."""
    # Streamlit would print exceptions in colours, past every log.
    config.set_option("logger.enableRich", False)
    logs.keep_words_out()
    # The folder pages/ is not of Streamlit's own kind. Unless told so before, Streamlit finds out only when it
    # has run the app once, and tells the first visitor who comes by a deep link that the page does not exist.
    # (A later Streamlit that has no such mark needs no telling.)
    if hasattr(PagesManager, "uses_pages_directory"):
        PagesManager.uses_pages_directory = False
    # Pages without upload boxes are not enough: the server's address for files is open to programs too.
    if not uploads.are_on():
        config.set_option("server.maxUploadSize", 0)
    # An upload goes through the memory alone. Beyond a megabyte the parser of forms would put it into a temporary file.
    # (Framing adds a little to what the file itself has.)
    if hasattr(formparsers.MultiPartParser, "spool_max_size"):
        formparsers.MultiPartParser.spool_max_size = MAX_BYTES + 2**20
    held_files.bound()
    forged.ignore()
    endless.ignore()
    downloads.keep()
    ask_nobody_for_the_address()
    raise_limit_of_files()
    # What a page sends is gathered, and what is finished is sent as it is.
    bundles.gather()
    shortcuts.take()
    finished.write_once()
    # The processes that compute can start while the rest is imported.
    compute.start()
    delivery.pack_ahead()
    # Imported now, so that no visitor waits for it.
    for module in ("ldpcore", "pandas", "plotly.graph_objects"):
        importlib.import_module(module)
    # All that is loaded now stays: the garbage collector need not look at it again.
    gc.collect()
    gc.freeze()
