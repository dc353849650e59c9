"""`Trials`: the classifiers of the registry on one data set, judged where they were not fitted."""

from copy import copy

import numpy as np
from scipy.stats import rankdata

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.sampling import content_order_by_class, stratified_rows
from smartsvm.held_out.kernel_ridge import WIDTHS
from smartsvm.held_out.mistakes import Mistakes, predictions, split_mistakes, wrong_answers
from smartsvm.held_out.registry import (
    ALL_ROWS,
    BASELINE,
    CLASSIFIERS,
    COMBINED,
    NEIGHBORS,
    QUANTILES,
    RANKS,
    REGISTRY,
    judged_rows,
)
from smartsvm.held_out.standardised_columns import informative_ranks, normal_scores

_KERNEL = "kernel"
# Kernel ridge is refitted to quarters of the rows, if each has 20 samples or more: to all four, or
# to as many as have 2,000 rows together.
_QUARTERS = 4
_LEAST_PART = 20
_ROWS_OF_QUARTERS = 2000
# A known error, such as that of the baseline where shares are given, counts as measured on so many
# samples that its standard error is 0.
CERTAIN = 1e9


class Trials:
    """The held-out mistakes of all classifiers on one data set, by name in `mistakes`."""

    # held_out_rows  all, or those that `folds` hold out once
    # fitted         rows that slow classifiers are fitted to
    # rows           those of them that are held out
    # unfitted       held-out rows that slow classifiers are not fitted to
    def __init__(self, points, codes, votes, names, *, categories=None, folds=None, seed, n_jobs):
        """On `Points` and perhaps `Categories`; `votes` are the mistakes of nearest neighbours."""
        self._points, self._tensor = points.values, points.tensor
        self.categories = categories
        self.codes, self._folds = codes, folds
        self._work = {"seed": seed, "n_jobs": n_jobs}
        self.n_jobs = n_jobs
        self.weights = None  # of the mistakes about each class, where the classes have other shares
        self.held_out_rows = np.arange(len(codes)) if folds is None else folds.held_out_rows
        self.fitted = _fitted_rows(codes, self.held_out_rows, seed)
        self.rows = np.intersect1d(self.fitted, self.held_out_rows, assume_unique=True)
        self.unfitted = np.setdiff1d(self.held_out_rows, self.rows, assume_unique=True)
        self.mistakes = {} if votes is None else {NEIGHBORS: votes}
        chosen = [REGISTRY[name] for name in CLASSIFIERS if name in (NEIGHBORS, *names)]
        needs_ranks = any(classifier.fitted_to in (RANKS, QUANTILES) for classifier in chosen)
        self._ranks = informative_ranks(self._points[self.fitted]) if needs_ranks else None
        for classifier in chosen:
            if classifier.name not in self.mistakes:
                self._try(classifier)

    def joined_by(self, models):
        """The same trials with the mistakes of further models, by name, on the held-out samples."""
        joined = copy(self)
        joined.mistakes = self.mistakes | models
        return joined

    def at_priors(self, priors, posterior):
        """The same trials where the classes have other shares.

        Every classifier answers as these demand, by its best setting, and mistakes weigh as often
        as they then occur. `posterior` is that of the held-out samples.
        """
        counts = np.bincount(self.codes[self.held_out_rows], minlength=len(priors))
        other = copy(self)
        other.weights = priors * len(self.held_out_rows) / np.maximum(counts, 1)
        other.mistakes = {}
        towards = np.log(other.weights).astype(np.float32)
        for name, mistakes in self.mistakes.items():
            wrong, best = mistakes.wrong[mistakes.best], mistakes.best
            codes = self.codes[
                self.held_out_rows if len(wrong) == len(self.held_out_rows) else self.rows
            ]
            scores = posterior.log_probabilities if name == COMBINED else None
            if mistakes.scores is not None:
                scores = mistakes.scores(best)
            if scores is not None:
                wrong = wrong_answers(scores + towards, codes)
            losses = wrong * other.weights[codes]
            other.mistakes[name] = Mistakes((mistakes.settings[best],), losses[None])
        return other

    def independent(self, name):
        """The number of samples on which the error of a classifier would be as certain."""
        losses = self.baseline_mistakes() if name == BASELINE else self.mistakes[name].wrong
        n = losses.shape[-1]
        if self.weights is None:
            return n
        if name == BASELINE:
            return CERTAIN
        # With one more mistake about each class: some that weigh much may not have been seen.
        mean = (losses.sum() + self.weights.sum()) / n
        variance = (np.square(losses).sum() + np.square(self.weights).sum()) / n - mean**2
        return n * min(mean, 0.5) * (1 - min(mean, 0.5)) / max(variance, 1e-12)

    def _try(self, classifier):
        """Store the mistakes of a classifier, if it is worth trying and can be fitted."""
        if classifier.worth_trying is not None and not classifier.worth_trying(self):
            return
        if classifier.fitted_to == ALL_ROWS:
            self._store(classifier, self._on_all_rows(classifier))
            return
        points = self._some_points(classifier)
        if points is None:
            return
        folds = None if self._folds is None else self._folds.of(self.fitted)
        self._store(classifier, self._mistakes(classifier, points, self.codes[self.fitted], folds))
        has_more = len(self.fitted) < len(self.codes) and classifier.name in self.mistakes
        if has_more and classifier.worth_all_rows is not None and classifier.worth_all_rows(self):
            self._store(classifier, self._on_all_rows(classifier))

    def _store(self, classifier, mistakes):
        if mistakes is not None:
            self.mistakes[classifier.name] = mistakes

    def _on_all_rows(self, classifier):
        options = {}
        if self._tensor is not None and self._folds is None and classifier.on_device:
            options["on_device"] = self._tensor
        points = self._points
        if classifier.takes_categories and self.categories is not None:
            points = self.categories.beside(points)
            options["n_categories"] = self.categories.values.shape[1]
        return self._mistakes(classifier, points, self.codes, self._folds, **options)

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
        with single_blas_thread():  # several threads round in another order
            return split_mistakes(classifier, *data, folds, **work)

    def _some_points(self, classifier):
        """The fitted rows as values, ranks or quantiles; None where ranks say what values do."""
        if classifier.fitted_to not in (RANKS, QUANTILES):
            return self._points[self.fitted]
        if self._ranks is None or classifier.fitted_to == RANKS:
            return self._ranks
        return normal_scores(self._ranks)

    def on_rows(self, name, rows=None):
        """Mistakes of a classifier on `rows` alone, or on some of them."""
        wrong = self.mistakes[name].wrong
        covered = self.rows if wrong.shape[1] == len(self.rows) else self.held_out_rows
        if rows is None and covered is self.rows:
            return wrong
        return wrong[:, np.searchsorted(covered, self.rows if rows is None else rows)]

    def scored(self):
        """The classifiers that give scores of all samples."""
        return [name for name, mistakes in self.mistakes.items() if mistakes.scores is not None]

    def scores(self, name, *, unfitted=False):
        """Held-out scores of `rows`, or of `unfitted`, by the best setting."""
        mistakes = self.mistakes[name]
        if mistakes.wrong.shape[1] == len(self.held_out_rows):
            places = np.searchsorted(self.held_out_rows, self.unfitted if unfitted else self.rows)
            return mistakes.scores(mistakes.best, places)
        if not unfitted:
            return mistakes.scores(mistakes.best)
        if self._folds is None and mistakes.further is not None:
            return mistakes.further(self._points[self.unfitted])
        return self._scores_of_unfitted(REGISTRY[name], mistakes.settings[mistakes.best])

    def _scores_of_unfitted(self, classifier, setting):
        """Scores of the rows that slow classifiers were not fitted to, by their fits."""
        points, codes, n_classes = self._points, self.codes, int(self.codes.max()) + 1
        fitted = np.zeros(len(codes), dtype=bool)
        fitted[self.fitted] = True
        if classifier.fitted_to in (RANKS, QUANTILES):
            points = rankdata(points, axis=0)
        if classifier.fitted_to == QUANTILES:
            points = normal_scores(points)
        out = np.empty((len(self.unfitted), n_classes), dtype=np.float32)
        threads = {name: self._work[name] for name in ("seed", "n_jobs")}
        splits = [(fitted, ~fitted)] if self._folds is None else self._folds.splits()
        for training, held_out in splits:
            test, train = held_out & ~fitted, training & fitted
            if not test.any():
                continue
            used = test | train
            # A copy of all rows would take a while.
            used = slice(None) if used.all() else np.flatnonzero(used)
            data = points[used], codes[used], n_classes, train[used]
            of_setting = predictions(classifier.predict, *data, (setting,), **threads)
            if of_setting is not None and self._folds is None:
                return next(iter(of_setting))
            # Without a fit to this fold, nothing favours any class.
            out[test[self.unfitted]] = 0.0 if of_setting is None else next(iter(of_setting))
        return out

    def baseline_mistakes(self, rows=None):
        """Mistakes of always answering the largest class, on some or all held-out samples."""
        counts = np.bincount(self.codes[self.held_out_rows])
        codes = self.codes[self.held_out_rows if rows is None else rows]
        if self.weights is None:
            return codes != counts.argmax()
        return (codes != (counts * self.weights[: len(counts)]).argmax()) * self.weights[codes]

    def shared_mistakes(self):
        """Fraction of samples that the two best classifiers get wrong, and half of all or more."""
        wrong = [self.on_rows(name) for name in self.mistakes if name in REGISTRY]
        errors = [each.mean(axis=1) for each in wrong]
        wrong = np.stack([w[e.argmin()] for w, e in zip(wrong, errors, strict=True)])
        two_best = np.argsort([e.min() for e in errors], kind="stable")[:2]
        both, half = wrong[two_best].min(axis=0), wrong.mean(axis=0) > 0.5 - 1e-9
        return float(both.mean()), float(half.mean())

    def kernel_gain(self):
        """Error of kernel ridge fitted to quarters of the rows, less that of a fit to all."""
        rows = self.fitted
        if _KERNEL not in self.mistakes or len(rows) < _QUARTERS * _LEAST_PART:
            return 0.0
        of_all, options = self.mistakes[_KERNEL], {}
        if self._folds is None:
            of_all, options = _near_widths(of_all)
        in_classes = content_order_by_class(self._points[rows], self.codes[rows])
        is_held_out = np.isin(rows, self.rows)
        place = np.cumsum(is_held_out) - 1  # among `rows`
        wrong, before = [], []
        for part in range(min(_QUARTERS, -(-_ROWS_OF_QUARTERS * _QUARTERS // len(rows)))):
            quarter = in_classes[part::_QUARTERS]
            of_quarter = self._kernel_within(rows[quarter], **options)
            if of_quarter is None:
                return 0.0
            places = place[quarter[is_held_out[quarter]]]
            if not of_quarter.size:  # of one class alone: always right
                of_quarter = np.zeros((len(of_all.settings), len(places)))
            wrong.append(of_quarter)
            before.append(of_all.wrong[:, places])
        wrong, before = (np.concatenate(parts, axis=1) for parts in (wrong, before))
        return float(wrong.mean(axis=1).min() - before.mean(axis=1).min())

    def _kernel_within(self, rows, **options):
        """Mistakes of kernel ridge fitted to some rows; empty for one class, None if it fails."""
        classes, codes = np.unique(self.codes[rows], return_inverse=True)
        if len(classes) == 1:
            return np.empty(0)
        folds = None if self._folds is None else self._folds.of(rows)
        mistakes = self._mistakes(REGISTRY[_KERNEL], self._points[rows], codes, folds, **options)
        return None if mistakes is None else mistakes.wrong


def _fitted_rows(codes, held_out_rows, seed):
    """Rows that slow classifiers are fitted to; if there are enough, half or more are judged."""
    n = len(codes)
    most = judged_rows(len(codes))
    if len(held_out_rows) == n or most >= n:
        return stratified_rows(codes, most, seed)
    n_judged = max(most // 2, round(most * len(held_out_rows) / n))
    drawn = held_out_rows[stratified_rows(codes[held_out_rows], n_judged, seed)]
    others = np.setdiff1d(np.arange(n), held_out_rows, assume_unique=True)
    others = others[stratified_rows(codes[others], most - len(drawn), seed)]
    return np.sort(np.concatenate([drawn, others]))


def _near_widths(mistakes):
    """The best width and the next wider one: with fewer samples, hardly any other is the best."""
    best, _ = mistakes.settings[int(mistakes.errors.argmin())]
    widths = [width for width in WIDTHS if width <= best][-2:]
    return mistakes.only([width in widths for width, _ in mistakes.settings]), {"widths": widths}
