"""A plot of the path of a feature selection."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from smartsvm._core.display_names import shown
from smartsvm._core.types import Axes
from smartsvm.plotting.axes import MARKED, Display, ink, new_axes, short_names
from smartsvm.selection.feature_search import SearchStep
from smartsvm.selection.selector import BayesErrorSelector

_MOST_NAMED = 40  # steps: the names of more features do not fit under the axis


class SelectionPathDisplay(Display):
    """Scores along the path of a `BayesErrorSelector`, with standard errors.

    Parameters
    ----------
    path : list of SearchStep
        The steps of the search.
    refused : SearchStep or None, default=None
        The step at which the search stopped.
    names : array-like of str, default=None
        Names of the features; their numbers by default.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after `plot`.
    figure_ : matplotlib Figure
        The figure of `ax_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from smartsvm import BayesErrorSelector, SelectionPathDisplay
    >>> selector = BayesErrorSelector().fit(*load_iris(return_X_y=True))
    >>> len(SelectionPathDisplay.from_estimator(selector).path)
    3
    """

    def __init__(
        self,
        path: Sequence[SearchStep],
        *,
        refused: SearchStep | None = None,
        names: ArrayLike | None = None,
    ) -> None:
        if not len(path):
            raise ValueError("path must hold at least one step.")
        self.path = list(path)
        self.refused = refused
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: BayesErrorSelector,
        *,
        names: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> SelectionPathDisplay:
        """Plot the path of a fitted `BayesErrorSelector`.

        Parameters
        ----------
        estimator : BayesErrorSelector
            Fitted selector.
        names : array-like of str, default=None
            Names of the features; those seen in `fit` by default.
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure by default.

        Returns
        -------
        SelectionPathDisplay
            The display, drawn.
        """
        check_is_fitted(estimator, "path_")
        if names is None:
            names = getattr(estimator, "feature_names_in_", None)
        return cls(estimator.path_, refused=estimator.refused_, names=names).plot(ax)

    @property
    def alt_text(self) -> str:
        """The plot in words."""
        names = ", ".join(shown(self._label(step)) for step in self.path)
        return f"Scores along a selection of features, in the order {names}."

    def plot(self, ax: Axes | None = None) -> SelectionPathDisplay:
        """Draw the scores with two standard errors, and the bar of each step.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; a new figure by default.

        Returns
        -------
        SelectionPathDisplay
            The display itself.
        """
        width = float(np.clip(2.4 + 0.32 * len(self.path), 6.0, 14))
        ax = new_axes(ax, (width, 4.2))
        self._draw_scores(ax)
        # The refused step has a place of its own, behind the path.
        steps = [*self.path, *([] if self.refused is None else [self.refused])]
        bars = [step.bar for step in steps]
        if np.isfinite(bars).any():
            ax.plot(
                np.arange(len(steps)),
                bars,
                linestyle="none",
                marker="_",
                markersize=12,
                markeredgewidth=1.6,
                color=MARKED,
                label="bar: below it a feature helps",
            )
        if len(steps) <= _MOST_NAMED:
            labels, families = short_names([self._label(step) for step in steps])
            rotation = 90 if max(map(len, labels)) > 4 else 0
            ax.set_xticks(np.arange(len(steps)), labels, rotation=rotation, fontfamily=families)
        ax.set_ylim(bottom=0)
        ax.set(
            xlabel="Feature added (+) or removed (−), in the order of the search",
            ylabel="Score of the criterion",
            title="Which features tell the classes apart?",
        )
        ax.legend(frameon=False, fontsize=8)
        return self._drawn_on(ax)

    def _draw_scores(self, ax):
        """The scores of the path with two standard errors, and that of the refused step."""
        scores = np.array([step.score for step in self.path])
        spread = 2 * np.array([step.standard_error for step in self.path])
        ax.errorbar(
            np.arange(len(scores)),
            scores,
            yerr=[np.minimum(spread, scores), spread],
            color=ink(),
            ecolor="0.6",
            marker="o",
            markersize=4,
            capsize=2,
            linewidth=1.3,
            label="score ± 2 standard errors",
        )
        if self.refused is not None:
            ax.plot(
                len(scores),
                self.refused.score,
                marker="x",
                color=ink(),
                linestyle="none",
                markersize=7,
                markeredgewidth=1.6,
                label="rejected",
            )

    def _label(self, step):
        if step.feature < 0:
            return "all"
        name = str(step.feature if self.names is None else self.names[step.feature])
        return ("+" if step.added else "−") + name
