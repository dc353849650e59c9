"""A trial of a slow classifier against quick ones, all fitted to the same part of the rows."""

import numpy as np

from smartsvm._core.clearly import is_clear, paired_difference
from smartsvm._core.sampling import stratified_rows
from smartsvm.held_out.extra_trees import extra_trees_predict
from smartsvm.held_out.gaussians import gaussians_predict
from smartsvm.held_out.linear import SHRINKAGES, linear_predict
from smartsvm.held_out.mistakes import predictions, wrong_answers

# Of n rows, min(0.8 n, 2000) are fitted to, and at most 1,500 others judged.
_SHARE = 0.8
_TRAIN_ROWS = 2000
_TEST_ROWS = 1500
# Rivals with their settings.
LINEAR = linear_predict, (SHRINKAGES[0],)
GAUSSIANS = gaussians_predict, (None,)
FOREST = extra_trees_predict, (32,)


class ShortTrial:
    """Some rows, part of them to fit to and the others to judge on."""

    def __init__(
        self, points, codes, n_classes, n_categories=0, *, seed, n_jobs, most_rows=_TRAIN_ROWS
    ):
        """The last `n_categories` columns of `points` are numbered texts, which no rival sees."""
        n = len(codes)
        n_train = min(int(n * _SHARE), most_rows)
        rows = stratified_rows(codes, n_train + min(_TEST_ROWS, n - n_train), seed)
        self.points, self.codes = points[rows], codes[rows]
        self.train = np.zeros(len(rows), dtype=bool)
        self.train[stratified_rows(self.codes, n_train, seed + 1)] = True
        self._n_classes, self._n_categories = n_classes, n_categories
        self._work = {"seed": seed, "n_jobs": n_jobs}

    def mistakes(self, scores):
        """Mistakes of scores of the rows to judge on."""
        return wrong_answers(scores.copy(), self.codes[~self.train])

    def best_rival(self, rivals):
        """The mistakes of the best of some rivals; the baseline is one."""
        numbers = self.points[:, : self.points.shape[1] - self._n_categories]
        data = numbers, self.codes, self._n_classes, self.train
        baseline = self.codes[~self.train] != np.bincount(self.codes[self.train]).argmax()
        of_rivals = [
            self.mistakes(scores)
            for predict, settings in rivals
            for scores in predictions(predict, *data, settings, **self._work) or ()
        ]
        return min([*of_rivals, baseline], key=np.mean)


def is_ahead(wrong, of_rival, by):
    """Whether one classifier errs less often than another by more than `by` standard errors."""
    return is_clear(*paired_difference(of_rival, wrong), by)
