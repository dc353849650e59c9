"""The paper's own numbers, from `published.json`; nothing else in this folder states them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.json")
LEAKED = ("wine_red", "wine_white")  # the label was left among the paper's features
N_CONFIGURATIONS = 19  # C in {2^-18, 2^-16, ..., 2^18}


@cache
def published():
    """The file as a dictionary: datasets, and each table with what is underlined in it."""
    return json.loads(FILE.read_text())


def table(name):
    """One table: set name to {method: number}."""
    return published()[name]


def names():
    """The 16 sets in the paper's order."""
    return list(published()["datasets"])
