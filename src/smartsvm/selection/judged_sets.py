"""How many features are enough: the fewest on which held-out classifiers err hardly more.

A search orders the features by a criterion. Classifiers judge the sets of features on its path, all
on the same samples, so that a difference of two errors is far more certain than either.
"""

from itertools import compress

import numpy as np

from smartsvm.selection.judgement import BY_CHANCE, as_good, excess_mistakes

# A set of features is enough if each kind of error is at most this many standard errors above its
# reference: the least combined error of any set; the errors of LDA and of the forest with all
# features. A standard error counts as two mistakes at least.
_TOLERANCE = {"held_out_error": 1, "linear_error": 0.5, "forest_error": 1}
KINDS = tuple(_TOLERANCE)
# 95% upper limit of the accuracy lost: the mistakes added + 2 standard errors.
_LIMIT = 2


class JudgedSets:
    """The held-out mistakes on the sets of features of a path, by their place on it."""

    def __init__(self, judge, n_features, poor_error):
        # judge(features): for each kind of error, and for further classifiers, whether each sample
        # is classified wrongly. Kinds that err as often as `poor_error` on all features have
        # learnt nothing: they do not count.
        self._judge = judge
        self._poor_error = poor_error
        self._full = judge(range(n_features))
        self._least = list(self._full[: len(KINDS)])
        self._counts = [
            kind == 0 or wrong.mean() < poor_error for kind, wrong in enumerate(self._full)
        ]
        self._mistakes = {}

    @property
    def full_errors(self):
        """The errors on all features, one for each of `KINDS`."""
        return [float(wrong.mean()) for wrong in self._full[: len(KINDS)]]

    def judge(self, sets):
        """Judge the first sets of a path."""
        for place, features in enumerate(sets):
            self._mistakes[place] = wrong = self._judge(features)
            pairs = zip(self._least, wrong, strict=False)
            self._least = [min(pair, key=np.mean) for pair in pairs]

    def lowers_an_error(self, place, features):
        """Judge a further set; whether it lowers one of the least errors by more than chance."""
        self._mistakes[place] = mistakes = self._judge(features)
        lowered = False
        for kind, wrong in enumerate(mistakes[: len(KINDS)]):
            if wrong.mean() < self._poor_error and not as_good(self._least[kind], wrong):
                self._least[kind], lowered = wrong, True
        return lowered

    def has_enough(self):
        """Whether one of the judged sets is enough."""
        return any(map(self._is_enough, self._mistakes))

    def smallest(self, sets):
        """The place of the smallest set that is enough; if there is none, of the best one."""
        by_size = sorted(self._mistakes, key=lambda place: len(sets[place]))
        best = min(self._mistakes, key=self._strain)
        place = next(filter(self._is_enough, by_size), best)
        # The sets since the last smaller one that was judged: halve them until one is left.
        smaller = max((other for other in self._mistakes if other < place), default=-1)
        while place - smaller > 1:
            middle = (smaller + place) // 2
            self._mistakes[middle] = self._judge(sets[middle])
            if self._is_enough(middle):
                place = middle
            else:
                smaller = middle
        return place

    def errors(self):
        """(place, errors by kind) of all judged sets."""
        for place, mistakes in self._mistakes.items():
            means = (float(wrong.mean()) for wrong in mistakes)
            yield place, dict(zip(KINDS, means, strict=False))

    def loss_limit(self, place):
        """95% upper limit of the accuracy that any classifier loses on a set."""
        lost = map(excess_mistakes, self._mistakes[place], self._full)
        limits = [max(0.0, more) + _LIMIT * error for more, error in lost]
        return float(min(1.0, max(compress(limits, self._counts)) / len(self._full[0])))

    def _is_enough(self, place):
        return self._strain(place) <= 1

    def _strain(self, place):
        """The largest (mistakes more than the reference) / (mistakes that are tolerated)."""
        reference = [self._least[0], *self._full[1:]]
        excess = map(excess_mistakes, self._mistakes[place], reference)
        strains = [
            more / (tolerance * max(BY_CHANCE, error))
            for (more, error), tolerance in zip(excess, _TOLERANCE.values(), strict=False)
        ]
        return max(compress(strains, self._counts))
