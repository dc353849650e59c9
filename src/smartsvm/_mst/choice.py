"""Which kernel builds a tree: by size, dimension and a cheap probe of the points.

The work of every kernel is estimated: counts of points, features and touched boxes times costs.
``python -m benchmarks.trees.fit_choice`` times all kernels and writes the costs,
`kernel_costs.json`.
"""

import json
from importlib import resources
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

# The costs are fitted. These limits are not; beside each is what it rests on.

# From 40 features on the kd-tree is not probed and counts as touching all leaves: on texture (40)
# the probe promises 44 ms, and the tree takes 87, blocked products 64. A probe of 784 features
# takes 13 ms, 3% of a tree.
_HIGH = 40
# Sites in a full leaf of a kd-tree: KD_LEAF of kd/tree.h.
_LEAF = 16
# Rows that rule out most sets before all rows are asked whether every feature has two values.
_FIRST_ROWS = 24
# Most points of a probe, which takes 0.05 to 1 ms; of small sets a quarter are probed.
_SAMPLE = 1024
# A class is searched by the kernel of its pairs, whose index it shares, if that takes at most this
# many times the work of its best kernel. Pairs of the race take 1.05 times as long with 1 and
# without a limit; satimage 1.9 times as long with 1, shuttle 1.4 times without a limit.
_GOOD_ENOUGH = 1.5


class Costs(NamedTuple):
    """Nanoseconds on one core; only their ratios matter, much the same on all machines."""

    #   name              fixed cost of a call
    #   name_point        cost of each point
    #   name_pair         cost of each pair of points (kd-tree: of a point and a leaf), plus
    #   name_term         this much for each feature
    #   name_later_tree   cost of each further tree / cost of the first
    prim: float
    prim_pair: float
    prim_term: float
    prim_later_tree: float
    tree: float
    tree_point: float
    tree_pair: float
    tree_term: float
    tree_late_rounds: float  # real work / estimated work, for clusters
    tree_later_tree: float
    blocked: float
    blocked_point: float
    blocked_pair: float
    blocked_term: float
    blocked_in_clusters: float  # share of the pairs that is multiplied if points have clusters,
    blocked_near_manifold: float  # and near a manifold
    blocked_later_tree: float


class TaskCosts(NamedTuple):
    """The costs of each task."""

    trees: Costs  # of one set
    pairs: Costs  # of the union of two sets whose indices and forests are known
    mutual: Costs  # by mutual reachability, cores included


def read_costs(vectors):
    """The stored `TaskCosts` of processors with "plain" or "wide" vectors (AVX2 and AVX-512)."""
    text = resources.files("smartsvm._mst").joinpath("kernel_costs.json").read_text("utf-8")
    return TaskCosts(*(Costs(**json.loads(text)[vectors][task]) for task in TaskCosts._fields))


VECTORS = "plain" if vector_loops.runnable() == ["plain"] else "wide"
COSTS = read_costs(VECTORS)


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
        self._probed = None
        self._distinct = None
        self._lie = None
        self._corners = None
        self._balance = 0  # subsets that were near corners of a cube, less those that were not
        # Of all points, for every subset; a tuple once it is known, since there may be none.
        self._basis, self._lock = None, Lock()

    def for_size(self, n_points, costs=COSTS.trees):
        """The kernel for a subset of this many points."""
        if self.algorithm in KERNELS:
            return KERNELS[self.algorithm]
        if self._prim_work(n_points, costs) <= costs.tree:
            return prim  # done before any other kernel has begun
        leaves = 1  # no probe where the tree is not the best even if a search touches one leaf
        work = self.estimate(n_points, costs, leaves=leaves)
        if _least(work) is boruvka:
            leaves = self._touched_leaves(n_points)
            work = self.estimate(n_points, costs, leaves=leaves)
        if _least(work) is not blocked:
            in_clusters = self.estimate(n_points, costs, clustered=True, leaves=leaves)
            if _least(in_clusters) is blocked:
                lie = self.how_points_lie(n_points)
                work = self.estimate(n_points, costs, *lie, leaves=leaves)
        return _least(work)

    def for_pair(self, n_points):
        """The kernel for two subsets of this many points together, each with its forests."""
        return self.for_size(n_points, COSTS.pairs)

    def is_good_enough(self, kernel, n_points):
        """Whether a kernel takes at most 1.5 times the work of the best one for a subset."""
        if self.algorithm in KERNELS:
            return True
        work = self.estimate(n_points, COSTS.trees)
        return work[kernel] < _GOOD_ENOUGH * min(work.values())

    def forests(self, points, ids, seed, n_threads=1):
        """Forests of some points as kernels return them; None for all points, then forgotten."""
        of_all = points is None
        points = self.points if of_all else points
        if self.algorithm not in KERNELS:
            if self._prim_work(len(points), COSTS.trees) <= COSTS.trees.tree:
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
        n, costs = len(self.points), COSTS.mutual
        if self.algorithm not in KERNELS and self._prim_work(n, costs) > costs.tree:
            found = cube.mutual_forests(self.points, ids, seed, self._n_trees, k)
            if found is not None:
                return found
        kernel = self.for_size(n, costs)
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
            step = max(1, len(self.points) // _FIRST_ROWS)
            self._corners = (
                self.algorithm not in KERNELS
                and (self._n_trees == 1 or self._distinct_share() == 1)
                and _have_two_values(self.points[::step])  # a few rows rule out most sets
                and _have_two_values(self.points)
            )
        return self._corners and self._balance >= 0

    def corner_forests(self, points, ids, seed):
        """Forests of near corners of a cube, or None; for subsets while `are_corners`."""
        found = cube.forests(points, ids, seed, self._n_trees)
        self._balance += 1 if found is not None else -1
        return found

    def estimate(self, n_points, costs, clustered=False, near_manifold=False, leaves=None):
        """The work of every kernel on a subset; without `leaves`, a probe tells what is touched."""
        share = 1.0
        if clustered:
            share = costs.blocked_in_clusters
        elif near_manifold:
            share = costs.blocked_near_manifold
        work = {
            prim: self._prim_work(n_points, costs),
            blocked: self._blocked_work(n_points, costs, share),
        }
        if leaves is None:
            leaves = self._touched_leaves(n_points)
        # Boxes prune well between clusters, too, but late rounds search far.
        late = costs.tree_late_rounds if clustered else 1
        work[boruvka] = late * self._tree_work(n_points, costs, leaves)
        return work

    def _later(self, share):
        """Cost of all trees relative to the first, if each later one costs this share of it."""
        return 1 + share * (self._n_trees - 1)

    def _prim_work(self, n_points, costs):
        pair = costs.prim_pair + costs.prim_term * self.points.shape[1]
        return (costs.prim + n_points**2 / 2 * pair) * self._later(costs.prim_later_tree)

    def _blocked_work(self, n_points, costs, share):
        """Work if this share of the pairs is multiplied."""
        pair = costs.blocked_pair + costs.blocked_term * self.points.shape[1]
        work = costs.blocked + costs.blocked_point * n_points + share * n_points**2 / 2 * pair
        return work * self._later(costs.blocked_later_tree)

    def _tree_work(self, n_points, costs, leaves):
        """Work of the kd-tree if the search for a distinct row touches so many leaves."""
        leaf = costs.tree_pair + costs.tree_term * self.points.shape[1]
        work = n_points * self._distinct_share() * (costs.tree_point + leaf * leaves)
        return (costs.tree + work) * self._later(costs.tree_later_tree)

    def _touched_leaves(self, n_points):
        """Leaves that the search for a distinct row touches: by a probe, and at most all."""
        most = n_points * self._distinct_share() / _LEAF
        probed = self._probe() if self.points.shape[1] < _HIGH else None
        if probed is None:
            return most
        # They grow as a power of the number of points.
        touched, n_boxes, n_probed = probed
        return min(most, touched * (n_points / n_probed) ** (np.log(touched) / np.log(n_boxes)))

    def index(self, kernel, points, ids, n_threads=1):
        """The index of some points for a kernel; indices of a pair must come from one choice."""
        if kernel is not blocked:
            return kernel.index(points, ids, n_threads)
        with self._lock:
            if self._basis is None:
                self._basis = (find_basis(self.points),)
        return blocked.index(points, ids, n_threads, *self._basis)

    def how_points_lie(self, n_points):
        """Whether points have clusters, and whether they lie near a manifold, of a large subset."""
        if n_points < len(self.points) // 2:
            return False, False
        if self._lie is None:
            clustered, near_manifold = how_points_lie(self.points)
            self._lie = clustered, near_manifold and multiplies_panels(self.points.shape[1])
        return self._lie

    def _distinct_share(self):
        """Share of distinct rows."""
        if self._distinct is None:
            n, d = self.points.shape
            # Equal rows have equal products with one vector; others hardly ever do. Not by BLAS:
            # its idle threads would spin on a core that ours need.
            mixed = np.einsum("ij,j->i", self.points, np.cos(np.arange(1.0, d + 1)))
            self._distinct = count_distinct(mixed) / n
        return self._distinct

    def _probe(self):
        """Boxes that the search for a neighbour touches in a sample, all boxes, and its points.

        None for a sample of copies, or of one box.
        """
        if self._probed is None:
            n = len(self.points)
            m = min(n // 4, _SAMPLE)
            sample = take_rows(self.points, np.arange(m) * n // max(m, 1))
            found = probe_pruning(sample, m) if m else None
            self._probed = (None if found is None or found[1] == 1 else (*found, m),)
        return self._probed[0]


def _least(work):
    """The kernel of the least estimated work."""
    return min(work, key=work.get)


def _have_two_values(rows):
    """Whether no feature of some points has more than two values."""
    return bool(((rows == rows.min(axis=0)) | (rows == rows.max(axis=0))).all())
