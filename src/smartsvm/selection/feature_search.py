"""Greedy search over sets of features: forwards, backwards and floating, with a stop at the noise.

Squared distances add over features: the search keeps one matrix, the sum over the chosen features,
and tries another feature by one pass over it. It never subtracts from a sum, because that would
leave a trace of the feature in the rounding and in the choice among equal distances. Sums without
one feature come from halving the set of features again and again, log2 d matrices deep.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from smartsvm._core.parallel import parallel_results
from smartsvm._core.progress import Steps
from smartsvm.selection._distance_sums import add_squared_differences

_N_SHUFFLED = 24  # permuted copies of a feature that show its noise


class SearchStep(NamedTuple):
    """One change of the set of features."""

    feature: int  # added or removed; -1 at the start of a backward search
    added: bool
    n_features: int  # after the change
    score: float  # criterion after the change
    standard_error: float  # of the score, over new samples
    noise: float = np.nan  # standard deviation of the score with permuted values, if needed
    # Score below which the feature helps beyond the noise, if needed. When a feature was removed,
    # compare the score before its removal.
    bar: float = np.nan


class FeatureSearch:
    """Search for the features, rows of `columns`, that separate the classes best.

    `alpha` is the chance per step to accept a feature without information. After `run`: `chosen`
    features, `path` of steps, the `refused` step where the search stopped by itself or None, and
    `interrupted` by Ctrl-C.
    """

    def __init__(self, columns, criterion, *, alpha, random, n_jobs=None, verbose=0):
        self._columns, self._criterion = columns, criterion
        self._alpha, self._random, self._n_jobs = alpha, random, n_jobs
        self._steps = Steps(verbose)
        self._nothing = np.zeros(columns.shape[1])
        self.chosen, self.path, self.refused, self.interrupted = [], [], None, False

    def run(self, direction, n_features):
        """Search for `n_features` features, or as many as help if None; Ctrl-C ends it early."""
        try:
            DIRECTIONS[direction](self, n_features)
        except KeyboardInterrupt:
            if not self.chosen:
                raise
            self.interrupted = True

    def forward(self, n_features, *, floating=False):
        """Add features to none; a floating search removes those it no longer needs."""
        n = self._columns.shape[1]
        matrix, score = np.zeros((n, n)), self._criterion.baseline()
        best = {}  # smallest score with each number of features, and these features
        while len(self.chosen) < (n_features or len(self._columns)):
            candidates = np.setdiff1d(np.arange(len(self._columns)), self.chosen)
            summed = self._columns[self.chosen].T
            scores = self._scores((matrix, self._columns[j], summed) for j in candidates)
            feature = int(candidates[scores.argmin()])
            step = SearchStep(feature, True, len(self.chosen) + 1, float(scores.min()), np.nan)
            if n_features is None:
                step = self._with_bar(step, matrix, summed, score, len(candidates))
                if step.score >= step.bar and self.chosen:
                    self.refused = step
                    return
            add_squared_differences(matrix, self._columns[feature], matrix)
            self._take([*self.chosen, feature], step, matrix)
            score = step.score
            current = score, self.chosen
            best[len(self.chosen)] = min(current, best.get(len(self.chosen), current))
            while floating and len(self.chosen) > 2:
                weakest, without, rest = self._weakest()
                if without >= best[len(rest)][0]:
                    break
                matrix = self._summed(rest)
                self._take(rest, SearchStep(weakest, False, len(rest), without, np.nan), matrix)
                score, best[len(rest)] = without, (without, rest)
        if floating and n_features is not None:
            # A floating search may end at a worse set than an earlier one.
            self.chosen = best[n_features][1]

    def backward(self, n_features):
        """Remove features from all."""
        everything = list(range(len(self._columns)))
        matrix = self._summed(everything)
        score = self._criterion.score(matrix, self._nothing)
        self._take(everything, SearchStep(-1, True, len(everything), score, np.nan), matrix)
        while len(self.chosen) > (n_features or 1):
            weakest, without, rest = self._weakest()
            matrix = self._summed(rest)
            step = SearchStep(weakest, False, len(rest), without, np.nan)
            if n_features is None:
                # The choice of the weakest makes it look weaker: no correction for that.
                summed = self._columns[rest].T
                before = self._with_bar(step._replace(score=score), matrix, summed, without, 1)
                step = before._replace(score=without)
                if score < step.bar:
                    self.refused = step
                    return
            self._take(rest, step, matrix)
            score = without

    def _with_bar(self, step, matrix, summed, without, n_candidates):
        """The step with the noise of its feature, and the score below which it helps.

        Permuted values say nothing about the classes, but disturb distances as the feature does.
        Their scores show the noise of the difference between two consecutive scores. The bar is
        below both their mean and the score without the feature, by a quantile of Student's t
        that is corrected for the number of candidates.
        """
        column = self._columns[step.feature]
        shuffled = [self._random.permutation(column) for _ in range(_N_SHUFFLED)]
        scores = self._scores((matrix, each, summed) for each in shuffled)
        noise = float(scores.std(ddof=1) * np.sqrt(1 + 1 / _N_SHUFFLED))
        quantile = -stdtrit(_N_SHUFFLED - 1, self._alpha / n_candidates)
        return step._replace(noise=noise, bar=float(min(scores.mean(), without) - quantile * noise))

    def _take(self, chosen, step, matrix):
        error = self._criterion.standard_error(matrix, self._columns[chosen].T)
        # Both at once: Ctrl-C between them would leave features without a step.
        self.chosen, self.path = chosen, [*self.path, step._replace(standard_error=error)]
        self._steps.begin(f"{step.n_features} features, error {step.score:.4f}")

    def _weakest(self):
        """The least useful chosen feature, the score without it, and the other features."""
        n = self._columns.shape[1]
        scores = self._scores(self.all_but_one(np.zeros((n, n)), self.chosen))
        weakest = self.chosen[int(scores.argmin())]
        return weakest, float(scores.min()), [j for j in self.chosen if j != weakest]

    def all_but_one(self, matrix, order):
        """Pairs (matrix, column) whose sum lacks one of the features, in their order."""
        if len(order) <= 2:
            for j in order:
                others = [k for k in order if k != j]
                yield matrix, self._columns[others[0]] if others else self._nothing
            return
        middle = len(order) // 2
        for inside, outside in ((order[:middle], order[middle:]), (order[middle:], order[:middle])):
            yield from self.all_but_one(self._summed(outside, matrix), inside)

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


DIRECTIONS = {
    "forward": FeatureSearch.forward,
    "backward": FeatureSearch.backward,
    "floating": partial(FeatureSearch.forward, floating=True),
}
