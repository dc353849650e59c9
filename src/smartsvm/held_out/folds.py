"""Which samples a classifier is fitted to when others are held out: by group or by a splitter."""

from itertools import islice
from typing import NamedTuple

import numpy as np

from smartsvm._core.validation import describe

# Number of folds in which whole groups are held out.
_FOLDS = 5
# Most folds of a splitter: every classifier is fitted once for each.
_MOST_FOLDS = 100
# Most splits that are read: a repeated splitter holds out the same rows again and again.
_MOST_SPLITS = 10 * _MOST_FOLDS
# Samples that must be held out: an error of fewer says next to nothing.
LEAST_SAMPLES = 8


class Folds(NamedTuple):
    """Folds of n samples. Those that are never held out may be fitted to, but are not judged."""

    numbers: np.ndarray  # the fold in which each sample is held out, or -1
    training: np.ndarray  # shape (n_folds, n): the samples that are fitted to
    # Groups, numbered from 0, if the folds were made of whole ones: nearest neighbours, which need
    # no fit, then leave out the group of a sample alone and not its fold.
    groups: np.ndarray | None = None

    @property
    def held_out_rows(self):
        """Rows of the samples that are held out once."""
        return np.flatnonzero(self.numbers >= 0)

    def of(self, rows):
        """The folds of some samples."""
        groups = self.groups
        if groups is not None:
            groups = renumbered(groups[rows])
        return Folds(self.numbers[rows], self.training[:, rows], groups)

    def splits(self):
        """(training, held out) of every fold as masks."""
        for number, training in enumerate(self.training):
            held_out = self.numbers == number
            if held_out.any():  # of some samples, none may be
                yield training, held_out


def group_folds(groups):
    """The fold of every sample: whole groups, in five folds of about the same size."""
    sizes = np.bincount(groups)
    folds = np.zeros(len(sizes), dtype=np.intp)
    filled = np.zeros(min(_FOLDS, len(sizes)))
    for group in np.argsort(-sizes, kind="stable"):
        folds[group] = filled.argmin()
        filled[folds[group]] += sizes[group]
    return folds[groups]


def folds_of_groups(groups):
    """Folds of whole groups, held out one after the other, with fits to all others."""
    numbers = group_folds(groups)
    return Folds(numbers, numbers != np.arange(int(numbers.max()) + 1)[:, None], groups)


def check_cv(cv):
    """Raise unless `cv` is a splitter or an iterable."""
    if isinstance(cv, str) or not (hasattr(cv, "split") or np.iterable(cv)):
        raise TypeError(
            "cv must be a splitter of scikit-learn, such as GroupKFold() or TimeSeriesSplit(), or "
            f"an iterable of (train, test) with numbers of rows, got {describe(cv)}."
        )


def name_of_cv(cv):
    """The name of a splitter on a page."""
    return type(cv).__name__ if hasattr(cv, "split") else "cv"


def folds_of_cv(cv, X, y, codes, groups=None, *, rows=None, n_given=None):
    """The folds of a splitter, or of an iterable of (train, test); `codes` number the labels.

    The samples are some `rows` of `n_given`. A splitter is given the samples alone; an iterable has
    numbers of all rows. A sample that is held out several times is judged the first time.
    """
    check_cv(cv)
    n = len(codes)
    shown = repr(cv) if hasattr(cv, "split") else "an iterable"
    numbers = np.full(n, -1)
    training = []
    if hasattr(cv, "split"):
        splits = _split_by(cv, X, y, groups, shown)
    else:
        splits = _samples_of(cv, np.arange(n) if rows is None else rows, n_given or n)
    for train, test in splits:
        new = test[numbers[test] < 0]
        if not len(new):
            continue
        if len(training) == _MOST_FOLDS:
            raise ValueError(f"cv must make at most {_MOST_FOLDS} folds, got {shown}, with more.")
        mask = np.zeros(n, dtype=bool)
        mask[train] = True
        mask[test] = False
        if len(np.unique(codes[mask])) < 2:
            raise ValueError(
                "cv must leave two classes or more to fit to in every fold; fold "
                f"{len(training)} of {shown} does not."
            )
        numbers[new] = len(training)
        training.append(mask)
    folds = Folds(numbers, np.array(training).reshape(len(training), n))
    if len(folds.held_out_rows) < LEAST_SAMPLES:
        raise ValueError(
            f"cv must hold out at least {LEAST_SAMPLES} samples, got {shown}, which holds out "
            f"{len(folds.held_out_rows)} of {n}."
        )
    missing = np.setdiff1d(codes, codes[folds.held_out_rows])
    if len(missing):
        label = y[np.flatnonzero(codes == missing[0])[0]]
        raise ValueError(
            f"cv must hold out samples of every class, got {shown}, which never holds out class "
            f"{label}: its error would be unknown. Leave this class out, or use another splitter."
        )
    return folds


def _split_by(splitter, X, y, groups, shown):
    """The splits of a splitter; its own refusals get the name of the parameter."""
    try:
        splits = list(islice(splitter.split(X, y, groups), _MOST_SPLITS))
    except (TypeError, ValueError) as error:
        raise ValueError(f"cv={shown} cannot split the {len(y)} samples: {error}") from error
    for number, pair in enumerate(splits):
        yield _rows_of_pair(pair, number, len(y))


def _samples_of(pairs, rows, n_given):
    """Numbers of rows in pairs, as numbers of samples."""
    place = np.full(n_given, -1)
    place[rows] = np.arange(len(rows))
    for number, pair in enumerate(islice(pairs, _MOST_SPLITS)):
        places = (place[rows_of_one] for rows_of_one in _rows_of_pair(pair, number, n_given))
        yield [samples[samples >= 0] for samples in places]


def _rows_of_pair(pair, number, n_rows):
    """The numbers of the rows to fit to and to hold out; a mask has a value for each row."""
    if not (isinstance(pair, tuple | list) and len(pair) == 2):
        raise ValueError(
            f"cv must make pairs (train, test), got {describe(pair)} as number {number}."
        )
    for rows in map(np.asarray, pair):
        if rows.ndim == 1 and rows.dtype.kind == "b" and len(rows) == n_rows:
            yield np.flatnonzero(rows)
            continue
        if rows.ndim != 1 or (rows.dtype.kind not in "iu" and rows.size):
            raise ValueError(
                f"cv must have numbers of rows, or masks of {n_rows} values, in its pairs (train, "
                f"test), got an array of shape {rows.shape} and dtype {rows.dtype} in pair "
                f"{number}."
            )
        if len(rows) and not (rows.min() >= 0 and rows.max() < n_rows):
            raise ValueError(
                f"cv must have numbers of rows from 0 to {n_rows - 1}, got {rows.min()} to "
                f"{rows.max()} in pair {number}."
            )
        yield rows.astype(np.intp)


def renumbered(groups):
    """Groups numbered from 0 without gaps."""
    return np.unique(groups, return_inverse=True)[1]
