"""The tasks: forests of one block, and of what two blocks have near each other.

Each is a function of plain arrays that runs anywhere. Rows in a result are rows of the
whole data set, except in `Within`, whose edges are pairs of rows of the block. Results for
two blocks leave out short edges within one: those that matter are among its own forests.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from smartsvm._core.sources import ranges_of
from smartsvm._mst.choice import KernelChoice
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.out_of_core.blocks import load
from smartsvm.trees.out_of_core.partition import certain, distances_to_box, near_box

# Share of a block's edges that are short enough to make up its cores. The others, and
# with them the points to look at twice, should be few; the reach between blocks short.
_SHORT = 0.99
_MOST_CORNER_FEATURES = 16  # up to this many features the extreme points are sampled as well


class Kernel(NamedTuple):
    """How tasks compute forests; each task uses one thread."""

    algorithm: str  # as in `euclidean_mst`
    seed: int  # of the order of ties
    n_trees: int

    def forests(self, points, ids):
        """Forests of some points; edges are pairs of their positions."""
        choice = KernelChoice(self.algorithm, points, self.n_trees, limited=True)
        return Forests(*choice.forests(points, ids, self.seed))


class Within(NamedTuple):
    """The forests of one block, and how its points are connected."""

    edges: np.ndarray  # of all forests, as pairs of rows of the block
    squared: np.ndarray  # squared lengths
    sizes: np.ndarray  # edges of each forest
    ids: np.ndarray  # rows of the whole data set
    reach: np.ndarray  # squared length that most edges do not exceed
    # the core of each point: in every forest, edges up to `reach` connect a core
    cores: np.ndarray
    sampled: np.ndarray  # rows of a sample of the block
    points: np.ndarray  # their coordinates


def _components(edges, n):
    """A number for each of n nodes, equal where edges connect them."""
    graph = coo_matrix((np.ones(len(edges), dtype=bool), edges.T), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.uint32)


def within(ref, kernel, n_sampled):
    """The forests of a block."""
    block = load(ref)
    n = len(block.ids)
    edges, squared, sizes = kernel.forests(block.points, block.ids)
    stops = np.cumsum(sizes).tolist()
    trees = [slice(stop - size, stop) for stop, size in zip(stops, sizes.tolist(), strict=True)]
    last = [tree for tree in trees if tree.stop > tree.start][-1:] or [trees[0]]
    lengths = squared[last[0]]
    place = int(_SHORT * (len(lengths) - 1)) if len(lengths) else 0
    reach = float(np.partition(lengths, place)[place]) if len(lengths) else 0.0
    cores = np.zeros(n, dtype=np.uint32)
    for tree in trees:
        labels = _components(edges[tree][squared[tree] <= reach], n)
        if not cores.any():
            cores = labels
        else:
            both = cores.astype(np.uint64) * n + labels
            cores = np.unique(both, return_inverse=True)[1].ravel().astype(np.uint32)
    # Sorted here, side by side, so that the merge in the calling process is fast.
    order = np.concatenate([tree.start + np.argsort(squared[tree]) for tree in trees])
    edges, squared = edges[order], squared[order]
    sampled = np.random.default_rng(n).choice(n, min(n, n_sampled), replace=False)
    if block.points.shape[1] <= _MOST_CORNER_FEATURES:
        ends = [block.points.argmin(axis=0), block.points.argmax(axis=0)]
        sampled = np.union1d(sampled, np.concatenate(ends))
    points = np.array(block.points[sampled])
    return Within(edges, squared, sizes, block.ids, np.array(reach), cores, sampled, points)


def near(ref_a, ref_b, boxes, reach, kernel):
    """Forests of the points within a squared reach of the other block's box."""
    a, b = load(ref_a), load(ref_b)
    rows_a = near_box(a.points, *boxes[1], reach)
    rows_b = near_box(b.points, *boxes[0], reach)
    return _together(a, b, rows_a, rows_b, kernel, reach)


def full(ref_a, ref_b, trees_a, trees_b, reach, kernel):
    """Forests of all points of two blocks, given edges and squared lengths of those of each."""
    a, b = load(ref_a), load(ref_b)
    n = len(a.ids) + len(b.ids)
    choice = KernelChoice(kernel.algorithm, a.points, kernel.n_trees, limited=True)
    module = choice.for_pair(n)
    forests = module.pair_forests(
        choice.index(module, a.points, a.ids),
        choice.index(module, b.points, b.ids),
        trees_a,
        trees_b,
        kernel.seed,
        kernel.n_trees,
        1,
    )
    return _between(forests, len(a.ids), np.concatenate([a.ids, b.ids]), reach)


def rest(ref_a, ref_b, limits, boxes, reach, kernel):
    """Forests that hold every edge between two blocks that is within the limit of one of its ends.

    `limits` has rows of each block, and the squared length up to which an edge of each matters.
    """
    blocks = load(ref_a), load(ref_b)
    matters = [np.zeros(len(block.ids), dtype=bool) for block in blocks]
    for own, other in ((0, 1), (1, 0)):
        rows, reaches = limits[own]
        is_near = distances_to_box(blocks[own].points[rows], *boxes[other]) <= reaches
        rows, reaches = rows[is_near], reaches[is_near]
        met = _within_reach(blocks[other].points, blocks[own].points[rows], reaches)
        # A point with no other within its reach is not needed.
        if len(met):
            matters[own][rows] = matters[other][met] = True
    return _together(*blocks, *map(np.flatnonzero, matters), kernel, reach)


def _within_reach(points, others, reaches):
    """Rows of the points within the reach of one of the others, or a little farther."""
    if not len(others):
        return np.empty(0, dtype=np.intp)
    rows = near_box(points, *ranges_of(others), reaches.max())
    if not np.isfinite(reaches).all():
        return rows
    points = points[rows]
    is_met = np.zeros(len(points), dtype=bool)
    # Searched together if their reaches differ by less than a factor of two.
    power = np.frexp(np.sqrt(reaches))[1]
    for each in np.unique(power):
        here, longest = others[power == each], reaches[power == each].max()
        candidates = near_box(points, *ranges_of(here), longest)
        candidates = candidates[~is_met[candidates]]
        if not len(candidates):
            continue
        # The bound spares most of the search; a little longer than what is then compared.
        nearest, _ = cKDTree(here).query(
            points[candidates], distance_upper_bound=max(1.001 * np.sqrt(longest), 1e-150)
        )
        is_met[candidates[certain(nearest**2, points.shape[1]) <= longest]] = True
    return rows[is_met]


def _together(a, b, rows_a, rows_b, kernel, shortest):
    """Forests of some points of two blocks; none if one side has no points."""
    if not len(rows_a) or not len(rows_b):
        return Forests(
            np.empty((0, 2), dtype=np.uint32), np.empty(0), np.zeros(kernel.n_trees, dtype=np.intp)
        )
    points = np.concatenate([a.points[rows_a], b.points[rows_b]])
    ids = np.concatenate([a.ids[rows_a], b.ids[rows_b]])
    return _between(kernel.forests(points, ids), len(rows_a), ids, shortest)


def _between(forests, n_first, ids, shortest):
    """Edges between two blocks, and those within that are long enough to tell anything new."""
    edges, squared, sizes = forests
    is_first = edges < n_first
    matters = (is_first[:, 0] != is_first[:, 1]) | (squared > shortest)
    tree = np.repeat(np.arange(len(sizes)), sizes)[matters]
    return Forests(ids[edges[matters]], squared[matters], np.bincount(tree, minlength=len(sizes)))
