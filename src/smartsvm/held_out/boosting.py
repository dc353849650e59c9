"""Gradient boosting on the columns that tell most about the classes, held out by folds.

It runs only where a screen finds that few of many columns matter: trees that pick columns at random
then spend most splits on noise.
"""

import numpy as np
from scipy.stats import chi2
from threadpoolctl import threadpool_limits

from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.mistakes import Mistakes, wrong_answers

N_ROUNDS, _RATE = 40, 0.15
_LEAVES = 8  # of a tree
_KEPT = 16  # columns
_FOLDS = 5
_LEAST_CHANCE = 1e-4  # of a class, so that no fold is certain
# Few of many columns matter if at least one and at most a quarter of 20 or more columns depend on
# the classes, in a χ² test at level 0.01 over all columns.
LEAST_COLUMNS, _MOST_SHARE, _LEVEL = 20, 0.25, 0.01
_ROWS = 2000  # that are enough for this test
_BINS, _IN_CELL = 8, 5  # of a column; samples of the smallest class in a bin
MOST_CLASSES = 10  # each has its own trees


def boosting_held_out(points, codes, n_classes, *, screened=True, seed=0, n_jobs=None):
    """Mistakes in five folds, or None unless few columns matter or the caller has `screened`."""
    if screened and not few_columns_matter(points, codes, n_classes, seed):
        return None
    folds = np.empty(len(codes), dtype=np.intp)
    folds[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % _FOLDS
    scores = np.empty((len(codes), n_classes), dtype=np.float32)
    for fold in range(_FOLDS):
        scores[folds == fold] = _scores(points, codes, n_classes, folds != fold)
    wrong = wrong_answers(scores.copy(), codes)[None]
    return Mistakes((N_ROUNDS,), wrong, lambda _, rows=slice(None): scores[rows])


def boosting_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train`, or None unless few columns matter in the others."""
    if not few_columns_matter(points[train], codes[train], n_classes, seed):
        return None
    return [_scores(points, codes, n_classes, train)]


def few_columns_matter(points, codes, n_classes, seed):
    """Whether some columns depend on the classes, but few of many."""
    d = points.shape[1]
    if d < LEAST_COLUMNS or n_classes > MOST_CLASSES:
        return False
    rows = stratified_rows(codes, _ROWS, seed)
    n_bins = min(_BINS, int(np.bincount(codes[rows], minlength=n_classes).min()) // _IN_CELL)
    if n_bins < 2:
        return False
    scores = column_scores(points[rows], codes[rows], n_classes, n_bins)
    found = np.count_nonzero(scores > chi2.isf(_LEVEL / d, (n_bins - 1) * (n_classes - 1)))
    return 0 < found <= _MOST_SHARE * d


def column_scores(points, codes, n_classes, n_bins=_BINS):
    """The χ² statistic of the classes and each column, cut into bins of about equal size."""
    n, d = points.shape
    places = np.arange(1, n_bins) * n // n_bins
    bins = np.zeros((n, d), dtype=np.intp)
    for cuts in np.partition(points, places, axis=0)[places]:
        bins += points >= cuts
    cells = (bins + n_bins * np.arange(d)) * n_classes + codes[:, None]
    counts = np.bincount(cells.ravel(), minlength=d * n_bins * n_classes)
    counts = counts.reshape(d, n_bins, n_classes)
    expected = counts.sum(axis=2, keepdims=True) * counts.sum(axis=1, keepdims=True) / n
    return ((counts - expected) ** 2 / np.maximum(expected, 1e-300)).sum(axis=(1, 2))


def _scores(points, codes, n_classes, train):
    """Log probabilities of the rows not in `train` by a fit to the others."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # takes long to import

    scores = column_scores(points[train], codes[train], n_classes)
    kept = np.argsort(-scores, kind="stable")[:_KEPT]
    model = HistGradientBoostingClassifier(
        learning_rate=_RATE, max_iter=N_ROUNDS, max_leaf_nodes=_LEAVES, early_stopping=False,
        random_state=0,
    )  # fmt: skip
    chances = np.zeros((np.count_nonzero(~train), n_classes))
    # More threads would sum in another order.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(points[train][:, kept], codes[train])
        chances[:, model.classes_] = model.predict_proba(points[~train][:, kept])
    return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
