"""Tasks that a worker process can import."""

import os
import time

from ldpcore.sweep.workers import tell


def pid_after(seconds):
    time.sleep(seconds)
    return os.getpid()


def tell_slowly(times):
    for number in range(times):
        tell(number)
        time.sleep(0.2)
    return "done"
