"""The public function for exact nearest neighbours."""

from __future__ import annotations

import numpy as np

from smartsvm._core.parallel import count_threads
from smartsvm._core.safe_range import ScaledPoints
from smartsvm._core.types import Algorithm, Points, RandomState
from smartsvm._core.validation import check_array, check_choice, check_int, check_jobs, tie_seed
from smartsvm._mst.choice import ALGORITHMS, KernelChoice
from smartsvm.trees.in_memory.device_points import LEAST_ON_DEVICE, DevicePoints, open_on_device
from smartsvm.trees.open_points import open_points
from smartsvm.trees.results import Neighbors


def nearest_neighbors(
    X: Points,
    n_neighbors: int,
    *,
    algorithm: Algorithm = "auto",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    device: str | None = None,
) -> Neighbors:
    """Find the nearest neighbours of every point, exactly.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points, in any form that :func:`euclidean_mst` takes, as long as they fit in memory.
    n_neighbors : int
        Number of neighbours of each point, which is not its own neighbour.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        The search, by the name of the tree that uses it: all distances; a kd-tree, for few to
        moderately many features; blocked matrix products, for many features; "auto" for the one
        that should be fastest. All return the same neighbours.
    n_jobs : int or None, default=None
        Number of threads; ``"prim"`` uses one.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among points at the same distance, the order of
        :func:`euclidean_mst`.
    device : str or None, default=None
        Where to compute: ``"cpu"``, ``"cuda"`` for the first GPU or ``"cuda:1"`` for another;
        None for where `X` lives. The neighbours are the same.

    Returns
    -------
    Neighbors
        ``indices`` and ``distances``, both of shape (n_samples, n_neighbors), nearest first.

    Raises
    ------
    ValueError
        If `n_neighbors` is not below the number of points.

    Examples
    --------
    >>> from smartsvm import nearest_neighbors
    >>> found = nearest_neighbors([[0.0], [1.0], [3.0]], 2)
    >>> found.indices.tolist()
    [[1, 2], [0, 2], [1, 0]]
    >>> found.distances.tolist()
    [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
    """
    check_choice(algorithm, "algorithm", ALGORITHMS)
    n_neighbors = check_int(n_neighbors, "n_neighbors", least=1)
    n_threads = count_threads(check_jobs(n_jobs))
    seed = tie_seed(random_state)
    X = open_on_device(X, device, algorithm=algorithm)
    if isinstance(X, DevicePoints):
        _check_enough(X.n_rows, n_neighbors)
        found = X.neighbors(seed, n_neighbors) if X.n_rows >= LEAST_ON_DEVICE else None
        if found is not None:
            return _with_roots(*found, X.exponent)
        X = ScaledPoints(check_array(X.in_memory(), "X", copy=False), X.exponent)
    X = open_points(X, 1, None, None, n_threads, algorithm)
    if not isinstance(X, ScaledPoints):
        raise ValueError(
            f"X must fit in memory, got {X.n_rows:,} rows of {X.n_features:,} features."
        )
    points, exponent = X
    _check_enough(len(points), n_neighbors)
    choice = KernelChoice(algorithm, points, 1)
    ids = np.arange(len(points), dtype=np.uint32)
    return _with_roots(*choice.neighbors(ids, seed, n_neighbors, n_threads), exponent)


def _with_roots(rows, squared, exponent):
    distances = np.sqrt(squared, out=squared)
    if exponent != 0:
        np.ldexp(distances, exponent, out=distances)
    return Neighbors(rows.astype(np.intp), distances)


def _check_enough(n_points, n_neighbors):
    if n_neighbors >= n_points:
        raise ValueError(
            f"n_neighbors must be less than the number of points, {n_points}, got {n_neighbors}."
        )
