"""Columns that may not be known when one predicts, each with the error with it and without it.

They tell the class alone, or by their gaps, or by the unit of a text; they number the rows, which
says nothing about a new one; or several of them make up the label.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.clearly import CLEAR_OF_MANY, POINT, is_clear, paired_difference
from smartsvm._core.points import Points, scale_points
from smartsvm._core.sampling import stratified_rows
from smartsvm.held_out.registry import QUICK_CLASSIFIERS
from smartsvm.held_out.trials import Trials
from smartsvm.report.flags.columns import (
    FEW_ERRORS,
    FewErrors,
    gaps_by_class,
    label_in_disguise,
    telling_gaps,
)
from smartsvm.tables.records import EMPTY, ID

# Errors are measured on so many samples at most, for so many columns.
_ROWS = 2000
_MOST_COLUMNS = 8
# An id or a gap matters if the error without it is clearly larger, by 1 point or more, or if it
# helps to find 5% of the smaller one of two classes. It may be one of many that are set aside.
_LEAST_RECALL = 0.05
_LEAST_OF_CLASS = 10  # samples of a class that gaps may mark
# Columns that make up the label together, at most, and how often others do, too.
_MOST_JOINT, _MOST_ANSWERS = 2, 3
# They are searched on so many samples, among so many columns beside the first.
_SEARCHED, _MOST_TRIED = 400, 60

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
    # of the best quick classifier on all columns that are in no doubt, with it and without it
    error_with: float
    error_without: float
    # fraction of the smaller one of two classes that is found, None for several classes
    recall_with: float | None
    recall_without: float | None

    @property
    def is_joint(self) -> bool:
        """Whether it makes up the label together with another one."""
        return self.why == JOINT


def find_doubtful_columns(report, problem, neighborhood):
    """All `DoubtfulColumn`; those that make the fewest errors come first."""
    if problem.columns is None:
        return ()
    used = {}
    for name in label_in_disguise(problem, report.data.dependence):
        used[name] = TELLS
    for found in telling_gaps(problem):
        used.update(dict.fromkeys(found.names, GAPS_TELL))
    carriers = report.data.signal_columns
    few_tell = carriers is not None and carriers.enough
    few_tell = few_tell and carriers.error <= FEW_ERRORS * report.errors.baseline.value
    seems_told = bool(used) or few_tell or any(FewErrors().flags(report, problem))
    aside = [each for each in problem.set_aside if np.ptp(each.values) > 0]
    if not seems_told and not aside:
        return ()
    errors = _Errors(problem, neighborhood)
    without = errors.of_columns(errors.kept(used))
    few = FEW_ERRORS * errors.baseline
    # What one column tells, others may tell, too.
    if seems_told and without is not None and (few_tell or without.mean() <= few):
        joint = _joint_answers(errors, used, few)
        if joint:
            used.update(joint)
            without = errors.of_columns(errors.kept(used))
    if without is None:
        return ()
    found = []
    for name, why in [*used.items()][:_MOST_COLUMNS]:
        others = [other for other in used if other != name]
        found.append(_doubtful(name, why, True, errors, errors.kept(others), without))
    rest = errors.kept(used)
    for each in aside[:_MOST_COLUMNS]:
        why = {ID: NUMBERS, EMPTY: GAPS_TELL}.get(each.kind, UNIT_TELLS)
        if each.kind not in (ID, EMPTY) and each.name in used:
            continue
        more = errors.of_columns(rest, each.values)
        if _matters(errors, more, without) or (each.kind == EMPTY and _tells_class(each, problem)):
            found.append(_doubtful(each.name, why, False, errors, None, without, more))
    return tuple(sorted(found, key=lambda each: each.error_with))


def _joint_answers(errors, used, few):
    """Why one or two columns are the label at a time, until the rest errs more; else none."""
    found = {}
    for _ in range(_MOST_ANSWERS):
        names = errors.few_columns([*used, *found], few)
        # A lone column that separates the classes is a measurement, unless others are the label.
        if not names or (len(names) == 1 and not (used or found)):
            break
        found.update(dict.fromkeys(names, JOINT if len(names) > 1 else TELLS))
        less = errors.of_columns(errors.kept([*used, *found]))
        if less is None:
            break
        if less.mean() > few:
            return found
    return {}  # where the rest does as well, no few columns are the label


def _doubtful(name, why, is_used, errors, columns, without, with_it=None):
    with_it = errors.of_columns(columns) if with_it is None else with_it
    recalls = (errors.recall(with_it), errors.recall(without))
    means = (float(with_it.mean()), float(without.mean()))
    return DoubtfulColumn(name, why, is_used, *means, *recalls)


def _matters(errors, more, without):
    """Whether a column that is set aside would make fewer errors, or find more of a small class."""
    if is_clear(*paired_difference(without, more), CLEAR_OF_MANY, POINT):
        return True
    if errors.small is None:
        return False
    found = paired_difference(without[errors.small], more[errors.small])
    return is_clear(*found, CLEAR_OF_MANY, _LEAST_RECALL)


def _tells_class(aside, problem):
    """Whether the gaps of a mostly empty column are those of a class, whatever others tell."""
    _, wrong, fewer = gaps_by_class(aside.values > 0, problem.codes)
    return fewer >= _LEAST_OF_CLASS and wrong < fewer / 2


class _Errors:
    """Mistakes of the best quick classifier on some columns, all on the same rows."""

    def __init__(self, problem, neighborhood):
        rows = (
            np.arange(len(problem.codes))
            if neighborhood.distinct is None
            else neighborhood.distinct
        )
        self._rows = rows[stratified_rows(problem.codes[rows], _ROWS, problem.seed)]
        self._problem = problem
        self._codes = problem.codes[self._rows]
        self._folds = None if problem.folds is None else problem.folds.of(self._rows)
        self._points = problem.points.values[self._rows]
        held_out_rows = (
            np.arange(len(self._rows)) if self._folds is None else self._folds.held_out_rows
        )
        codes = self._codes[held_out_rows]
        counts = np.bincount(codes, minlength=len(problem.classes))
        self.small = codes == counts.argmin() if len(counts) == 2 and counts.min() else None
        self.baseline = 1 - float(counts.max()) / len(codes)

    def kept(self, names):
        """Which columns of points are made without some columns of the table."""
        names = set(names)
        return np.array([names.isdisjoint(each.sources) for each in self._problem.columns])

    def of_columns(self, kept, beside=None):
        """Mistakes on some columns, and on one beside them; None if there is none.

        It has numbers, or codes that get a column each.
        """
        columns = [self._points[:, kept]]
        if beside is not None:
            beside = beside[self._rows]
            beside = np.where(np.isnan(beside), np.nanmedian(beside), beside)
            codes = np.unique(beside, return_inverse=True)[1]
            values = beside[:, None]
            if 2 < codes.max() + 1 <= 20:
                values = np.eye(int(codes.max()) + 1)[codes]
            columns.append(scale_points(values, "standard").values)
        points = np.hstack(columns)
        return self._of_points(points) if points.shape[1] else None

    def _of_points(self, points, rows=slice(None)):
        points, work = Points(np.ascontiguousarray(points)), self._problem.threads
        folds = self._folds
        if folds is not None and not isinstance(rows, slice):
            folds = folds.of(rows)
        trials = Trials(points, self._codes[rows], None, QUICK_CLASSIFIERS, folds=folds, **work)
        best = min(trials.mistakes.values(), key=lambda each: float(each.errors.min()))
        return best.wrong[best.best].astype(float)

    def few_columns(self, used, most):
        """One or two columns of the table with at most such an error; none if more are needed."""
        columns = self._problem.columns
        sources = [each.sources[0] for each in columns if len(each.sources) == 1]
        sources = [name for name in dict.fromkeys(sources) if name not in used]
        chosen = ()
        while sources and len(chosen) < _MOST_JOINT:
            tried = {name: self._error_of((*chosen, name), _SEARCHED) for name in sources}
            sources = sorted(sources, key=tried.get)
            chosen = (*chosen, sources[0])
            if self._error_of(chosen) <= most:
                return chosen
            sources = sources[1:_MOST_TRIED]
        return ()

    def _error_of(self, names, n_rows=None):
        kept = ~self.kept(names)
        rows = stratified_rows(self._codes, n_rows or len(self._codes), self._problem.seed)
        return float(self._of_points(self._points[np.ix_(rows, kept)], rows).mean())

    def recall(self, wrong):
        """The fraction of the smaller class that is found."""
        return None if self.small is None else float(1 - wrong[self.small].mean())
