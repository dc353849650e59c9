"""The public function for orthogonal minimum spanning trees."""

from __future__ import annotations

from typing import Literal

import numpy as np

from smartsvm._core.devices import find_device
from smartsvm._core.parallel import count_threads
from smartsvm._core.progress import say
from smartsvm._core.safe_range import ScaledPoints
from smartsvm._core.types import Algorithm, MemoryLimit, Path, Points, RandomState
from smartsvm._core.validation import (
    check_array,
    check_choice,
    check_int,
    check_jobs,
    check_square,
    tie_seed,
)
from smartsvm._mst.choice import ALGORITHMS, KernelChoice
from smartsvm._mst.edges.canonical import canonical
from smartsvm._mst.prim import prim_matrix
from smartsvm.trees.in_memory.cells import forests_by_cells
from smartsvm.trees.in_memory.device_points import DevicePoints, open_on_device
from smartsvm.trees.open_points import open_points
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.memory_plan import block_options, kernel_for
from smartsvm.trees.results import SpanningTrees

METRICS = ("euclidean", "precomputed")
_ROWS_AT_ONCE = 256  # of a matrix of distances, which are copied


def euclidean_mst(
    X: Points,
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
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        The kernel: Prim's algorithm; Borůvka's algorithm over a kd-tree, for few to moderately
        many features; Borůvka's algorithm over blocked matrix products, for many features;
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

    Cost: ``"prim"`` computes n_trees · n²/2 distances; ``"boruvka"`` about n log n in low
    dimension, and up to n² as the dimension grows; ``"blocked"`` one float32 matrix product of
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
    check_choice(algorithm, "algorithm", ALGORITHMS)
    check_choice(metric, "metric", METRICS)
    n_trees = check_int(n_trees, "n_trees", least=1)
    n_jobs = check_jobs(n_jobs)
    n_threads = count_threads(n_jobs)
    options = block_options(memory_limit, checkpoint, verbose)
    seed = tie_seed(random_state)
    if metric == "precomputed" and find_device(device, X) is not None:
        raise ValueError(f'metric="precomputed" needs device="cpu", got device={device!r}.')
    limit = options["memory_limit"]
    core_neighbors = check_int(core_neighbors, "core_neighbors", least=0)
    X = open_on_device(X, device, limit, algorithm=algorithm, checkpoint=checkpoint)
    if isinstance(X, DevicePoints):
        _check_core_neighbors(core_neighbors, X.n_rows)
        found = _on_device(X, n_trees, core_neighbors, seed, n_threads)
        if found is not None:
            return found
        X = ScaledPoints(check_array(X.in_memory(), "X", copy=False), X.exponent)
    if metric == "precomputed":
        if algorithm not in ("auto", "prim"):
            raise ValueError(f'metric="precomputed" needs algorithm="prim", got {algorithm!r}.')
        points = check_square(X, "X")
    else:
        X = open_points(
            X, n_trees, limit, checkpoint, n_threads, algorithm, core_neighbors=core_neighbors
        )
        if not isinstance(X, ScaledPoints):
            _refuse_blocks(core_neighbors)
            pairs, lengths, sizes = _in_blocks(
                X, n_trees, seed=seed, algorithm=algorithm, n_jobs=n_jobs, **options
            )
            return _canonical_trees(pairs, lengths, sizes, n_trees, X.n_rows)
        algorithm = kernel_for(
            limit, X.n_rows, X.n_features, n_trees, algorithm, core_neighbors=core_neighbors
        )
        points, exponent = X
        del X
    n_points = len(points)
    _check_core_neighbors(core_neighbors, n_points)
    # n(n-1)/2 edges make at most n/2 trees: looking for more would only cost memory.
    n_tried = min(n_trees, max(1, n_points // 2))
    if metric == "precomputed":
        # Read where it is: as large as all else. Prim's algorithm ends whatever the numbers are.
        core = _kth_smallest(points, core_neighbors) if core_neighbors > 0 else None
        pairs, lengths, sizes = prim_matrix(points, _identities(points), seed, n_tried, core)
        if not (np.isfinite(lengths) & (lengths >= 0)).all():
            raise ValueError("X must not change while it is read, got a length that is not legal.")
    else:
        choice, found, core = KernelChoice(algorithm, points, n_tried), None, None
        if algorithm == "auto" and limit is None and core_neighbors == 0:
            found = forests_by_cells(points, n_tried, seed, n_threads)
        ids = _identities(points)
        del points
        if core_neighbors > 0:
            *found, core = choice.mutual_forests(ids, seed, core_neighbors, n_threads)
            _take_roots(core, exponent)
        pairs, lengths, sizes = found or choice.forests(None, ids, seed, n_threads)
        _take_roots(lengths, exponent)
    trees = _canonical_trees(pairs, lengths, sizes, n_trees, n_points, n_threads)
    trees.core_distances = core
    return trees


def _check_core_neighbors(core_neighbors, n_points):
    if core_neighbors >= max(n_points, 1):
        raise ValueError(
            f"core_neighbors must be less than the number of points, {n_points}, "
            f"got {core_neighbors}."
        )


def _refuse_blocks(core_neighbors):
    if core_neighbors > 0:
        raise ValueError(
            f"core_neighbors={core_neighbors} needs points in one piece, and these are cut into "
            "blocks: raise memory_limit, and pass no checkpoint and no Dask array on a cluster."
        )


def _kth_smallest(matrix, k):
    """Of each row of a matrix of distances, without its diagonal."""
    found = np.empty(len(matrix))
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        rows = matrix[start : start + _ROWS_AT_ONCE].copy()
        np.fill_diagonal(rows[:, start:], np.inf)
        found[start : start + len(rows)] = np.partition(rows, k - 1, axis=1)[:, k - 1]
    return found


def _on_device(points, n_trees, core_neighbors, seed, n_threads):
    """The trees, computed on a GPU; None if the processor must."""
    n_tried = min(n_trees, max(1, points.n_rows // 2))
    ids = np.arange(points.n_rows, dtype=np.uint32)
    found = points.forests(ids, seed, n_tried, core_neighbors=core_neighbors)
    if found is None:
        return None
    pairs, lengths, sizes, *core = found
    for squared in (lengths, *core):
        _take_roots(squared, points.exponent)
    trees = _canonical_trees(pairs, lengths, sizes, n_trees, points.n_rows, n_threads)
    trees.core_distances = core[0] if core else None
    return trees


def _identities(points):
    return np.arange(len(points), dtype=np.uint32)


def _in_blocks(X, n_trees, **options):
    """Edges, distances and sizes, as a kernel returns them."""
    n_tried = min(n_trees, max(1, X.n_rows // 2))
    with BlockForest(X, n_trees=n_tried, **options) as forest:
        pairs, squared, sizes = forest.whole()
        if options["verbose"]:
            say(forest.report)
        _take_roots(squared, forest.exponent)
        return pairs, squared, sizes


def _take_roots(squared, exponent):
    """Turn squared distances into distances times 2^exponent, in place."""
    np.sqrt(squared, out=squared)
    if exponent != 0:
        np.ldexp(squared, exponent, out=squared)


def _canonical_trees(pairs, lengths, sizes, n_trees, n_points, n_threads=1):
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
    return SpanningTrees(edges, weights)


def count_spanning(sizes, n_points):
    """Number of leading forests that span all points."""
    spanning = (sizes == n_points - 1).tolist()
    return spanning.index(False) if False in spanning else len(spanning)
