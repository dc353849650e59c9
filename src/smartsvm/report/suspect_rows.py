"""Suspect labels as rows: the columns that speak against the label, and similar rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm.tables.records import CATEGORY, CYCLE, DATE, GAPS, WORDS

MOST_ROWS = 5  # suspects that are shown
_MOST_COLUMNS = 4  # that speak against a label
_SIMILAR = 2  # rows of the other class
_LEAST = 1.0  # difference of the squared distances, in standard deviations, that speaks against


class Against(NamedTuple):
    """A column that speaks against a label."""

    column: str
    value: float | str  # of the sample
    usual_given: float | str  # the median, or the most frequent value, of the given class
    usual_suggested: float | str


class SuspectRow(NamedTuple):
    """A label that may be wrong, as a row."""

    position: int  # among the samples
    against: tuple[Against, ...]
    # the most similar rows of the class that is suggested: position, and the values of the same
    # columns
    similar: tuple[tuple[int, tuple[float | str, ...]], ...]


def suspect_rows(problem, positions, suggested):
    """`SuspectRow` of some samples, each with the code of the class that is suggested."""
    points, codes = problem.points.values, problem.codes
    sources = _columns_of(problem)
    centres = _Classes(points, codes)
    found = []
    for position, other in zip(positions.tolist(), suggested.tolist(), strict=True):
        gains = centres.gains(position, codes[position], other)
        of_sources = sorted(((gains[places].sum(), source) for source, places in sources.items()))
        chosen = [source for gain, source in of_sources[::-1][:_MOST_COLUMNS] if gain > _LEAST]
        rivals = np.flatnonzero(codes == other)
        rivals = rivals[rivals != position]
        away = ((points[rivals] - points[position]) ** 2).sum(axis=1)
        nearest = rivals[np.argsort(away, kind="stable")[:_SIMILAR]]
        values = {source: _Values(problem, sources[source]) for source in chosen}
        found.append(
            SuspectRow(
                position,
                tuple(
                    Against(
                        _name_of(problem, sources[source]),
                        values[source].of(position),
                        values[source].usual(codes == codes[position]),
                        values[source].usual(codes == other),
                    )
                    for source in chosen
                ),
                tuple(
                    (row, tuple(values[source].of(row) for source in chosen))
                    for row in nearest.tolist()
                ),
            )
        )
    return tuple(found)


class _Classes:
    """Means of the classes, and the standard deviation within them, of each column."""

    def __init__(self, points, codes):
        self._points = points
        counts = np.maximum(np.bincount(codes), 1)
        self._means = np.stack([np.bincount(codes, column) / counts for column in points.T], axis=1)
        squares = np.array([column @ column for column in points.T])
        within = squares - counts @ self._means**2
        spread = np.sqrt(np.maximum(within, 0) / len(codes))
        self._spread = np.where(spread > 1e-9, spread, np.inf)

    def gains(self, position, given, other):
        """By how much each value is nearer to the mean of the other class, squared."""
        row = self._points[position]
        away = ((row - self._means[[given, other]]) / self._spread) ** 2
        return away[0] - away[1]


def _columns_of(problem):
    """Places of the columns that are made of each column of the table, without marks of gaps."""
    if problem.columns is None:
        return {j: [j] for j in range(problem.X.shape[1])}
    sources = {}
    for j, column in enumerate(problem.columns):
        if column.kind not in (GAPS, CYCLE, DATE, WORDS):
            sources.setdefault(column.sources[0], []).append(j)
    return sources


def _name_of(problem, places):
    if problem.columns is None:
        return f"column {places[0]}"
    return str(problem.columns[places[0]].told)


class _Values:
    """The value of a column of the table, read back from its columns of points."""

    def __init__(self, problem, places):
        self._values = problem.X[:, places]
        columns = problem.columns
        is_text = columns is not None and columns[places[0]].kind == CATEGORY
        self._words = [columns[j].name.split("=", 1)[-1] for j in places] if is_text else None

    def of(self, row):
        if self._words is None:
            return float(self._values[row, 0])
        return self._words[int(self._values[row].argmax())]

    def usual(self, rows):
        if self._words is None:
            return float(np.median(self._values[rows, 0]))
        return self._words[int(self._values[rows].sum(axis=0).argmax())]
