"""The error of all that reads tables."""

from __future__ import annotations


class TableError(ValueError):
    """A file that cannot be read as points and labels; the message says why."""
