"""Check labels, points with labels, and groups of samples, and number them."""

import sys
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from smartsvm._core.labels import as_labels, check_complete
from smartsvm._core.magnitudes import are_within
from smartsvm._core.validation import (
    check_array,
    check_real,
    describe,
    is_plain,
    warn_of_large_integers,
)

_LEAST_OUTSIDE = 5  # samples outside of each group: neighbours are taken from these


class CheckedLabels(NamedTuple):
    """Labels that are already checked; our functions accept them as y."""

    classes: np.ndarray  # the distinct labels, sorted
    codes: np.ndarray  # class of every sample as a position in `classes`; none is empty


def check_labels(y, name="y", *, n_samples, least_classes=2):
    """Check labels of any sortable type and number them."""
    if isinstance(y, CheckedLabels):
        return y
    labels = np.array(as_labels(y, name))  # a copy: y must not change between check and use
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got shape {labels.shape}: one label per row of X."
        )
    if len(labels) != n_samples:
        raise ValueError(
            f"{name} must have one label for each of the {n_samples} rows of X, got {len(labels)}."
        )
    if labels.dtype.kind == "c":
        raise ValueError(f"{name} must not be complex, got dtype {labels.dtype}.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(
            f"{name} must have no missing labels, got NaN for {np.isnan(labels).sum()} of them."
        )
    check_sortable(labels, name)
    _check_discrete(labels, name)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < least_classes:
        raise ValueError(
            f"{name} must hold at least {least_classes} classes, got {len(classes)} class: "
            f"{classes.tolist()}."
        )
    return CheckedLabels(classes, codes.ravel())


def _check_discrete(labels, name):
    """Raise if numbers among the labels are not whole."""
    floats = labels
    if labels.dtype.kind == "O":
        floats = np.array([label for label in labels if isinstance(label, float)])
    if floats.dtype.kind != "f":
        return
    bad = ~np.isfinite(floats) | (floats != np.floor(floats))
    if bad.any():
        raise ValueError(
            f"{name} must hold discrete classes, got {floats[bad][0]}; "
            "a continuous target is a regression problem."
        )


def check_sortable(labels, name="y"):
    """Raise if labels are missing or cannot be sorted, before scikit-learn fails inside numpy."""
    if labels.dtype.kind not in "OmM":
        return
    if labels.dtype.kind in "mM":
        check_complete([None] * np.count_nonzero(np.isnat(labels)), name)
    else:
        check_complete(labels.ravel().tolist(), name)
    try:
        distinct = np.unique(labels)
        # Sets can be compared, but not sorted.
        in_order = all(low < high for low, high in pairwise(distinct.tolist()))
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels.ravel()})
        raise TypeError(
            f"{name} must hold labels of one sortable type, got a mixture of {kinds}."
        ) from error
    if not in_order:
        raise TypeError(
            f"{name} must hold labels of one sortable type, got {describe(distinct[0])}."
        )


def check_training_set(estimator, X, y, **options):
    """Check points and labels for the `fit` of an estimator, as scikit-learn does."""
    y = None if y is None else as_labels(y)  # scikit-learn has an error for None
    if y is not None and y.dtype.kind == "O" and y.size and isinstance(y.flat[0], int):
        raise ValueError(f"y must hold integers of 64 bits, got {describe(max(y, key=abs))}.")
    if is_plain(X):
        X = X.copy()  # the points of this fit, whatever becomes of the caller's
    if _is_ready(X, y):
        # Only record the features: the full check takes a millisecond or more.
        X, y = validate_data(estimator, X, y, skip_check_array=True)
    else:
        check_real(X, "X")
        X_given = X
        X, y = validate_data(estimator, X, y, dtype=np.float64, order="C", **options)
        warn_of_large_integers(
            X_given.tocsr().data if scipy.sparse.issparse(X_given) else X_given, "X"
        )
        check_sortable(y)
        if not scipy.sparse.issparse(X):
            X = check_array(X, "X")
    # Integers are classes; if they are many, scikit-learn has a warning to give.
    if y.dtype.kind not in "biu" or len(np.unique(y)) > len(y) // 2:
        check_classification_targets(y)
    return X, y


def _is_ready(X, y):
    """Whether points and labels need no conversion and pass every check."""
    return (
        is_plain(X)
        and type(y) is np.ndarray
        and y.dtype.kind in "biu"
        and y.shape == X.shape[:1]
        and are_within(X, 0.0, sys.float_info.max)
    )


def check_groups(groups, n_samples):
    """Check and number groups; raise if one leaves too few other samples."""
    groups = as_labels(groups, "groups")
    if groups.shape != (n_samples,):
        raise ValueError(
            f"groups must have one value for each of the {n_samples} rows of X, got shape "
            f"{groups.shape}."
        )
    names, codes = number_names(groups)
    largest = np.bincount(codes).max()
    if n_samples - largest < _LEAST_OUTSIDE:
        raise ValueError(
            f"groups must leave at least {_LEAST_OUTSIDE} samples outside of each group, got "
            f"{describe(names.tolist())}, the largest with {largest} of {n_samples} samples."
        )
    return codes


def number_names(groups):
    """The distinct names of groups, sorted, and the number of each row's; NaN is an error."""
    if groups.dtype.kind == "f" and np.isnan(groups).any():
        raise ValueError("groups must name a group for every row, got NaN.")
    check_sortable(groups, "groups")
    return np.unique(groups, return_inverse=True)
