"""State that comes out of a pickle, checked: compiled code trusts what a forest holds."""

from contextlib import contextmanager

import numpy as np

from smartsvm._core.safe_range import check_unchanged, take_rows
from smartsvm._core.validation import check_choice, check_int, check_jobs
from smartsvm._mst.choice import ALGORITHMS

_MOST_SEED = 2**64 - 1


@contextmanager
def damage_of(name):
    """Turn whatever is wrong with the state of an object into one error that names the object."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        AssertionError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"the pickled {name} is damaged: {reason}.") from error


def expect(holds, what):
    """Raise unless something holds of the state."""
    if not holds:
        raise ValueError(what)


def check_array_of(array, name, kinds, shape):
    """An array of one of these kinds of numbers and of this shape, -1 for any length."""
    expect(isinstance(array, np.ndarray), f"{name} must be an array, got {type(array).__name__}")
    fits = len(array.shape) == len(shape) and all(
        want in (-1, have) for have, want in zip(array.shape, shape, strict=True)
    )
    expect(
        fits and array.dtype.kind in kinds,
        f"{name} must have shape {shape} and numbers of kind {kinds}, got {array.shape} and "
        f"{array.dtype}",
    )
    return array


def check_options(state):
    """The options of a `SpanningForest`."""
    most = max(1, len(state["codes"]) // 2)
    return {
        "n_trees": check_int(state["n_trees"], "n_trees", least=1, most=most),
        "seed": check_int(state["seed"], "seed", least=0, most=_MOST_SEED),
        "algorithm": check_choice(state["algorithm"], "algorithm", ALGORITHMS),
        "n_jobs": check_jobs(state["n_jobs"]),
        "verbose": check_int(state["verbose"], "verbose", least=0),
    }


def check_points(points, codes):
    """Points and the classes of them."""
    check_array_of(points, "points", "biuf", (-1, -1))
    expect(points.size > 0 and points.dtype.itemsize <= 8, "points must be numbers of 8 bytes")
    for start in range(0, len(points), 1 << 16):
        rows = np.arange(start, min(start + (1 << 16), len(points)))
        check_unchanged(take_rows(points, rows))
    check_array_of(codes, "codes", "iu", (len(points),))
    expect(codes.min() >= 0 and codes.max() < len(points), "codes must be classes from 0 on")
    codes = codes.astype(np.intp)
    counts = np.bincount(codes)
    expect(len(counts) > 1 and counts.all(), "codes must name two classes or more, none empty")
    return points, codes


def check_forests(forests, owner, classes):
    """Edges, squared distances and sizes of the forests of some classes of a `SpanningForest`."""
    edges, squared, sizes = forests
    n = len(owner.codes)
    n_points = int(owner.class_counts[list(classes)].sum())
    check_array_of(sizes, "sizes", "iu", (owner.n_trees,))
    legal = (sizes >= 0) & (sizes < n_points)
    expect(legal.all() and sizes[0] == n_points - 1, "sizes must be those of forests")
    check_array_of(edges, "edges", "iu", (int(sizes.sum()), 2))
    check_array_of(squared, "squared distances", "f", (len(edges),))
    expect(edges.min() >= 0 and edges.max() < n, f"edges must join rows below {n}")
    inside = np.zeros(len(owner.class_counts), dtype=bool)
    inside[list(classes)] = True
    expect(
        (edges[:, 0] != edges[:, 1]).all() and inside[owner.codes[edges]].all(),
        "edges must join different rows of their classes",
    )
    squared = np.ascontiguousarray(squared, dtype=np.float64)
    expect((squared >= 0).all() and np.isfinite(squared).all(), "squared distances must be finite")
    return np.ascontiguousarray(edges, dtype=np.uint32), squared, sizes.astype(np.intp)


def check_counts(counts, owner):
    """Cross edges, spanning trees and adjacent edges of the pairs of a `SpanningForest`."""
    cross, spanning, adjacent = counts
    n_classes, n_trees = len(owner.class_counts), owner.n_trees
    for name, array in (("cross", cross), ("adjacent", adjacent)):
        check_array_of(array, name, "iu", (n_trees, n_classes, n_classes))
        expect(array.min() >= 0, f"{name} must not be negative")
    expect(cross.max() < len(owner.codes), "cross must be numbers of edges")
    check_array_of(spanning, "spanning", "iu", (n_classes, n_classes))
    pairs = spanning[~np.eye(n_classes, dtype=bool)]
    expect(
        pairs.min() >= 1 and pairs.max() <= n_trees and not np.diagonal(spanning).any(),
        "spanning must be numbers of trees",
    )
    return counts
