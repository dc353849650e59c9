"""Progress of long calls on standard error, on request."""

from __future__ import annotations

import sys
import time

_SILENT_SECONDS = 1.0  # seconds; shorter work reports nothing
_TERMINAL_SECONDS = 0.2  # between two lines that overwrite each other
_FILE_SECONDS = 10.0  # between two lines that stay


def say(line):
    """A line on standard error, if the process has one: some that have no terminal do not."""
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)


def is_watched():
    """Whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """Counts finished units of work and shows them now and then."""

    def __init__(self, label, total, verbose):
        self._label, self._total = label, total
        self._start = time.monotonic()
        self._terminal = is_watched()
        shows = verbose and sys.stderr is not None
        self._next = self._start + _SILENT_SECONDS if shows else float("inf")
        self._shown = False

    def update(self, done):
        """Say that `done` units are finished; cheap enough for every unit."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_TERMINAL_SECONDS if self._terminal else _FILE_SECONDS)
        passed = now - self._start
        left = f", {passed / done * (self._total - done):.0f} s left" if done else ""
        self._write(f"{self._label}: {done} of {self._total}, {passed:.0f} s{left}")

    def close(self):
        """Say how long it took, if anything was said before."""
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
    """Names the parts of a long call as they begin."""

    def __init__(self, verbose):
        self._verbose, self._start = verbose, time.monotonic()

    def begin(self, what):
        """Say what begins now and when."""
        if self._verbose:
            passed = time.monotonic() - self._start
            say(f"[{passed:6.1f} s] {what}")
