"""The classifiers that a report tries: each judges samples that it was made without."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.sampling import shuffled_by_class, stratified_rows
from smartsvm.held_out.columns import normal_scores, telling_ranks
from smartsvm.held_out.errors import Mistakes
from smartsvm.held_out.forest_votes import forest_out_of_bag
from smartsvm.held_out.gaussians import gaussians_leave_one_out
from smartsvm.held_out.kernel import WIDTHS, kernel_leave_one_out
from smartsvm.held_out.linear import linear_leave_one_out
from smartsvm.held_out.neighbors import neighbors_leave_one_out

NEIGHBORS, LINEAR, GAUSSIANS, KERNEL, RANKS, LINEAR_RANKS, FOREST = CLASSIFIERS = (
    "neighbors", "linear", "gaussians", "kernel", "ranks", "linear_ranks", "forest",
)  # fmt: skip
BASELINE = "baseline"
# How a sentence names each classifier, and its verb.
IN_WORDS = {
    NEIGHBORS: ("nearest neighbours", "err"),
    LINEAR: ("a straight-line classifier", "errs"),
    GAUSSIANS: ("normal distributions", "err"),
    KERNEL: ("a kernel classifier", "errs"),
    RANKS: ("a kernel classifier on ranks", "errs"),
    LINEAR_RANKS: ("a straight-line classifier on ranks", "errs"),
    FOREST: ("random trees", "err"),
    BASELINE: ("always answering the largest class", "errs"),
}
# With n samples a classifier errs more than with ever more of them, by about n^-rate: 1 for a fixed
# number of parameters that are nearly known, less for classifiers that follow the data ever more
# closely. A line on ranks is in between: the curve of every column is estimated with it.
RATES = {
    NEIGHBORS: 0.25, LINEAR: 1.0, GAUSSIANS: 1.0, KERNEL: 0.5, RANKS: 0.5, LINEAR_RANKS: 0.5,
    FOREST: 0.25, BASELINE: 1.0,
}  # fmt: skip
# A classifier has nearly learnt what it can where a quarter of the samples avoids this share of the
# errors of guessing that all of them avoid; where it avoids no more than the second share, it has
# just begun. A fixed number of parameters then comes near at a lower rate, and where other
# classifiers will end is unknown. Chosen on families for design.
_NEARLY_KNOWN, _JUST_BEGUN, _RATE_OF_BEGINNING = 0.9, 0.7, 0.7

# Normal classes, kernels and trees are made from half of the samples, within these limits.
LEAST_ROWS, MOST_ROWS = 2500, 10_000
_LEAST_PART = 20  # samples


class Excess(NamedTuple):
    """How much of a classifier's error is that of too few samples.

    Attributes
    ----------
    value : float
        The error with all samples less that with ever more, at least 0: if it goes
        as n^-rate, (error of quarters - error of all) / (4^rate - 1). A straight line and
        normal classes have a rate of 1, or down to .7 where they still learn fast.
    error : float
        Standard error of that, from the samples on which both disagree.
    known : float
        From 0, where a quarter of the samples avoids no more than .7 of the errors of guessing
        that all of them avoid, so that the classifier still learns fast and its curve says little
        about its end, to 1, where it avoids .9 of them; 1 for a straight line and normal classes.
    """

    value: float = 0.0
    error: float = 0.0
    known: float = 1.0


class Trials:
    """The mistakes of all classifiers on one data set.

    Rules on ranks are tried where the ranks of the columns say something else than their values.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    codes : ndarray of shape (n_samples,)
        Class of each point.
    votes : LeaveOneOut or None
        Votes of nearest neighbours; None if they are still to be searched for.
    classifiers : sequence of str
        Rules to try besides nearest neighbours.
    seed : int
        Seed of all that is random.
    n_jobs : int or None
        Threads, for neighbours and trees.

    Attributes
    ----------
    found : dict
        `Mistakes` of each classifier that was tried.
    rows : ndarray of int
        Samples that classifiers of limited work were made from and judged on: half of them, but at
        least 2,500 and at most 10,000. Nearest neighbours and the linear classifier judge all.
    """

    def __init__(self, points, codes, votes, classifiers, *, seed, n_jobs):
        self._points, self._codes, self._seed, self._n_jobs = points, codes, seed, n_jobs
        size = min(max(len(codes) // 2, LEAST_ROWS), MOST_ROWS)
        self.rows = stratified_rows(codes, size, seed)
        self.found = {} if votes is None else {NEIGHBORS: _of(votes)}
        on_ranks = {RANKS, LINEAR_RANKS}
        self._ranks = telling_ranks(points[self.rows]) if on_ranks & set(classifiers) else None
        for classifier in CLASSIFIERS:
            is_asked = classifier in (NEIGHBORS, *classifiers) and classifier not in self.found
            if not is_asked or (classifier in on_ranks and self._ranks is None):
                continue
            options = {}
            if classifier == FOREST:
                options["best"] = min(float(each.errors.min()) for each in self.found.values())
            seen = points, codes
            if classifier not in (NEIGHBORS, LINEAR):
                seen = self._seen_by(classifier), codes[self.rows]
            errors = self._answers(classifier, *seen, **options)
            if errors is not None:
                self.found[classifier] = errors

    def on_rows(self, classifier):
        """Mistakes of a classifier on `rows` alone."""
        wrong = self.found[classifier].wrong
        return wrong if wrong.shape[1] == len(self.rows) else wrong[:, self.rows]

    def guesses(self):
        """Mistakes of always answering the largest class, on all samples."""
        return self._codes != np.bincount(self._codes).argmax()

    def excess(self, classifier):
        """What more samples would take off an error, from that with a quarter of them.

        Parameters
        ----------
        classifier : str
            A classifier that was tried.

        Returns
        -------
        Excess
            Nothing where there are too few samples to divide.
        """
        rows, n = self.rows, len(self._codes)
        n_parts = next((parts for parts in (4, 2) if len(rows) >= parts * _LEAST_PART), None)
        if n_parts is None or classifier == BASELINE:
            return Excess()
        codes, points = self._codes[rows], self._seen_by(classifier)
        of_all, kept = self.found[classifier], {}
        if classifier in (KERNEL, RANKS):
            # With fewer samples a wider kernel may be the better one, hardly any other.
            width, _ = of_all.settings[int(of_all.errors.argmin())]
            kept["widths"] = [each for each in WIDTHS if each <= width][-2:]
            of_all = of_all.only([setting[0] in kept["widths"] for setting in of_all.settings])
        settings = len(of_all.settings)
        wrong = np.zeros((settings, len(rows)))
        in_classes = shuffled_by_class(codes, self._seed)
        for part in range(n_parts):
            chosen = in_classes[part::n_parts]
            classes, own = np.unique(codes[chosen], return_inverse=True)
            if len(classes) > 1:
                found = self._answers(classifier, points[chosen], own, **kept)
                if found is None:
                    return Excess()
                # Fewer samples have fewer neighbours: the last number of them stands for more.
                have = np.minimum(np.arange(settings), len(found.settings) - 1)
                wrong[:, chosen] = found.wrong[have]
        if of_all.wrong.shape[1] > len(rows):
            of_all = self._answers(classifier, points, codes)
        of_parts, of_all = wrong[wrong.mean(axis=1).argmin()], of_all.wrong[of_all.errors.argmin()]
        more = of_parts - of_all
        guess = 1 - np.bincount(codes).max() / len(codes)
        gains = guess - float(of_parts.mean()), guess - float(of_all.mean())
        rate, known = _rate_and_known(classifier, *gains)
        step = (len(rows) / n) ** rate / (n_parts**rate - 1)
        error = float(more.std()) / np.sqrt(len(rows)) * step
        return Excess(max(float(more.mean()), 0.0) * step, error, known)

    def _seen_by(self, classifier):
        """The points that a classifier of limited work is made from."""
        if classifier == LINEAR_RANKS:
            return normal_scores(self._ranks)
        return self._ranks if classifier == RANKS else self._points[self.rows]

    def _answers(self, classifier, points, codes, **options):
        """`Mistakes` of a classifier, or None where its matrices would be too large."""
        n_classes = int(codes.max()) + 1
        work = {"seed": self._seed, "n_jobs": self._n_jobs}
        if classifier == NEIGHBORS:
            return _of(neighbors_leave_one_out(points, codes, n_classes, **work))
        if classifier in (LINEAR, LINEAR_RANKS):
            return linear_leave_one_out(points, codes, n_classes)
        if classifier in (KERNEL, RANKS):
            return kernel_leave_one_out(points, codes, n_classes, seed=self._seed, **options)
        if classifier == GAUSSIANS:
            return gaussians_leave_one_out(points, codes, n_classes)
        return forest_out_of_bag(points, codes, n_classes, **work, **options)


def _of(votes):
    """The mistakes of nearest neighbours, as of any other classifier."""
    return Mistakes(tuple(votes.k.tolist()), votes.wrong)


def _rate_and_known(classifier, gain_of_parts, gain_of_all):
    """The rate of a classifier and how nearly its end is known, by its gain over the baseline.

    A fixed number of parameters has a known end and a lower rate at the beginning; other
    classifiers have one rate, and an end that is unknown at the beginning.
    """
    rate, known = RATES[classifier], 1.0
    if gain_of_all > 0:
        share = gain_of_parts / gain_of_all
        known = float(np.clip((share - _JUST_BEGUN) / (_NEARLY_KNOWN - _JUST_BEGUN), 0, 1))
    if rate < 1:
        return rate, known
    return _RATE_OF_BEGINNING + (rate - _RATE_OF_BEGINNING) * known, 1.0
