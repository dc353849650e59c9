"""Reasons not to trust a report."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm._core.display_names import shorten
from smartsvm._core.wording import listed, percent

TINY_CLASS = 10  # samples: in smaller classes, orthogonal trees are forced out of the class
_TINY_SHARE = 0.05  # of all samples in tiny classes: with more, the whole report suffers
_DUPLICATES = 0.01
_MOSTLY_CELLS = 0.5  # of the samples in cells of ten equal rows or more: a table of cells
_COPIES = 0.01  # of the samples: with more copies, errors may be too small
_LEAST_BETWEEN = 0.5  # of the tree edges between groups

# Columns that give the label away.
_LEAST_SAMPLES = 20
_LOOKED_AT = 4000  # samples that rule out most columns as numberings,
_LOOKED_AT_FIRST = 500  # and as labels: at least _MOST_VALUES * _LEAST_REPEATS remain
_SPARSE = 2.0  # numbers may be missing: they may span this many times the samples
_ROUNDING = 1e-6  # of a step between numbers, after scaling
_MOST_VALUES = 50  # of a column that encodes the label ...
_LEAST_REPEATS = 5  # ... each of which occurs this often on average


class RepeatedRows(NamedTuple):
    """How repeated rows were read, and what k nearest neighbours make of them."""

    only_once: bool  # whether classifiers saw one of each
    counted_error: float  # error where each row is a case
    once_error: float  # error on one row of each case, or on rows without an equal one
    in_large_cells: float  # fraction of the samples


@dataclass(frozen=True)
class Flag:
    """A reason to read the report with care."""

    # short stable name: "flat_at_chance", "duplicates", "copies", "few_between_groups",
    # "tiny_classes", "constant_features", "numbering_columns", "label_columns",
    # "dependent_rows" or "not_held_out"
    code: str
    title: str  # a few words
    message: str  # what was seen, what it does to the numbers, and what to do
    against_bounds: bool = False  # no target is called out of reach
    against_reached: bool = False  # no target is called reachable


def data_flags(X, classes, codes, names=None, time=None):
    """Flags that need only the data; `names` are those of the columns, `time` that of each row."""
    labels, numbers = label_columns(X, codes), numbering_columns(X)
    if time is not None:  # a date that orders the samples is no id
        numbers = np.array([j for j in numbers if not _equal_steps(X[:, j], time)], dtype=np.intp)
    if labels.size:
        alone = ", each of them alone" * (labels.size > 1)
        yield Flag(
            "label_columns",
            "perhaps the label in disguise",
            f"{_count(labels, X, 'separates', 'separate')} all classes without a mistake"
            f"{alone} ({_listed(labels, names)}). If this is the label in another form, or "
            "known only after it, every error here is too low: remove it and run the report "
            "again.",
        )
    if numbers.size:
        yield Flag(
            "numbering_columns",
            "columns that number the samples",
            f"{_count(numbers, X, 'holds', 'hold')} distinct numbers one step apart "
            f"({_listed(numbers, names)}): an id, or the order of the samples, which says "
            "nothing about a new sample. Remove it and run the report again.",
        )
    class_counts = np.bincount(codes, minlength=len(classes))
    tiny = class_counts < TINY_CLASS
    if tiny.any():
        share = class_counts[tiny].sum() / class_counts.sum()
        small = [
            f"{shorten(label, 30)} ({count})"
            for label, count in zip(classes[tiny], class_counts[tiny], strict=True)
        ]
        yield Flag(
            "tiny_classes",
            "very small classes",
            f"Fewer than {TINY_CLASS} samples: {listed(small, 6)}. Numbers about "
            "these classes are rough, and the trees' bounds are too high for them.",
            against_bounds=bool(share >= _TINY_SHARE),
        )
    constant = np.flatnonzero(X.min(axis=0) == X.max(axis=0))
    if constant.size:
        yield Flag(
            "constant_features",
            "constant columns",
            f"{_count(constant, X, 'is', 'are')} constant ({_listed(constant, names)}): no "
            "information about the classes.",
        )


def _count(columns, X, one, more):
    return f"{columns.size} of {X.shape[1]} columns {one if columns.size == 1 else more}"


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


def label_columns(X, codes):
    """Columns that alone separate all classes, by few values or by an interval of each class."""
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    step = 1 + len(X) // _LOOKED_AT_FIRST
    some, some_codes = X[::step], codes[::step]
    likely = [j for j, values in enumerate(some.T) if _tells_classes(values, some_codes)]
    return np.array([j for j in likely if _tells_classes(X[:, j], codes)], dtype=np.intp)


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


def _tells_classes(values, codes):
    order = np.lexsort((codes, values))
    values, codes = values[order], codes[order]
    new_value, new_class = values[1:] != values[:-1], codes[1:] != codes[:-1]
    if (new_class & ~new_value).any():
        return False
    n_values, n_runs = 1 + np.count_nonzero(new_value), 1 + np.count_nonzero(new_class)
    is_code = n_values <= min(_MOST_VALUES, len(values) // _LEAST_REPEATS)
    return bool(is_code or n_runs == len(np.unique(codes)))


def dependence_flags(copies, between_groups):
    """Flags for shares of near copies and of tree edges between groups, against any verdict."""
    if copies > _COPIES:
        yield Flag(
            "copies",
            "samples that are nearly copies of each other",
            f"{percent(copies)} of the samples have a near copy: neighbours that are far nearer "
            "than the next ones. Held-out errors use one of each, but what comes from the trees "
            "is too low. Remove copies, or pass groups that hold each case with its copies.",
            against_bounds=True,
            against_reached=True,
        )
    if between_groups < _LEAST_BETWEEN:
        yield Flag(
            "few_between_groups",
            "few tree edges between groups",
            f"Only {percent(between_groups)} of the tree edges join samples of different "
            "groups, and no others count: the groups are far apart, and one says little about "
            "the next. Collect more groups rather than more samples of each.",
            against_bounds=True,
            against_reached=True,
        )


def duplicate_flags(share, repeated):
    """A flag for repeated rows that says which reading was used and what the other gives."""
    if share <= _DUPLICATES:
        return
    begin = f"{percent(share)} of the rows repeat another row exactly. "
    counted, once = percent(repeated.counted_error), percent(repeated.once_error)
    if repeated.in_large_cells >= _MOSTLY_CELLS:
        rest = (
            "The columns take few values, so this is a table of cells: each row counts as a case "
            "of its own, and the labels within a cell show its error."
        )
    elif repeated.only_once:
        rest = (
            f"They are read as copies of one case: classifiers see one of each, and k nearest "
            f"neighbours err {once}. If they are cases of their own, that is {counted}. What comes "
            "from the trees counts all of them."
        )
    else:
        rest = (
            f"They are read as cases of their own, and k nearest neighbours err {counted}. If they "
            "are copies of the same case, remove them: among the other rows k nearest neighbours "
            f"err {once}."
        )
    yield Flag("duplicates", "repeated rows", begin + rest)


def chance_flags(is_flat, has_signal, gain):
    """A flag where labels agree by chance at every distance; the Bayes error allows for it."""
    if not is_flat or has_signal:
        return
    consequence = (
        "What the classifiers use does not show between neighbours, so nothing says how much "
        "better the best classifier may be."
        if gain
        else "Either the columns tell nothing about the classes, or only in detail finer than the "
        "distance between neighbours; this sample cannot tell which."
    )
    yield Flag(
        "flat_at_chance",
        "neighbours are no more alike than other samples",
        f"At no distance do labels agree more often than by chance. {consequence}",
    )


def _listed(columns, names):
    if names is None:
        return f"number{'s' * (len(columns) > 1)} {listed(map(str, np.sort(columns)), 5)}"
    return listed([shorten(names[i], 30) for i in np.sort(columns)], 5)
