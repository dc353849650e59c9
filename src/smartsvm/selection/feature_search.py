"""Greedy search over sets of features: forwards, backwards and floating.

Squared distances add over features: the search keeps one matrix, the sum over the chosen features,
and tries another feature by one pass over it. It never subtracts from a sum, because that would
leave a trace of the feature in the rounding and in the choice among equal distances. Sums without
one feature come from halving the set of features again and again, log2 d matrices deep.
"""

from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from smartsvm._core.parallel import parallel_results
from smartsvm.presentation.progress import Steps
from smartsvm.selection._distance_sums import add_squared_differences
from smartsvm.selection.judged_sets import KINDS, JudgedSets

# Permuted copies of a feature: the standard deviation of their scores is the noise of a step, known
# to about 1 / √(2 · 23) = 15%.
_N_SHUFFLED = 24
# Where no feature beats the noise, a step adds 1 + k // 4 features to k: the number of steps then
# grows with log(d) instead of d.
_GROWTH = 4
# Stop after this many such steps in a row of which none lowers a held-out error clearly.
_PATIENCE = 4
# Search pairs of at most this many features, which have 2,016 pairs.
_MOST_PAIRED = 64
# Try the best of these pairs together with the chosen features: each takes as long as a feature.
_TRIED_PAIRS = 8
# A pair must be significant at alpha / (10 · pairs): it is a second chance to accept noise.
_STRICTER = 10


class SearchStep(NamedTuple):
    """One change of the set of features."""

    feature: int  # added or removed; -1 at the start of a backward search
    added: bool
    n_features: int  # after the change
    score: float  # criterion after the change
    standard_error: float = np.nan  # of the score, over new samples
    noise: float = np.nan  # standard deviation of the score with permuted values, if needed
    # Score below which the feature helps beyond the noise, if needed. When a feature was removed,
    # compare the score before its removal.
    bar: float = np.nan
    held_out_error: float = np.nan  # of quick classifiers on these features, if needed
    linear_error: float = np.nan  # of LDA among them
    forest_error: float = np.nan  # of a random forest


class FeatureSearch:
    """Search for the features, rows of `columns`, that separate the classes best."""

    # After `run`: `chosen` features, `path` of steps, the `refused` step where the search stopped
    # by itself or None, `interrupted` by Ctrl-C, and with a judge the errors on all features.

    def __init__(
        self,
        columns,
        criterion,
        *,
        alpha,
        random,
        judge=None,
        poor_error=1.0,
        screen=None,
        n_jobs=None,
        verbose=0,
    ):
        # judge(features): held-out mistakes of quick classifiers together, of LDA, of a forest
        # and others, each of which counts below `poor_error`. screen(pair): their score.
        self._columns = columns
        self._criterion = criterion
        self._judge = judge
        self._poor_error = poor_error
        self._screen = screen
        self._pairs = None
        self._alpha = alpha
        self._random = random
        self._n_jobs = n_jobs
        self._steps = Steps(verbose)
        self._nothing = np.zeros(columns.shape[1])
        self.chosen = []
        self.path = []
        self.refused = None
        self.interrupted = False
        self.full_errors = [np.nan] * len(KINDS)
        self.loss_limit = np.nan
        self._states = []  # the features after each step
        self._best = {}  # smallest score with each number of features, and these features

    def run(self, direction, n_features):
        """Search for `n_features` features, or as many as help if None; Ctrl-C ends it early."""
        try:
            DIRECTIONS[direction](self, n_features)
            if n_features is None and self._judge is not None:
                self._settle(grows=direction != "backward")
        except KeyboardInterrupt:
            if not self.chosen:
                raise
            self.interrupted = True

    def forward(self, n_features, *, floating=False):
        """Add features to none; a floating search removes those it no longer needs."""
        matrix = self._summed([])
        score = self._criterion.baseline()
        while len(self.chosen) < (n_features or len(self._columns)):
            candidates, scores, summed = self._candidates(matrix)
            feature = int(candidates[scores.argmin()])
            step = SearchStep(feature, True, len(self.chosen) + 1, float(scores.min()))
            if n_features is None:
                step = self._with_bar(step, matrix, [feature], summed, score, len(candidates))
                if step.score >= step.bar:
                    pair = self._helpful_pair(matrix, summed, score)
                    if pair is not None:
                        score = self._add(pair.feature, matrix, noise=pair.noise, bar=pair.bar)
                        continue
                    if self.chosen:
                        self.refused = step
                        return
            add_squared_differences(matrix, self._columns[feature], matrix)
            self._take([*self.chosen, feature], step, matrix)
            score = step.score
            while floating and len(self.chosen) > 2:
                weakest, without, rest = self._weakest()
                if without >= self._best[len(rest)][0]:
                    break
                matrix = self._summed(rest)
                self._take(rest, SearchStep(weakest, False, len(rest), without), matrix)
                score = without
        if floating and n_features is not None:
            # A floating search may end at a worse set than an earlier one.
            self.chosen = self._best[n_features][1]

    def backward(self, n_features):
        """Remove features from all."""
        everything = list(range(len(self._columns)))
        matrix = self._summed(everything)
        score = self._criterion.score(matrix, self._nothing)
        self._take(everything, SearchStep(-1, True, len(everything), score), matrix)
        while len(self.chosen) > (n_features or 1):
            weakest, without, rest = self._weakest()
            matrix = self._summed(rest)
            step = SearchStep(weakest, False, len(rest), without)
            if n_features is None:
                # The choice of the weakest makes it look weaker: no correction for that.
                summed = self._columns[rest].T
                step = self._with_bar(step, matrix, [weakest], summed, without, 1)
                if score < step.bar:
                    self.refused = step
                    return
            self._take(rest, step, matrix)
            score = without

    def _candidates(self, matrix):
        """The features not chosen yet, the score with each, and the columns of the chosen ones."""
        candidates = np.setdiff1d(np.arange(len(self._columns)), self.chosen)
        summed = self._columns[self.chosen].T
        scores = self._scores((matrix, self._columns[j], summed) for j in candidates)
        return candidates, scores, summed

    def _with_bar(self, step, matrix, features, summed, without, n_candidates):
        """The step with the noise of its features, and the score below which they help."""
        # Permuted values say nothing about the classes, but disturb distances as the features do:
        # their scores show the noise of the difference between two consecutive scores.
        columns = self._columns[features]
        orders = (self._random.permutation(columns.shape[1]) for _ in range(_N_SHUFFLED))
        scores = self._scores(self._beside(columns[:, order], matrix, summed) for order in orders)
        noise = float(scores.std(ddof=1) * np.sqrt(1 + 1 / _N_SHUFFLED))
        quantile = -stdtrit(_N_SHUFFLED - 1, self._alpha / n_candidates)
        return step._replace(noise=noise, bar=float(min(scores.mean(), without) - quantile * noise))

    def _beside(self, columns, matrix, summed):
        """What a criterion takes for one or two columns beside the features of a matrix."""
        columns = np.ascontiguousarray(columns)
        if len(columns) == 1:
            return matrix, columns[0], summed
        first, second = columns
        both = np.empty_like(matrix)
        add_squared_differences(matrix, first, both)
        return both, second, np.column_stack([summed, first])

    def _helpful_pair(self, matrix, summed, score):
        """The step of two features that help together beyond noise, as in XOR, or None."""
        # Pairs are screened on their own: those tried are much better than either feature.
        n = len(self._columns)
        if self._screen is None or not 2 < n <= _MOST_PAIRED:
            return None
        if self._pairs is None:
            singles = np.array(list(map(self._screen, ((j, j) for j in range(n)))))
            pairs = list(combinations(range(n), 2))
            gains = [min(singles[list(pair)]) - self._screen(pair) for pair in pairs]
            self._pairs = [pairs[i] for i in np.argsort(gains)[::-1]], len(pairs)
        pairs, n_pairs = self._pairs
        pairs = [pair for pair in pairs if not {*pair} & {*self.chosen}][:_TRIED_PAIRS]
        if not pairs:
            return None
        scores = self._scores(
            self._beside(self._columns[list(pair)], matrix, summed) for pair in pairs
        )
        pair = list(pairs[scores.argmin()])
        step = SearchStep(pair, True, len(self.chosen) + 2, float(scores.min()))
        # Stricter than for one feature: a pair is a second chance to accept noise.
        step = self._with_bar(step, matrix, pair, summed, score, _STRICTER * n_pairs)
        return step if step.score < step.bar else None

    def _add(self, features, matrix, **of_last):
        """Add features, one after the other, also to the sum of distances; the last score."""
        for feature in features:
            add_squared_differences(matrix, self._columns[feature], matrix)
            score = float(self._criterion.score(matrix, self._nothing))
            step = SearchStep(feature, True, len(self.chosen) + 1, score)
            self._take(
                [*self.chosen, feature],
                step._replace(**of_last) if feature == features[-1] else step,
                matrix,
            )
        return score

    def _settle(self, *, grows):
        """Keep the fewest features on which held-out classifiers do about as well as they can."""
        n_search, n_features = len(self._states), len(self._columns)
        judged = JudgedSets(self._judge, n_features, self._poor_error)
        judged.judge(self._states)
        n_stale = 0
        while grows and len(self.chosen) < n_features:
            if n_stale >= _PATIENCE and judged.has_enough():
                break
            self._grow()
            n_stale += 1
            if judged.lowers_an_error(len(self._states) - 1, self.chosen):
                n_stale = 0
        place = judged.smallest(self._states)
        if place != n_search - 1:
            self.refused = self.path[place + 1] if place + 1 < len(self.path) else None
        for each, errors in judged.errors():
            self.path[each] = self.path[each]._replace(**errors)
        self.path = self.path[: place + 1]
        self.chosen = self._states[place]
        self.full_errors = judged.full_errors
        self.loss_limit = judged.loss_limit(place) if len(self.chosen) < n_features else 0.0

    def _grow(self):
        """Add the features that are best beside the chosen ones, a quarter as many."""
        matrix = self._summed(self.chosen)
        candidates, scores, _ = self._candidates(matrix)
        best = candidates[np.argsort(scores, kind="stable")[: len(self.chosen) // _GROWTH + 1]]
        self._add(best.tolist(), matrix)

    def _take(self, chosen, step, matrix):
        error = self._criterion.standard_error(matrix, self._columns[chosen].T)
        # Both at once: Ctrl-C between them would leave features without a step.
        self.chosen = chosen
        self.path = [*self.path, step._replace(standard_error=error)]
        self._states.append(chosen)
        current = step.score, chosen
        self._best[len(chosen)] = min(current, self._best.get(len(chosen), current))
        self._steps.begin(f"{step.n_features} features, error {step.score:.4f}")

    def _weakest(self):
        """The least useful chosen feature, the score without it, and the other features."""
        scores = self._scores(self.all_but_one(self._summed([]), self.chosen))
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
