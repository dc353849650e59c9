"""Warnings about columns: the label in disguise, numbers of rows, constants."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.display_names import shorten
from smartsvm._core.wording import listed
from smartsvm.report.flags.flag import Check

# Samples below which a column separates classes, or numbers the rows, by chance.
_LEAST_SAMPLES = 20
# A column numbers the samples if it has no two equal values and spans at most 2 · n of them, since
# some numbers may be missing. Steps may be off by 1e-6 of a step, by rounding of scaled columns.
# 4,000 samples rule out most columns.
_SPARSE = 2.0
_ROUNDING = 1e-6
_LOOKED_AT = 4000
# A column encodes the label with at most 50 values, each of which occurs 5 times on average. At
# first only some samples are looked at, at least those 250: they rule out most columns.
_MOST_VALUES = 50
_LEAST_REPEATS = 5
_LOOKED_AT_FIRST = 500


class Columns(NamedTuple):
    """Some of the columns."""

    numbers: np.ndarray
    names: object  # of all columns, or None
    total: int  # number of all columns

    def counted(self, one, more):
        """How many they are, with the verb for one or more of them."""
        return f"{len(self.numbers)} of {self.total} columns {more if self.several else one}"

    @property
    def several(self):
        """Whether there is more than one."""
        return len(self.numbers) > 1

    def listed(self):
        """Their names, or their numbers."""
        if self.names is None:
            return f"number{'s' * self.several} {listed(map(str, np.sort(self.numbers)), 5)}"
        return listed([shorten(self.names[i], 30) for i in np.sort(self.numbers)], 5)


def _some(measured, numbers):
    """Yield these columns if there are any."""
    if len(numbers):
        samples = measured.samples
        yield Columns(numbers, samples.feature_names, samples.X.shape[1])


class LabelColumns(Check):
    """Columns that alone separate all classes."""

    code, title = "label_columns", "perhaps the label in disguise"

    def find(self, measured):
        """Columns, and texts before they were encoded, that have the label in another form."""
        samples = measured.samples
        numbers = label_columns(samples.X, samples.codes)
        yield from _some(measured, numbers)
        named = () if samples.feature_names is None else samples.feature_names
        known = [str(named[j]).partition("=")[0] for j in numbers if len(named)]
        for each in samples.units:
            if str(each.name) not in known and is_code_of(each.codes, samples.codes):
                yield str(each.name)

    def message(self, found):
        """Every error is too low if such a column is known only after the label."""
        if isinstance(found, str):
            subject = f"The texts of {shorten(found, 30)} separate all classes without a mistake"
        else:
            alone = ", each of them alone" * found.several
            subject = f"{found.counted('separates', 'separate')} all classes without a mistake"
            subject += f"{alone} ({found.listed()})"
        return (
            f"{subject}. If this is the label in another form, or known only after it, every error "
            "here is too low: remove it and run the report again."
        )


class NumberingColumns(Check):
    """Columns that number the samples."""

    code, title = "numbering_columns", "columns that number the samples"

    def find(self, measured):
        """Ids; a date that orders the samples is none."""
        X, time = measured.samples.X, measured.samples.time
        numbers = numbering_columns(X)
        if time is not None:
            numbers = np.array([j for j in numbers if not _equal_steps(X[:, j], time)], np.intp)
        return _some(measured, numbers)

    def message(self, found):
        """An id says nothing about new samples."""
        return (
            f"{found.counted('holds', 'hold')} distinct numbers one step apart "
            f"({found.listed()}): an id, or the order of the samples, which says nothing about a "
            "new sample. Remove it and run the report again."
        )


class ConstantColumns(Check):
    """Columns with one value."""

    code, title = "constant_features", "constant columns"

    def find(self, measured):
        """Columns whose values are all equal."""
        X = measured.samples.X
        return _some(measured, np.flatnonzero(X.min(axis=0) == X.max(axis=0)))

    def message(self, found):
        """A constant carries no information."""
        return (
            f"{found.counted('is', 'are')} constant ({found.listed()}): no information about the "
            "classes."
        )


def numbering_columns(X):
    """Columns whose values only number the samples, in any order, with few numbers left out."""
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    some = X[:: 1 + len(X) // _LOOKED_AT]
    with np.errstate(over="ignore"):
        likely = [j for j, values in enumerate(some.T) if _is_dense(np.sort(values), len(X))]
        return np.array([j for j in likely if _is_numbering(X[:, j])], dtype=np.intp)


def _equal_steps(column, time):
    """Whether a column is the time, counted from another day."""
    shift = (column - time)[~np.isnan(time)]
    return bool(np.ptp(shift) < _ROUNDING) if shift.size else False


def _is_numbering(values):
    ordered = np.sort(values)
    if not _is_dense(ordered, len(values)):
        return False
    gaps = np.diff(ordered)
    multiples = gaps / gaps.min()
    return bool((np.abs(multiples - np.round(multiples)) < _ROUNDING * multiples).all())


def _is_dense(ordered, n):
    """Whether values differ, and n with steps like theirs might span them: true of any subset."""
    step = np.diff(ordered).min()
    return step > 0 and ordered[-1] - ordered[0] < _SPARSE * n * step


def label_columns(X, codes):
    """Columns that alone separate all classes, by few values or by an interval of each class."""
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    step = 1 + len(X) // _LOOKED_AT_FIRST
    some, some_codes = X[::step], codes[::step]
    likely = [j for j, values in enumerate(some.T) if _tells_classes(values, some_codes)]
    return np.array([j for j in likely if _tells_classes(X[:, j], codes)], dtype=np.intp)


def is_code_of(values, codes):
    """Whether few values, each repeated often, tell the classes without a mistake."""
    few = len(np.unique(values)) <= min(_MOST_VALUES, len(values) // _LEAST_REPEATS)
    return bool(few and _tells_classes(values, codes))


def _tells_classes(values, codes):
    order = np.lexsort((codes, values))
    values, codes = values[order], codes[order]
    new_value, new_class = values[1:] != values[:-1], codes[1:] != codes[:-1]
    if (new_class & ~new_value).any():
        return False
    n_values, n_runs = 1 + np.count_nonzero(new_value), 1 + np.count_nonzero(new_class)
    is_code = n_values <= min(_MOST_VALUES, len(values) // _LEAST_REPEATS)
    return bool(is_code or n_runs == len(np.unique(codes)))
