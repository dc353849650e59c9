"""What a classifier is given, checked: its settings, its rows, the weights of its classes."""

from __future__ import annotations

import numbers

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import has_fit_parameter

from smartsvm._validation import check_choice, check_int, check_jobs, describe
from smartsvm.classifier.feature_maps import NODE_MAPS
from smartsvm.classifier.hierarchy_choice import ERROR_GRAPHS
from smartsvm.classifier.routing import ROUTINGS
from smartsvm.out_of_core.memory_plan import parse_bytes
from smartsvm.sources import gather_rows, is_source, open_source

_LARGEST = 1e75  # products of two features are squared in a Gram matrix


def check_settings(model):
    """Raise for the first parameter of a `SmartSVM` that is not legal.

    `hierarchy` and `error_matrix` are checked where they are used, against the classes.
    """
    check_choice(model.error_graph, "error_graph", ERROR_GRAPHS)
    check_choice(model.node_map, "node_map", NODE_MAPS)
    check_choice(model.routing, "routing", ROUTINGS)
    check_jobs(model.n_jobs)
    check_int(model.verbose, "verbose", least=0)
    parse_bytes(model.memory_limit)
    for name in ("n_trees", "gate_samples"):
        if getattr(model, name) is not None:
            check_int(getattr(model, name), name, least=1)
    C = model.C
    if isinstance(C, bool) or not isinstance(C, numbers.Real) or not 0 < C < np.inf:
        raise ValueError(f"C must be a positive number, got {describe(C)}.")
    if model.estimator is not None:
        _check_estimator(model.estimator, model.node_map, model.class_weight)


def _check_estimator(estimator, node_map, class_weight):
    is_instance = not isinstance(estimator, type)
    if not (is_instance and hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise TypeError(
            f"estimator must be None or a scikit-learn classifier (an instance), got "
            f"{describe(estimator)}."
        )
    if node_map not in ("auto", "linear"):
        raise ValueError(
            f"node_map={node_map!r} is for the built-in machines; with "
            f"estimator={describe(estimator)} leave it at 'auto', and put the map into a "
            f"pipeline with the estimator."
        )
    if class_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"class_weight={class_weight!r} needs an estimator whose fit takes "
            f"sample_weight, got estimator={describe(estimator)}."
        )


def check_size(X):
    """Raise if values are too large to be squared twice."""
    largest = max(X.max(), -X.min())
    if largest > _LARGEST:
        raise ValueError(
            f"X must hold values of at most {_LARGEST:.0e}, which can be squared, got "
            f"{largest:.3g}; scale the features, to [-1, 1] for instance."
        )


def check_class_weight(class_weight, classes, y):
    """Weights of the classes.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        As the parameter of `SmartSVM`.
    classes : ndarray of shape (K,)
        The labels.
    y : ndarray of shape (n,)
        Labels of all samples.

    Returns
    -------
    ndarray of shape (K,) or None
        Positive; None if all weigh the same.
    """
    if class_weight is None:
        return None
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(f"class_weight must hold positive numbers, got {describe(class_weight)}.")
    return weights


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
    rows = np.arange(open_source(X).n_rows)
    limit = parse_bytes(memory_limit)
    return gather_rows(X, rows, memory_limit=limit, what="node 0 of the hierarchy (all classes)")
