"""Which kernel builds a tree: by size, dimension and a cheap look at the points."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from smartsvm._mst import blocked, boruvka, prim
from smartsvm._validation import check_choice

KERNELS = {"prim": prim, "boruvka": boruvka, "blocked": blocked}
ALGORITHMS = ("auto", *KERNELS)
# Kernels to give all threads to, one problem after the other: OpenBLAS multiplies up to a
# hundred times slower in a thread that the blocked kernel has not prepared.
THREADS_INSIDE = (blocked,)

_LOW = 9  # up to so many features boxes prune well, whatever the data
_HIGH = 40  # from so many features on they do not
_LEAST_LOOKED_AT = 4000  # smaller sets are done before a look is
_FEWEST_COLLAPSED, _MOST_COLLAPSED = 500, 50_000  # sets in which copies are counted
_LEAF = 32  # points in a box of the look
_REGION = 512  # points in the part of the data that is looked at
_QUERIES = 24


class KernelChoice:
    """The kernel for every subset of one data set.

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
        self._named = KERNELS.get(algorithm)
        self._points = points
        self._n_trees = n_trees
        self._seen = None
        self._distinct = None

    def for_size(self, n_points):
        """The kernel for a subset of this many points."""
        if self._named is not None:
            return self._named
        d = self._points.shape[1]
        pairs = n_points**2 / 2
        # Nanoseconds, fitted on one core to uniform, clustered and real data of 2 to 784
        # features; only their ratios matter, and those differ little between machines.
        work = {
            prim: 2e5 + pairs * min(3 + 0.6 * d, 5.5 + 0.37 * d),
            blocked: 7e5 + 4000 * n_points + pairs * (1.4 + 0.08 * d),
        }
        n_sites = n_points * self._distinct_share()
        if d <= _LOW:
            work[boruvka] = 3.5e5 + n_sites * 180 * 1.55**d
        elif n_sites < 0.5 * n_points:
            work[boruvka] = 3.5e5 + n_sites**2 * (4 + 0.9 * d)
        elif d < _HIGH and n_points >= _LEAST_LOOKED_AT:
            work[boruvka] = n_sites * self._touched(n_points) * _LEAF * 4 * (4 + 0.9 * d)
        # Prim starts anew for each tree; the others read later trees off the same lists.
        later = self._n_trees - 1
        price = {prim: 1 + later, boruvka: 1 + 0.5 * later, blocked: 1 + 0.15 * later}
        return min(work, key=lambda kernel: work[kernel] * price[kernel])

    def _distinct_share(self):
        """Share of the rows that are left when copies are dropped (1 for large sets: not asked)."""
        if self._distinct is None:
            n, d = self._points.shape
            self._distinct = 1.0
            if _FEWEST_COLLAPSED <= n <= _MOST_COLLAPSED:
                # Equal rows have equal products with one vector; others hardly ever do.
                mixed = self._points @ np.cos(np.arange(1.0, d + 1))
                self._distinct = len(np.unique(mixed)) / n
        return self._distinct

    def _touched(self, n_points):
        """Expected number of boxes that a neighbourhood touches among those of n points."""
        if self._seen is None:
            self._seen = np.mean([_look(self._points, side) for side in (0, 1)], axis=0)
        touched, n_boxes = self._seen
        # One box of few stays one box of many, all boxes stay all: in between a power.
        growth = np.log(touched) / np.log(n_boxes)
        return touched * (n_points / (n_boxes * _LEAF)) ** growth


def _look(points, side):
    """Boxes that a point's nearest-neighbour ball touches in one region, and boxes in all.

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
    queries = inside[:: len(inside) // _QUERIES][:_QUERIES]
    squared = euclidean_distances(queries, inside, squared=True)
    squared[squared <= 1e-12 * squared.max()] = np.inf  # copies say nothing about boxes
    gaps = np.maximum(np.maximum(low[None] - queries[:, None], queries[:, None] - high[None]), 0)
    touched = np.einsum("qbd,qbd->qb", gaps, gaps) < squared.min(axis=1)[:, None]
    return max(1.0, float(touched.sum(axis=1).mean())), len(boxes)


def _halves(points, rows):
    """Two halves of some rows, cut across their widest feature."""
    inside = points[rows]
    widest = np.ptp(inside, axis=0).argmax()
    order = np.argpartition(inside[:, widest], len(rows) // 2)
    return rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]
