"""Which samples a classifier is fitted to when others are held out: by group or by a splitter."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.validation import describe

_FOLDS = 5  # of groups
_MOST_FOLDS = 100  # each is a fit of every classifier


class Folds(NamedTuple):
    """Folds of n samples. Those that are never held out may be fitted to, but are not judged."""

    numbers: np.ndarray  # the fold in which each sample is held out, or -1
    training: np.ndarray  # shape (n_folds, n): the samples that are fitted to

    @property
    def judged(self):
        """Rows of the samples that are held out once."""
        return np.flatnonzero(self.numbers >= 0)

    @property
    def n_left_out(self):
        """Samples that are never held out."""
        return np.count_nonzero(self.numbers < 0)

    def of(self, rows):
        """The folds of some samples."""
        return Folds(self.numbers[rows], self.training[:, rows])

    def splits(self):
        """(training, held out) of every fold as masks."""
        for number, training in enumerate(self.training):
            yield training, self.numbers == number


def group_folds(groups):
    """The fold of every sample: whole groups, in five folds of about the same size."""
    sizes = np.bincount(groups)
    folds, filled = np.zeros(len(sizes), dtype=np.intp), np.zeros(min(_FOLDS, len(sizes)))
    for group in np.argsort(-sizes, kind="stable"):
        folds[group] = filled.argmin()
        filled[folds[group]] += sizes[group]
    return folds[groups]


def folds_by_number(numbers):
    """Folds that are held out one after the other, with a fit to all others."""
    return Folds(numbers, numbers != np.arange(int(numbers.max()) + 1)[:, None])


def folds_of_splitter(cv, codes, groups=None):
    """The folds of a scikit-learn splitter, such as ``TimeSeriesSplit()``."""
    # A sample that is held out several times is judged the first time.
    if not hasattr(cv, "split"):
        raise TypeError(
            "cv must be a splitter of scikit-learn, such as GroupKFold() or TimeSeriesSplit(), got "
            f"{describe(cv)}."
        )
    n = len(codes)
    numbers, training = np.full(n, -1), []
    for train, test in cv.split(np.zeros((n, 1)), codes, groups):
        new = test[numbers[test] < 0]
        if not len(new):
            continue
        if len(training) == _MOST_FOLDS:
            raise ValueError(f"cv must make at most {_MOST_FOLDS} folds, got more: {cv!r}.")
        mask = np.zeros(n, dtype=bool)
        mask[train] = True
        mask[test] = False
        if len(np.unique(codes[mask])) < 2:
            raise ValueError(
                f"cv must leave two classes or more to fit to in every fold; fold "
                f"{len(training)} of {cv!r} does not."
            )
        numbers[new] = len(training)
        training.append(mask)
    return Folds(numbers, np.array(training))
