"""A hierarchy of classes as indented text."""

from functools import lru_cache
from textwrap import wrap

import numpy as np

from smartsvm.presentation.display_names import display_width, shorten_distinct

# In letters: the width of a text, the largest indent, and the room that a note needs to be wrapped.
_WIDTH = 88
_MOST_INDENT = 60
_LEAST_ROOM = 20
# How many classes a side of a node lists, each of how many columns: the first that fits is taken.
_LISTED = [*((most, _WIDTH) for most in range(12, 0, -1)), (1, 32), (1, 24), (1, 16), (1, 10)]


def tree_lines(hierarchy, notes):
    """A line for each class, and one or more for each node with its note."""
    step = next((step for step in (4, 2) if step * hierarchy.depth <= _MOST_INDENT), 1)
    rail, fork, end, gap = (
        (mark + fill * (step - 2) + " ")[:step] for mark, fill in ("│ ", "├─", "└─", "  ")
    )
    names = lru_cache(lambda width: np.array(shorten_distinct(hierarchy.classes, width)))
    lines = []
    stack = [(0, "", "")]
    while stack:
        node, lead, below = stack.pop()
        inside = [[~node]] if node < 0 else (hierarchy.sides[node] < 0, hierarchy.sides[node] > 0)
        for most, width in _LISTED:
            sides = (_listed(names(width)[side], most) for side in inside)
            line = lead + " | ".join(sides)
            if display_width(line) <= _WIDTH:
                break
        if node < 0:
            lines.append(line)
            continue
        note = f"({notes[node]})" if notes[node] else ""
        room = _WIDTH - len(below + rail)
        if note and (display_width(f"{line}   {note}") <= _WIDTH or room < _LEAST_ROOM):
            line = f"{line}   {note}"
            note = ""
        lines += [line, *(f"{below}{rail}{part}" for part in wrap(note, max(room, 1)))]
        first, second = hierarchy.children[node].tolist()
        stack.append((second, below + end, below + gap))
        stack.append((first, below + fork, below + rail))
    return lines


def _listed(names, most):
    more = f" ... ({len(names)} classes)" if len(names) > most else ""
    return " ".join(names[:most]) + more
