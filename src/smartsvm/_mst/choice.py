"""Which kernel builds a tree: by size, dimension and a cheap probe of the points."""

from threading import Lock
from typing import NamedTuple

import numpy as np

from smartsvm._core.safe_range import take_rows
from smartsvm._core.validation import check_choice
from smartsvm._mst import blocked, boruvka, prim
from smartsvm._mst.common import vector_loops
from smartsvm._mst.common.pruning_probe import count_distinct, probe_pruning
from smartsvm._mst.kd import cube
from smartsvm._mst.products.clusters import how_points_lie
from smartsvm._mst.products.index import multiplies_panels
from smartsvm._mst.products.projection import find_basis

KERNELS = {"prim": prim, "boruvka": boruvka, "blocked": blocked}
ALGORITHMS = ("auto", *KERNELS)

# Identities of points are 32-bit numbers, and the largest of these means none.
MOST_POINTS = 2**32 - 2

# Numbers of features. Up to _LOW, the boxes of a kd-tree prune well for any data; up to _FEW_LOW
# they do in sets too small to probe. From _HIGH on they do not. A probe decides between.
_LOW = 6
_FEW_LOW = 9
_HIGH = 40
# Points from which on a probe takes less time than the tree.
_LEAST_PROBED = 1200
# Points from which on a search for clusters pays.
_LEAST_CLUSTERED = 6000
# Points up to which blocked products win on manifolds; above, the kd-tree does.
_MOST_NEAR_MANIFOLD = 1 << 15
# Points of sets whose distinct rows are counted; in others all rows count as distinct.
_FEWEST_COLLAPSED = 500
_MOST_COLLAPSED = 50_000
# Rows that are looked at first to see whether every feature has two values.
_QUERIES = 24
# Points of the first and of the second probe; sets of at most 3 * 1024 points have smaller ones.
_SAMPLES = 1024, 4096
_SMALL_SAMPLES = 512, 1024
# What a probe of equal points counts as: 1 of 2 boxes touched, so that the work is that of n sites.
_NOTHING_BUT_COPIES = 1.0, 2
# The second probe is left out where the first one estimates the work of the kd-tree as less than
# 0.5 or more than 6 times that of blocked products.
_SURELY_LESS = 0.5
_SURELY_MORE = 6
# Sites up to which leaves stay in the cache: for n sites a leaf costs (n / 6000)^0.2 as much.
_MOST_IN_CACHE = 6000
# Below this share of distinct rows, blocked products search pairs of classes among distinct rows.
# Indexing the union of a pair then takes this many nanoseconds.
_MANY_EQUAL = 0.5
_PAIR_OF_EQUAL = 1.5e6
# Subsets are no longer tried as a cube once it failed for this many more than it worked for.
_MOST_MISSED = 2


class Costs(NamedTuple):
    """Nanoseconds on one core; only their ratios matter, much the same on all machines."""

    # ``python -m benchmarks.trees.fit_choice`` fits them, but for those of leaves and pairs.
    #
    #   name              fixed cost of a call
    #   name_point        cost of each point
    #   name_pair         cost of each pair of points (kd-tree: of a point and a leaf), plus
    #   name_term         this much for each feature
    #   name_later_tree   cost of each further tree / cost of the first
    prim: float = 2e5
    prim_pair: float = 1.6
    prim_term: float = 0.52
    prim_later_tree: float = 1.0  # it starts anew
    tree: float = 3.5e5
    tree_point: float = 700.0
    tree_growth: float = 170.0  # of each point, times tree_base ** n_features
    tree_base: float = 1.69
    tree_pair: float = 65.0
    tree_term: float = 14.5
    tree_late_rounds: float = 2.5  # real work / estimated work, for clusters of many features
    tree_later_tree: float = 0.5
    blocked: float = 7e5
    blocked_point: float = 3500.0
    blocked_pair: float = 0.24
    blocked_term: float = 0.066
    blocked_later_tree: float = 0.15


# For processors with wider vectors: AVX2, then AVX-512 (vector_loops.pyx).
WIDE_COSTS = Costs(prim=1.2e5, prim_pair=1.2, prim_term=0.22, blocked_pair=0.36, blocked_term=0.069)
WIDEST_COSTS = WIDE_COSTS._replace(blocked_pair=0.35, blocked_term=0.045)
# For the union of two sets whose indices and forests are known. Set by hand from times of pairs of
# 60 to 600 points each, with 3 to 64 features.
PAIR_COSTS = Costs(
    prim=3e3,
    prim_pair=3.3,
    prim_term=0.09,
    prim_later_tree=0.65,
    tree=1e4,
    tree_point=300.0,
    tree_growth=100.0,
    tree_pair=24.0,
    tree_term=5.4,
    tree_late_rounds=1.25,
    tree_later_tree=1.0,
    blocked=2.5e5,
    blocked_point=600.0,
    blocked_pair=0.1,
    blocked_term=0.018,
    blocked_later_tree=0.21,
)
WIDE_PAIR_COSTS = PAIR_COSTS._replace(prim_pair=1.7, prim_term=0.043)
COSTS, COSTS_OF_PAIRS = {
    "plain": (Costs(blocked_point=3300.0), PAIR_COSTS),
    "avx2": (WIDE_COSTS, WIDE_PAIR_COSTS),
    "avx512": (WIDEST_COSTS, WIDE_PAIR_COSTS),
}[vector_loops.runnable().pop()]


# By mutual reachability Prim's algorithm computes all distances twice, and lists of neighbours; the
# others share their lists with the search for cores. Set by hand from times of an 800 × 10 set and
# of yeast with 5 neighbours, then checked on 150 to 1,600 points.
MUTUAL_COSTS = COSTS._replace(
    prim=1.5 * COSTS.prim, prim_pair=2.8 * COSTS.prim_pair, prim_term=2.8 * COSTS.prim_term
)


class KernelChoice:
    """The kernel for every subset of one data set, by estimated work and never by a clock."""

    def __init__(self, algorithm, points, n_trees):
        check_choice(algorithm, "algorithm", ALGORITHMS)
        if len(points) > MOST_POINTS:
            raise ValueError(
                f"X must have at most {MOST_POINTS} rows (2**32 - 2), got {len(points)}."
            )
        self.algorithm = algorithm
        self.points = points  # of any type of numbers, or mapped from a file that may change
        self._n_trees = n_trees
        self._seen = {}
        self._distinct = None
        self._lie = None
        self._corners, self._missed = None, 0
        # A tuple once it is known, since there may be none: of all points, for every subset.
        self._basis, self._lock = None, Lock()

    def for_size(self, n_points, costs=COSTS):
        """The kernel for a subset of this many points."""
        if self.algorithm in KERNELS:
            return KERNELS[self.algorithm]
        if self._prim_work(n_points, costs) <= costs.tree:
            return prim  # done before any other kernel has begun
        work = self.estimate(n_points, costs)
        best = min(work, key=work.get)
        # Blocked products skip nearly all tiles between clusters, so that 8% of the pairs remain,
        # and about half of them (45%) near a manifold. Boxes prune well, too, but late rounds in a
        # kd-tree of clusters with many features take far more than the estimated time.
        apart = self._blocked_work(n_points, costs, 0.08)
        late = 1.25 if self.points.shape[1] <= _LOW else costs.tree_late_rounds
        if best is not blocked and apart < late * work[best]:
            clustered, near_manifold = self._how_points_lie(n_points)
            if clustered or (
                near_manifold and self._blocked_work(n_points, costs, 0.45) < 1.1 * work[best]
            ):
                return blocked
        return best

    def for_pair(self, n_points):
        """The kernel for two subsets of this many points together, each with its forests."""
        return self.for_size(n_points, COSTS_OF_PAIRS)

    def is_good_enough(self, kernel, n_points):
        """Whether a kernel takes at most 1.5 times the work of the best one for a subset."""
        if self.algorithm in KERNELS:
            return True
        work = self.estimate(n_points, COSTS)
        return kernel in work and work[kernel] < 1.5 * min(work.values())

    def forests(self, points, ids, seed, n_threads=1):
        """Forests of some points as kernels return them; None for all points, then forgotten."""
        of_all = points is None
        points = self.points if of_all else points
        if self.algorithm not in KERNELS:
            if self._prim_work(len(points), COSTS) <= COSTS.tree:
                return prim.prim_points(points, ids, seed, self._n_trees)
            found = cube.forests(points, ids, seed, self._n_trees)
            if found is not None:
                return found
        kernel = self.for_size(len(points))
        index = self.index(kernel, points, ids, n_threads)
        del ids, points  # memory that the forests need
        self.points = None if of_all else self.points
        return kernel.forests(index, seed, self._n_trees, n_threads)

    def mutual_forests(self, ids, seed, k, n_threads=1):
        """Forests of all points, then forgotten, by mutual reachability, and squared cores."""
        n = len(self.points)
        if self.algorithm not in KERNELS and self._prim_work(n, MUTUAL_COSTS) > COSTS.tree:
            found = cube.mutual_forests(self.points, ids, seed, self._n_trees, k)
            if found is not None:
                return found
        kernel = self.for_size(n, MUTUAL_COSTS)
        index = self.index(kernel, self.points, ids, n_threads)
        self.points = None
        return kernel.mutual_forests(index, seed, self._n_trees, k, n_threads)

    def neighbors(self, ids, seed, k, n_threads=1):
        """Rows of the k nearest other points of every point, and squared distances."""
        kernel = self.for_size(len(self.points))
        index = self.index(kernel, self.points, ids, n_threads)
        return kernel.neighbors(index, seed, k, n_threads)

    def are_corners(self):
        """Whether every feature has two values, so that subsets are worth a try as a cube."""
        if self._corners is None:
            step = max(1, len(self.points) // _QUERIES)
            self._corners = (
                self.algorithm not in KERNELS
                and (self._n_trees == 1 or self._distinct_share() == 1)
                and _have_two_values(self.points[::step])  # few of them tell in most sets
                and _have_two_values(self.points)
            )
        return self._corners and self._missed <= _MOST_MISSED

    def corner_forests(self, points, ids, seed):
        """Forests of near corners of a cube, or None; asked where `are_corners` says so."""
        found = cube.forests(points, ids, seed, self._n_trees)
        self._missed += -1 if found is not None else 1
        return found

    def estimate(self, n_points, costs):
        """The work of every kernel that may be chosen for a subset of this many points."""
        work = {
            prim: self._prim_work(n_points, costs),
            blocked: self._blocked_work(n_points, costs, 1.0),
        }
        if costs is COSTS_OF_PAIRS and self._distinct_share() < _MANY_EQUAL:
            # The union is indexed, and its equal points found, for each pair anew.
            n_sites = int(n_points * self._distinct_share())
            work[blocked] = _PAIR_OF_EQUAL + self._blocked_work(n_sites, COSTS, 1.0)
        tree = self._tree_work(n_points, costs)
        if tree is not None:
            work[boruvka] = tree
        return work

    def _later(self, share):
        """Cost of all trees relative to the first, if each later one costs this share of it."""
        return 1 + share * (self._n_trees - 1)

    def _prim_work(self, n_points, costs):
        # Rows of many features fill cache lines, so a further feature costs less.
        d = self.points.shape[1]
        pair = costs.prim_pair + costs.prim_term * min(d, 11 + 0.6 * (d - 11))
        return (costs.prim + n_points**2 / 2 * pair) * self._later(costs.prim_later_tree)

    def _blocked_work(self, n_points, costs, share):
        """Work if this share of the pairs is multiplied; finding clusters adds 30% per point."""
        pair = costs.blocked_pair + costs.blocked_term * self.points.shape[1]
        point = costs.blocked_point * (1 if share == 1 else 1.3)
        work = costs.blocked + point * n_points + share * n_points**2 / 2 * pair
        return work * self._later(costs.blocked_later_tree)

    def _tree_work(self, n_points, costs):
        """Work of the kd-tree; None where its boxes do not prune."""
        d = self.points.shape[1]
        is_probed = n_points >= _LEAST_PROBED and _LOW < d < _HIGH
        n_sites = n_points * self._distinct_share()
        if d <= _LOW or (d <= _FEW_LOW and not is_probed):
            point = costs.tree_point + costs.tree_growth * costs.tree_base**d
            work = n_sites * point * (n_sites / 2e4) ** (0.03 * d)
        elif n_sites < 0.5 * n_points:
            work = n_sites**2 * (4 + 0.9 * d)
        elif is_probed:
            work = self._search_work(n_points, n_sites, costs)
        else:
            return None
        return (costs.tree + work) * self._later(costs.tree_later_tree)

    def index(self, kernel, points, ids, n_threads=1):
        """The index of some points for a kernel; indices of a pair must come from one choice."""
        if kernel is not blocked:
            return kernel.index(points, ids, n_threads)
        with self._lock:
            if self._basis is None:
                self._basis = (find_basis(self.points),)
        return blocked.index(points, ids, n_threads, *self._basis)

    def _how_points_lie(self, n_points):
        """Whether points have clusters, and whether they lie near a manifold, of a large subset."""
        if n_points < max(_LEAST_CLUSTERED, len(self.points) // 2):
            return False, False
        if self._lie is None:
            clustered, near_manifold = how_points_lie(self.points)
            few = len(self.points) <= _MOST_NEAR_MANIFOLD
            pays = few and multiplies_panels(self.points.shape[1])
            self._lie = clustered, near_manifold and pays
        return self._lie

    def _distinct_share(self):
        """Share of distinct rows; 1 for sets so small or large that they are not counted."""
        if self._distinct is None:
            n, d = self.points.shape
            self._distinct = 1.0
            if _FEWEST_COLLAPSED <= n <= _MOST_COLLAPSED:
                # Equal rows have equal products with one vector; others hardly ever do. Not by
                # BLAS: its idle threads would spin on a core that ours need.
                mixed = np.einsum("ij,j->i", self.points, np.cos(np.arange(1.0, d + 1)))
                self._distinct = count_distinct(mixed) / n
        return self._distinct

    def _search_work(self, n_points, n_sites, costs):
        """Work of the kd-tree by the number of boxes that the search for a neighbour touches."""
        # That number grows as a power of the number of all boxes. A small sample shows the power;
        # where it leaves open which kernel is faster, a larger one is probed, too.
        rival = self._blocked_work(n_points, costs, 1.0) / self._later(costs.tree_later_tree)
        pair = costs.tree_pair + costs.tree_term * self.points.shape[1]
        pair *= min(1.0, n_sites / _MOST_IN_CACHE) ** 0.2
        seen = 0
        before = 0.0
        for n_sampled in _SAMPLES if len(self.points) > 3 * _SAMPLES[0] else _SMALL_SAMPLES:
            touched, n_boxes = self._probe(n_sampled)
            growth = np.log(touched) / np.log(n_boxes)
            if before:
                shown = np.log(touched / before) / np.log(n_sampled / seen)
                growth = 0.4 * growth + 0.6 * min(growth, max(0.0, shown))
            seen, before = n_sampled, touched
            work = n_sites * (costs.tree_point + pair * touched * (n_points / seen) ** growth)
            if not _SURELY_LESS < work / rival < _SURELY_MORE:
                break
        return work

    def _probe(self, n_sampled):
        """What `probe_pruning` finds in a sample of this many points."""
        if n_sampled not in self._seen:
            n = len(self.points)
            m = min(n, n_sampled)
            sample = take_rows(self.points, np.arange(m) * n // m)
            self._seen[n_sampled] = probe_pruning(sample, m) or _NOTHING_BUT_COPIES
        return self._seen[n_sampled]


def _have_two_values(rows):
    """Whether no feature of some points has more than two values."""
    return bool(((rows == rows.min(axis=0)) | (rows == rows.max(axis=0))).all())
