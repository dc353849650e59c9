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
from smartsvm.trees.out_of_core.memory_plan import MOST_CORES
from smartsvm.trees.out_of_core.partition import certain, distances_to_box, near_box
from smartsvm.trees.out_of_core.store import load

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
        choice = KernelChoice(self.algorithm, points, self.n_trees)
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
    large: np.ndarray  # the largest cores
    large_low: np.ndarray  # corners of their boxes
    large_high: np.ndarray
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
            together = cores.astype(np.uint64) * n + labels
            cores = np.unique(together, return_inverse=True)[1].ravel().astype(np.uint32)
    # Sorted here, side by side, so that the merge in the calling process is fast.
    order = np.concatenate([tree.start + np.argsort(squared[tree]) for tree in trees])
    edges, squared = edges[order], squared[order]
    counts = np.bincount(cores)
    large = np.flatnonzero(counts >= max(8, n / MOST_CORES))
    large = large if len(large) else counts.argmax()[None]
    boxes = [ranges_of(block.points[cores == core]) for core in large]
    sampled = np.random.default_rng(n).choice(n, min(n, n_sampled), replace=False)
    if block.points.shape[1] <= _MOST_CORNER_FEATURES:
        ends = [block.points.argmin(axis=0), block.points.argmax(axis=0)]
        sampled = np.union1d(sampled, np.concatenate(ends))
    low, high = map(np.array, zip(*boxes, strict=True))
    points = np.array(block.points[sampled])
    return Within(
        edges, squared, sizes, block.ids, np.array(reach), cores, large, low, high, sampled, points
    )


def near(ref_a, ref_b, boxes, reach, kernel):
    """Forests of the points within a squared reach of the other block's box."""
    a, b = load(ref_a), load(ref_b)
    rows_a = near_box(a.points, *boxes[1], reach)
    rows_b = near_box(b.points, *boxes[0], reach)
    return _together(a, b, rows_a, rows_b, kernel, reach)


def full(ref_a, ref_b, edges_a, squared_a, edges_b, squared_b, reach, kernel):
    """Forests of all points of two blocks, given those of each."""
    a, b = load(ref_a), load(ref_b)
    n = len(a.ids) + len(b.ids)
    choice = KernelChoice(kernel.algorithm, a.points, kernel.n_trees)
    module = choice.for_pair(n)
    forests = module.pair_forests(
        choice.index(module, a.points, a.ids),
        choice.index(module, b.points, b.ids),
        (edges_a, squared_a),
        (edges_b, squared_b),
        kernel.seed,
        kernel.n_trees,
        1,
    )
    return _between(forests, len(a.ids), np.concatenate([a.ids, b.ids]), reach)


class Probe(NamedTuple):
    """Points of two blocks, and the longest edges between them that can matter."""

    rows_a: np.ndarray  # rows of the first block; None for all rows in the box
    # squared limits of the points: an edge is at most as long as the limit of one of its ends
    reach_a: np.ndarray
    box_a: tuple  # corners of the box around the points
    rows_b: np.ndarray  # the same for the second block
    reach_b: np.ndarray
    box_b: tuple

    def is_empty(self):
        """Whether one side has no points."""
        return any(rows is not None and not len(rows) for rows in (self.rows_a, self.rows_b))


def rest(ref_a, ref_b, probes, reach, kernel):
    """Forests that hold every edge between two blocks that some probe asks for."""
    a, b = load(ref_a), load(ref_b)
    rows_a, rows_b = np.zeros(len(a.ids), dtype=bool), np.zeros(len(b.ids), dtype=bool)
    for probe in probes:
        own_a = _that_reach(a, probe.rows_a, probe.box_a, probe.reach_a, probe.box_b)
        own_b = _that_reach(b, probe.rows_b, probe.box_b, probe.reach_b, probe.box_a)
        met_a = _reached(a, probe.rows_a, probe.box_a, b.points[own_b[0]], own_b[1])
        met_b = _reached(b, probe.rows_b, probe.box_b, a.points[own_a[0]], own_a[1])
        # A point with no other within its reach is not needed.
        if len(met_b):
            rows_a[own_a[0]] = rows_b[met_b] = True
        if len(met_a):
            rows_b[own_b[0]] = rows_a[met_a] = True
    return _together(a, b, np.flatnonzero(rows_a), np.flatnonzero(rows_b), kernel, reach)


def _that_reach(block, rows, box, reaches, other_box):
    """Those of the rows whose reach goes as far as the other box, and their reaches."""
    if not np.any(reaches > 0):
        return np.empty(0, dtype=np.intp), np.empty(0)
    if rows is None:
        return _inside(block, near_box(block.points, *other_box, reaches), box), reaches
    enough = distances_to_box(block.points[rows], *other_box) <= reaches
    return rows[enough], reaches[enough]


def _inside(block, rows, box):
    """Those of the rows in a box."""
    return rows[distances_to_box(block.points[rows], *box) <= 0]


def _reached(block, rows, box, others, reaches):
    """Those of the rows within the reach of one of the other points, or a little farther."""
    if not len(others):
        return np.empty(0, dtype=np.intp)
    near = near_box(block.points, *ranges_of(others), np.max(reaches))
    if rows is None:
        rows = _inside(block, near, box)
    else:
        is_near = np.zeros(len(block.points), dtype=bool)
        is_near[near] = True
        rows = rows[is_near[rows]]
    # Points of a large core all reach as far: their box is near enough.
    if np.ndim(reaches) == 0 or not np.isfinite(reaches).all():
        return rows
    points = block.points[rows]
    found = np.zeros(len(points), dtype=bool)
    # Searched together if their reaches differ by less than a factor of two.
    power = np.frexp(np.sqrt(reaches))[1]
    for each in np.unique(power):
        here, longest = others[power == each], reaches[power == each].max()
        candidates = near_box(points, here.min(axis=0), here.max(axis=0), longest)
        candidates = candidates[~found[candidates]]
        if not len(candidates):
            continue
        # The bound spares most of the search; a little longer than what is then compared.
        nearest, _ = cKDTree(here).query(
            points[candidates], distance_upper_bound=max(1.001 * np.sqrt(longest), 1e-150)
        )
        found[candidates[certain(nearest**2, points.shape[1]) <= longest]] = True
    return rows[found]


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
    kept = (is_first[:, 0] != is_first[:, 1]) | (squared > shortest)
    tree = np.repeat(np.arange(len(sizes)), sizes)[kept]
    return Forests(ids[edges[kept]], squared[kept], np.bincount(tree, minlength=len(sizes)))
