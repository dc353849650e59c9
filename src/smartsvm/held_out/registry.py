"""The classifiers of a report. A new one needs its own module and one entry in `_ALL`.

A `HeldOutClassifier` says how it is named and described, how its error behaves, what it is fitted
to and when, what memory it takes, and has a function that returns its `Mistakes` on held-out
samples. `Trials` runs them on one data set; the report, its estimate of memory, the command line
and the guide read the same entries.
"""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.sampling import content_order_by_class, stratified_rows
from smartsvm.held_out.boosting import (
    FEW_ROWS,
    boosting_bytes,
    boosting_held_out,
    boosting_predict,
)
from smartsvm.held_out.categories import (
    PRIOR_ROWS,
    categories_leave_one_out,
    categories_predict,
)
from smartsvm.held_out.extra_trees import MOST_TREES, extra_trees_out_of_bag, extra_trees_predict
from smartsvm.held_out.gaussians import gaussians_leave_one_out, gaussians_predict
from smartsvm.held_out.kernel_ridge import RIDGES, WIDTHS, kernel_leave_one_out, kernel_predict
from smartsvm.held_out.linear import (
    SHRINKAGES,
    covariance_bytes,
    linear_leave_one_out,
    linear_predict,
)
from smartsvm.held_out.mistakes import Mistakes, predictions, split_mistakes
from smartsvm.held_out.neighbors import LADDER, neighbors_leave_one_out, neighbors_predict
from smartsvm.held_out.standardised_columns import normal_scores, telling_ranks

NEIGHBORS = "neighbors"
COMBINED = "combined"
BASELINE = "baseline"
_FOREST = "forest"
# What a classifier is fitted to: all rows, or `judged_rows(n)` of them as values, as ranks, or as
# Gaussian quantiles of the ranks.
ALL_ROWS = "all rows"
SOME_ROWS = "some rows"
RANKS = "ranks"
QUANTILES = "quantiles"
# Limits of `judged_rows`: slow classifiers are fitted to half of the rows, within these limits.
LEAST_ROWS = 2500
MOST_ROWS = 10_000
# The forest gains from every row. It is fitted once more, to all rows, if these are at most twice
# as many and no other classifier errs less often by more than 2 standard errors.
_MOST_OF_FOREST = 2 * MOST_ROWS
_CLEAR = 2.0
# Kernel ridge is refitted to quarters of the rows, if each has 20 samples or more: to all four, or
# to as many as have 2,000 rows together.
_QUARTERS = 4
_LEAST_PART = 20
_ROWS_OF_QUARTERS = 2000

# Variance of a held-out error / that of independent samples, p(1 - p) / n. Votes of shared
# neighbours and the choice of a width make mistakes depend on each other: with two Gaussian classes
# and 100 or 300 samples, the ratio is 1.6 for votes and 1.4 for kernels.
_VARIANCE = 1.1
_OF_VOTES = 1.5
_OF_KERNELS = 1.35
# A model of the user may be of any kind: the largest ratio.
MODEL_VARIANCE = _OF_VOTES
# Boosting is not tried if a classifier avoids this fraction of the forest's mistakes: its borders
# suit the classes better than those of any trees. A few percent fewer mistakes show no such thing.
_FAR_BEHIND = 0.1


@dataclass(frozen=True)
class HeldOutClassifier:
    """One classifier of the report."""

    # held_out(points, codes, n_classes, seed=, n_jobs=) returns `Mistakes`, and
    # predict(points, codes, n_classes, train, settings, seed=, n_jobs=) for each setting the scores
    # of the rows not in `train` by a fit to the others; None where it cannot be fitted.
    name: str  # in classifiers=, in attributes and in JSON
    words: str  # in sentences, after "with"
    about: str  # in the guide's list
    held_out: Callable[..., Mistakes | None] | None
    fitted_to: str = SOME_ROWS
    variance: float = _VARIANCE
    setting: str = ""  # how a row shows the setting, if at all
    predict: Callable[..., Iterable[np.ndarray] | None] | None = None
    settings: tuple = (None,)  # that `predict` tries where whole folds are held out
    is_quick: bool = False  # whether pairs of classes and times, too, are judged by it
    on_device: bool = False  # whether held_out takes on_device=, points on a GPU
    takes_groups: bool = False  # whether held_out takes groups=, so that it needs no folds
    # worth_trying(trials), after the entries above; None: always
    worth_trying: Callable[..., bool] | None = None
    # worth_all_rows(trials), once it is among the mistakes on some rows; never without
    worth_all_rows: Callable[..., bool] | None = None
    # extra_bytes(n, d, n_classes) beyond the scores that all classifiers keep
    extra_bytes: Callable[..., int] | None = None


def _near_widths(mistakes):
    """The best width and the next wider one: with fewer samples, hardly any other is the best."""
    best, _ = mistakes.settings[int(mistakes.errors.argmin())]
    widths = [each for each in WIDTHS if each <= best][-2:]
    return mistakes.only([width in widths for width, _ in mistakes.settings]), {"widths": widths}


def _trees_lead(trials):
    """Whether no classifier clearly beats the forest, or rows are few."""
    # One that beats the forest by far beats boosted trees as well, and these take long to try.
    if _FOREST not in trials.mistakes or len(trials.codes) < FEW_ROWS:
        return True
    least = _FAR_BEHIND * trials.on_rows(_FOREST).mean()
    return not any(lead > max(error, least) for lead, error in _leads_over_forest(trials))


def _forest_leads(trials):
    """Whether no classifier clearly beats the forest, on so many rows that it may have them all."""
    few = len(trials.codes) <= _MOST_OF_FOREST
    return few and not any(lead > _CLEAR * error for lead, error in _leads_over_forest(trials))


def _leads_over_forest(trials):
    """By how much each classifier errs less often than the forest, and the standard error."""
    of_forest = trials.on_rows(_FOREST)[0]
    for name in trials.mistakes:
        wrong = trials.on_rows(name)
        lead = of_forest - wrong[wrong.mean(axis=1).argmin()].astype(float)
        yield lead.mean(), lead.std() / np.sqrt(len(lead))


_KERNEL = {
    "variance": _OF_KERNELS,
    "predict": kernel_predict,
    "settings": tuple(product(WIDTHS, RIDGES)),
}
_LINEAR = {"predict": linear_predict, "settings": SHRINKAGES}
_ALL = (
    HeldOutClassifier(
        NEIGHBORS,
        "k nearest neighbours",
        "k nearest neighbours; always tried",
        neighbors_leave_one_out,
        ALL_ROWS,
        _OF_VOTES,
        " (k = {})",
        predict=neighbors_predict,
        settings=LADDER,
        takes_groups=True,
    ),
    HeldOutClassifier(
        "linear",
        "a linear classifier (LDA)",
        "shrunk linear discriminant analysis (LDA)",
        linear_leave_one_out,
        ALL_ROWS,
        is_quick=True,
        on_device=True,
        extra_bytes=covariance_bytes,
        **_LINEAR,
    ),
    HeldOutClassifier(
        "gaussians",
        "Gaussian classes (QDA)",
        "Gaussian classes with shrunk covariances (QDA)",
        gaussians_leave_one_out,
        predict=gaussians_predict,
    ),
    HeldOutClassifier(
        "kernel",
        "a kernel ridge classifier",
        "kernel ridge regression",
        kernel_leave_one_out,
        **_KERNEL,
    ),
    HeldOutClassifier(
        "ranks",
        "a kernel ridge classifier on ranks",
        "the same on the ranks of the values in their columns, where values are skewed",
        kernel_leave_one_out,
        RANKS,
        **_KERNEL,
    ),
    HeldOutClassifier(
        "linear_ranks",
        "a linear classifier (LDA) on ranks",
        "LDA on Gaussian quantiles of these ranks",
        linear_leave_one_out,
        QUANTILES,
        **_LINEAR,
    ),
    HeldOutClassifier(
        _FOREST,
        "a random forest",
        "a random forest",
        extra_trees_out_of_bag,
        SOME_ROWS,
        _OF_VOTES,
        predict=extra_trees_predict,
        settings=(MOST_TREES,),
        is_quick=True,
        worth_all_rows=_forest_leads,
    ),
    HeldOutClassifier(
        "boosting",
        "gradient boosting",
        "gradient boosting, for at most ten classes, where few of many columns matter or a trial "
        "shows it ahead",
        boosting_held_out,
        ALL_ROWS,
        predict=boosting_predict,
        worth_trying=_trees_lead,
        extra_bytes=boosting_bytes,
    ),
    HeldOutClassifier(
        "categories",
        "naive Bayes on repeated values",
        "naive Bayes on the values of columns that repeat theirs",
        categories_leave_one_out,
        ALL_ROWS,
        predict=categories_predict,
        settings=PRIOR_ROWS,
    ),
)
CLASSIFIERS = tuple(each.name for each in _ALL)
# For stages that fit many classifiers to small parts of the data.
QUICK_CLASSIFIERS = tuple(each.name for each in _ALL if each.is_quick)
REGISTRY = {each.name: each for each in _ALL}
# Not fitted by itself: see `posterior`.
REGISTRY[COMBINED] = HeldOutClassifier(
    COMBINED,
    "all classifiers combined",
    "the weighted posterior of all others",
    None,
    ALL_ROWS,
    _OF_VOTES,
)


def words_of(name):
    """How a sentence names a classifier or the baseline."""
    if name == BASELINE:
        return "the baseline (largest class)"
    return REGISTRY[name].words if name in REGISTRY else f"your model {name}"


def with_setting(text, name, setting):
    """A name with the setting of the classifier, where that is a number people know."""
    return text + REGISTRY[name].setting.format(setting) if name in REGISTRY else text


def extra_bytes(n, d, n_classes):
    """Bytes that classifiers take at most, beyond the scores that each keeps."""
    return sum(each.extra_bytes(n, d, n_classes) for each in _ALL if each.extra_bytes is not None)


def variance_of(name):
    """Variance of the error of a classifier, or of a model of the user, over that of n samples."""
    return REGISTRY[name].variance if name in REGISTRY else MODEL_VARIANCE


class Trials:
    """The held-out mistakes of all classifiers on one data set, by name in `mistakes`."""

    # judged   rows that are held out: all, or those that `folds` hold out once
    # fitted   rows that slow classifiers are fitted to
    # rows     those of them that are judged
    # rest     judged rows that are not fitted
    def __init__(self, points, codes, votes, names, *, folds=None, seed, n_jobs):
        """On `Points`; `votes` are the mistakes of the nearest neighbours, if they are known."""
        self._points, self._tensor = points.values, points.tensor
        self.codes, self._folds = codes, folds
        self._work = {"seed": seed, "n_jobs": n_jobs}
        self.n_jobs = n_jobs
        self.judged = np.arange(len(codes)) if folds is None else folds.judged
        self.fitted = _fitted_rows(codes, self.judged, seed)
        self.rows = np.intersect1d(self.fitted, self.judged, assume_unique=True)
        self.rest = np.setdiff1d(self.judged, self.rows, assume_unique=True)
        self.mistakes = {} if votes is None else {NEIGHBORS: votes}
        chosen = [REGISTRY[name] for name in CLASSIFIERS if name in (NEIGHBORS, *names)]
        needs_ranks = any(each.fitted_to in (RANKS, QUANTILES) for each in chosen)
        self._ranks = telling_ranks(self._points[self.fitted]) if needs_ranks else None
        for each in chosen:
            if each.name not in self.mistakes:
                self._run(each)

    def joined_by(self, models):
        """The same trials with the mistakes of further models, by name, on the judged samples."""
        joined = copy(self)
        joined.mistakes = self.mistakes | models
        return joined

    def _run(self, classifier):
        """Store the mistakes of a classifier, unless it cannot be fitted."""
        if classifier.fitted_to == ALL_ROWS:
            self._run_on(classifier, self._points, self.codes, self._folds)
            return
        folds = None if self._folds is None else self._folds.of(self.fitted)
        some = self._some_points(classifier)
        self._run_on(classifier, some, self.codes[self.fitted], folds)
        has_more = len(self.fitted) < len(self.codes) and classifier.name in self.mistakes
        if has_more and classifier.worth_all_rows is not None and classifier.worth_all_rows(self):
            self._run_on(classifier, self._points, self.codes, self._folds)

    def _run_on(self, classifier, points, codes, folds):
        if points is None:
            return
        if classifier.worth_trying is not None and not classifier.worth_trying(self):
            return
        options = {}
        on_points = folds is None and points is self._points and classifier.on_device
        if self._tensor is not None and on_points:
            options["on_device"] = self._tensor
        mistakes = self._mistakes(classifier, points, codes, folds, **options)
        if mistakes is not None:
            self.mistakes[classifier.name] = mistakes

    def _mistakes(self, classifier, points, codes, folds, **options):
        """Mistakes of a classifier on samples, or on folds, that it was not fitted to."""
        data = (points, codes, int(codes.max()) + 1)
        work = self._work | options
        if folds is None:
            return classifier.held_out(*data, **work)
        if not any(training.any() for training, _ in folds.splits()):
            return None
        if classifier.takes_groups and folds.groups is not None:
            return classifier.held_out(*data, groups=folds.groups, **work)
        if classifier.predict is None:
            return None
        with single_blas_thread():  # several threads round in another order
            return split_mistakes(classifier, *data, folds, **work)

    def _some_points(self, classifier):
        """The fitted rows as values, ranks or quantiles; None if ranks add nothing to values."""
        if classifier.fitted_to not in (RANKS, QUANTILES):
            return self._points[self.fitted]
        if self._ranks is None or classifier.fitted_to == RANKS:
            return self._ranks
        return normal_scores(self._ranks)

    def on_rows(self, name, rows=None):
        """Mistakes of a classifier on `rows` alone, or on some of them."""
        wrong = self.mistakes[name].wrong
        of = self.rows if wrong.shape[1] == len(self.rows) else self.judged
        if rows is None and of is self.rows:
            return wrong
        return wrong[:, np.searchsorted(of, self.rows if rows is None else rows)]

    def scored(self):
        """The classifiers that give scores of all samples."""
        everywhere = not len(self.rest)
        return [
            name
            for name, mistakes in self.mistakes.items()
            if mistakes.scores is not None
            and (everywhere or REGISTRY[name].predict or REGISTRY[name].fitted_to == ALL_ROWS)
        ]

    def scores(self, name, *, rest=False):
        """Held-out scores of `rows`, or of `rest`, by the best setting."""
        mistakes = self.mistakes[name]
        classifier = REGISTRY[name]
        if mistakes.wrong.shape[1] == len(self.judged):
            wanted = np.searchsorted(self.judged, self.rest if rest else self.rows)
            return mistakes.scores(mistakes.best, wanted)
        if not rest:
            return mistakes.scores(mistakes.best)
        if self._folds is None and mistakes.further is not None:
            return mistakes.further(self._points[self.rest])
        points = self._points
        codes = self.codes
        fitted = np.zeros(len(self.codes), dtype=bool)
        fitted[self.fitted] = True
        if classifier.fitted_to in (RANKS, QUANTILES):
            points = rankdata(points, axis=0)
        if classifier.fitted_to == QUANTILES:
            points = normal_scores(points)
        splits = [(fitted, ~fitted)] if self._folds is None else self._folds.splits()
        setting = (mistakes.settings[mistakes.best],)
        n_classes = int(codes.max()) + 1
        out = np.empty((len(self.rest), n_classes), dtype=np.float32)
        for training, held_out in splits:
            test = held_out & ~fitted
            train = training & fitted
            if not test.any():
                continue
            used = test | train
            # A copy of all rows would take a while.
            used = slice(None) if used.all() else np.flatnonzero(used)
            data = points[used], codes[used], n_classes, train[used]
            threads = {each: self._work[each] for each in ("seed", "n_jobs")}
            found = predictions(classifier.predict, *data, setting, **threads)
            if found is not None and self._folds is None:
                return next(iter(found))
            # Without a fit to this fold, nothing favours any class.
            out[test[self.rest]] = 0.0 if found is None else next(iter(found))
        return out

    def baseline_mistakes(self, rows=None):
        """Mistakes of always answering the largest class, on some or all judged samples."""
        largest = np.bincount(self.codes[self.judged]).argmax()
        return self.codes[self.judged if rows is None else rows] != largest

    def kernel_gain(self):
        """Error of kernel ridge fitted to quarters of the rows, less that of a fit to all."""
        name = "kernel"
        rows = self.fitted
        if name not in self.mistakes or len(rows) < _QUARTERS * _LEAST_PART:
            return 0.0
        codes, points = self.codes[rows], self._points[rows]
        of_all = self.mistakes[name]
        folds = None
        options = {}
        if self._folds is None:
            of_all, options = _near_widths(of_all)
        else:
            folds = self._folds.of(rows)
        judged = np.isin(rows, self.rows)
        place = np.cumsum(judged) - 1  # among the judged rows
        in_classes = content_order_by_class(points, codes)
        n_parts = min(_QUARTERS, -(-_ROWS_OF_QUARTERS * _QUARTERS // len(rows)))
        wrong, before = [], []
        for part in range(n_parts):
            chosen = in_classes[part::_QUARTERS]
            classes, own = np.unique(codes[chosen], return_inverse=True)
            if len(classes) > 1:
                within = None if folds is None else folds.of(chosen)
                of_part = self._mistakes(REGISTRY[name], points[chosen], own, within, **options)
                if of_part is None:
                    return 0.0
                wrong.append(of_part.wrong)
            else:  # always right
                wrong.append(np.zeros((len(of_all.settings), np.count_nonzero(judged[chosen]))))
            before.append(of_all.wrong[:, place[chosen[judged[chosen]]]])
        wrong, before = (np.concatenate(each, axis=1) for each in (wrong, before))
        return float(wrong.mean(axis=1).min() - before.mean(axis=1).min())


def _fitted_rows(codes, judged, seed):
    """Rows that slow classifiers are fitted to; if there are enough, half or more are judged."""
    n = len(codes)
    most = judged_rows(len(codes))
    if len(judged) == n or most >= n:
        return stratified_rows(codes, most, seed)
    n_judged = max(most // 2, round(most * len(judged) / n))
    some = judged[stratified_rows(codes[judged], n_judged, seed)]
    others = np.setdiff1d(np.arange(n), judged, assume_unique=True)
    others = others[stratified_rows(codes[others], most - len(some), seed)]
    return np.sort(np.concatenate([some, others]))


def judged_rows(n):
    """Number of rows that slow classifiers are fitted to and judged on."""
    return min(max(n // 2, LEAST_ROWS), MOST_ROWS)


def renumbered(groups):
    """Groups numbered from 0 without gaps."""
    return np.unique(groups, return_inverse=True)[1]
