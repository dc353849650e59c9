"""What a classifier is given, checked: its settings, its rows, the weights of its classes."""

from __future__ import annotations

import numbers

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight, has_fit_parameter, validate_data

from smartsvm._core.sources import gather_rows, is_source, open_source
from smartsvm._core.validation import check_choice, check_int, check_jobs, describe, is_plain
from smartsvm.classifier.hierarchy_choice import ERROR_GRAPHS
from smartsvm.classifier.nodes.solver import SOLVERS
from smartsvm.classifier.nodes.training import NODES
from smartsvm.classifier.routing import ROUTINGS
from smartsvm.trees.out_of_core.memory_plan import parse_bytes

_LARGEST = 1e75  # products of two features are squared in a Gram matrix


def check_settings(model, X, sample_weight):
    """Raise for the first parameter of a `SmartSVM` that is not legal, or not for these points.

    `hierarchy` and `error_matrix` are checked where they are used, against the classes.
    """
    check_choice(model.error_graph, "error_graph", ERROR_GRAPHS)
    check_choice(model.nodes, "nodes", NODES)
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
    if model.estimator is not None:
        _check_estimator(model.estimator, model.nodes)
        for name, value in (("class_weight", model.class_weight), ("sample_weight", sample_weight)):
            if value is not None and not has_fit_parameter(model.estimator, "sample_weight"):
                raise ValueError(
                    f"{name}={describe(value)} needs an estimator whose fit takes sample_weight, "
                    f"got estimator={describe(model.estimator)}."
                )
    elif issparse(X):
        for name, value in (("nodes", model.nodes), ("solver", model.solver)):
            if value in ("quadratic", "newton"):
                raise TypeError(
                    f"{name}={value!r} needs dense points, got a sparse matrix X of shape "
                    f"{X.shape}; leave it at its default, or pass X.toarray()."
                )


def _check_estimator(estimator, nodes):
    is_instance = not isinstance(estimator, type)
    needed = ("fit", "predict", "get_params")
    if not (is_instance and all(hasattr(estimator, name) for name in needed)):
        raise TypeError(
            f"estimator must be None or a scikit-learn classifier (an instance), got "
            f"{describe(estimator)}."
        )
    if nodes not in ("evidence", "linear"):
        raise ValueError(
            f"nodes={nodes!r} is for the built-in nodes; with estimator={describe(estimator)} "
            f"leave it at 'evidence'."
        )


def check_size(X):
    """Raise if values are too large to be squared twice."""
    if has_small_size(X):  # one pass, and nearly always enough
        return
    largest = max(X.max(), -X.min())
    if largest > _LARGEST:
        raise ValueError(
            f"X must hold values of at most {_LARGEST:.0e}, which can be squared, got "
            f"{largest:.3g}; scale the features, to [-1, 1] for instance."
        )


def has_small_size(X):
    """Whether the sum of all squares shows that no value is too large; NaN is."""
    values = X.data if issparse(X) else X.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(values @ values <= _LARGEST**2)


def check_rows(model, X):
    """Points that a fitted `SmartSVM` is to judge, in memory and checked."""
    if is_plain(X) and has_small_size(X):  # and so finite: only the features are left to check
        return validate_data(model, X, skip_check_array=True, reset=False)
    X = rows_in_memory(X, model.memory_limit)
    X = validate_data(model, X, dtype=np.float64, order="C", accept_sparse="csr", reset=False)
    check_size(X)
    return X


def check_row_weights(X, y, sample_weight, class_weight):
    """The rows that weigh anything, and their weights.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Their labels.
    sample_weight : array-like of shape (n,) or None
        Weights of the rows.
    class_weight : dict, "balanced" or None
        As the parameter of `SmartSVM`.

    Returns
    -------
    X : ndarray or sparse matrix of shape (m, d)
        Rows of positive weight.
    y : ndarray of shape (m,)
        Their labels.
    weights : ndarray of shape (m,) or None
        Weights of rows times those of their classes; None if all are 1.
    """
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        kept = weights > 0
        if not kept.all():
            X, y, weights = X[kept], y[kept], weights[kept]
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
    """X, or the rows of what is on disk or on a cluster: the root needs all of them.

    Parameters
    ----------
    X : source, array-like or sparse matrix
        See `open_source`.
    memory_limit : int, str or None
        Bytes that the rows may take.

    Returns
    -------
    array-like or sparse matrix
        X itself if it is in memory.
    """
    if not is_source(X):
        return X
    source, limit = open_source(X), parse_bytes(memory_limit)
    rows, what = np.arange(source.n_rows), "node 0 of the hierarchy (all classes)"
    return gather_rows(source, rows, memory_limit=limit, what=what)
