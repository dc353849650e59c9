"""Checks of what a classifier is given: its settings, its rows, the weights of its classes."""

import numbers

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, has_fit_parameter, validate_data

from smartsvm._core.sources import is_source
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_mask,
    check_real,
    describe,
    is_plain,
)
from smartsvm.classifier.nodes.evidence import KINDS, NODES
from smartsvm.classifier.nodes.solver import SOLVERS
from smartsvm.classifier.routing import ROUTINGS
from smartsvm.trees.open_points import open_points
from smartsvm.trees.tree_plan import parse_bytes

# Products of two features are squared in a Gram matrix: (1e75²)² = 1e300 is still finite.
_LARGEST = 1e75


def check_settings(model, X, sample_weight):
    """Raise for the first illegal parameter; `hierarchy` is checked later."""
    check_choice(model.solver, "solver", SOLVERS)
    check_choice(model.routing, "routing", ROUTINGS)
    check_jobs(model.n_jobs)
    check_int(model.verbose, "verbose", least=0)
    parse_bytes(model.memory_limit)
    for name, least in (("n_trees", 1), ("bayes_error_samples", 0)):
        if getattr(model, name) is not None:
            check_int(getattr(model, name), name, least=least)
    C = model.C
    if isinstance(C, bool) or not isinstance(C, numbers.Real) or not 0 < C < np.inf:
        raise ValueError(f"C must be a positive number, got {describe(C)}.")
    if not isinstance(model.nodes, str):
        _check_estimator(model, sample_weight)
        return
    check_choice(model.nodes, "nodes", NODES)
    if issparse(X):
        for name, needs_dense in (
            ("nodes", all(KINDS[kind].needs_dense for kind in NODES[model.nodes])),
            ("solver", model.solver == "newton"),
        ):
            if needs_dense:
                raise TypeError(
                    f"{name}={getattr(model, name)!r} needs dense points, got a sparse matrix X "
                    f"of shape {X.shape}; leave it at its default, or pass X.toarray()."
                )


def _check_estimator(model, sample_weight):
    """Raise unless `nodes` is a classifier that takes the weights that there are."""
    estimator = model.nodes
    methods = ("fit", "predict", "get_params")
    if isinstance(estimator, type) or not all(hasattr(estimator, name) for name in methods):
        raise TypeError(
            f"nodes must be one of {list(NODES)} or a scikit-learn classifier (an instance), got "
            f"{describe(estimator)}."
        )
    for name, value in (("class_weight", model.class_weight), ("sample_weight", sample_weight)):
        if value is not None and not has_fit_parameter(estimator, "sample_weight"):
            raise ValueError(
                f"{name}={describe(value)} needs nodes whose fit takes sample_weight, got "
                f"nodes={describe(estimator)}."
            )


def check_size(X):
    """Raise if values are too large to be squared twice."""
    if has_small_values(X):  # one pass, and nearly always enough
        return
    largest = max(X.max(), -X.min())
    if largest > _LARGEST:
        raise ValueError(
            f"X must hold values of at most {_LARGEST:.0e}, which can be squared, got "
            f"{largest:.3g}; scale the features, to [-1, 1] for instance."
        )


def has_small_values(X):
    """Whether the sum of all squares shows that no value is too large or NaN."""
    values = X.data if issparse(X) else X.ravel()
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return bool(values @ values <= _LARGEST**2)


def check_rows(model, X):
    """Checked points in memory, for a fitted `SmartSVM`."""
    if is_plain(X) and has_small_values(X):  # and so finite: check only the number of features
        return validate_data(model, X, skip_check_array=True, reset=False)
    X = rows_in_memory(X, model.memory_limit)
    check_real(X, "X")
    X = validate_data(model, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
    check_size(X)
    return X


def check_row_weights(X, y, sample_weight, class_weight):
    """The rows of positive weight, their labels, and their weights (None if all are 1)."""
    weights = None
    if sample_weight is not None:
        check_mask(sample_weight, "sample_weight")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        positive = weights > 0
        if not positive.any():
            raise ValueError("sample_weight must hold at least one number above 0, got none.")
        if not positive.all():
            X, y, weights = X[positive], y[positive], weights[positive]
        if (weights == 1).all():
            weights = None
    if class_weight is not None:
        classes, codes = np.unique(y, return_inverse=True)
        of_classes = compute_class_weight(class_weight, classes=classes, y=y)
        if not (np.isfinite(of_classes) & (of_classes > 0)).all():
            raise ValueError(
                f"class_weight must hold positive numbers, got {describe(class_weight)}."
            )
        weights = of_classes[codes] if weights is None else weights * of_classes[codes]
    return X, y, weights


def rows_in_memory(X, memory_limit):
    """X, or all rows of a source on disk or on a cluster: the root needs them."""
    if not is_source(X):
        return X
    points, limit = open_points(X), parse_bytes(memory_limit)
    needed = 8 * points.n_rows * points.n_features
    if limit is not None and needed > limit:
        raise MemoryError(
            f"node 0 of the hierarchy (all classes): {points.n_rows} rows of {points.n_features} "
            f"features take {needed:,} bytes, more than memory_limit={limit:,}. Raise memory_limit "
            f"to at least {needed:,}, or train on a part of the rows."
        )
    return points.source.gather(np.arange(points.n_rows))  # scikit-learn checks the values
