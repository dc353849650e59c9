"""The few columns that carry the signal: held-out classifiers do as well on them as on all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.sampling import stratified_rows
from smartsvm.held_out.registry import Trials, renumbered

_MOST_COLUMNS, _MOST_CLASSES = 5, 30
_SAMPLES = 600
# Columns tried as the first one: those whose class means differ most; and as a later one: those
# that were best before.
_FIRST_TRIED, _LATER_TRIED = 20, 10


class SignalColumns(NamedTuple):
    """Columns in the order in which they help most."""

    columns: tuple[Any, ...]  # their names, or their numbers if they have none; at most five
    error: float  # held-out error of the best quick classifier on them
    full_error: float  # the same on all columns
    noise: float  # standard error of that
    n_samples: int  # that these errors are measured on

    @property
    def enough(self) -> bool:
        """Whether the columns do as well as all, within a standard error."""
        return self.error <= self.full_error + self.noise


def signal_columns(points, codes, groups=None, *, seed, n_jobs):
    """Add the best column until the error is that of all; None for more than 30 classes."""
    if codes.max() >= _MOST_CLASSES:
        return None
    rows = stratified_rows(codes, _SAMPLES, seed)
    points, codes = points[rows], codes[rows]
    groups = None if groups is None else renumbered(groups[rows])

    def error(columns):
        inside = np.ascontiguousarray(points[:, columns])
        trials = Trials(inside, codes, None, ("linear",), groups=groups, seed=seed, n_jobs=n_jobs)
        errors = [float(each.errors.min()) for each in trials.mistakes.values()]
        return min(errors, default=1.0)

    n, n_columns = points.shape
    full = error(range(n_columns))
    share = (full * n + 1) / (n + 2)
    found = SignalColumns((), 1.0, full, float(np.sqrt(share * (1 - share) / n)), n)
    tried = _by_class_means(points, codes)[:_FIRST_TRIED].tolist()
    while tried and len(found.columns) < _MOST_COLUMNS and not found.enough:
        errors = [error([*found.columns, j]) for j in tried]
        order = np.argsort(errors, kind="stable")
        if errors[order[0]] >= found.error:
            break
        best = tried[order[0]]
        found = found._replace(columns=(*found.columns, best), error=errors[order[0]])
        tried = [tried[i] for i in order[1 : _LATER_TRIED + 1]]
    return found


def _by_class_means(points, codes):
    """Columns by the variance of their class means over all of their variance."""
    counts = np.bincount(codes)
    centred = points - points.mean(axis=0)
    sums = np.stack([np.bincount(codes, column) for column in centred.T])
    between, total = (sums**2 / counts).sum(axis=1), (centred**2).sum(axis=0)
    return np.argsort(-between / np.maximum(total, np.finfo(float).tiny), kind="stable")
