"""Ctrl-C during the imports of the command line: one line and exit code 130, as later.

Imports take a second or two, most of it before the first line of `__main__`. A KeyboardInterrupt
there would print a traceback, or get lost in a module that catches everything. So while the
process runs only our command line, the signal ends it at once.
"""

import os
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

from smartsvm.presentation.progress import say


def end_interrupted(number=signal.SIGINT, frame=None):
    """End the process at once: a half-finished import cannot be cleaned up."""
    say("smartsvm: interrupted")
    os._exit(130)


def is_command_line():
    """Whether this process runs the program `smartsvm`, or ``python -m smartsvm``."""
    if not sys.argv:
        return False
    if sys.argv[0] == "-m":  # the package is imported before Python knows the module
        for_python = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
        return for_python[-1].removeprefix("-m") in ("smartsvm", "smartsvm.__main__")
    name = os.path.basename(sys.argv[0])
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))
    if name == "__main__.py":
        return folder == str(Path(__file__).resolve().parents[1])
    return name.removesuffix(".exe") == "smartsvm"


@contextmanager
def raise_on_sigterm():
    """A context in which SIGTERM raises SystemExit, so that files can be cleaned up.

    Elsewhere it ends the process at once, as programs expect.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return

    def end(number, frame):
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def quiet_imports():
    """A context for imports in which Ctrl-C ends the command line quietly."""
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
