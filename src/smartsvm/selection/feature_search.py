"""Search over sets of columns, forwards, backwards and floating, with a stop at the noise.

Squared distances add over columns, so the search carries one matrix, the sum over the
columns it has chosen, and tries a further column by one pass over that matrix.
Nothing is ever subtracted from a sum, for that would leave a trace of the column in
the rounding, and with it in the choice among equal distances: the sums without one of
the columns come from halving the set of columns again and again, log2 d matrices deep.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from smartsvm._core.parallel import parallel_results
from smartsvm._core.progress import Steps
from smartsvm.selection._distance_sums import add_squared_differences

DIRECTIONS = ("forward", "backward", "floating")
_N_SHUFFLED = 24  # permuted copies of a column behind its noise


class SearchStep(NamedTuple):
    """One change of the set of columns.

    Attributes
    ----------
    feature : int
        The column that came or went; -1 at the start of a backward search.
    added : bool
        Whether it came.
    n_features : int
        Columns after the change.
    score : float
        Criterion after the change.
    standard_error : float
        Of that score, over new samples.
    noise : float
        Standard deviation of the score with the column's values permuted; NaN if it
        was not needed.
    bar : float
        Score below which the column helps beyond that noise; NaN if it was not needed.
        A column that came has `score` below it. Of one that went, it is the score before
        that is held against the bar, and was not below.
    """

    feature: int
    added: bool
    n_features: int
    score: float
    standard_error: float
    noise: float = np.nan
    bar: float = np.nan


class FeatureSearch:
    """Greedy search for the columns on which the classes are easiest to tell apart.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_samples)
        The columns, each contiguous.
    criterion : object
        From `make_criterion`.
    alpha : float
        Chance to take a column that says nothing, over all candidates of one step.
    random : numpy Generator
        For the permutations.
    n_jobs : int or None
        Threads over candidates.
    verbose : int
        1 names every step on standard error.

    Attributes
    ----------
    chosen : list of int
        Columns in the order in which they came.
    path : list of SearchStep
        What happened.
    refused : SearchStep or None
        The step that was not taken, where the search stopped by itself.
    interrupted : bool
        Whether Ctrl-C ended the search.
    """

    def __init__(self, columns, criterion, *, alpha, random, n_jobs=None, verbose=0):
        self._columns, self._criterion = columns, criterion
        self._alpha, self._random, self._n_jobs = alpha, random, n_jobs
        self._steps = Steps(verbose)
        self._nothing = np.zeros(columns.shape[1])
        self.chosen, self.path, self.refused, self.interrupted = [], [], None, False

    def run(self, direction, n_features):
        """Search in a direction for `n_features` columns, or None for as many as help.

        Ctrl-C ends it early with what there is, if there is anything.
        """
        try:
            if direction == "backward":
                self._backward(n_features)
            else:
                self._forward(n_features, floating=direction == "floating")
        except KeyboardInterrupt:
            if not self.chosen:
                raise
            self.interrupted = True

    def _forward(self, n_features, *, floating):
        n = self._columns.shape[1]
        matrix, score = np.zeros((n, n)), self._criterion.guessing()
        best = {}  # smallest score met with each number of columns, and its columns
        while len(self.chosen) < (n_features or len(self._columns)):
            candidates = np.setdiff1d(np.arange(len(self._columns)), self.chosen)
            summed = self._columns[self.chosen].T
            scores = self._scores((matrix, self._columns[j], summed) for j in candidates)
            feature = int(candidates[scores.argmin()])
            step = SearchStep(feature, True, len(self.chosen) + 1, float(scores.min()), np.nan)
            if n_features is None:
                step = self._judged(step, matrix, summed, score, len(candidates))
                if step.score >= step.bar and self.chosen:
                    self.refused = step
                    return
            add_squared_differences(matrix, self._columns[feature], matrix)
            self._take([*self.chosen, feature], step, matrix)
            score = step.score
            found = score, self.chosen
            best[len(self.chosen)] = min(found, best.get(len(self.chosen), found))
            while floating and len(self.chosen) > 2:
                weakest, without, rest = self._weakest()
                if without >= best[len(rest)][0]:
                    break
                matrix = self._summed(rest)
                self._take(rest, SearchStep(weakest, False, len(rest), without, np.nan), matrix)
                score, best[len(rest)] = without, (without, rest)
        if floating and n_features is not None:
            # Floating steps may have ended at a worse set than one seen earlier.
            self.chosen = best[n_features][1]

    def _backward(self, n_features):
        everything = list(range(len(self._columns)))
        matrix = self._summed(everything)
        score = self._criterion.score(matrix, self._nothing)
        self._take(everything, SearchStep(-1, True, len(everything), score, np.nan), matrix)
        while len(self.chosen) > (n_features or 1):
            weakest, without, rest = self._weakest()
            matrix = self._summed(rest)
            step = SearchStep(weakest, False, len(rest), without, np.nan)
            if n_features is None:
                # The weakest of all looks too weak by the choice: no correction for it.
                summed = self._columns[rest].T
                judged = self._judged(step._replace(score=score), matrix, summed, without, 1)
                step = judged._replace(score=without)
                if score < step.bar:
                    self.refused = step
                    return
            self._take(rest, step, matrix)
            score = without

    def _judged(self, step, matrix, summed, without, n_candidates):
        """The step with the noise of its column, and the score below which it helps.

        The column with its values permuted says nothing about the classes, but disturbs
        distances as the column does. Its scores are the noise of the difference between
        two consecutive scores on the same points; the bar lies below both their mean
        and the score without the column, by the quantile of Student's t for a new one
        of them, divided up among the candidates the column was chosen from.
        """
        column = self._columns[step.feature]
        shuffled = [self._random.permutation(column) for _ in range(_N_SHUFFLED)]
        scores = self._scores((matrix, each, summed) for each in shuffled)
        noise = float(scores.std(ddof=1) * np.sqrt(1 + 1 / _N_SHUFFLED))
        quantile = -stdtrit(_N_SHUFFLED - 1, self._alpha / n_candidates)
        return step._replace(noise=noise, bar=float(min(scores.mean(), without) - quantile * noise))

    def _take(self, chosen, step, matrix):
        error = self._criterion.standard_error(matrix, self._columns[chosen].T)
        # Both at once: Ctrl-C between them would leave columns without a step.
        self.chosen, self.path = chosen, [*self.path, step._replace(standard_error=error)]
        self._steps.begin(f"{step.n_features} features, error {step.score:.4f}")

    def _weakest(self):
        """The chosen column that is missed least, the score without it, and the others."""
        n = self._columns.shape[1]
        scores = self._scores(self._all_but_one(np.zeros((n, n)), self.chosen))
        weakest = self.chosen[int(scores.argmin())]
        return weakest, float(scores.min()), [j for j in self.chosen if j != weakest]

    def _all_but_one(self, matrix, order):
        """Pairs (matrix, column) whose sum lacks one of the columns, in their order."""
        if len(order) <= 2:
            for j in order:
                others = [k for k in order if k != j]
                yield matrix, self._columns[others[0]] if others else self._nothing
            return
        middle = len(order) // 2
        for inside, outside in ((order[:middle], order[middle:]), (order[middle:], order[:middle])):
            yield from self._all_but_one(self._summed(outside, matrix), inside)

    def _summed(self, features, start=None):
        n = self._columns.shape[1]
        matrix = np.zeros((n, n)) if start is None else start.copy()
        for j in features:
            add_squared_differences(matrix, self._columns[j], matrix)
        return matrix

    def _scores(self, problems):
        score = self._criterion.score
        with parallel_results(score, problems, self._n_jobs, in_process=True) as results:
            return np.array(list(results))
