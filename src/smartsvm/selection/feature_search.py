"""Greedy forward search for features: add the one that lowers an error most, again and again.

Squared distances add over features: the search keeps one matrix, the sum over the chosen features,
and tries another feature by one pass over it.
"""

from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import parallel_results
from smartsvm.presentation.progress import Steps
from smartsvm.selection._distance_sums import add_squared_differences
from smartsvm.selection.held_out_error import as_good

# With k features chosen, the next step of "auto" adds the 1 + k // 4 that are best by themselves:
# the number of steps grows with log(d).
_GROWTH = 4
# Stop after this many steps in a row of which none lowers the held-out error.
_PATIENCE = 4
# Standard errors that each kind of classifier may lose: all together, LDA alone, a forest.
_TOLERANCE = np.array([1.0, 0.5, 1.0])


class SearchStep(NamedTuple):
    """One step of the search: a feature is added."""

    feature: int
    n_features: int  # with this one
    score: float  # the criterion with it
    held_out_error: float = np.nan  # of quick classifiers on these features, where it is measured


class FeatureSearch:
    """Search among the features, rows of `columns`, by a criterion of `search_criteria`."""

    def __init__(self, columns, criterion, *, n_jobs=None, verbose=0):
        self._columns = columns
        self._criterion = criterion
        self._n_jobs = n_jobs
        self._steps = Steps(verbose)
        self._distances = np.zeros((columns.shape[1], columns.shape[1]))
        self.path = []

    @property
    def order(self):
        """The chosen features, the first one first."""
        return [step.feature for step in self.path]

    def add_best(self, n_added=1):
        """Add the features with which the criterion is smallest, each beside the chosen ones."""
        candidates = np.setdiff1d(np.arange(len(self._columns)), self.order)
        others = self._columns[self.order]
        tried = ((self._distances, self._columns[j], others) for j in candidates)
        with parallel_results(self._criterion, tried, self._n_jobs, in_process=True) as results:
            scores = np.array(list(results))
        for place in np.argsort(scores, kind="stable")[:n_added]:
            column = self._columns[candidates[place]]
            others = self._columns[self.order]
            score = self._criterion(self._distances, column, others)
            add_squared_differences(self._distances, column, self._distances)
            self.path.append(SearchStep(int(candidates[place]), len(self.path) + 1, float(score)))
            self._steps.begin(f"{len(self.path)} features, error {score:.4f}")

    def take(self, n_features):
        """Add features until there are so many; their order."""
        while len(self.path) < n_features:
            self.add_best()
        return self.order

    def take_enough(self, wrong_on):
        """The fewest features on which classifiers err hardly more; their errors, those on all.

        `wrong_on(features)` says for each kind of classifier which samples it gets wrong, the first
        of which is all of them combined. Enough are features on which it errs at most `_TOLERANCE`
        standard errors more than on the best step, and the others than on all features.
        """
        n_features = len(self._columns)
        full = wrong_on(range(n_features))
        reference = full.copy()
        mistakes = {}  # number of features -> what is wrong
        n_stale = 0
        while len(self.path) < n_features:
            self.add_best(min(1 + len(self.path) // _GROWTH, n_features - len(self.path)))
            wrong = mistakes[len(self.path)] = wrong_on(self.order)
            n_stale = n_stale + 1 if as_good(reference[0], wrong[0]) else 0
            reference[0] = min(reference[0], wrong[0], key=np.sum)
            if n_stale >= _PATIENCE and any(_enough(w, reference) for w in mistakes.values()):
                break
        large_enough = [n for n, wrong in mistakes.items() if _enough(wrong, reference)]
        enough = min(large_enough, default=n_features)
        too_few = max((n for n in mistakes if n < enough), default=0)
        while enough - too_few > 1:  # between two steps
            middle = (enough + too_few) // 2
            wrong = mistakes[middle] = wrong_on(self.order[:middle])
            enough, too_few = (middle, too_few) if _enough(wrong, reference) else (enough, middle)
        for n, wrong in mistakes.items():
            self.path[n - 1] = self.path[n - 1]._replace(held_out_error=float(wrong[0].mean()))
        return self.order[:enough], mistakes.get(enough, full).mean(axis=1), full.mean(axis=1)


def _enough(wrong, reference):
    return bool(as_good(wrong, reference, _TOLERANCE).all())
