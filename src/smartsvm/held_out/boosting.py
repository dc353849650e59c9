"""Gradient boosting, scikit-learn's, held out by folds, where it is likely to be the best.

On few rows it rarely is, unless few of many columns matter: trees that pick columns at random then
spend most splits on noise. With many rows a trial on a part of them decides: boosting takes longer
than all other classifiers together, and classes with smooth borders do not need it.

The last `n_categories` columns are numbered texts. Trees split their values into two sets
(`categorical_features`); a text with too many values for that, or with too few rows of each,
becomes the class shares of its values.
"""

import numpy as np
from scipy.stats import chi2
from threadpoolctl import threadpool_limits

from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.categories import shares_of_values
from smartsvm.held_out.extra_trees import extra_trees_predict
from smartsvm.held_out.gaussians import gaussians_predict
from smartsvm.held_out.linear import SHRINKAGES, linear_predict
from smartsvm.held_out.mistakes import Mistakes, predictions, wrong_answers

# Boosting is not tried with more classes: each has its own trees, which take long.
MOST_CLASSES = 10
# Smaller probabilities count as this much, so that no single mistake decides a likelihood.
_LEAST_CHANCE = 1e-4
# A leaf's value is its gradient / (curvature + 1). Without the 1, which scikit-learn leaves out, a
# rare class has next to no curvature: its leaves get huge values, and the fit diverges.
_RIDGE = 1.0

# With fewer rows than this: small trees on the 16 columns most related to the classes, those with
# the largest χ² statistic, and on all texts of many values.
FEW_ROWS = 3000
_SMALL = {"learning_rate": 0.15, "max_iter": 40, "max_leaf_nodes": 8}
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

# With more rows: scikit-learn's defaults on all columns, but for the ridge.
_STOCK = {"learning_rate": 0.1, "max_iter": 100, "max_leaf_nodes": 31}
# A trial fits boosting and its rivals to min(n / 2, 2000) rows and judges them on at most 1,500
# others. One of the rivals is a forest of 32 trees. With 20 iterations and 64 bins it leads as
# often as with 30 and 255, and takes half of the time.
_TRIAL = {"learning_rate": 0.17, "max_iter": 20, "max_leaf_nodes": 15, "max_bins": 64}
_TRIAL_TRAIN = 2000
_TRIAL_TEST = 1500
_TRIAL_TREES = 32
# A shorter boosting comes first. Where it errs more often than a rival by more than 2.5 standard
# errors, the trial ends: the longer one leads in 2 of 70 such problems, by 3 points at most.
_SHORT = {"learning_rate": 0.5, "max_iter": 5, "max_leaf_nodes": 15, "max_bins": 64}
_BEHIND = 2.5
# Boosting runs if it leads the best rival by more than 0.5 standard errors: where errors are equal,
# it takes long and changes nothing.
_AHEAD = 0.5
# A text is split by its values if it has at most 255 of them (or as many as there are bins, which
# scikit-learn requires) and at least 10 rows of each on average: with fewer, splits fit noise.
_MOST_VALUES = 255
_ROWS_OF_VALUE = 10
# Above this many rows boosting has two folds instead of five.
_MANY_ROWS = 20_000


def boosting_bytes(n, d, n_classes):
    """Bytes of the trees and the binned columns, where boosting may run."""
    may_run = n_classes <= MOST_CLASSES and (d >= LEAST_COLUMNS or n >= FEW_ROWS)
    return 40 * 2**20 if may_run else 0


def boosting_held_out(points, codes, n_classes, *, n_categories=0, seed=0, n_jobs=None):
    """Mistakes in folds, or None where boosting is unlikely to be the best."""
    settings = worthwhile_settings(points, codes, n_classes, seed, n_jobs, n_categories)
    if settings is None:
        return None
    n_folds = 5 if len(codes) <= _MANY_ROWS else 2
    folds = np.empty(len(codes), dtype=np.intp)
    folds[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % n_folds
    scores = np.empty((len(codes), n_classes), dtype=np.float32)
    for fold in range(n_folds):
        train = folds != fold
        scores[~train] = _scores(points, codes, n_classes, train, settings, n_categories)
    wrong = wrong_answers(scores.copy(), codes)[None]
    return Mistakes((None,), wrong, lambda _, rows=slice(None): scores[rows])


def boosting_predict(
    points, codes, n_classes, train, settings, *, n_categories=0, seed=0, n_jobs=None
):
    """Scores of the rows not in `train`, or None where boosting is unlikely to be the best."""
    data = points[train], codes[train], n_classes
    chosen = worthwhile_settings(*data, seed, n_jobs, n_categories)
    if chosen is None:
        return None
    return [_scores(points, codes, n_classes, train, chosen, n_categories)]


def worthwhile_settings(points, codes, n_classes, seed, n_jobs, n_categories=0):
    """Settings of the boosting to run on these samples, or None."""
    if n_classes > MOST_CLASSES:
        return None
    if len(codes) < FEW_ROWS:
        pays = n_categories > 0 or few_columns_matter(points, codes, n_classes, seed)
        return _SMALL if pays else None
    return _STOCK if boosting_pays(points, codes, n_classes, seed, n_jobs, n_categories) else None


def boosting_pays(points, codes, n_classes, seed, n_jobs, n_categories=0):
    """Whether boosting errs less than LDA, QDA and a forest, all fitted to some of the rows."""
    n_train = min(len(codes) // 2, _TRIAL_TRAIN)
    rows = stratified_rows(codes, n_train + min(_TRIAL_TEST, len(codes) - n_train), seed)
    points, codes = points[rows], codes[rows]
    train = np.zeros(len(rows), dtype=bool)
    train[stratified_rows(codes, n_train, seed + 1)] = True
    test = codes[~train]
    work = {"seed": seed, "n_jobs": n_jobs}
    rivals = (
        (linear_predict, (SHRINKAGES[0],)),
        (gaussians_predict, (None,)),
        (extra_trees_predict, (_TRIAL_TREES,)),
    )
    numbers = points[:, : points.shape[1] - n_categories]
    mistakes = [
        wrong_answers(scores.copy(), test)
        for predict, settings in rivals
        for scores in predictions(predict, numbers, codes, n_classes, train, settings, **work) or ()
    ]
    best = min(mistakes, key=np.mean)

    def boosted(settings):
        scores = _scores(points, codes, n_classes, train, settings, n_categories)
        return wrong_answers(scores, test)

    if _is_ahead(best, boosted(_SHORT), _BEHIND):
        return False
    return _is_ahead(boosted(_TRIAL), best, _AHEAD)


def _is_ahead(wrong, of_rival, by):
    """Whether one classifier errs less often than another by more than `by` standard errors."""
    ahead = of_rival.astype(float) - wrong
    return bool(ahead.mean() > by * ahead.std() / np.sqrt(len(ahead)))


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


def _scores(points, codes, n_classes, train, settings, n_categories=0):
    """Log probabilities of the rows not in `train` by a fit to the others."""
    from sklearn.ensemble import HistGradientBoostingClassifier  # takes long to import

    chances = np.zeros((np.count_nonzero(~train), n_classes))
    if (codes[train] == codes[train][0]).all():  # the only row of the other class is held out
        chances[:, codes[train][0]] = 1.0
        return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
    n_numbers = points.shape[1] - n_categories
    columns = slice(n_numbers)
    if settings is _SMALL:
        scores = column_scores(points[train, :n_numbers], codes[train], n_classes)
        columns = np.argsort(-scores, kind="stable")[:_MOST_RELATED]
    used, split_by_value = points[:, columns], None
    if n_categories:
        texts = points[:, n_numbers:]
        n_values = texts.max(axis=0) + 1
        few = n_values <= settings.get("max_bins", _MOST_VALUES)
        few &= n_values * _ROWS_OF_VALUE <= np.count_nonzero(train)
        shares = shares_of_values(texts[:, ~few], codes, n_classes, train)
        split_by_value = used.shape[1] + np.arange(np.count_nonzero(few))
        used = np.hstack([used, texts[:, few], shares])
    model = HistGradientBoostingClassifier(
        l2_regularization=_RIDGE,
        early_stopping=False,
        random_state=0,
        categorical_features=split_by_value,
        **settings,
    )
    # More threads would sum in another order.
    with threadpool_limits(1, user_api="openmp"):
        model.fit(used[train], codes[train])
        chances[:, model.classes_] = model.predict_proba(used[~train])
    return np.log(np.maximum(chances, _LEAST_CHANCE), dtype=np.float32)
