"""What all displays share: axes, the colour of ink, and names that fit where they stand."""

from __future__ import annotations

import math

from smartsvm._core.display_names import shown
from smartsvm._core.short_names import ELLIPSIS, shorten_distinct
from smartsvm.plotting.fonts import drawn_width, families_for, figure_text

LONGEST_NAME = 24  # columns of a name beside an axis
PALE = "#9ecae1"  # told from black and white in grey, and by colour-blind people
STRONG = "#08519c"
MARKED = "#d95f02"  # beside blue and black
LARGEST_TYPE = 10  # points
SMALLEST_TYPE = 5.5
LETTER_WIDTH = 0.65  # of a letter over the size of its type
_ROOM_FOR_TYPE = 1.2  # height of a line over the size of its type


def new_axes(ax, figsize):
    """The given axes, or new ones."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: install smartsvm2[plot].") from error
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


def ink():
    """The colour of text and lines: that of the user's style, light or dark."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def on_dark():
    """Whether the user's style draws light ink on dark paper."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(ink())) > 1.5


def filling():
    """The colour of bars, on which lines of ink can be seen."""
    return STRONG if on_dark() else PALE


def points_for_each(ax, number, side="height"):
    """Points (1/72 inch) for each of this many items along a side of the axes."""
    inches = getattr(ax.get_window_extent(), side) / ax.figure.dpi
    return 72 * inches / max(number, 1)


def type_size(room):
    """Font size for lines this many points apart; None if it could not be read."""
    size = min(LARGEST_TYPE, room / _ROOM_FOR_TYPE)
    return size if size >= SMALLEST_TYPE else None


def short_names(labels, width=LONGEST_NAME):
    """Names to draw, and the families of fonts that have their letters.

    The names fit, differ if the labels do, and are not read as formulas.
    """
    families = families_for(map(shown, labels))  # looks up all letters at once
    names = [figure_text(name) for name in shorten_distinct(labels, width, drawn_width)]
    return names, families


def runs_of_classes(hierarchy, most):
    """Cut the order of the leaves into runs that follow the hierarchy.

    Parameters
    ----------
    hierarchy : ClassHierarchy
        The tree.
    most : int
        About how many runs; at most twice as many.

    Returns
    -------
    list of list of int
        Class indices, in the order of `leaf_order`.
    """
    limit = math.ceil(hierarchy.n_classes / most)
    leaves_below = [[] for _ in range(hierarchy.n_nodes)]
    for node in range(hierarchy.n_nodes - 1, -1, -1):  # children first
        for child in hierarchy.children[node].tolist():
            leaves_below[node] += [~child] if child < 0 else leaves_below[child]
    runs, waiting = [], [0]
    while waiting:
        child = waiting.pop()
        leaves = [~child] if child < 0 else leaves_below[child]
        if len(leaves) > limit:
            left, right = hierarchy.children[child].tolist()
            waiting += [right, left]
        elif runs and len(runs[-1]) + len(leaves) <= limit:
            runs[-1].extend(leaves)  # many small branches beside each other make one run
        else:
            runs.append(list(leaves))
    return runs


def name_of_run(names):
    """What to call several classes side by side."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} {ELLIPSIS} {names[-1]} ({len(names)})"
