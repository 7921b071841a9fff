"""Tasks that a worker process can import."""

import os
import time


def pid_after(seconds):
    time.sleep(seconds)
    return os.getpid()
