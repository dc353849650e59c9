"""The public function for orthogonal minimum spanning trees."""

from __future__ import annotations

from typing import Literal

import numpy as np

from smartsvm._core.devices import find_device, on_host
from smartsvm._core.parallel import count_threads
from smartsvm._core.types import Algorithm, MemoryLimit, Path, PointsLike, RandomState
from smartsvm._core.validation import check_choice, check_int, check_square, tie_seed
from smartsvm._mst.choice import KernelChoice
from smartsvm._mst.edges.canonical import canonical
from smartsvm._mst.prim.prim import prim_matrix
from smartsvm.presentation.progress import say
from smartsvm.trees.in_memory import on_device
from smartsvm.trees.in_memory.forests import most_trees
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.results import SpanningTrees
from smartsvm.trees.tree_plan import TreePlan

METRICS = ("euclidean", "precomputed")
# Rows of a matrix of distances that are copied at a time.
_ROWS_AT_ONCE = 256


def euclidean_mst(
    X: PointsLike,
    *,
    n_trees: int = 1,
    core_neighbors: int = 0,
    algorithm: Algorithm = "auto",
    metric: Literal["euclidean", "precomputed"] = "euclidean",
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    memory_limit: MemoryLimit = None,
    checkpoint: Path | None = None,
    verbose: int = 0,
    device: str | None = None,
) -> SpanningTrees:
    """Compute the Euclidean minimum spanning tree of points, or several orthogonal trees.

    The first tree is the minimum spanning tree of the complete graph of distances. Each further
    tree is the minimum spanning tree of the edges that the earlier trees do not use.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The points, or with ``metric="precomputed"`` their distances: nonnegative and symmetric (a
        relative asymmetry below 1e-10 is averaged out); the diagonal is ignored. Points may also be
        a memory-map, a Dask array, the path of a ``.npy`` file or of a folder of ``.npy`` or
        Parquet files, or a tensor of PyTorch, CuPy or another library that supports DLPack.
    n_trees : int, default=1
        Number of edge-disjoint trees.
    core_neighbors : int, default=0
        A number k > 0 replaces the distance of two points by their mutual reachability: the
        largest of their distance and their core distances, each the distance to the k-th nearest
        other point. The point itself does not count: k is `min_samples` of the packages hdbscan
        and fast_hdbscan, and ``min_samples - 1`` of scikit-learn's HDBSCAN. Needs points that
        fit in memory, or in that of a GPU.
    algorithm : {"auto", "prim", "kdtree", "products"}, default="auto"
        The kernel: Prim's algorithm; Borůvka's algorithm over a kd-tree, for few to moderately
        many features; Kruskal's algorithm over matrix products, for many features;
        "auto" for the one that should be fastest. All return the same trees.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        What `X` holds.
    n_jobs : int or None, default=None
        Number of threads; Prim's algorithm uses one. For data in blocks, the number of
        parallel tasks on the backend that ``joblib.parallel_config`` selects.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among edges of equal length. The default gives the same trees at
        every call; None draws a new order.
    memory_limit : int, str or None, default=None
        Memory that the call and its workers may use together (on a cluster, each worker), in
        bytes or as text such as ``"4 GiB"``. Data that needs more is cut into blocks on disk;
        the trees are the same. By default, arrays are never cut, and data that is not in memory
        may use half of the free memory. On a GPU it bounds what the trees take there beside X.
    checkpoint : path or None, default=None
        Folder that keeps finished blocks, so that a call that was stopped can resume, also with
        another `n_jobs`. Data in memory is cut into blocks for it. Checksums protect its
        files against damage, not against forgery: use a folder that only you can write to.
    verbose : int, default=0
        1 reports the progress of work on blocks on standard error.
    device : str or None, default=None
        Where to compute: ``"cpu"``, ``"cuda"`` for the first GPU or ``"cuda:1"`` for another;
        None for where `X` lives. The trees are the same. A GPU needs PyTorch and Triton:
        ``pip install smartsvm2[gpu]``.

    Returns
    -------
    SpanningTrees
        ``edges`` of shape (n_trees, n_samples - 1, 2), each edge with i < j, and ``weights`` of
        shape (n_trees, n_samples - 1), both in the order (weight, i, j); ``core_distances`` of
        shape (n_samples,), or None without `core_neighbors`.

    Raises
    ------
    ValueError
        If there are fewer than `n_trees` orthogonal trees; the message names the largest
        number possible. If `core_neighbors` is not below the number of points.

    Notes
    -----
    Edges are ordered by squared distance. To break ties, every row gets a rank in a seeded
    random order, and the edge whose ends have the closest ranks comes first (of these, the one
    with the smaller ranks). So the tree is unique and does not depend on labels, and another
    order of the rows has the same effect as another seed. Equal rows are joined in O(n log n).
    Of edges with equal mutual reachability the one of the smaller distance comes first, then
    these ranks decide.

    Points may have any finite scale: they are multiplied by a power of two where squares would
    leave the range of float64. A warning says if the nonzero differences span more than a factor
    of 2^500.

    There may be fewer than n/2 orthogonal trees: if the first tree is a star, its centre has no
    edge left for a second one.

    Cost: ``"prim"`` computes n_trees · n²/2 distances; ``"kdtree"`` about n log n in low
    dimension, and up to n² as the dimension grows; ``"products"`` one float32 matrix product of
    about n²/2 entries for all trees together. Each needs O(n (d + n_trees)) memory. A GPU computes
    the same product in fp16, with n²/4096 entries in memory; for core distances once more, with
    n²/256.

    Examples
    --------
    >>> from smartsvm import euclidean_mst
    >>> trees = euclidean_mst([[0.0], [1.0], [3.0], [7.0]])
    >>> trees.edges[0].tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> trees.weights[0].tolist()
    [1.0, 2.0, 4.0]
    """
    check_choice(metric, "metric", METRICS)
    trees = TreePlan.checked(
        n_trees,
        algorithm,
        n_jobs,
        memory_limit,
        checkpoint,
        verbose,
        core_neighbors=check_int(core_neighbors, "core_neighbors", least=0),
    )
    seed = tie_seed(random_state)
    if metric == "precomputed":
        return _trees_of_matrix(X, trees, seed, device)
    points = open_points(X, trees=trees, device=device)
    if points.source is not None:
        return _trees_in_blocks(points, trees, seed)
    n_points, exponent = points.n_rows, points.exponent
    _check_cores(core_neighbors, n_points)
    n_tried, n_threads = most_trees(n_points, trees.n_trees), count_threads(trees.n_jobs)
    ids = np.arange(n_points, dtype=np.uint32)
    core = None
    forests = on_device.forests(points, ids, seed, n_tried, core_neighbors=core_neighbors)
    if forests is None:
        kernel, values = trees.kernel(*points.shape), points.matrix()
        choice = KernelChoice(kernel, values, n_tried, points.limit is not None)
        if core_neighbors > 0:
            search = choice.search_all_mutual(ids, seed, core_neighbors, n_threads)
        else:
            search = choice.search_all(ids, seed, n_threads)
        del points, values, choice  # they take no memory where trees take most
        forests = search()
    if core_neighbors > 0:
        *forests, core = forests
        _take_roots(core, exponent)
    pairs, lengths, sizes = forests
    _take_roots(lengths, exponent)
    return _canonical_trees(pairs, lengths, sizes, trees.n_trees, n_points, core, n_threads)


def _check_cores(core_neighbors, n_points):
    if core_neighbors >= max(n_points, 1):
        raise ValueError(
            f"core_neighbors must be less than the number of points, {n_points}, "
            f"got {core_neighbors}."
        )


def _trees_of_matrix(distances, trees, seed, device):
    """The trees of a matrix of distances, which is read where it is: as large as all else."""
    if find_device(device, distances) is not None:
        raise ValueError(f'metric="precomputed" needs device="cpu", got device={device!r}.')
    if trees.algorithm not in ("auto", "prim"):
        raise ValueError(f'metric="precomputed" needs algorithm="prim", got {trees.algorithm!r}.')
    distances = check_square(on_host(distances), "X")
    n_points, k = len(distances), trees.core_neighbors
    _check_cores(k, n_points)
    core = _kth_smallest(distances, k) if k > 0 else None
    ids = np.arange(n_points, dtype=np.uint32)
    pairs, lengths, sizes = prim_matrix(
        distances, ids, seed, most_trees(n_points, trees.n_trees), core
    )
    # Prim's algorithm ends whatever the numbers are.
    if not (np.isfinite(lengths) & (lengths >= 0)).all():
        raise ValueError("X must not change while it is read, got a length that is not legal.")
    return _canonical_trees(pairs, lengths, sizes, trees.n_trees, n_points, core)


def _kth_smallest(matrix, k):
    """Of each row of a matrix of distances, without its diagonal."""
    smallest = np.empty(len(matrix))
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        rows = matrix[start : start + _ROWS_AT_ONCE].copy()
        np.fill_diagonal(rows[:, start:], np.inf)
        smallest[start : start + len(rows)] = np.partition(rows, k - 1, axis=1)[:, k - 1]
    return smallest


def _trees_in_blocks(points, trees, seed):
    """The trees of points that are not read, computed in blocks."""
    if trees.core_neighbors > 0:
        raise ValueError(
            f"core_neighbors={trees.core_neighbors} needs points in one piece, and these are cut "
            "into blocks: raise memory_limit, and pass no checkpoint and no Dask array on a "
            "cluster."
        )
    with BlockForest(points, **trees.options(seed, points.n_rows), **trees.limits()) as forest:
        pairs, squared, sizes = forest.whole()
        if trees.verbose:
            say(forest.report)
        exponent = forest.exponent
    _take_roots(squared, exponent)
    return _canonical_trees(pairs, squared, sizes, trees.n_trees, points.n_rows)


def _take_roots(squared, exponent):
    """Turn squared distances into distances times 2^exponent, in place."""
    np.sqrt(squared, out=squared)
    if exponent != 0:
        np.ldexp(squared, exponent, out=squared)


def _canonical_trees(pairs, lengths, sizes, n_trees, n_points, core=None, n_threads=1):
    """The trees in the order (weight, i, j); raise if there are too few."""
    feasible = count_spanning(sizes, n_points)
    if feasible < n_trees:
        raise ValueError(
            f"n_trees must be at most {feasible} for these {n_points} points, got {n_trees}: "
            f"without the edges of {feasible} trees they are no longer connected."
        )
    edges = np.empty((n_trees, n_points - 1, 2), dtype=np.intp)
    weights = np.empty((n_trees, n_points - 1))
    for tree in range(n_trees):
        part = slice(tree * (n_points - 1), (tree + 1) * (n_points - 1))
        canonical(pairs[part], lengths[part], edges[tree], weights[tree], n_threads)
    trees = SpanningTrees(edges, weights)
    trees.core_distances = core
    return trees


def count_spanning(sizes, n_points):
    """Number of leading forests that span all points."""
    spanning = (sizes == n_points - 1).tolist()
    return spanning.index(False) if False in spanning else len(spanning)
