"""Which kernel builds a tree: by size, dimension and a cheap look at the points, never by a clock.

Few points
    Prim's algorithm: done before any other kernel has begun.
At most five columns, or boxes that prune
    The kd-tree. Columns do not tell whether boxes prune: most everyday tables lie near few
    directions, uniform points do not. A probe counts the leaves that a search touches.
Else
    Matrix products. Of clustered points they skip most, so boxes must prune better there.

``python -m benchmarks.trees.race --algorithms auto prim kdtree products`` compares the choice with
all kernels on every cell.
"""

from functools import partial

import numpy as np

from smartsvm._core.safe_range import take_rows
from smartsvm._core.validation import check_choice
from smartsvm._mst import cube
from smartsvm._mst.common.pruning_probe import count_distinct, probe_pruning
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.prim import prim
from smartsvm._mst.products import products
from smartsvm._mst.products.clusters import has_even_clusters
from smartsvm._mst.products.projection import find_basis

KERNELS = {"prim": prim, "kdtree": kdtree, "products": products}
ALGORITHMS = ("auto", *KERNELS)

# Identities of points are 32-bit numbers, and the largest of these means none.
MOST_POINTS = 2**32 - 2

# Most points for Prim's algorithm: with one tree, with several or by mutual reachability, and in
# the union of two sets whose forests are known.
_FEW, _FEW_WITH_MORE_WORK, _FEW_IN_A_PAIR = 2_000, 1_000, 300
# Of points of which so few are distinct a kd-tree holds each once, and Prim's algorithm all.
_MOSTLY_COPIES = 0.5
# With at most so many columns boxes prune. From 30 on products win even where they do (satimage).
_LOW, _HIGH = 5, 30
# A search may touch so many leaves, and one more for every 512 points, whose products it saves; of
# clustered points, whose products are few and where late rounds search far, fewer; of a pair, whose
# forests are known, fewer, too: letter touches 27 and shuttle, where the kd-tree wins, 15.
_MOST_LEAVES, _POINTS_FOR_A_LEAF, _MOST_LEAVES_IN_CLUSTERS = 40, 512, 10
_MOST_LEAVES_OF_A_PAIR = 16
# Sites in a full leaf of a kd-tree.
_LEAF = kdtree.LEAF_SITES
# Rows that rule out most sets before all rows are asked whether every feature has two values.
_FIRST_ROWS = 24
# Most points of a probe, which takes 0.05 to 1 ms; of small sets a quarter are probed.
_SAMPLE = 1024


class KernelChoice:
    """The kernel for every subset of one data set. Threads may ask at once."""

    def __init__(self, algorithm, points, n_trees, limited=False):
        check_choice(algorithm, "algorithm", ALGORITHMS)
        if len(points) > MOST_POINTS:
            raise ValueError(
                f"X must have at most {MOST_POINTS} rows (2**32 - 2), got {len(points)}."
            )
        self.algorithm = algorithm
        self.points = points  # of any type of numbers, or mapped from a file that may change
        self._n_trees = n_trees
        self._limited = limited  # whether memory is, so that a cube has few edges
        self._known = {}

    def for_size(self, n_points, mutual=False):
        """The kernel for a subset of this many points."""
        if self.algorithm in KERNELS:
            return KERNELS[self.algorithm]
        few = n_points <= (_FEW_WITH_MORE_WORK if mutual or self._n_trees > 1 else _FEW)
        if few and (n_points <= _FEW_IN_A_PAIR or self._distinct_share() > _MOSTLY_COPIES):
            return prim
        return self._for_many(n_points)

    def for_pair(self, n_points):
        """The kernel for two subsets of this many points together, each with its forests."""
        if self.algorithm in KERNELS:
            return KERNELS[self.algorithm]
        if n_points <= _FEW_IN_A_PAIR:
            return prim
        return self._for_many(n_points, _MOST_LEAVES_OF_A_PAIR)

    def _for_many(self, n_points, most_leaves=_MOST_LEAVES):
        if self.points.shape[1] <= _LOW:
            return kdtree
        touched = self._touched_leaves(n_points)
        if touched > most_leaves + n_points / _POINTS_FOR_A_LEAF:
            return products
        if touched > _MOST_LEAVES_IN_CLUSTERS and self._has_clusters(n_points):
            return products
        return kdtree

    def forests(self, points, ids, seed, n_threads=1):
        """Forests of some points as kernels return them."""
        return self._search(points, ids, seed, n_threads)()

    def search_all(self, ids, seed, n_threads=1):
        """What computes the forests of all points, and holds no more than that needs.

        Where the choice and its points are dropped before it is called, they take no memory then.
        """
        return self._search(self.points, ids, seed, n_threads)

    def search_all_mutual(self, ids, seed, k, n_threads=1):
        """The same by mutual reachability; it returns squared cores, too."""
        kernel, n_trees = self.for_size(len(self.points), mutual=True), self._n_trees
        if self.algorithm not in KERNELS and kernel is not prim:
            found = cube.mutual_forests(self.points, ids, seed, n_trees, k, limited=self._limited)
            if found is not None:
                return lambda: found
        index = self.index(kernel, self.points, ids, n_threads)
        return partial(kernel.mutual_forests, index, seed, n_trees, k, n_threads)

    def _search(self, points, ids, seed, n_threads):
        kernel, n_trees = self.for_size(len(points)), self._n_trees
        if self.algorithm not in KERNELS:
            if kernel is prim:
                return partial(prim.prim_points, points, ids, seed, n_trees)
            found = cube.forests(points, ids, seed, n_trees, limited=self._limited)
            if found is not None:
                return lambda: found
        index = self.index(kernel, points, ids, n_threads)
        return partial(kernel.forests, index, seed, n_trees, n_threads)

    def neighbors(self, ids, seed, k, n_threads=1):
        """Rows of the k nearest other points of every point, and squared distances."""
        kernel = self.for_size(len(self.points))
        index = self.index(kernel, self.points, ids, n_threads)
        return kernel.neighbors(index, seed, k, n_threads)

    def index(self, kernel, points, ids, n_threads=1):
        """The index of some points for a kernel; indices of a pair must come from one choice."""
        if kernel is not products:
            return kernel.index(points, ids, n_threads)
        return products.index(points, ids, n_threads, self._once(find_basis, self.points))

    def are_corners(self):
        """Whether every feature has two values, so that subsets are worth a try as a cube."""
        return self.algorithm not in KERNELS and self._once(self._find_corners)

    def corner_forests(self, points, ids, seed):
        """Forests of near corners of a cube, or None; for subsets where `are_corners`."""
        return cube.forests(points, ids, seed, self._n_trees, limited=self._limited)

    def _find_corners(self):
        step = max(1, len(self.points) // _FIRST_ROWS)
        return (
            (self._n_trees == 1 or self._distinct_share() == 1)
            and _have_two_values(self.points[::step])  # a few rows rule out most sets
            and _have_two_values(self.points)
        )

    def _once(self, function, *arguments):
        """The result of a function; of threads that compute it at once, the first keeps its own."""
        if function not in self._known:
            self._known.setdefault(function, function(*arguments))
        return self._known[function]

    def _touched_leaves(self, n_points):
        """Leaves that the search for one of the points touches, by a probe; all without one.

        Copies need one search, so it counts for their share of the points.
        """
        share = self._distinct_share()
        most = n_points * share / _LEAF
        probed = self._once(self._probe) if self.points.shape[1] < _HIGH else None
        if probed is None:
            return share * most
        # They grow as a power of the number of points.
        touched, n_boxes, n_probed = probed
        grown = touched * (n_points / n_probed) ** (np.log(touched) / np.log(n_boxes))
        return share * min(most, grown)

    def _has_clusters(self, n_points):
        """Whether a large subset has clusters."""
        return n_points >= len(self.points) // 2 and self._once(has_even_clusters, self.points)

    def _distinct_share(self):
        return self._once(self._find_distinct_share)

    def _find_distinct_share(self):
        n, d = self.points.shape
        # Equal rows have equal products with one vector; others hardly ever do. Not by BLAS:
        # its idle threads would spin on a core that ours need.
        mixed = np.einsum("ij,j->i", self.points, np.cos(np.arange(1.0, d + 1)))
        return count_distinct(mixed) / n

    def _probe(self):
        """Boxes that the search for a neighbour touches in a sample, all boxes, and its points.

        None for a sample of copies, or of one box.
        """
        n = len(self.points)
        m = min(n // 4, _SAMPLE)
        sample = take_rows(self.points, np.arange(m) * n // max(m, 1))
        found = probe_pruning(sample, m) if m else None
        return None if found is None or found[1] == 1 else (*found, m)


def _have_two_values(rows):
    """Whether no feature of some points has more than two values."""
    return bool(((rows == rows.min(axis=0)) | (rows == rows.max(axis=0))).all())
