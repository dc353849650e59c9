"""When not to believe the report: checks of the data and of the estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsvm._core.display_names import shorten
from smartsvm._core.wording import counted, percent
from smartsvm.held_out.registry import IN_WORDS

TINY_CLASS = 10  # below it orthogonal trees begin to be forced out of the class
_TINY_SHARE = 0.05  # of all samples in tiny classes, above which the whole suffers
_DUPLICATES = 0.01
_COPIES = 0.01  # of the samples: with more than this errors may be too small
_LEAST_BETWEEN = 0.5  # of the tree edges between groups: with fewer there is little to go by
_DOMINANT_COLUMNS = 0.1  # this share of the columns ...
_DOMINANT_VARIANCE = 0.99  # ... with this much of the variance hides all others
_FALL_SCORE = 2.0  # standard errors: a settled curve is flagged in 2 % of the cases
_FALL_SHARE = 0.03  # of the count itself: a smaller fall changes nothing
_ROWS = 1024  # looked at together

# Columns that give the label away.
_LEAST_SAMPLES = 20
_LOOKED_AT = 4000  # samples by which most columns are acquitted of being numbers,
_LOOKED_AT_FIRST = 500  # and of being the label: at least _MOST_VALUES * _LEAST_REPEATS remain
_SPARSE = 2.0  # numbers may be missing: they may span this many times the samples
_ROUNDING = 1e-6  # of a step between numbers, after scaling
_MOST_VALUES = 50  # of a column that is a code of the label ...
_LEAST_REPEATS = 5  # ... each of which occurs this often on average


@dataclass(frozen=True)
class Flag:
    """A reason to read the report with care.

    Attributes
    ----------
    code : str
        Short stable name: "dimension", "not_converged", "flat_at_chance", "ties",
        "duplicates", "copies", "few_between_groups", "tiny_classes", "constant_features",
        "feature_scales", "numbering_columns" or "label_columns".
    title : str
        A few words.
    message : str
        What was seen, what it does to the numbers, and what to do.
    against_bounds : bool
        Whether the low end of the Bayes error may be too high because of it, so that no
        target may be called out of reach.
    against_reached : bool
        Whether classifiers may reach less than they seem to because of it, so that no target
        may be called reachable.
    """

    code: str
    title: str
    message: str
    against_bounds: bool
    against_reached: bool = False


def data_flags(X, classes, codes, names=None):
    """Flags that need nothing but the data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The points as they were passed.
    classes : ndarray of shape (K,)
        Labels.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    names : sequence of str or None, default=None
        Names of the columns; their numbers, from 0, are said without.

    Returns
    -------
    list of Flag
        Perhaps none.
    """
    found = _leak_flags(X, codes, names)
    class_counts = np.bincount(codes, minlength=len(classes))
    tiny = class_counts < TINY_CLASS
    if tiny.any():
        share = class_counts[tiny].sum() / class_counts.sum()
        named = [
            f"{shorten(label, 30)} ({count})"
            for label, count in zip(classes[tiny], class_counts[tiny], strict=True)
        ]
        more = f" and {len(named) - 6} more" if len(named) > 6 else ""
        found.append(
            Flag(
                "tiny_classes",
                "very small classes",
                f"Fewer than {TINY_CLASS} samples: {', '.join(named[:6])}{more}. Numbers about "
                "them are rough, and trees are forced across their borders.",
                against_bounds=bool(share >= _TINY_SHARE),
            )
        )
    constant = np.flatnonzero(X.min(axis=0) == X.max(axis=0))
    if constant.size:
        found.append(
            Flag(
                "constant_features",
                "constant columns",
                f"{constant.size} of {X.shape[1]} columns never change "
                f"({_listed(constant, names)}): they say nothing about the classes.",
                against_bounds=False,
            )
        )
    scales = _scale_flag(X, names)
    return [*found, scales] if scales else found


def _leak_flags(X, codes, names):
    found = []
    labels, numbers = label_columns(X, codes), numbering_columns(X)
    if labels.size:
        found.append(
            Flag(
                "label_columns",
                "perhaps the label in disguise",
                f"{_counted(labels, X, 'tells', 'tell')} all classes apart without a mistake"
                f"{', each of them alone' * (labels.size > 1)} ({_listed(labels, names)}). If it "
                "is the label in another form, or known only after it, every error here is too "
                "small: leave it out and look again.",
                against_bounds=False,
            )
        )
    if numbers.size:
        found.append(
            Flag(
                "numbering_columns",
                "columns that number the samples",
                f"{_counted(numbers, X, 'holds', 'hold')} distinct numbers one step apart "
                f"({_listed(numbers, names)}): an id, or the order of the samples, which says "
                "nothing about a new one. Leave it out and look again.",
                against_bounds=False,
            )
        )
    return found


def _counted(columns, X, one, more):
    return f"{columns.size} of {X.shape[1]} columns {one if columns.size == 1 else more}"


def numbering_columns(X):
    """Columns whose values only number the samples, in any order.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values, perhaps scaled.

    Returns
    -------
    ndarray of int
        Columns of distinct values that are whole multiples of one step apart and leave out
        fewer numbers than there are samples. Fewer than 20 samples are too few to see it.
    """
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    some = X[:: 1 + len(X) // _LOOKED_AT]
    return np.array(
        [j for j in range(X.shape[1]) if _are_distinct(some[:, j]) and _is_numbering(X[:, j])],
        dtype=np.intp,
    )


def label_columns(X, codes):
    """Columns that alone tell all classes apart without a mistake.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite values.
    codes : ndarray of shape (n_samples,)
        Class of each sample.

    Returns
    -------
    ndarray of int
        Columns in which equal values have equal labels, and which either take few values
        or hold every class in one interval of its own. Fewer than 20 samples are too few
        to see it.
    """
    if len(X) < _LEAST_SAMPLES:
        return np.empty(0, dtype=np.intp)
    step = 1 + len(X) // _LOOKED_AT_FIRST
    some, some_codes = X[::step], codes[::step]
    return np.array(
        [
            j
            for j in range(X.shape[1])
            if _tells_classes(some[:, j], some_codes) and _tells_classes(X[:, j], codes)
        ],
        dtype=np.intp,
    )


def _are_distinct(values):
    ordered = np.sort(values)
    return bool((ordered[1:] > ordered[:-1]).all())


def _is_numbering(values):
    ordered = np.sort(values)
    gaps = np.diff(ordered)
    step = gaps.min()
    if step <= 0 or ordered[-1] - ordered[0] >= _SPARSE * len(values) * step:
        return False
    multiples = gaps / step
    return bool((np.abs(multiples - np.round(multiples)) < _ROUNDING * multiples).all())


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
    """Flags for samples that depend on each other.

    Parameters
    ----------
    copies : float
        Share of the samples that have a near copy outside of their group.
    between_groups : float
        Share of the tree edges that join different groups; 1 without groups.

    Returns
    -------
    list of Flag
        Perhaps none. They count against any verdict.
    """
    found = []
    if copies > _COPIES:
        found.append(
            Flag(
                "copies",
                "samples that are nearly copies of each other",
                f"{percent(copies)} of the samples have a near copy: a neighbour that is a "
                "thousand times nearer than the next one. A classifier would know the answer "
                "before it is asked, so only one of each was asked; what comes from the trees is "
                "too small. Remove copies, or pass groups that hold each case with its copies.",
                against_bounds=True,
                against_reached=True,
            )
        )
    if between_groups < _LEAST_BETWEEN:
        found.append(
            Flag(
                "few_between_groups",
                "few tree edges between groups",
                f"Only {percent(between_groups)} of the tree edges join samples of different "
                "groups, and no others count: groups are far apart, so what is known of one says "
                "little about the next. More groups are needed, rather than more samples of each.",
                against_bounds=True,
                against_reached=True,
            )
        )
    return found


def _scale_flag(X, names):
    variances = _relative_variances(X)
    top = max(1, int(_DOMINANT_COLUMNS * len(variances)))
    total = variances.sum()
    if len(variances) == top or total == 0:
        return None
    order = np.argsort(-variances, kind="stable")
    if variances[order[:top]].sum() < _DOMINANT_VARIANCE * total:
        return None
    needed = 1 + int(np.searchsorted(np.cumsum(variances[order]), _DOMINANT_VARIANCE * total))
    return Flag(
        "feature_scales",
        "columns of very different scale",
        f"{needed} of {len(variances)} columns ({_listed(order[:needed], names)}) "
        f"{'holds' if needed == 1 else 'hold'} "
        f"{percent(variances[order[:needed]].sum() / total)} of the variance, so distances see "
        "little of the others. Scale the columns unless that is meant.",
        against_bounds=True,
    )


def _relative_variances(X):
    """Variances of the columns in units of the largest value, whose own square may be infinite.

    A few rows at a time: no copy of X is made.
    """
    largest = max(abs(X.min()), abs(X.max())) or 1.0
    means, variances = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    with np.errstate(under="ignore"):
        for start in range(0, len(X), _ROWS):
            means += (X[start : start + _ROWS] / largest).sum(axis=0)
        means /= len(X)
        for start in range(0, len(X), _ROWS):
            variances += ((X[start : start + _ROWS] / largest - means) ** 2).sum(axis=0)
    return variances / len(X)


def tie_flags(tie_share, duplicate_share, n_orders, spread, asked_once):
    """Flags for equal distances and repeated rows.

    Parameters
    ----------
    tie_share : float
        Share of tree edges as long as another one.
    duplicate_share : float
        Share of rows that repeat an earlier row.
    n_orders : int
        Orders among equal distances that were averaged.
    spread : float
        Standard error that the choice of orders leaves in the share of cross edges.
    asked_once : bool
        Whether classifiers were asked about one of each row only.

    Returns
    -------
    list of Flag
        Perhaps none.
    """
    found = []
    if n_orders > 1:
        found.append(
            Flag(
                "ties",
                "many equal distances",
                f"{percent(tie_share)} of the tree edges are as long as another one, so they "
                f"could be chosen otherwise. Counts are means over {n_orders} random choices; what "
                f"is left of that chance (standard error {percent(spread)}) is in the intervals.",
                against_bounds=False,
            )
        )
    if duplicate_share > _DUPLICATES:
        what = (
            "Held-out errors and the best possible error are those of one of each; what comes "
            "from the trees is too small if they are copies of the same case."
            if asked_once
            else "If they are copies of the same case, every error here is too small: remove them "
            "and look again."
        )
        found.append(
            Flag(
                "duplicates",
                "repeated rows",
                f"{percent(duplicate_share)} of the rows repeat another row exactly. {what}",
                against_bounds=False,
            )
        )
    return found


def estimate_flags(lower, held_out, curve, limit, n_features):
    """Flags for estimates that contradict each other or have not settled.

    Parameters
    ----------
    lower : Interval
        Lower bound of the Bayes error, from the trees.
    held_out : HeldOutErrors
        What classifiers reach.
    curve : ConvergenceCurve
        Share of cross edges over growing parts of the data.
    limit : CrossLimit
        That share for ever more data.
    n_features : int
        Columns.

    Returns
    -------
    list of Flag
        Perhaps none. None of them counts against a verdict: the interval for the Bayes error
        allows for these doubts.
    """
    found = []
    n = int(curve.sizes[-1])
    if held_out.best.high < lower.low:
        classifier, _ = IN_WORDS[held_out.classifier]
        found.append(
            Flag(
                "dimension",
                "the bounds of the trees are too high",
                f"With {classifier} the error is already smaller (at most "
                f"{percent(held_out.best.high)}) than the lower bound of the trees (at least "
                f"{percent(lower.low)}): with {n} samples and {counted(n_features, 'column')} "
                "of these scales, near samples "
                "are too far apart, and all that comes from the trees is too high, also about "
                "pairs and classes.",
                against_bounds=False,
            )
        )
    share = float(curve.cross_shares[-1])
    if curve.fall > max(_FALL_SCORE * curve.fall_error, _FALL_SHARE * share):
        found.append(
            Flag(
                "not_converged",
                "still falling with more data",
                "In the shortest tree the share of edges between classes was "
                f"{percent(curve.cross_shares[0])} with {curve.sizes[0]} samples and is "
                f"{percent(share)} with all {n}. With more data the bounds of the trees would be "
                "lower still.",
                against_bounds=False,
            )
        )
    if limit.refused:
        what = (
            "Either the columns say nothing about the classes, or what they say changes within "
            "the distance between near samples; this sample cannot tell which."
            if not held_out.gain
            else "What classifiers have found in the columns does not show between near samples: "
            "nothing says how much better the best classifier may be."
        )
        found.append(
            Flag(
                "flat_at_chance",
                "near samples are no more alike than others",
                f"At no distance do labels agree more often than by chance. {what}",
                against_bounds=False,
            )
        )
    return found


def _listed(columns, names, most=5):
    first = np.sort(columns)[:most].tolist()
    shown = ", ".join(str(i) if names is None else shorten(names[i], 30) or "''" for i in first)
    more = ", ..." if len(columns) > most else ""
    return ("number " if names is None else "") + shown + more
