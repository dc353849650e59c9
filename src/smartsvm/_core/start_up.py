"""Ctrl-C while the command line is still importing: one line and exit code 130, as later.

Imports take a second or two, and most of them come with the package itself, before the first
line of `__main__`. A KeyboardInterrupt there would end in a traceback, or be lost in a module
that catches everything; so while the process is ours alone, the signal ends it at once.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager

from smartsvm._core.progress import say


def end_interrupted(number=signal.SIGINT, frame=None):
    """End the process: what is being imported can neither be finished nor repaired."""
    say("smartsvm: interrupted")
    os._exit(130)


def is_command_line():
    """Whether this process runs the program `smartsvm`, or ``python -m smartsvm``."""
    if not sys.argv:
        return False
    if sys.argv[0] == "-m":  # Python has not found the module yet: it imports the package
        own = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
        return own[-1].removeprefix("-m") in ("smartsvm", "smartsvm.__main__")
    name, folder = os.path.basename(sys.argv[0]), os.path.dirname(os.path.abspath(sys.argv[0]))
    if name == "__main__.py":
        return folder == os.path.dirname(os.path.abspath(__file__))
    return name.removesuffix(".exe") == "smartsvm"


@contextmanager
def quiet_imports():
    """A context for imports: Ctrl-C ends the command line quietly, and is nothing new elsewhere."""
    if (
        not is_command_line()
        or threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    signal.signal(signal.SIGINT, end_interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
