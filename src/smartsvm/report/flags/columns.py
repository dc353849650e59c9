"""Warnings about columns: the label in disguise, numbers of rows, constants."""

from typing import NamedTuple

import numpy as np

from smartsvm.presentation.display_names import as_item, shorten
from smartsvm.presentation.wording import counted, listed, percent
from smartsvm.report.flags.flag import Check
from smartsvm.tables.name_hints import TIME
from smartsvm.tables.records import CATEGORY, FAR, GAPS, SHAPE
from smartsvm.tables.time_column import equal_steps

# Samples below which a column separates classes, or numbers the rows, by chance.
_LEAST_SAMPLES = 20
# A column numbers the samples if it has no two equal values and spans at most 2 · n of them, since
# some numbers may be missing. Steps may be off by 1e-6 of a step, by rounding of scaled columns.
# About 4,000 samples are looked at before all: they rule out most columns.
_SPARSE = 2.0
_ROUNDING = 1e-6
_LOOKED_AT = 4000
# A column encodes the label with at most 50 values, each of which occurs 5 times on average. At
# first only some samples are looked at, at least those 250: they rule out most columns.
_MOST_VALUES = 50
_LEAST_REPEATS = 5
# A text may have more values, if each occurs 20 times on average: subtypes of the label.
_REPEATS_OF_MANY = 20
_LOOKED_AT_FIRST = 500
# It may be wrong about this fraction of the samples, and of the mistakes of the baseline: some
# labels are.
_MOST_WRONG = 0.002
_MOST_WRONG_OF_BASELINE = 0.02
# Gaps tell classes apart if at most this fraction of the fewer samples is on the wrong side: gaps
# for another reason are nowhere near.
_MOST_WRONG_OF_GAPS = 0.05
# A column nearly tells the label with at most this fraction of the mistakes of the baseline.
# Several columns may tell it if the best classifier makes at most so many, and at most twice that
# with the high end of its error.
FEW_ERRORS = 0.03
_MOST_FAR = 4  # columns whose values are shown
# Where gaps were filled with the median, or a value is that of one row, at most this fraction of
# the samples counts as unknown.
_MOST_FILLED = 0.05


class LabelColumns(Check):
    """Columns that alone separate all classes."""

    code, title = "label_columns", "perhaps the label in disguise"

    def flags(self, report, problem):
        """Every error is too low if such a column is known only after the label."""
        wrong = label_in_disguise(problem, report.data.dependence)
        if not wrong:
            return
        several = len(wrong) > 1
        these, they, them = "This column alone tells", "it is", "it"
        if several:
            these, they, them = "These columns alone tell", "they are", "them"
        mistakes = [counted(n, "mistake") if n else "no mistake" for n in wrong.values()]
        names = [f"{shorten(name, 30)} ({n})" for name, n in zip(wrong, mistakes, strict=True)]
        yield self.flag(
            f"{these} the class of {len(problem.codes):,} samples: {listed(names, 5)}. "
            f"If {they} the label in another form, or known only after it, every error here is "
            f"too low: remove {them} and run the report again.",
            step=f"Remove {_in_words(wrong)} and run the report again, if "
            f"{'they are' if several else 'this is'} known only after the label: every error here "
            "is then too low.",
        )


class FarValues(Check):
    """A few values of a column that are far outside all others."""

    code, title = "far_values", "values far outside all others"

    def flags(self, report, problem):
        """Which they are: the others hardly differ on the scale that they stretch."""
        found = [note for note in report.data.preparation if note.kind == FAR]
        if not found:
            return
        yield self.flag(
            f"{'. '.join([*found[:_MOST_FAR], *_more(found)])}. If such values are mistakes, or "
            "codes for no answer, correct them or empty the cells: they stretch the scale of a "
            "column, so that classifiers hardly see its other values."
        )


def _more(found):
    more = [name for note in found[_MOST_FAR:] for name in note.columns]
    return [f"So do {listed(more, 8, ' and ')}"] if more else []


def label_in_disguise(samples, dependence):
    """Mistakes of each column that tells the class or nearly does, if any tells it."""
    codes = samples.codes
    # An id whose rows are alike is no label: another warning has it.
    ids = {dependence.unit} if dependence is not None and dependence.is_unit else set()
    if not telling_columns(samples, _most_wrong(codes)).keys() - ids:
        return {}
    # Nobody would see those that nearly tell it beside the label itself.
    wrong = telling_columns(samples, _few_mistakes(codes))
    return {name: n for name, n in wrong.items() if name not in ids}


def _in_words(names):
    return listed([shorten(name, 30) for name in names], 5, " and ")


def telling_columns(samples, most):
    """Mistakes of each column or text that alone tells the class, with at most so many, by name."""
    X, codes = samples.X, samples.codes
    if len(codes) - np.bincount(codes).max() < _LEAST_SAMPLES / 2:
        return {}  # two or three samples lie apart by chance
    columns, found = samples.columns, {}
    of_gaps = set() if columns is None else gaps_marked(columns)
    for j in label_columns(X, codes, most):
        name = f"column {j}" if columns is None else columns[j].told
        if columns is None or columns[j].kind != GAPS:
            wrong = _mistakes(X[:, j], codes)
            found[name] = min(wrong, found.get(name, wrong))
    encoded = {column.told for column in columns or () if column.kind == CATEGORY}
    shapes = {each.name: [each.values] for each in samples.set_aside if each.kind == SHAPE}
    for text in samples.units:
        is_used = text.is_category or text.name in encoded
        if is_used and text.name not in of_gaps:
            for values in (text.codes, *shapes.get(text.name, ())):
                wrong = _code_mistakes(values, codes)
                if wrong <= found.get(text.name, most):
                    found[text.name] = wrong
    return dict(sorted(found.items(), key=lambda item: item[1]))


class GapsFound(NamedTuple):
    """Columns whose gaps tell some classes from the others."""

    names: list  # of the columns
    empty: list  # the classes for which they are empty
    filled: list  # the others
    wrong: int  # samples for which that is not so


class TellingGaps(Check):
    """Columns that are filled for some classes only."""

    code, title = "telling_gaps", "gaps that tell the class"

    def flags(self, report, problem):
        """Every error is too low if such a column is filled after the label is known."""
        for found in telling_gaps(problem):
            several, names = len(found.names) > 1, _in_words(found.names)
            but = f", but for {counted(found.wrong, 'sample')}" if found.wrong else ""
            they = "they are" if several else "it is"
            yield self.flag(
                f"{names} {'are' if several else 'is'} empty for {listed(found.empty, 3)} and "
                f"filled for {listed(found.filled, 3)}{but}. If {they} filled only once the label "
                "is known, every error here is too low.",
                step=f"Remove {names} and run the report again, if {they} filled only once the "
                "label is known: the gaps tell the class.",
            )


def telling_gaps(samples):
    """Columns of 0 and 1 that mark gaps, and are the same for nearly all samples of each class."""
    found = {}
    for j, column in enumerate(samples.columns or ()):
        values = samples.X[:, j]
        if column.kind != GAPS or values.min() == values.max():
            continue
        empty, wrong, fewer = gaps_by_class(values > values.min(), samples.codes)
        if fewer >= _LEAST_SAMPLES / 2 and wrong <= _MOST_WRONG_OF_GAPS * fewer:
            found.setdefault((tuple(empty), wrong), {}).update(dict.fromkeys(column.sources))
    words = [as_item(shorten(label, 30)) for label in samples.classes]
    for (empty, wrong), names in found.items():
        sides = ([w for w, e in zip(words, empty, strict=True) if e == side] for side in (1, 0))
        yield GapsFound([*names], *sides, wrong)


def gaps_by_class(gaps, codes):
    """Whether each class is mostly empty, and the samples for which its class says otherwise.

    The last number is that of the samples of the fewer classes, empty or filled.
    """
    counts = np.bincount(codes)
    n_gaps = np.bincount(codes, gaps, len(counts))
    empty = 2 * n_gaps > counts
    wrong = int(np.minimum(n_gaps, counts - n_gaps).sum())
    return empty, wrong, int(min(counts[empty].sum(), counts[~empty].sum()))


class FewErrors(Check):
    """So few errors in a table that perhaps several columns are known only after the label."""

    code, title = "few_errors", "hardly any errors"

    def flags(self, report, problem):
        """The best error, with the columns that say most, where nothing else explains it."""
        baseline, best = report.errors.baseline.value, report.errors.held_out.best
        few = best.value <= FEW_ERRORS * baseline and best.high <= 2 * FEW_ERRORS * baseline
        columns, codes = problem.columns, problem.codes
        if not few or columns is None or report.data.dependence is not None:
            return
        if label_in_disguise(problem, report.data.dependence) or any(telling_gaps(problem)):
            return
        telling = telling_columns(problem, _few_mistakes(codes))
        carriers = report.data.signal_columns
        told = {column.name: column.told for column in columns}
        carriers = () if carriers is None else carriers.columns
        others = (name for name in carriers if told[name] not in telling)
        names = [*telling, *others][:5]
        such_as = f", such as {_in_words(names)}," if names else ""
        yield self.flag(
            f"The best classifier errs {percent(best.value)}, the baseline {percent(baseline)}. If "
            f"columns{such_as} are made of the label, or known only after it, every error here is "
            "too low.",
            step=f"Ask whether all columns{such_as} are known before the label: so few errors are "
            "rare.",
        )


class NumberingColumns(Check):
    """Columns that number the samples: ids. A date that orders the samples is none."""

    code, title = "numbering_columns", "columns that number the samples"

    def flags(self, report, problem):
        """An id says nothing about new samples."""
        X, time = problem.X, problem.times.values
        numbers, names = numbering_columns(X), problem.names
        if names is not None:
            columns = problem.columns
            timeless = [j for j in numbers if TIME not in columns[j].hints]
            numbers = np.array(timeless, np.intp)
        if time is not None:
            numbers = np.array([j for j in numbers if not equal_steps(X[:, j], time)], np.intp)
        if len(numbers):
            several, words = len(numbers) > 1, _named(names, numbers)
            column = f"column{'s' * several} " if names is None else ""
            yield self.flag(
                f"{len(numbers)} of {X.shape[1]} columns {'hold' if several else 'holds'} distinct "
                f"numbers one step apart ({words}): an id, or the order of the samples, which says "
                "nothing about a new sample. Remove it and run the report again.",
                step=f"Remove {column}{words}: a number of the samples says nothing about them.",
            )


class ConstantColumns(Check):
    """Columns with one value."""

    code, title = "constant_features", "constant columns"

    def flags(self, report, problem):
        """A constant carries no information."""
        X, names = problem.X, problem.names
        numbers = np.flatnonzero(X.min(axis=0) == X.max(axis=0))
        if len(numbers):
            yield self.flag(
                f"{len(numbers)} of {X.shape[1]} columns {'are' if len(numbers) > 1 else 'is'} "
                f"constant ({_named(names, numbers)}): no information about the classes."
            )


def _named(names, numbers):
    """The names of columns, or their numbers."""
    if names is None:
        return f"number{'s' * (len(numbers) > 1)} {listed(map(str, np.sort(numbers)), 5)}"
    return listed([shorten(names[i], 30) for i in np.sort(numbers)], 5)


def gaps_marked(columns):
    """The columns of the table whose gaps are marked."""
    return {source for column in columns if column.kind == GAPS for source in column.sources}


def numbering_columns(X):
    """Columns whose values only number the samples, in any order, with few numbers left out."""
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    some = X[:: 1 + len(X) // _LOOKED_AT]
    with np.errstate(over="ignore"):
        likely = [j for j, values in enumerate(some.T) if _is_dense(np.sort(values), len(X))]
        return np.array([j for j in likely if _is_numbering(X[:, j])], dtype=np.intp)


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


def label_columns(X, codes, most):
    """Columns that alone separate the classes, by few values or by an interval of each class.

    At most so many samples may be wrong, apart from gaps.
    """
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    # Of each class about two: of one, any column would tell the class.
    step = 1 + len(X) // max(_LOOKED_AT_FIRST, 2 * (int(codes.max()) + 1))
    some, some_codes = X[::step], codes[::step]
    likely = [j for j, values in enumerate(some.T) if _tells_classes(values, some_codes, most)]
    return np.array([j for j in likely if _tells_classes(X[:, j], codes, most)], dtype=np.intp)


def _code_mistakes(values, codes):
    """Mistakes of values that are each repeated often; of all samples where they are not."""
    n_values, n = len(np.unique(values)), len(values)
    if n_values <= min(_MOST_VALUES, n // _LEAST_REPEATS):
        return _mistakes(values, codes)
    return _left_out_mistakes(values, codes) if n_values <= n // _REPEATS_OF_MANY else n


def _left_out_mistakes(values, codes):
    """Mistakes of the class that most other rows of a value have; few rows may have no others."""
    n_classes = int(codes.max()) + 1
    values = np.unique(values, return_inverse=True)[1]
    counts = np.bincount(values * n_classes + codes, minlength=(values.max() + 1) * n_classes)
    others = counts.reshape(-1, n_classes)[values]
    others[np.arange(len(codes)), codes] -= 1
    alone = ~others.any(axis=1)
    if np.count_nonzero(alone) > _MOST_FILLED * len(codes):
        return len(codes)
    return int(np.count_nonzero((others.argmax(axis=1) != codes) & ~alone))


def _few_mistakes(codes):
    """So many mistakes are few beside those of the baseline."""
    return int(FEW_ERRORS * (len(codes) - np.bincount(codes).max()))


def _most_wrong(codes):
    n = len(codes)
    return int(min(_MOST_WRONG * n, _MOST_WRONG_OF_BASELINE * (n - np.bincount(codes).max())))


def _tells_classes(values, codes, most):
    """Whether at most so many samples are wrong, apart from gaps that the median fills."""
    wrong = _mistakes(values, codes)
    if wrong <= most:
        return True
    if wrong > most + _MOST_FILLED * len(values):
        return False
    filled = values == np.median(values)
    if not 1 < np.count_nonzero(filled) <= _MOST_FILLED * len(values):
        return False
    present = np.unique(codes[~filled])
    if len(present) < len(np.unique(codes)):
        return False
    return _mistakes(values[~filled], codes[~filled]) <= most


def _mistakes(values, codes):
    """The fewest mistakes of an answer for each of few values, or for an interval of each class."""
    order = np.lexsort((codes, values))
    values, codes = values[order], codes[order]
    n, n_classes = len(codes), int(codes.max()) + 1
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True)) + 1
    if len(ends) <= min(_MOST_VALUES, n // _LEAST_REPEATS):
        cells = np.zeros((len(ends), n_classes), dtype=np.intp)
        np.add.at(cells, (np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), codes), 1)
        return int(n - cells.max(axis=1).sum())
    # Each mistake splits a run of equal labels: without that, far more runs mean more mistakes.
    n_runs = 1 + np.count_nonzero(codes[1:] != codes[:-1])
    present, codes = np.unique(codes, return_inverse=True)
    if n_runs > len(present) + 2 * (_MOST_WRONG + _MOST_FILLED) * n:
        return n
    return int(n - _most_right(codes, ends))


def _most_right(codes, ends):
    """The most labels that an interval of each class has right; `ends` of equal values."""
    # The classes follow each other along the values: the best ends of their intervals, one class
    # at a time.
    places = np.bincount(codes, np.arange(len(codes))) / np.bincount(codes)
    right = np.zeros(len(ends) + 1, dtype=np.intp)
    for label in np.argsort(places, kind="stable"):
        counts = np.concatenate([[0], np.cumsum(codes == label)[ends - 1]])
        right = counts + np.maximum.accumulate(right - counts)
    return int(right[-1])
