"""The public function for exact nearest neighbours."""

from __future__ import annotations

import numpy as np

from smartsvm._core.parallel import count_threads
from smartsvm._core.types import Algorithm, PointsLike, RandomState
from smartsvm._core.validation import check_choice, check_int, check_jobs, tie_seed
from smartsvm._mst.choice import ALGORITHMS, KernelChoice
from smartsvm.trees.in_memory import on_device
from smartsvm.trees.open_points import open_points
from smartsvm.trees.results import Neighbors
from smartsvm.trees.tree_plan import TreePlan


def nearest_neighbors(
    X: PointsLike,
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
    algorithm : {"auto", "prim", "kdtree", "products"}, default="auto"
        The search, by the name of the tree that uses it: all distances; a kd-tree, for few to
        moderately many features; matrix products, for many features; "auto" for the one
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
    plan = TreePlan(1, algorithm, check_jobs(n_jobs))
    seed = tie_seed(random_state)
    points = open_points(X, trees=plan, device=device)
    n_points = points.n_rows
    if points.source is not None:
        raise ValueError(
            f"X must fit in memory, got {n_points:,} rows of {points.n_features:,} features."
        )
    if n_neighbors >= n_points:
        raise ValueError(
            f"n_neighbors must be less than the number of points, {n_points}, got {n_neighbors}."
        )
    neighbors = None
    if n_points >= on_device.LEAST_ON_DEVICE:
        neighbors = on_device.neighbors(points, seed, n_neighbors)
    if neighbors is None:
        choice = KernelChoice(algorithm, points.matrix(), 1)
        ids = np.arange(n_points, dtype=np.uint32)
        neighbors = choice.neighbors(ids, seed, n_neighbors, count_threads(plan.n_jobs))
    rows, squared = neighbors
    distances = np.sqrt(squared, out=squared)
    if points.exponent != 0:
        np.ldexp(distances, points.exponent, out=distances)
    return Neighbors(rows.astype(np.intp), distances)
