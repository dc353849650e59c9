"""Bars of the error of each class against the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.display_names import natural_order, shown
from smartsvm._core.types import Axes
from smartsvm._core.validation import check_int
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.estimation.several_classes import ovr_bayes_error
from smartsvm.plotting.axes import (
    STRONG,
    Display,
    filling,
    ink,
    new_axes,
    points_for_each,
    short_names,
    type_size,
)

_HARDEST_IN_WORDS = 3  # classes that the alternative text names


class ClassErrorDisplay(Display):
    """Bars of the error of each class against the rest, with bounds.

    Parameters
    ----------
    estimate : ErrorEstimate
        Result of `ovr_bayes_error`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the drawing, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import ClassErrorDisplay
    >>> display = ClassErrorDisplay.from_data(*load_iris(return_X_y=True))
    >>> display.alt_text
    'Bars of the error of each of 3 classes against the rest. The hardest: 1, 2, 0.'
    """

    def __init__(self, estimate: ErrorEstimate) -> None:
        if not isinstance(estimate, ErrorEstimate) or np.ndim(estimate.value) != 1:
            raise TypeError(
                f"estimate must be a result of ovr_bayes_error, got {type(estimate).__name__}."
            )
        self.estimate = estimate

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        sort: bool = True,
        most: int = 60,
        **options: Any,
    ) -> ClassErrorDisplay:
        """Estimate the errors of (X, y) by `ovr_bayes_error`, and draw them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Labels.
        ax, sort, most : object
            Passed to `plot`.
        **options : dict
            Passed to `ovr_bayes_error`.

        Returns
        -------
        ClassErrorDisplay
            The display, drawn.
        """
        return cls(ovr_bayes_error(X, y, **options)).plot(ax, sort=sort, most=most)

    @property
    def alt_text(self) -> str:
        """The plot in words."""
        order = np.argsort(-self.estimate.value, kind="stable")[:_HARDEST_IN_WORDS]
        hardest = ", ".join(shown(label) for label in self.estimate.classes[order])
        return (
            f"Bars of the error of each of {len(self.estimate.classes)} classes against the rest. "
            f"The hardest: {hardest}."
        )

    def plot(
        self, ax: Axes | None = None, *, sort: bool = True, most: int = 60
    ) -> ClassErrorDisplay:
        """Draw a bar for each class.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure by default.
        sort : bool, default=True
            Whether the hardest class is on top, instead of the natural order of the labels.
        most : int, default=60
            Largest number of classes to draw, the first ones in this order.

        Returns
        -------
        ClassErrorDisplay
            The display itself.
        """
        estimate = self.estimate
        if sort:
            order = np.argsort(-estimate.value, kind="stable")
        else:
            order = np.array(natural_order(estimate.classes.tolist()))
        order = order[: check_int(most, "most", least=1)]
        # Of all classes: a name must also differ from those that are not drawn.
        names, families = short_names(estimate.classes)
        ax = new_axes(ax, (6.4, float(np.clip(1.4 + 0.28 * len(order), 2.4, 14))))
        value = estimate.value[order]
        places = np.arange(len(order))
        bounds = [value - estimate.lower[order], estimate.upper[order] - value]
        ax.barh(places, value, color=filling(), edgecolor=STRONG)
        ax.errorbar(value, places, xerr=bounds, fmt="none", ecolor=ink(), capsize=3)
        size = type_size(points_for_each(ax, len(order)))
        ax.set_yticks(places, [names[k] for k in order], fontsize=size, fontfamily=families)
        if size is None:  # no room for names: the bars still show the spread of the errors
            ax.set_yticks([])
        ax.invert_yaxis()
        ax.set_xlim(left=0)
        some = len(order) < len(estimate.classes)
        ax.set(
            xlabel="Bayes error, class against the rest\n(bar: estimate, line: bounds)",
            ylabel="Class",
            title="Which classes are hard?"
            + (f" First {len(order)} of {len(estimate.classes)}" if some else ""),
        )
        return self._drawn_on(ax)
