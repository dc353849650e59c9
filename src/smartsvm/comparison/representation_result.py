"""The result of `compare_representations`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from smartsvm._core.types import Axes, Bools, Floats
from smartsvm._core.validation import check_choice, describe
from smartsvm.comparison.entries import ALL
from smartsvm.comparison.page import document_of
from smartsvm.estimation.results import Interval
from smartsvm.plotting.axes import MARKED, ink, new_axes, short_names
from smartsvm.presentation.display_names import (
    display_width,
    json_escaped,
    padded,
    shorten_distinct,
    shown,
    wrap,
)
from smartsvm.presentation.wording import counted, listed, percent
from smartsvm.report.output import html
from smartsvm.report.output.formats import Saved, Views

METRICS = ("error", "log_loss")
# Characters of a line of the text, and of the longest name in it.
_WIDTH = 78
_LONGEST_NAME = 30


@dataclass(frozen=True, eq=False, repr=False)
class RepresentationComparison(Saved):
    """Result of `compare_representations`.

    Attributes
    ----------
    names : list of str
        Names of the representations, in the order given.
    errors : ndarray of shape (K,)
        Held-out error of all classifiers combined in each.
    log_losses : ndarray of shape (K,)
        Mean of minus the log probability of the labels, in nats.
    differences : ndarray of shape (2, K, K)
        Error, and then log loss, of the first representation less that of the second.
    half_widths : ndarray of shape (2, K, K)
        Half widths of their simultaneous confidence intervals.
    n_samples : int
        Rows.
    n_features : list of int
        Columns of each representation.
    scales : list of str
        Scale of the columns of each.
    confidence : float
        Level of all intervals together.
    groups_of_columns : list of str or None
        Names of the groups of columns, if these were compared.
    """

    names: list[str]
    errors: Floats
    log_losses: Floats
    differences: Floats
    half_widths: Floats
    n_samples: int
    n_features: list[int]
    scales: list[str]
    confidence: float
    groups_of_columns: list[str] | None

    @property
    def better(self) -> Bools:
        """Whether the first is better than the second, (K, K): in one loss, and not the reverse."""
        lower = self.differences < -self.half_widths
        higher = self.differences > self.half_widths
        return lower.any(axis=0) & ~higher.any(axis=0)

    @property
    def best(self) -> list[str]:
        """Names that no other representation is better than, the smallest error first."""
        beaten = self.better.any(axis=0)
        return [self.names[k] for k in self._order() if not beaten[k]]

    def difference(
        self, first: str, second: str, metric: Literal["error", "log_loss"] = "error"
    ) -> Interval:
        """How much larger the loss of one representation is than that of another.

        Parameters
        ----------
        first, second : str
            Names of representations.
        metric : {"error", "log_loss"}, default="error"
            Which loss.

        Returns
        -------
        Interval
            The difference with its simultaneous confidence interval.
        """
        check_choice(metric, "metric", METRICS)
        for parameter, name in (("first", first), ("second", second)):
            if name not in self.names:
                raise ValueError(
                    f"{parameter} must be one of {describe(self.names)}, got {name!r}."
                )
        place = METRICS.index(metric), self.names.index(first), self.names.index(second)
        value, half = float(self.differences[place]), float(self.half_widths[place])
        return Interval(value, value - half, value + half)

    def to_frame(
        self, what: Literal["representations", "pairs", "groups"] = "representations"
    ) -> Any:
        """The comparison as a pandas DataFrame.

        Parameters
        ----------
        what : {"representations", "pairs", "groups"}, default="representations"
            One row for each representation, for each pair, or for each group of columns with what
            it adds to the others.

        Returns
        -------
        pandas.DataFrame
            The table, the smallest error first.
        """
        import pandas

        check_choice(what, "what", ("representations", "pairs", "groups"))
        return pandas.DataFrame(self.rows(what))

    def rows(self, what: str = "representations") -> list[dict[str, Any]]:
        """The rows of `to_frame` as dictionaries.

        Parameters
        ----------
        what : str, default="representations"
            As in `to_frame`.

        Returns
        -------
        list of dict
            Names and values.
        """
        order = self._order()
        if what == "representations":
            return [
                {
                    "name": self.names[k],
                    "error": float(self.errors[k]),
                    "log_loss": float(self.log_losses[k]),
                    "columns": self.n_features[k],
                    "scale": self.scales[k],
                    "best": self.names[k] in self.best,
                }
                for k in order
            ]
        if what == "groups":
            if self.groups_of_columns is None:
                raise ValueError('what="groups" needs a comparison with groups_of_columns.')
            parts = [(group, f"without {group}", ALL) for group in self.groups_of_columns]
        else:
            parts = [
                (None, self.names[j], self.names[i])
                for place, i in enumerate(order)
                for j in order[place + 1 :]
            ]
        rows = []
        for group, first, second in parts:
            row = {"first": first, "second": second} if group is None else {"group": group}
            for metric in METRICS:
                value, low, high = self.difference(first, second, metric)
                row |= {metric: value, f"{metric}_low": low, f"{metric}_high": high}
            rows.append(row)
        return rows

    def plot(self, ax: Axes | None = None, metric: Literal["error", "log_loss"] = "error") -> Axes:
        """Draw the difference of every representation from the one with the smallest error.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Axes to draw on; new ones by default.
        metric : {"error", "log_loss"}, default="error"
            Which loss.

        Returns
        -------
        matplotlib axes
            Lines are simultaneous confidence intervals; filled dots are the best ones.
        """
        check_choice(metric, "metric", METRICS)
        ax = new_axes(ax, (6.6, 0.9 + 0.4 * len(self.names)))
        order = self._order()
        best = self.best
        names, families = short_names([self.names[k] for k in order], _LONGEST_NAME)
        for place, k in enumerate(order):
            value, low, _ = self.difference(self.names[k], self.names[order[0]], metric)
            filled = self.names[k] in best
            ax.errorbar(
                value,
                -place,
                xerr=value - low,
                fmt="o",
                capsize=4,
                color=MARKED if filled else ink(),
                mfc=None if filled else "none",
            )
        ax.set_ylim(0.5 - len(order), 0.5)
        ax.axvline(0, color="0.5", linestyle=":", linewidth=1.2)
        ax.set_yticks(range(0, -len(order), -1), names, family=families)
        words = {"error": "held-out error", "log_loss": "log loss"}[metric]
        ax.set_xlabel(f"{words} above that of {names[0]} ({percent(self.confidence)} intervals)")
        return ax

    def to_html(self, title: str | None = None) -> str:
        """The comparison as a web page.

        Parameters
        ----------
        title : str or None, default=None
            Title of the page.

        Returns
        -------
        str
            A page that loads nothing from elsewhere.
        """
        return html.page(document_of(self, title))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain Python numbers, strings, lists and dictionaries.

        Returns
        -------
        dict
            ``paired``, always True; ``n_samples``; ``best``; and ``representations`` and
            ``pairs``, the rows of `to_frame`.
        """
        tables = {what: self.rows(what) for what in ("representations", "pairs")}
        return {"paired": True, "n_samples": self.n_samples, "best": self.best} | tables

    def to_json(self) -> str:
        """The dictionary of `to_dict` as JSON.

        Returns
        -------
        str
            JSON of two spaces' indentation.
        """
        return json_escaped(json.dumps(self.to_dict(), indent=2, ensure_ascii=False))

    def _views(self, title):
        return Views(
            document=lambda: document_of(self, title),
            text=lambda: str(self),
            json=self.to_json,
            rows=self.rows,
            figure=lambda: self.plot().figure,
        )

    def sentence(self) -> str:
        """Which representation is best, in one or two sentences."""
        best, n = list(map(shown, self.best)), len(self.names)
        if len(best) == n:
            return "No representation can be told from the others."
        if len(best) == 1:
            beats = self.better[self.names.index(self.best[0])]
            if beats.sum() == n - 1:
                what = "other" if n == 2 else "others"
                return f"{best[0]} is best: it is clearly better than the {what}."
            return f"{best[0]} is best: each of the others is worse than it or than another one."
        out = [shown(name) for name in self.names if name not in self.best]
        return (
            f"{listed(best, last=' and ')} are the best and cannot be told from each other; "
            f"{listed(out, last=' and ')} {'is' if len(out) == 1 else 'are'} worse."
        )

    def _order(self):
        """Places by error, then by log loss."""
        return np.lexsort([self.log_losses, self.errors]).tolist()

    def __repr__(self):
        return (
            f"RepresentationComparison({len(self.names)} representations, {self.n_samples:,} rows, "
            f"best: {listed([repr(name) for name in self.best])})"
        )

    def __str__(self):
        rows = self.rows()
        names = shorten_distinct([row["name"] for row in rows], _LONGEST_NAME, dots="...")
        lines = [
            "WHICH REPRESENTATION IS BEST?",
            f"{counted(self.n_samples, 'row')}, {len(self.names)} representations, the same rows "
            "and folds",
            "=" * _WIDTH,
            *wrap(self.sentence(), _WIDTH),
            "",
        ]
        width = max(map(display_width, [*names, "representation"])) + 2
        lines.append(f"  {'representation':<{width}}{'error':>7}{'log loss':>10}   above the first")
        first = rows[0]["name"]
        for row, name in zip(rows, names, strict=True):
            value, low, high = self.difference(row["name"], first)
            above = (
                ""
                if row["name"] == first
                else f"{_points(value)} ({_points(low)} to {_points(high)})"
            )
            mark = "*" if row["best"] else " "
            lines.append(
                f"{mark} {padded(name, width)}{percent(row['error']):>7}{row['log_loss']:>10.3f}   "
                f"{above}".rstrip()
            )
        lines += [
            "",
            *wrap(
                f"* best. Errors in percent; above the first: points of error, with intervals that "
                f"hold together with {percent(self.confidence)} confidence.",
                _WIDTH,
            ),
        ]
        if self.groups_of_columns is not None:
            lines += ["", "What each group of columns adds to the others (points of error)"]
            for row in self.rows("groups"):
                limits = f"{_points(row['error_low'])} to {_points(row['error_high'])}"
                lines.append(f"  {row['group']}: {_points(row['error'])} ({limits})")
        return "\n".join(lines)


def _points(change):
    """A difference of errors in points, with its sign."""
    return f"{100 * change:+.1f}"
