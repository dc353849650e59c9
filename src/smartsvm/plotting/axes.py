"""Parts that all displays share: axes, colours, names that fit, and the classifier to draw."""

import math

from sklearn.utils.validation import check_is_fitted

from smartsvm._core.types import Axes, Figure
from smartsvm._core.validation import describe
from smartsvm.hierarchy.preorder import leaves_below
from smartsvm.plotting.fonts import drawn_width, families_for, figure_text
from smartsvm.presentation.display_names import ELLIPSIS, shorten_distinct, shown

LONGEST_NAME = 24  # columns of a name beside an axis
PALE = "#9ecae1"  # distinct from black and white in grey, and for colour-blind people
STRONG = "#08519c"
MARKED = "#d95f02"  # distinct from blue and black
LARGEST_TYPE = 10  # points
SMALLEST_TYPE = 5.5
LETTER_WIDTH = 0.65  # over the size of the type
_LINE_HEIGHT = 1.2  # over the size of the type


class Display:
    """A drawing on axes that are known after `plot`."""

    ax_: Axes
    figure_: Figure

    def _drawn_on(self, ax):
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


def new_axes(ax, figsize):
    """The given axes, or new ones."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("Displays need matplotlib: install smartsvm2[plot].") from error
    return plt.subplots(figsize=figsize, layout="constrained")[1] if ax is None else ax


def fitted_classifier(estimator):
    """The fitted classifier with a hierarchy, or the best one of a search over it."""
    check_is_fitted(estimator)
    classifier = getattr(estimator, "best_estimator_", estimator)
    if not hasattr(classifier, "hierarchy_"):
        raise TypeError(
            f"estimator must be a fitted SmartSVM or a search over it, got {describe(estimator)}."
        )
    return classifier


def ink():
    """The colour of text and lines in the user's style, light or dark."""
    from matplotlib import rcParams

    return rcParams["text.color"]


def on_dark():
    """Whether the user's style has a dark background."""
    from matplotlib.colors import to_rgb

    return sum(to_rgb(ink())) > 1.5


def filling():
    """The colour of bars, which lines in `ink` stand out from."""
    return STRONG if on_dark() else PALE


def points_for_each(ax, number, side="height"):
    """Points (1/72 inch) for each of this many items along a side of the axes."""
    inches = getattr(ax.get_window_extent(), side) / ax.figure.dpi
    return 72 * inches / max(number, 1)


def type_size(room):
    """Font size for lines this many points apart; None if that is too small to read."""
    size = min(LARGEST_TYPE, room / _LINE_HEIGHT)
    return size if size >= SMALLEST_TYPE else None


def short_names(labels, width=LONGEST_NAME):
    """Names that fit and differ if the labels do, and the font families for their letters."""
    families = families_for(map(shown, labels))  # all letters in one lookup
    names = [figure_text(name) for name in shorten_distinct(labels, width, drawn_width)]
    return names, families


def runs_of_classes(hierarchy, most):
    """Cut the order of the leaves into `most` to 2 · `most` runs of codes that follow the tree."""
    limit = math.ceil(hierarchy.n_classes / most)
    runs = []
    stack = [0]
    while stack:
        child = stack.pop()
        leaves = list(leaves_below(hierarchy.children, child))
        if len(leaves) > limit:
            stack += hierarchy.children[child, ::-1].tolist()
        elif runs and len(runs[-1]) + len(leaves) <= limit:
            runs[-1].extend(leaves)  # small neighbouring branches make one run
        else:
            runs.append(leaves)
    return runs


def name_of_run(names):
    """The name of several neighbouring classes."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]} {ELLIPSIS} {names[-1]} ({len(names)})"
