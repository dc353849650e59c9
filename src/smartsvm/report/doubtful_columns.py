"""Columns that may not be known when one predicts, each with the error with it and without it.

They tell the class alone, or by their gaps, or by the unit of a text; they number the rows, which
says nothing about a new one; or several of them make up the label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.points import Points, scale_points
from smartsvm._core.sampling import stratified_rows
from smartsvm.held_out.registry import QUICK_CLASSIFIERS
from smartsvm.held_out.trials import Trials
from smartsvm.report.flags.columns import FewErrors, label_in_disguise, telling_gaps
from smartsvm.tables.records import EMPTY, ID

# Errors are measured on so many samples at most, for so many columns.
_ROWS = 2000
_MOST_COLUMNS = 8
# An id or a gap matters if the error without it is larger by 2.5 standard errors and 1 point, or if
# it helps to find 5% of the smaller one of two classes.
_CLEAR, _LEAST_GAIN = 2.5, 0.01
_LEAST_RECALL = 0.05

TELLS, GAPS_TELL, UNIT_TELLS, NUMBERS, JOINT = (
    "tells the class",
    "its gaps",
    "its wording",
    "an id",
    "joint answer",
)


class DoubtfulColumn(NamedTuple):
    """A column that may not be known when one predicts."""

    name: str
    why: str
    is_used: bool  # whether the errors of the report are those with it
    error_with: float  # of the best quick classifier
    error_without: float
    # fraction of the smaller one of two classes that is found, None for several classes
    recall_with: float | None
    recall_without: float | None


def find_doubtful_columns(report, problem, near):
    """All `DoubtfulColumn`; those whose error without them is the largest come first."""
    if problem.columns is None:
        return ()
    used = {}
    for name in label_in_disguise(problem, report.data.dependence):
        used[name] = TELLS
    for found in telling_gaps(problem):
        used.update(dict.fromkeys(found.names, GAPS_TELL))
    if not used and any(FewErrors().flags(report, problem)):
        used.update(dict.fromkeys(_joint_answer(report, problem), JOINT))
    aside = [each for each in problem.set_aside if np.ptp(each.values) > 0]
    if not used and not aside:
        return ()
    errors = _Errors(problem, near)
    found = []
    for name, why in [*used.items()][:_MOST_COLUMNS]:
        less = errors.without(name)
        if less is not None:
            found.append(_doubtful(name, why, True, errors.whole, less, errors))
    for each in aside[:_MOST_COLUMNS]:
        more = errors.beside(each.values)
        why = {ID: NUMBERS, EMPTY: GAPS_TELL}.get(each.kind, UNIT_TELLS)
        if each.kind not in (ID, EMPTY) and each.name in used:
            continue
        if _matters(errors, more):
            found.append(_doubtful(each.name, why, False, more, errors.whole, errors))
    return tuple(sorted(found, key=lambda each: each.error_with - each.error_without))


def _joint_answer(report, problem):
    """The few columns that hardly err together, if no others are needed."""
    carriers, columns = report.data.signal_columns, problem.columns
    if carriers is None or not carriers.enough or len(carriers.columns) < 2:
        return ()
    told = {column.name: column.sources[0] for column in columns if len(column.sources) == 1}
    return tuple(dict.fromkeys(told[name] for name in carriers.columns if name in told))


def _doubtful(name, why, is_used, with_it, without_it, errors):
    recalls = (errors.recall(with_it), errors.recall(without_it))
    means = (float(with_it.mean()), float(without_it.mean()))
    return DoubtfulColumn(name, why, is_used, *means, *recalls)


def _matters(errors, more):
    """Whether a column that is set aside would make fewer errors, or find more of a small class."""
    gain = errors.whole - more
    noise = float(gain.std()) / np.sqrt(len(gain))
    if gain.mean() > max(_LEAST_GAIN, _CLEAR * noise):
        return True
    if errors.small is None:
        return False
    gain = gain[errors.small]
    noise = float(gain.std()) / np.sqrt(len(gain))
    return bool(gain.mean() > max(_LEAST_RECALL, _CLEAR * noise))


class _Errors:
    """Mistakes of the best quick classifier with and without some columns, on the same rows."""

    def __init__(self, problem, near):
        rows = np.arange(len(problem.codes)) if near.distinct is None else near.distinct
        self._rows = rows[stratified_rows(problem.codes[rows], _ROWS, problem.seed)]
        self._problem = problem
        self._codes = problem.codes[self._rows]
        self._folds = None if problem.folds is None else problem.folds.of(self._rows)
        self._points = problem.points.values[self._rows]
        judged = np.arange(len(self._rows)) if self._folds is None else self._folds.held_out_rows
        codes = self._codes[judged]
        counts = np.bincount(codes, minlength=len(problem.classes))
        self.small = codes == counts.argmin() if len(counts) == 2 and counts.min() else None
        self.whole = self._mistakes(self._points)

    def without(self, name):
        """Mistakes without a column of the table; None if there is no other."""
        kept = [name not in column.sources for column in self._problem.columns]
        return self._mistakes(self._points[:, kept]) if any(kept) else None

    def beside(self, values):
        """Mistakes with another column: of numbers, or of codes that get a column each."""
        values = values[self._rows]
        values = np.where(np.isnan(values), np.nanmedian(values), values)
        codes = np.unique(values, return_inverse=True)[1]
        columns = values[:, None]
        if 2 < codes.max() + 1 <= 20:
            columns = np.eye(int(codes.max()) + 1)[codes]
        scaled = scale_points(columns, "standard").values
        return self._mistakes(np.hstack([self._points, scaled]))

    def recall(self, wrong):
        """The fraction of the smaller class that is found."""
        return None if self.small is None else float(1 - wrong[self.small].mean())

    def _mistakes(self, points):
        points = Points(np.ascontiguousarray(points))
        work = self._problem.threads
        trials = Trials(points, self._codes, None, QUICK_CLASSIFIERS, folds=self._folds, **work)
        best = min(trials.mistakes.values(), key=lambda each: float(each.errors.min()))
        return best.wrong[best.best].astype(float)
