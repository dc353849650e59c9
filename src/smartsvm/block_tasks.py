"""The tasks: forests of one block, and of what two blocks have near each other.

Each is a function of plain arrays that runs anywhere. Rows in a result are rows of the
whole data set, except in `Within`, whose edges are pairs of rows of the block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from smartsvm._mst.bottleneck import Linkage
from smartsvm.block_store import load
from smartsvm.blocks import certain, distances_to_box
from smartsvm.forest import Forests
from smartsvm.kernel_choice import KernelChoice

# Share of a block's edges that are short enough to make up its cores. The others, and
# with them the points to look at twice, should be few; the reach between blocks short.
_SHORT = 0.99
_MOST_CORNER_FEATURES = 16  # up to so many features the extreme points are sampled as well


class Kernel(NamedTuple):
    """How forests are to be made.

    Attributes
    ----------
    algorithm : str
        Kernel, as in `euclidean_mst`.
    seed : int
        Seed of the tie order.
    n_trees : int
        Orthogonal trees.
    n_threads : int
        Threads of one task.
    """

    algorithm: str
    seed: int
    n_trees: int
    n_threads: int

    def forests(self, points, ids):
        """Forests of some points; edges are pairs of their positions."""
        module = KernelChoice(self.algorithm, points, self.n_trees).for_size(len(points))
        index = module.index(points, ids, self.n_threads)
        return Forests(*module.forests(index, self.seed, self.n_trees, self.n_threads))


class Within(NamedTuple):
    """The forests of one block, and how its points hang together.

    Attributes
    ----------
    edges, squared, sizes : ndarray
        The forests, edges as pairs of rows of the block.
    ids : ndarray of shape (n,)
        Rows of the whole data set.
    reach : float
        A squared length that most edges do not exceed.
    cores : ndarray of shape (n,)
        A number for each point: points of one number are connected in each of the
        forests by edges up to `reach`.
    sampled : ndarray
        Rows of the block that stand for it.
    points : ndarray
        Their coordinates.
    """

    edges: np.ndarray
    squared: np.ndarray
    sizes: np.ndarray
    ids: np.ndarray
    reach: np.ndarray
    cores: np.ndarray
    sampled: np.ndarray
    points: np.ndarray


def within(ref, kernel, n_sampled):
    """The forests of a block."""
    block = load(ref)
    n = len(block.ids)
    edges, squared, sizes = kernel.forests(block.points, block.ids)
    trees = np.split(np.arange(len(edges)), np.cumsum(sizes)[:-1])
    last = [tree for tree in trees if len(tree)][-1:] or [trees[0]]
    lengths = squared[last[0]]
    place = int(_SHORT * (len(lengths) - 1)) if len(lengths) else 0
    reach = float(np.partition(lengths, place)[place]) if len(lengths) else 0.0
    cores = np.zeros(n, dtype=np.uint32)
    for tree in trees:
        labels, _ = Linkage(edges[tree], squared[tree], n).components(reach)
        if not cores.any():
            cores = labels
        else:
            together = cores.astype(np.uint64) * n + labels
            cores = np.unique(together, return_inverse=True)[1].ravel().astype(np.uint32)
    sampled = np.random.default_rng(n).choice(n, min(n, n_sampled), replace=False)
    if block.points.shape[1] <= _MOST_CORNER_FEATURES:
        ends = [block.points.argmin(axis=0), block.points.argmax(axis=0)]
        sampled = np.union1d(sampled, np.concatenate(ends))
    return Within(
        edges,
        squared,
        sizes,
        block.ids,
        np.array(reach),
        cores,
        sampled,
        np.array(block.points[sampled]),
    )


def near(ref_a, ref_b, boxes, reach, kernel):
    """Forests of the points of two blocks that are within a reach of the other's box.

    Both ends of an edge between the blocks of at most this squared length are among them.
    """
    a, b = load(ref_a), load(ref_b)
    rows_a = np.flatnonzero(distances_to_box(a.points, *boxes[1]) <= reach)
    rows_b = np.flatnonzero(distances_to_box(b.points, *boxes[0]) <= reach)
    return _together(a, b, rows_a, rows_b, kernel)


def full(ref_a, ref_b, within_a, within_b, kernel):
    """Forests of all points of two blocks, given those of each."""
    a, b = load(ref_a), load(ref_b)
    n = len(a.ids) + len(b.ids)
    module = KernelChoice(kernel.algorithm, a.points, kernel.n_trees).for_size(n)
    edges, squared, sizes = module.pair_forests(
        module.index(a.points, a.ids, kernel.n_threads),
        module.index(b.points, b.ids, kernel.n_threads),
        within_a,
        within_b,
        kernel.seed,
        kernel.n_trees,
        kernel.n_threads,
    )
    return Forests(np.concatenate([a.ids, b.ids])[edges], squared, sizes)


def rest(ref_a, ref_b, boxes, loose_a, loose_b, kernel):
    """Forests that hold every edge between two blocks that may be long and still matter.

    `loose_a` and `loose_b` are (rows, squared reaches): an edge between the blocks
    matters only if it is not longer than the reach of one of its ends.
    """
    a, b = load(ref_a), load(ref_b)
    loose_a = _that_reach(a, *loose_a, boxes[1])
    loose_b = _that_reach(b, *loose_b, boxes[0])
    rows_a = np.union1d(loose_a[0], _reached(a, b, *loose_b))
    rows_b = np.union1d(loose_b[0], _reached(b, a, *loose_a))
    return _together(a, b, rows_a, rows_b, kernel)


def _that_reach(block, rows, reaches, box):
    """Those of the loose points whose reach goes as far as the other box."""
    far = distances_to_box(block.points[rows], *box)
    return rows[far <= reaches], reaches[far <= reaches]


def _reached(block, other, rows, reaches):
    """Points of a block within the reach of some points of the other one, or a few more."""
    if not len(rows):
        return rows
    if not np.isfinite(reaches).all():
        return np.arange(len(block.ids))
    points = other.points[rows]
    found = np.zeros(len(block.ids), dtype=bool)
    # Searched together if their reaches differ by less than a factor of two.
    power = np.frexp(np.sqrt(reaches))[1]
    for each in np.unique(power):
        here = points[power == each]
        longest = reaches[power == each].max()
        candidates = np.flatnonzero(
            ~found
            & (distances_to_box(block.points, here.min(axis=0), here.max(axis=0)) <= longest)
        )
        nearest, _ = cKDTree(here).query(block.points[candidates])
        found[candidates[certain(nearest**2, points.shape[1]) <= longest]] = True
    return np.flatnonzero(found)


def _together(a, b, rows_a, rows_b, kernel):
    """Forests of some points of two blocks; none if one side has no points."""
    if not len(rows_a) or not len(rows_b):
        return Forests(
            np.empty((0, 2), dtype=np.uint32),
            np.empty(0),
            np.zeros(kernel.n_trees, dtype=np.intp),
        )
    points = np.concatenate([a.points[rows_a], b.points[rows_b]])
    ids = np.concatenate([a.ids[rows_a], b.ids[rows_b]])
    edges, squared, sizes = kernel.forests(points, ids)
    return Forests(ids[edges], squared, sizes)
