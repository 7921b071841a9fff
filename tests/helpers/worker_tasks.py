"""Tasks that a worker process can import."""

import logging
import os
import pickle
import sys
import time
import warnings
from pathlib import Path

from ldpcore.sweep.workers import tell


def pid_after(seconds):
    time.sleep(seconds)
    return os.getpid()


def tell_slowly(times):
    for number in range(times):
        tell(number)
        time.sleep(0.2)
    return "done"


class OddError(Exception):
    """One that can't be read again, as some of other packages."""

    def __init__(self, first, second):
        super().__init__(f"{first} of {second}")


class Unreadable:
    """An answer that breaks whoever reads it, with much of it still to come."""

    def __init__(self, size):
        self.size = size

    def __reduce__(self):
        return _broken, (b"y" * self.size,)

    @staticmethod
    def fail():
        raise OddError("out", "order")


def _broken(*_):
    raise KeyError("absent")


def most_memory(file):
    """Read the data in a file, and return the most bytes that this process has ever held, with the answer pickled."""
    from ldpui.computing.reading import open_data

    pickle.dumps(open_data(file), pickle.HIGHEST_PROTOCOL)
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def say_everywhere(word):
    """Say a word in every way in which a library may, and raise it."""
    print(word)
    print(word, file=sys.stderr)
    os.write(1, word.encode())
    os.write(2, word.encode())
    warnings.warn(word, stacklevel=1)
    logging.getLogger("stranger").error("in vain: %s", word)
    logging.getLogger("stranger").error("in vain", exc_info=ValueError(word))
    raise ValueError(word)


def say_and_break(word):
    """Say a word as a library in C does, and end the process."""
    os.write(2, word.encode())
    os.abort()
