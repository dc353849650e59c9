"""Which kernel builds a tree: by size, dimension and a cheap look at the points, never by a clock.

Few points
    Prim's algorithm, which compares all of them: up to 300 to 5,000, fewer where boxes prune, where
    the processor has no wide vectors, and of copies, which a kd-tree holds once.
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
from smartsvm._mst.common import vector_loops
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

# Prim's algorithm compares all points, and always takes so few. A kd-tree has to be built, and then
# costs as much as comparing this many more points for each leaf that a search touches.
_FEW, _POINTS_OF_A_TREE, _POINTS_OF_A_LEAF = 300, 1_500, 80
# Products take little longer for more points, and hardly longer for more columns; between two sets
# whose forests are known they gain most.
_MOST_FOR_PRIM, _MOST_NUMBERS_FOR_PRIM, _LESS_IN_A_PAIR = 5_000, 80_000, 4
# Without wide vectors it takes fewer points, and for several trees or cores.
_LESS_WITHOUT_VECTORS, _LESS_WITH_MORE_WORK = 2.5, 2
# With at most so many columns boxes prune. From 30 on products win even where they do (satimage).
_LOW, _HIGH = 5, 30
# A search may touch so many leaves, and one more for every 640 points: more of fewer than 2,000
# points, since products are slow to begin; fewer of a pair, which has fewer products, and of points
# in clusters, where these are few and late rounds search far.
_MOST_LEAVES, _POINTS_FOR_A_LEAF = 16, 640
_MANY, _MOST_LEAVES_OF_FEW, _MOST_LEAVES_OF_A_PAIR, _MOST_LEAVES_IN_CLUSTERS = 2_000, 40, 8, 10
# Of fewer points the search for clusters takes longer than they save.
_FEWEST_IN_CLUSTERS = 5_000
# Sites in a full leaf of a kd-tree.
_LEAF = kdtree.LEAF_SITES
# Rows that rule out most sets before all rows are asked whether every feature has two values.
_FIRST_ROWS = 24
# A probe looks at half of the points, of few at a quarter, and at most at so many: 0.1 to 4 ms.
_MOST_PROBED = 8192


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
        if self._suits_prim(n_points, _LESS_WITH_MORE_WORK if mutual or self._n_trees > 1 else 1):
            return prim
        few = n_points <= _MANY and self.points.shape[1] < _HIGH
        return self._for_many(n_points, _MOST_LEAVES_OF_FEW if few else _MOST_LEAVES)

    def for_pair(self, n_points):
        """The kernel for two subsets of this many points together, each with its forests."""
        if self.algorithm in KERNELS:
            return KERNELS[self.algorithm]
        if self._suits_prim(n_points, _LESS_WITH_MORE_WORK if self._n_trees > 1 else 1, pair=True):
            return prim
        return self._for_many(n_points, _MOST_LEAVES_OF_A_PAIR)

    def _suits_prim(self, n_points, less, pair=False):
        """Whether a subset is small enough for Prim's algorithm, which holds all copies, too."""
        if n_points <= _FEW:
            return True
        less = less * (_LESS_WITHOUT_VECTORS if vector_loops.taken() == "plain" else 1)
        numbers = _MOST_NUMBERS_FOR_PRIM / (_LESS_IN_A_PAIR if pair else 1)
        if n_points > min(_MOST_FOR_PRIM, numbers / self.points.shape[1]) / less:
            return False
        copied = n_points * less / self._distinct_share()
        return self._touches((copied - _POINTS_OF_A_TREE) / _POINTS_OF_A_LEAF, n_points)

    def _for_many(self, n_points, most_leaves):
        if self.points.shape[1] <= _LOW:
            return kdtree
        if self._touches(most_leaves + n_points / _POINTS_FOR_A_LEAF, n_points):
            return products
        if self._touches(_MOST_LEAVES_IN_CLUSTERS, n_points) and self._has_clusters(n_points):
            return products
        return kdtree

    def _touches(self, n_leaves, n_points):
        """Whether the search for one of the points touches more leaves, by a probe if need be."""
        if n_leaves < 0:
            return True
        return self._leaves(n_points) > n_leaves and self._touched_leaves(n_points) > n_leaves

    def _leaves(self, n_points):
        """All leaves. Copies need one search, so it counts for their share of the points."""
        return self._distinct_share() ** 2 * n_points / _LEAF

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
        """Leaves that the search for one of the points touches, by a probe; all without one."""
        probed = self._once(self._probe) if self.points.shape[1] < _HIGH else None
        if probed is None:
            return self._leaves(n_points)
        # They grow as a power of the number of points, until these fill their few values.
        touched, n_boxes, n_probed = probed
        times = min(n_points, 2 * _MOST_PROBED) / n_probed
        grown = touched * times ** (np.log(touched) / np.log(n_boxes))
        return min(self._leaves(n_points), self._distinct_share() * grown)

    def _has_clusters(self, n_points):
        """Whether a large subset has clusters."""
        n_fewest = max(_FEWEST_IN_CLUSTERS, len(self.points) // 2)
        return n_points >= n_fewest and self._once(has_even_clusters, self.points)

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
        m = min(n // (2 if n > _MANY else 4), _MOST_PROBED)
        sample = take_rows(self.points, np.arange(m) * n // max(m, 1))
        found = probe_pruning(sample, m) if m else None
        return None if found is None or found[1] == 1 else (*found, m)


def _have_two_values(rows):
    """Whether no feature of some points has more than two values."""
    return bool(((rows == rows.min(axis=0)) | (rows == rows.max(axis=0))).all())
