"""Progress messages of long calls, on standard error."""

import sys
import time
from contextlib import suppress

from smartsvm.presentation.display_names import one_line

_SILENT_SECONDS = 1.0  # shorter work reports nothing
_TERMINAL_SECONDS = 0.2  # between updates of a line on a terminal
_FILE_SECONDS = 10.0  # between lines in a file


def say(line):
    """Print a line on standard error, if the process has one (some without a terminal do not)."""
    if sys.stderr is not None:
        with suppress(OSError):  # no note is worth the result: a disk may be full, a pipe closed
            print(line, file=sys.stderr, flush=True)


def is_watched():
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def within_a_stage(verbose):
    """The `verbose` of the work within a stage: in a file, one line for each stage is enough."""
    return verbose if is_watched() else max(verbose - 1, 0)


class Progress:
    """Shows the number of finished units of work from time to time."""

    def __init__(self, label, total, verbose):
        self._label = one_line(label)
        self._total = total
        self._start = time.monotonic()
        self._terminal = is_watched()
        shows = verbose and sys.stderr is not None
        self._next = self._start + _SILENT_SECONDS if shows else float("inf")
        self._shown = False

    def update(self, done):
        """Report that `done` units are finished; cheap enough to call for every unit."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_TERMINAL_SECONDS if self._terminal else _FILE_SECONDS)
        passed = now - self._start
        left = f", {passed / done * (self._total - done):.0f} s left" if done else ""
        self._write(f"{self._label}: {done} of {self._total}, {passed:.0f} s{left}")

    def close(self):
        """Report the total time, if any progress was shown."""
        if self._shown:
            passed = time.monotonic() - self._start
            self._write(f"{self._label}: {self._total} in {passed:.1f} s", last=True)

    def _write(self, text, last=False):
        self._shown = True
        if self._terminal:
            sys.stderr.write(f"\r{text:<70}" + ("\n" if last else ""))
            sys.stderr.flush()
        else:
            say(text)


class Steps:
    """Announces the steps of a long call."""

    def __init__(self, verbose):
        self._verbose = verbose
        self._start = time.monotonic()

    def begin(self, what):
        """Print the name of the step that begins, and the time so far."""
        if self._verbose:
            passed = time.monotonic() - self._start
            say(f"[{passed:6.1f} s] {one_line(what)}")
