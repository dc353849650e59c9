"""Gradient boosting, scikit-learn's, held out by folds, where a trial shows it ahead.

Boosting takes longer than all other classifiers together, and classes with smooth borders do not
need it. So a trial on a part of the rows decides, by the same rule for any number of rows. Where
few of many columns matter, boosting gets the columns most related to the classes: trees then waste
no splits on noise. The settings depend on the number of trees times columns, which bounds the time.

The last `n_categories` columns are numbered texts. Trees split their values into two sets
(`categorical_features`); a text with too many values for that, or with too few rows of each,
becomes the class shares of its values.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import chi2
from threadpoolctl import threadpool_limits

from smartsvm._core.clearly import CLEAR
from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.categories import shares_of_values
from smartsvm.held_out.mistakes import Mistakes, wrong_answers
from smartsvm.held_out.short_trial import FOREST, GAUSSIANS, LINEAR, ShortTrial, is_ahead

# Boosting is not tried with more classes: each has its own trees, which take long.
MOST_CLASSES = 10
# Smaller probabilities count as this much, so that no single mistake decides a likelihood.
_LEAST_CHANCE = 1e-4
# A leaf's value is its gradient / (curvature + 1). Without the 1, which scikit-learn leaves out, a
# rare class has next to no curvature: its leaves get huge values, and the fit diverges.
_RIDGE = 1.0

# Where few columns matter: the 16 most related to the classes, those with the largest χ² statistic,
# and all texts of many values.
_MOST_RELATED = 16
# Few of many columns matter if at least one and at most a quarter of 20 or more columns depend on
# the classes, in a χ² test at level 0.01 over all columns.
LEAST_COLUMNS = 20
_MOST_SHARE = 0.25
_LEVEL = 0.01
# Rows of this test at most, so that it takes little time beside the fits.
_ROWS = 2000
# Bins of a column: min(8, size of the smallest class / 5), so that the χ² approximation holds.
_BINS = 8
_IN_CELL = 5

# scikit-learn's defaults, but for the ridge; and a fifth of their time at 1 point more errors, for
# more than 60 columns times trees of an iteration, which bounds the time of a report, or fewer than
# 1,000 rows, which do not fill a hundred trees of 31 leaves.
_STOCK = {"learning_rate": 0.1, "max_iter": 100, "max_leaf_nodes": 31}
_QUICK = {"learning_rate": 0.2, "max_iter": 40, "max_leaf_nodes": 12, "max_bins": 32}
_MOST_OF_STOCK = 60
_LEAST_ROWS_OF_STOCK = 1000
# With 20 iterations and 64 bins a trial leads as often as with 30 and 255, in half of the time.
_TRIAL = {"learning_rate": 0.17, "max_iter": 20, "max_leaf_nodes": 15, "max_bins": 64}
# A shorter boosting comes first. Where it errs more often than LDA or QDA by more than 2.5 standard
# errors, the trial ends: borders are smooth.
_SHORT = {"learning_rate": 0.5, "max_iter": 5, "max_leaf_nodes": 15, "max_bins": 64}
_BEHIND = 2.5
# A text is split by its values if it has at most 255 of them (or as many as there are bins, which
# scikit-learn requires) and at least 10 rows of each on average: with fewer, splits fit noise.
_MOST_VALUES = 255
_ROWS_OF_VALUE = 10
# Above this many rows boosting has two folds instead of five.
_MANY_ROWS = 20_000


def boosting_bytes(n, d, n_classes):
    """Bytes that boosting takes at most where it may run: more than any of eight sizes took."""
    if n_classes > MOST_CLASSES:
        return 0
    histograms, trees = 110_000 * d, 500 * min(n, 1000) * n_classes
    return 2**18 + histograms + trees + min(n, _MANY_ROWS) * (18 * d + 32 * n_classes)


def boosting_held_out(points, codes, n_classes, *, n_categories=0, seed=0, n_jobs=None):
    """Mistakes in folds, or None where boosting is unlikely to be the best."""
    plan = worthwhile_plan(points, codes, n_classes, seed, n_jobs, n_categories)
    if plan is None:
        return None
    n_folds = 5 if len(codes) <= _MANY_ROWS else 2
    folds = np.empty(len(codes), dtype=np.intp)
    folds[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % n_folds
    scores = np.empty((len(codes), n_classes), dtype=np.float32)
    for fold in range(n_folds):
        train = folds != fold
        scores[~train] = _scores(points, codes, n_classes, train, plan, n_categories)
    wrong = wrong_answers(scores.copy(), codes)[None]
    return Mistakes((None,), wrong, lambda _, rows=slice(None): scores[rows])


def boosting_predict(
    points, codes, n_classes, train, settings, *, n_categories=0, seed=0, n_jobs=None
):
    """Scores of the rows not in `train`, or None where boosting is unlikely to be the best."""
    data = points[train], codes[train], n_classes
    plan = worthwhile_plan(*data, seed, n_jobs, n_categories)
    if plan is None:
        return None
    return [_scores(points, codes, n_classes, train, plan, n_categories)]


class Plan(NamedTuple):
    """Which boosting runs."""

    settings: dict
    few_columns: bool  # whether only the most related columns are used


def worthwhile_plan(points, codes, n_classes, seed, n_jobs, n_categories=0):
    """The boosting to run on these samples; None where a trial does not show it ahead."""
    if n_classes > MOST_CLASSES:
        return None
    numbers = points[:, : points.shape[1] - n_categories]
    trial = ShortTrial(points, codes, n_classes, n_categories, seed=seed, n_jobs=n_jobs)
    smooth = trial.best_rival((LINEAR, GAUSSIANS))

    def boosted(settings, few):
        data = trial.points, trial.codes, n_classes, trial.train
        return trial.mistakes(_scores(*data, Plan(settings, few), n_categories))

    few = False
    if few_columns_matter(numbers, codes, n_classes, seed):
        # A column may matter only beside others: all columns are tried, too.
        few = boosted(_SHORT, True).mean() <= boosted(_SHORT, False).mean()
    # No rival sees the texts, so that with these the trial says little.
    if not n_categories:
        if is_ahead(smooth, boosted(_SHORT, few), _BEHIND):
            return None
        wrong, of_forest = boosted(_TRIAL, few), trial.best_rival((FOREST,))
        # Boosting may be a little behind the forest: a longer one with all rows often leads where a
        # short one on some rows is as good.
        if wrong.mean() > smooth.mean() or not is_ahead(wrong, of_forest, -CLEAR):
            return None
    n_columns = (min(numbers.shape[1], _MOST_RELATED) if few else numbers.shape[1]) + n_categories
    n_trees = n_classes if n_classes > 2 else 1  # of an iteration
    is_small = n_columns * n_trees <= _MOST_OF_STOCK and len(codes) >= _LEAST_ROWS_OF_STOCK
    return Plan(_STOCK if is_small else _QUICK, few)


def few_columns_matter(points, codes, n_classes, seed):
    """Whether some columns depend on the classes, but few of many."""
    d = points.shape[1]
    if d < LEAST_COLUMNS:
        return False
    rows = stratified_rows(codes, _ROWS, seed)
    n_bins = min(_BINS, int(np.bincount(codes[rows], minlength=n_classes).min()) // _IN_CELL)
    if n_bins < 2:
        return False
    scores = column_scores(points[rows], codes[rows], n_classes, n_bins)
    n_dependent = np.count_nonzero(scores > chi2.isf(_LEVEL / d, (n_bins - 1) * (n_classes - 1)))
    return 0 < n_dependent <= _MOST_SHARE * d


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


def _scores(points, codes, n_classes, train, plan, n_categories=0):
    """Log probabilities of the rows not in `train` by a fit to the others."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # takes long to import

    chances = np.zeros((np.count_nonzero(~train), n_classes))
    if (codes[train] == codes[train][0]).all():  # the only row of the other class is held out
        chances[:, codes[train][0]] = 1.0
        return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
    n_numbers = points.shape[1] - n_categories
    columns = slice(n_numbers)
    if plan.few_columns:
        scores = column_scores(points[train, :n_numbers], codes[train], n_classes)
        columns = np.argsort(-scores, kind="stable")[:_MOST_RELATED]
    used, split_by_value = points[:, columns], None
    if n_categories:
        texts = points[:, n_numbers:]
        n_values = texts.max(axis=0) + 1
        few = n_values <= plan.settings.get("max_bins", _MOST_VALUES)
        few &= n_values * _ROWS_OF_VALUE <= np.count_nonzero(train)
        shares = shares_of_values(texts[:, ~few], codes, n_classes, train)
        split_by_value = used.shape[1] + np.arange(np.count_nonzero(few))
        used = np.hstack([used, texts[:, few], shares])
    model = HistGradientBoostingClassifier(
        l2_regularization=_RIDGE,
        early_stopping=False,
        random_state=0,
        categorical_features=split_by_value,
        **plan.settings,
    )
    # More threads would sum in another order.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(used[train], codes[train])
        chances[:, model.classes_] = model.predict_proba(used[~train])
    return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
