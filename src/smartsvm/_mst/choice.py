"""Which kernel builds a tree: by size, dimension and a cheap look at the points."""

from __future__ import annotations

from threading import Lock

import numpy as np

from smartsvm._mst import blocked, boruvka, prim
from smartsvm._mst.products.clusters import are_clustered
from smartsvm._mst.products.projection import find_basis
from smartsvm._validation import check_choice

KERNELS = {"prim": prim, "boruvka": boruvka, "blocked": blocked}
ALGORITHMS = ("auto", *KERNELS)

_LOW = 6  # up to so many features boxes prune well, whatever the data,
_FEW_LOW = 9  # and in small sets up to so many
_HIGH = 40  # from so many features on they do not
_LEAST_LOOKED_AT = 2000  # smaller sets are done before a look is
_LEAST_CLUSTERED = 5000  # points of which clusters are worth to be looked for
_FEWEST_COLLAPSED, _MOST_COLLAPSED = 500, 50_000  # sets in which copies are counted
_LEAF = 32  # points in a box of the look
_REGION = 512  # points in the part of the data that is looked at
_MOST_FOR_ONE_REGION = 1 << 15  # points of which one region is part enough
_BOXES = _REGION // _LEAF
_QUERIES = 24
_ALIKE = 0.5  # share of neighbourhoods of one size that makes ties matter
_MANY_TIES = 3  # neighbours at the nearest distance, inside the region


class KernelChoice:
    """The kernel for every subset of one data set, and the index it needs.

    All kernels return the same trees, so the choice is one of speed alone. It is
    made from estimated work, never from a clock: the pairs of points that Prim's
    algorithm and the blocked search look at are known, and those of the kd-tree
    follow from how many boxes of a sample a point's neighbourhood touches.

    Parameters
    ----------
    algorithm : {"auto", "prim", "boruvka", "blocked"}
        A kernel by name, or "auto".
    points : ndarray of shape (n_samples, n_features)
        The data set.
    n_trees : int
        Orthogonal trees that will be asked for.
    """

    def __init__(self, algorithm, points, n_trees):
        check_choice(algorithm, "algorithm", ALGORITHMS)
        self._algorithm = algorithm
        self._points = points
        self._n_trees = n_trees
        self._seen = None
        self._distinct = None
        self._clustered = None
        # A tuple once it is known, since there may be none: of all points, for every subset.
        self._basis, self._lock = None, Lock()

    def for_size(self, n_points):
        """The kernel for a subset of this many points."""
        if self._algorithm in KERNELS:
            return KERNELS[self._algorithm]
        d = self._points.shape[1]
        pairs = n_points**2 / 2
        # Nanoseconds, fitted on one core to uniform, clustered and real data of 2 to 784
        # features; only their ratios matter, and those differ little between machines.
        product = 0.45 + 0.066 * d
        work = {
            prim: 2e5 + pairs * min(3 + 0.6 * d, 5.5 + 0.37 * d),
            blocked: 7e5 + 3500 * n_points + pairs * product,
        }
        looked_at = n_points >= _LEAST_LOOKED_AT and d > _LOW and (d < _HIGH or self._is_integer())
        if looked_at and self._look()[1] >= _MANY_TIES:
            # All ties are found in one search, and nearly all edges are among them.
            work[boruvka] = 3.5e5 + n_points * 100 * d
        else:
            n_sites = n_points * self._distinct_share()
            if d <= _LOW or (d <= _FEW_LOW and not looked_at):
                growth = (n_sites / 2e4) ** (0.03 * d)
                work[boruvka] = 3.5e5 + n_sites * (700 + 170 * 1.69**d) * growth
            elif n_sites < 0.5 * n_points:
                work[boruvka] = 3.5e5 + n_sites**2 * (4 + 0.9 * d)
            elif looked_at and d < _HIGH:
                touched = self._look()[0]
                growth = (n_sites / 2e4) ** (0.39 * np.log(touched) - 0.47)
                work[boruvka] = n_sites * 50 * (4 + 0.9 * d) * touched**1.7 * growth
        # Prim starts anew for each tree; the others read later trees off the same lists.
        later = self._n_trees - 1
        price = {prim: 1 + later, boruvka: 1 + 0.5 * later, blocked: 1 + 0.15 * later}
        total = {kernel: work[kernel] * price[kernel] for kernel in work}
        # Tiles between clusters are excluded: few pairs are left. Boxes touch few others then,
        # but in late rounds a kd-tree takes up to twice as long as that tells.
        apart = (7e5 + 4500 * n_points + 0.08 * pairs * product) * price[blocked]
        best = min(total, key=total.get)
        if best is not blocked and apart < 1.25 * total[best] and self._is_clustered(n_points):
            return blocked
        return best

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state):
        vars(self).update(state)
        self._lock = Lock()

    def index(self, kernel, points, ids, n_threads=1):
        """The index of some points for one of the kernels; those that meet need one choice."""
        if kernel is not blocked:
            return kernel.index(points, ids, n_threads)
        with self._lock:
            if self._basis is None:
                self._basis = (find_basis(self._points),)
        return blocked.index(points, ids, n_threads, *self._basis)

    def _is_clustered(self, n_points):
        """Whether a subset of this size, most of the data set, is known to have clusters."""
        if n_points < max(_LEAST_CLUSTERED, len(self._points) // 2):
            return False
        if self._clustered is None:
            self._clustered = are_clustered(self._points)
        return self._clustered

    def _distinct_share(self):
        """Share of the rows that are left when copies are dropped (1 for large sets: not asked)."""
        if self._distinct is None:
            n, d = self._points.shape
            self._distinct = 1.0
            if _FEWEST_COLLAPSED <= n <= _MOST_COLLAPSED:
                # Equal rows have equal products with one vector; others hardly ever do. Not by
                # BLAS: its threads would wait for more, and take a core from ours meanwhile.
                mixed = np.einsum("ij,j->i", self._points, np.cos(np.arange(1.0, d + 1)))
                self._distinct = len(np.unique(mixed)) / n
        return self._distinct

    def _look(self):
        """What `_look` sees in one region if that tells enough, else on average in two."""
        if self._seen is None:
            self._seen = _look(self._points, 0)
            if self._seen[1] < _MANY_TIES and len(self._points) > _MOST_FOR_ONE_REGION:
                self._seen = np.mean([self._seen, _look(self._points, 1)], axis=0)
        return self._seen

    def _is_integer(self):
        """Whether some rows hold nothing but whole numbers, as one-hot and counted data do."""
        some = self._points[:: max(1, len(self._points) // _QUERIES)]
        return bool((some == np.floor(some)).all())


def _look(points, side):
    """What a point's nearest-neighbour ball meets in one region of the data.

    Returns the mean number of boxes that it touches, of 16, and the mean number of points on
    its surface, if nearly all balls are of one size: edges of that length then are most of a tree.

    A region is what is left of all points after halving, so that they lie as
    densely in it as they do in the whole: a sample would hide what clusters are like
    inside.
    """
    region = np.arange(len(points))
    while len(region) > _REGION:
        region = _halves(points, region)[side]
    inside = points[region]
    boxes = [np.arange(len(inside))]
    while len(boxes[0]) > _LEAF:
        boxes = [half for box in boxes for half in _halves(inside, box)]
    low = np.array([inside[box].min(axis=0) for box in boxes])
    high = np.array([inside[box].max(axis=0) for box in boxes])
    queries = inside[:: len(inside) // _QUERIES][:_QUERIES, None]
    at_once = max(1, 2**21 // inside.size)
    squared = np.concatenate(
        [
            _squared_lengths(inside - queries[q : q + at_once])
            for q in range(0, len(queries), at_once)
        ]
    )
    squared[squared == 0] = np.inf  # copies say nothing about boxes
    nearest = squared.min(axis=1, keepdims=True)
    gaps = np.maximum(np.maximum(low - queries, queries - high), 0)
    touched = (_squared_lengths(gaps) <= nearest).sum(axis=1).mean()
    alike = (nearest == nearest.min()).mean() > _ALIKE
    ties = (squared == nearest).sum(axis=1).mean() if alike else 1.0
    return max(1.0, touched * _BOXES / len(boxes)), ties


def _squared_lengths(vectors):
    return np.einsum("...i,...i->...", vectors, vectors)


def _halves(points, rows):
    """Two halves of some rows, cut across their widest feature, which a few of them show."""
    widest = np.ptp(points[rows[:: len(rows) // _REGION + 1]], axis=0).argmax()
    order = np.argpartition(points[rows, widest], len(rows) // 2)
    return rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]
