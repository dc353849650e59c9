"""A heat map of the errors of all pairs of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from smartsvm._core.types import Axes, AxesImage, Floats, Labels
from smartsvm._core.validation import check_square, describe
from smartsvm.estimation.bayes_errors import pairwise_bayes_error
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.hierarchy.class_hierarchy import class_hierarchy
from smartsvm.plotting.axes import (
    LARGEST_TYPE,
    LETTER_WIDTH,
    SMALLEST_TYPE,
    Display,
    fitted_classifier,
    name_of_run,
    new_axes,
    points_for_each,
    runs_of_classes,
    short_names,
    type_size,
)
from smartsvm.presentation.display_names import display_width, natural_order, shown

_MOST_WRITTEN_CLASSES = 16  # cells of larger heat maps are too small for numbers
_MOST_IN_NATURAL_ORDER = 40  # in larger maps only neighbours can be compared
_LEAST_MAP = 1.8  # inches of the map without its names
_RUNS = 12  # groups of classes to name if there is no room for all names
_HARDEST_IN_WORDS = 3  # pairs that the alternative text names


class PairwiseErrorDisplay(Display):
    """Heat map of pairwise errors: which classes are hard to tell apart.

    Parameters
    ----------
    error_matrix : array-like of shape (K, K)
        Errors of the pairs.
    classes : array-like of shape (K,), default=None
        Labels; 0 to K - 1 by default.
    normalized : bool, default=False
        Whether the errors are relative to the smaller prior, so that 1 is the baseline.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes with the drawing, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    im_ : matplotlib AxesImage
        The heat map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import PairwiseErrorDisplay
    >>> display = PairwiseErrorDisplay.from_data(*load_iris(return_X_y=True))
    >>> print(display.alt_text[:75])
    Heat map of the errors of 3 pairs of classes. The hardest: 1 and 2 (0.05),
    """

    error_matrix: Floats
    classes: Labels
    im_: AxesImage

    def __init__(
        self, error_matrix: ArrayLike, *, classes: ArrayLike | None = None, normalized: bool = False
    ) -> None:
        self.error_matrix = check_square(error_matrix, "error_matrix")
        self.normalized = normalized
        n_classes = len(self.error_matrix)
        self.classes = np.arange(n_classes) if classes is None else np.asarray(classes)
        if self.classes.shape != (n_classes,):
            raise ValueError(
                f"classes must have {n_classes} labels, got shape {self.classes.shape}."
            )

    @classmethod
    def from_data(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        *,
        ax: Axes | None = None,
        order: str | ArrayLike | None = None,
        cmap: str = "viridis",
        colorbar: bool = True,
        **options: Any,
    ) -> PairwiseErrorDisplay:
        """Estimate the errors of (X, y) by `pairwise_bayes_error`, and draw them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Labels.
        ax, order, cmap, colorbar : object
            Passed to `plot`.
        **options : dict
            Passed to `pairwise_bayes_error`.

        Returns
        -------
        PairwiseErrorDisplay
            The display, drawn.
        """
        estimate = pairwise_bayes_error(X, y, **options)
        return cls.from_estimate(estimate, ax=ax, order=order, cmap=cmap, colorbar=colorbar)

    @classmethod
    def from_estimate(cls, estimate: ErrorEstimate, **options: Any) -> PairwiseErrorDisplay:
        """Draw the result of `pairwise_bayes_error`.

        Parameters
        ----------
        estimate : ErrorEstimate
            Errors of all pairs.
        **options : dict
            Passed to `plot`.

        Returns
        -------
        PairwiseErrorDisplay
            The display, drawn.
        """
        if not isinstance(estimate, ErrorEstimate) or np.ndim(estimate.value) != 2:
            raise TypeError(
                f"estimate must be a result of pairwise_bayes_error, got {describe(estimate)}."
            )
        display = cls(estimate.value, classes=estimate.classes, normalized=estimate.normalized)
        return display.plot(**options)

    @classmethod
    def from_estimator(cls, estimator: Any, **options: Any) -> PairwiseErrorDisplay:
        """Draw the errors behind a fitted `SmartSVM`.

        Parameters
        ----------
        estimator : SmartSVM, or a search over it such as SmartSVMCV
            Fitted classifier.
        **options : dict
            Passed to `plot`.

        Returns
        -------
        PairwiseErrorDisplay
            The display, drawn.
        """
        estimator = fitted_classifier(estimator)
        if not hasattr(estimator, "pairwise_error_"):
            raise ValueError(
                "estimator must have pairwise_error_, which SmartSVM has with "
                "hierarchy='min-cut'; or pass pairwise_bayes_error(X, y) to the display."
            )
        errors, classes = estimator.pairwise_error_, estimator.classes_
        return cls(errors, classes=classes, normalized=True).plot(**options)

    @property
    def alt_text(self) -> str:
        """The plot in words."""
        rows, columns = np.triu_indices(len(self.classes), 1)
        order = np.argsort(-self.error_matrix[rows, columns], kind="stable")
        hardest = [
            f"{shown(self.classes[rows[i]])} and {shown(self.classes[columns[i]])} "
            f"({self.error_matrix[rows[i], columns[i]]:.2f})"
            for i in order[:_HARDEST_IN_WORDS]
        ]
        return (
            f"Heat map of the errors of {len(rows)} pairs of classes. "
            f"The hardest: {', '.join(hardest)}."
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        order: str | ArrayLike | None = None,
        cmap: str = "viridis",
        colorbar: bool = True,
    ) -> PairwiseErrorDisplay:
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure by default.
        order : {"hierarchy"} or array-like of shape (K,), default=None
            Order of the classes: as in `class_hierarchy`, with similar classes side by side,
            or class indices. By default the natural order (c2 before c10), and the
            hierarchy for more than 40 classes.
        cmap : str, default="viridis"
            Colour map; the default reads well in grey and for colour-blind people.
        colorbar : bool, default=True
            Whether to draw a colour bar beside the map.

        Returns
        -------
        PairwiseErrorDisplay
            The display itself.

        Notes
        -----
        Long names are shortened and stay distinct. If there is no room for all names, the
        axes name groups of classes that the hierarchy separates, with a line between groups.
        """
        n_classes = len(self.classes)
        if order is None and n_classes > _MOST_IN_NATURAL_ORDER:
            order = "hierarchy"
        hierarchy = None
        if isinstance(order, str):
            if order != "hierarchy":
                raise ValueError(f'order must be "hierarchy", None or indices, got {order!r}.')
            hierarchy = class_hierarchy(self.error_matrix)
            order = hierarchy.leaf_order()
        order = np.asarray(natural_order(self.classes.tolist()) if order is None else order)
        is_index = order.dtype.kind in "iu" and order.ndim == 1
        if not is_index or sorted(order.tolist()) != list(range(n_classes)):
            raise ValueError(
                f'order must be "hierarchy", None or each of the class indices 0 to '
                f"{n_classes - 1} once, got {describe(order.tolist())}."
            )
        names, families = short_names(self.classes[order])
        beside = LETTER_WIDTH * LARGEST_TYPE / 72 * max(map(display_width, names))  # inches
        size = float(np.clip(2.0 + beside + max(0.42 * n_classes, _LEAST_MAP), 4.2, 14))
        ax = new_axes(ax, (size + 0.8, size))
        errors = self.error_matrix[np.ix_(order, order)].copy()
        np.fill_diagonal(errors, np.nan)
        top = np.nanmax(errors)
        self.im_ = ax.imshow(errors, cmap=cmap, vmin=0, vmax=top if top > 0 else 1)
        room = min(points_for_each(ax, n_classes, side) for side in ("height", "width"))
        self._name_classes(ax, names, families, hierarchy, room)
        ax.set(xlabel="Class", ylabel="Class", title="How hard is each pair to tell apart?")
        if n_classes <= _MOST_WRITTEN_CLASSES:
            self._write_values(ax, errors, room)
        if colorbar:
            label = "Estimated Bayes error" + (",\n1 = baseline" if self.normalized else "")
            ax.figure.colorbar(self.im_, ax=ax, shrink=0.85, label=label)
        return self._drawn_on(ax)

    def _name_classes(self, ax, names, families, hierarchy, room):
        n_classes = len(names)
        places = np.arange(len(names))
        size = type_size(room)
        if size is None:
            names, places, size = self._name_runs(ax, names, hierarchy, room)
        widest = LETTER_WIDTH * size * max(map(display_width, names))
        # The map shrinks by the names beside it after `room` was measured.
        flat = widest * (1 + 1 / n_classes) < room if len(places) == n_classes else False
        style = {"fontsize": size, "fontfamily": families}
        ax.set_xticks(places, names, rotation=0 if flat else 90, **style)
        ax.set_yticks(places, names, **style)

    def _name_runs(self, ax, names, hierarchy, room):
        """Names of runs of classes, their places and their size; draws the borders."""
        if hierarchy is None:
            lengths = [len(part) for part in np.array_split(names, _RUNS)]
        else:
            lengths = [len(run) for run in runs_of_classes(hierarchy, _RUNS)]
        ends = np.cumsum(lengths)
        for end in ends[:-1]:
            ax.axhline(end - 0.5, color="white", linewidth=0.8)
            ax.axvline(end - 0.5, color="white", linewidth=0.8)
        runs = [names[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        # A run too close to the last named one stays without a name.
        named = []
        places = []
        last = -np.inf
        size = 7
        for run, end, length in zip(runs, ends, lengths, strict=True):
            place = end - length / 2 - 0.5
            if (place - last) * room >= 1.3 * size:
                named.append(name_of_run(run))
                places.append(place)
                last = place
        return named, places, size

    def _write_values(self, ax, errors, room):
        digits = 3 if np.nanmax(errors) < 0.1 else 2
        size = min(9, 0.9 * room / (LETTER_WIDTH * (1 + digits)))
        if size < SMALLEST_TYPE:
            return
        for i, j in zip(*np.nonzero(~np.isnan(errors)), strict=True):
            red, green, blue, _ = self.im_.cmap(self.im_.norm(errors[i, j]))
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            text = f"{errors[i, j]:.{digits}f}".removeprefix("0") if errors[i, j] else "0"
            ax.text(
                j,
                i,
                text,
                ha="center",
                va="center",
                fontsize=size,
                color="white" if dark else "black",
            )
