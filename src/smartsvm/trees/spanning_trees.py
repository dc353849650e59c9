"""Orthogonal Euclidean minimum spanning trees: validated, exact, in canonical order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs

from smartsvm._core.progress import say
from smartsvm._core.scaling import ScaledPoints
from smartsvm._core.threads import run_chunks
from smartsvm._core.validation import (
    check_choice,
    check_int,
    check_jobs,
    check_square,
    tie_seed,
)
from smartsvm._mst.choice import ALGORITHMS, KernelChoice
from smartsvm._mst.edges.canonical import canonical
from smartsvm._mst.prim import prim_matrix
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.memory_plan import block_options, open_points

METRICS = ("euclidean", "precomputed")
_BLOCK, _SHARE = 2**16, 2**19  # edges of a chunk, and how many are worth a thread


class SpanningTrees(NamedTuple):
    """Edge-disjoint spanning trees of one set of points.

    Attributes
    ----------
    edges : ndarray of shape (n_trees, n_samples - 1, 2)
        Row pairs (i, j) with i < j, each tree in the order (weight, i, j).
    weights : ndarray of shape (n_trees, n_samples - 1)
        The distances between the rows of each edge.
    """

    edges: np.ndarray
    weights: np.ndarray


def euclidean_mst(
    X, *, n_trees=1, algorithm="auto", metric="euclidean", n_jobs=None, random_state=0,
    memory_limit=None, checkpoint=None, verbose=0,
):  # fmt: skip
    """Minimum spanning tree of points in Euclidean space, and orthogonal ones after it.

    The first tree is the minimum spanning tree of the complete graph of distances;
    each further tree is the minimum spanning tree of what is left when the edges
    of the earlier trees are taken away.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The points, or with ``metric="precomputed"`` their distances: symmetric (a
        relative asymmetry below 1e-10 is averaged away), nonnegative, the diagonal
        ignored. Points may also be a memory-map, a Dask array, or the path of a
        ``.npy`` file or of a folder of ``.npy`` or Parquet parts.
    n_trees : int, default=1
        How many edge-disjoint trees to take.
    algorithm : {"auto", "prim", "boruvka", "blocked"}, default="auto"
        The kernel: Prim's algorithm; Borůvka's over a kd-tree, for low and middle
        dimension; Borůvka's over lists from blocked matrix products, for high
        dimension; or the one of them that promises to be fastest. All of them
        return the same trees.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        What `X` holds.
    n_jobs : int or None, default=None
        Threads; Prim's algorithm uses one. In blocks: tasks at a time, on the backend
        that ``joblib.parallel_config`` names.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the order among edges of equal length. The default gives the same
        trees at every call; None draws a new order.
    memory_limit : int, str or None, default=None
        Bytes, or a text such as ``"4 GiB"``, that the call and its workers may take
        together, or each worker on a cluster. Data that needs more is cut into blocks
        on disk; the trees are the same. By default arrays are never cut, and data that
        is not in memory may take half of the memory that is free.
    checkpoint : path or None, default=None
        Folder in which the work on blocks leaves its results, so that a call that was
        stopped goes on from there. Data in memory is cut into blocks for it.
    verbose : int, default=0
        1 shows progress of work on blocks on standard error.

    Returns
    -------
    SpanningTrees
        ``edges`` of shape (n_trees, n_samples - 1, 2), each edge with i < j, and
        ``weights`` of shape (n_trees, n_samples - 1), both in the order
        (weight, i, j).

    Raises
    ------
    ValueError
        If fewer than `n_trees` edge-disjoint trees can be taken; the message names
        the largest number that can.

    Notes
    -----
    Edges are ordered by squared distance. Where distances tie, every row has a rank in a
    seeded random order of all rows, and the edge comes first whose ends have ranks that
    differ least (of these, the one with the smaller ranks). So the tree is unique, the
    choice knows nothing of labels, and the order of the rows matters only as another
    seed would. Equal rows are joined in O(n log n).

    Points of any finite scale are good input: they are multiplied by a power of
    two where squares would leave the range of float64. Only if the nonzero
    differences span more than a factor of 2^500 is there a warning.

    Taking trees away can run out before n/2 of them: if the first tree is a star,
    its centre has no edge left for a second one.

    Cost: ``"prim"`` n_trees · n²/2 distances; ``"boruvka"`` about n log n of them in
    low dimension, growing towards n² with the dimension; ``"blocked"`` one float32
    matrix product of n²/2 entries or little more for all trees together. Memory
    O(n (d + n_trees)) for each.

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
    n_threads = effective_n_jobs(n_jobs)
    options = block_options(memory_limit, checkpoint, verbose)
    seed = tie_seed(random_state)
    if metric == "precomputed":
        if algorithm not in ("auto", "prim"):
            raise ValueError(f'metric="precomputed" needs algorithm="prim", got {algorithm!r}.')
        points = check_square(X, "X")
    else:
        X = open_points(X, n_trees, options["memory_limit"], checkpoint, n_threads)
        if not isinstance(X, ScaledPoints):
            pairs, lengths, sizes = _in_blocks(
                X, n_trees, seed=seed, algorithm=algorithm, n_jobs=n_jobs, **options
            )
            return _canonical_trees(pairs, lengths, sizes, n_trees, X.n_rows)
        points, exponent = X
        del X
    n_points = len(points)
    # n(n-1)/2 edges hold at most n/2 trees: asking for more would only cost memory.
    n_tried = min(n_trees, max(1, n_points // 2))
    if metric == "precomputed":
        # Read where it is: as large as all else. Prim's algorithm ends whatever the numbers are.
        pairs, lengths, sizes = prim_matrix(points, _identities(points), seed, n_tried)
        if not (np.isfinite(lengths) & (lengths >= 0)).all():
            raise ValueError("X must not change while it is read, got a length that is not legal.")
    else:
        choice, ids = KernelChoice(algorithm, points, n_tried), _identities(points)
        del points
        pairs, lengths, sizes = choice.forests(None, ids, seed, n_threads)
        _take_roots(lengths, exponent, n_threads)
    return _canonical_trees(pairs, lengths, sizes, n_trees, n_points, n_threads)


def _identities(points):
    return np.arange(len(points), dtype=np.uint32)


def _in_blocks(X, n_trees, **options):
    """As a kernel returns them, with distances."""
    n_tried = min(n_trees, max(1, X.n_rows // 2))
    with BlockForest(X, n_trees=n_tried, **options) as forest:
        pairs, squared, sizes = forest.whole()
        if options["verbose"]:
            say(forest.report)
        return pairs, np.ldexp(np.sqrt(squared), forest.exponent), sizes


def _take_roots(squared, exponent, n_threads):
    """From squared distances to distances times 2^exponent, in place."""

    def take(start, stop):
        part = squared[start:stop]
        np.sqrt(part, out=part)
        if exponent != 0:
            np.ldexp(part, exponent, out=part)

    if len(squared) <= _BLOCK:
        take(0, len(squared))
        return
    run_chunks(take, len(squared), _BLOCK, min(n_threads, 1 + len(squared) // _SHARE))


def _canonical_trees(pairs, lengths, sizes, n_trees, n_points, n_threads=1):
    """The trees in the order (weight, i, j), if there are as many as were asked for."""
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
    """How many of the peeled forests, from the first on, are trees that span all points."""
    spanning = (sizes == n_points - 1).tolist()
    return spanning.index(False) if False in spanning else len(spanning)
