"""The result of `two_sample_test`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from smartsvm._core.types import Axes, Floats, Integers
from smartsvm._core.validation import check_choice, check_int
from smartsvm.estimation.combined_test import PARTS
from smartsvm.estimation.results import Interval
from smartsvm.plotting.axes import MARKED, filling, ink, new_axes
from smartsvm.presentation.display_names import shown, wrap
from smartsvm.presentation.wording import listed

# Samples differ if the p-value is at most this.
_SIGNIFICANT = 0.05
# Characters of a line of the text.
_WIDTH = 78
# Rows of each sample that the text names.
_NAMED_ROWS = 5
_WORDS = {
    "neighbors": "edges within samples",
    "scale": "edges, one sample against another",
    "distance": "energy distance",
    "width": "distances within samples",
}


@dataclass(frozen=True, eq=False, repr=False)
class TwoSampleTest:
    """Result of `two_sample_test`.

    Attributes
    ----------
    p_value : float
        Probability of a combined statistic this large if all samples come from one distribution,
        from permutations.
    p_values : dict of str to float
        The same for each part: "neighbors" (rows of a sample lie together), "distance" (samples are
        shifted) and "spread" (one is wider or denser). They are not corrected for their number;
        `different_in` is.
    statistics : dict of str to float
        The statistics: "neighbors", the standardised weighted edge count; "scale", the other part
        of the generalised edge count; "distance", the energy distance; "width", the variance
        between samples of the mean distance within a sample.
    permuted : dict of str to ndarray of shape (n_permutations,)
        The same for each permutation.
    edge_count : float
        The generalised edge count S.
    p_chi2 : float
        Its chi-squared tail: the edge counts alone, without permutations. With few rows it is only
        approximate.
    divergence : Interval
        How much the samples differ, from 0 (not at all) to 1 (no overlap), with a confidence
        interval.
    likeness : list of ndarray
        For every row of each sample, the probability that a row like it comes from the first
        sample rather than from its own (for the first sample: from any other), if both were of one
        size: near 0.5 if nothing differs, 0 for a row unlike the first sample.
    widest : int
        Number of the sample whose rows lie farthest from each other, by the mean distance of two
        (of at most 512 rows).
    densest : int
        Number of the sample whose rows have most neighbours of their own sample, beside what chance
        gives to a sample of its size.
    names : list of str
        Names of the samples.
    sizes : ndarray of shape (n_samples,)
        Rows of each sample.
    n_features : int
        Columns, after a table is prepared.
    n_trees : int
        Orthogonal trees.
    n_permutations : int
        Number of permutations.
    scale : str
        Scale of the columns.
    confidence : float
        Level of the interval.
    """

    p_value: float
    p_values: dict[str, float]
    statistics: dict[str, float]
    permuted: dict[str, Floats]
    edge_count: float
    p_chi2: float
    divergence: Interval
    likeness: list[Floats]
    widest: int
    densest: int
    names: list[str]
    sizes: Integers
    n_features: int
    n_trees: int
    n_permutations: int
    scale: str
    confidence: float

    @property
    def significant(self) -> bool:
        """Whether the samples differ at the 5% level."""
        return self.p_value <= _SIGNIFICANT

    @property
    def different_in(self) -> list[str]:
        """The parts that are significant at 5% together (Holm), the smallest p-value first."""
        if not self.significant:
            return []
        parts = []
        for part in sorted(self.p_values, key=self.p_values.__getitem__):
            if self.p_values[part] * (len(self.p_values) - len(parts)) > _SIGNIFICANT:
                break
            parts.append(part)
        return parts

    def least_alike(self, n: int = 10, sample: int = 1) -> Integers:
        """Rows of a sample that are least like the first sample.

        Parameters
        ----------
        n : int, default=10
            How many rows.
        sample : int, default=1
            Number of the sample, from 0.

        Returns
        -------
        ndarray
            Row numbers within the sample, from 0, the least alike first.
        """
        n = check_int(n, "n", least=1)
        sample = check_int(sample, "sample", least=0, most=len(self.names) - 1)
        return np.argsort(self.likeness[sample], kind="stable")[:n]

    def to_frame(self, what: Literal["statistics", "rows"] = "statistics") -> Any:
        """The statistics, or all rows with their likeness, as a pandas DataFrame.

        Parameters
        ----------
        what : {"statistics", "rows"}, default="statistics"
            One row for each statistic, or one for each row of the samples, least alike first.

        Returns
        -------
        pandas.DataFrame
            The table.
        """
        import pandas

        check_choice(what, "what", ("statistics", "rows"))
        if what == "rows":
            frame = pandas.DataFrame(
                {
                    "sample": np.repeat(self.names, self.sizes),
                    "row": np.concatenate([np.arange(size) for size in self.sizes]),
                    "likeness": np.concatenate(self.likeness),
                }
            )
            return frame.sort_values("likeness", kind="stable", ignore_index=True)
        part_of = {name: part for part, names in PARTS.items() for name in names}
        names = list(self.statistics)
        draws = [self.permuted[name] for name in names]
        return pandas.DataFrame(
            {
                "statistic": names,
                "part": [part_of[name] for name in names],
                "value": [self.statistics[name] for name in names],
                "null_mean": [each.mean() for each in draws],
                "null_deviation": [each.std() for each in draws],
                "p_value_of_part": [self.p_values[part_of[name]] for name in names],
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw every statistic beside its values for permuted labels.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            Axes to draw on; new ones by default.

        Returns
        -------
        matplotlib axes
            Bars hold 95% of the permutations, dots are the samples as they are. The unit is a
            standard deviation of the permutations.
        """
        ax = new_axes(ax, (6.4, 2.8))
        names = list(self.statistics)
        for place, name in enumerate(names):
            draws = self.permuted[name]
            middle = draws.mean()
            unit = draws.std() or 1.0
            low, high = (np.quantile(draws, [0.025, 0.975]) - middle) / unit
            ax.barh(-place, high - low, left=low, height=0.5, color=filling(), edgecolor=ink())
            ax.plot((self.statistics[name] - middle) / unit, -place, "o", color=MARKED)
        ax.use_sticky_edges = False  # else the axes begin where the first bar begins
        ax.margins(x=0.05)
        ax.set_yticks(range(0, -len(names), -1), [_WORDS[name] for name in names])
        ax.set_xlabel("standard deviations above permuted labels")
        ax.set_title(f"{_answer(self)} ({_p(self.p_value)})", loc="left")
        return ax

    def __repr__(self):
        sizes = ", ".join(f"{size:,}" for size in self.sizes)
        return (
            f"TwoSampleTest(rows={sizes}, p_value={self.p_value:.3g}, "
            f"different_in={self.different_in}, divergence={self.divergence.value:.3g})"
        )

    def __str__(self):
        rows = listed([f"{size:,}" for size in self.sizes], last=" and ")
        lines = [
            "DO THESE SAMPLES DIFFER?",
            f"{rows} rows, {self.n_features:,} columns",
            "=" * _WIDTH,
            f"{_answer(self)} ({_p(self.p_value)}).",
        ]
        lines += ["", *(f"  {line}" for line in _part_lines(self)), ""]
        value, low, high = (f"{each:.2f}" for each in self.divergence)
        lines += wrap(
            f"Divergence: {value} ({low} to {high}), from 0 (no difference) to 1 (no overlap).",
            _WIDTH,
        )
        if self.significant:
            names = list(map(shown, self.names))
            for k in range(1, len(self.names)):
                numbers = listed([str(row) for row in self.least_alike(_NAMED_ROWS, k)])
                lines += wrap(f"Rows of {names[k]} least like {names[0]}: {numbers}.", _WIDTH)
        return "\n".join(lines)


def _answer(test):
    if test.significant:
        return "Yes, they differ"
    return "No difference found"


def _p(value):
    return "p < 0.01" if value < 0.01 else f"p = {value:.2g}"


def _p_of(test, name):
    """The p-value of one statistic."""
    return (1 + np.count_nonzero(test.permuted[name] >= test.statistics[name])) / (
        1 + test.n_permutations
    )


def _part_lines(test):
    """One line for each part: what it looks at, whether it differs, its p-value."""
    wide, dense = (shown(test.names[k]) for k in (test.widest, test.densest))
    spread = f"{wide} is wider: its rows lie farther from each other"
    if _p_of(test, "scale") < _p_of(test, "width"):
        spread = f"{dense} is denser: its rows have most neighbours of their own"
    words = {
        "neighbors": (
            "rows have more neighbours of their own sample than by chance",
            "mixed as by chance",
        ),
        "distance": ("distances between samples exceed those within", "no shift found"),
        "spread": (spread, "no difference found"),
    }
    for part, p in test.p_values.items():
        yes, no = words[part]
        yield f"{part:<11}{_p(p):<11}{yes if part in test.different_in else no}"
