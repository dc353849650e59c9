"""Pairs of classes whose trees have one cross edge each, found without building the trees.

Let F_1, F_2, ... be the orthogonal trees of class A, g(a) the longest edge in any of them on the
path from a to x, and likewise in B with y, where (x, y) is the shortest edge between A and B. If
every cross edge (a, b) is longer than g(a) and g(b), the s-th tree of both classes together has the
s-th shortest cross edge and no other: any longer one closes a cycle of shorter edges that are left
for this tree, a - x - p - q - y - b with (p, q) the s-th shortest.

Slack. Points are centred, scaled by a power of two and rounded to float32, which moves a point by
at most δ (in float64). A sum of d products is off by at most d 2⁻²⁴ |a||b| in any order, and
subtracting half the squared lengths adds a few 2⁻²⁴ (|a|² + |b|²). So the squared distance of the
rounded points is off by less than `slack` (|a|² + |b|²), with twice the sum of these, and the
distance of the points by δ_a + δ_b more. Only edges that may be the shortest within these limits
are measured in float64, and a pair counts as apart only beyond them. Cost: n²/2 products.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import in_threads
from smartsvm._core.scaling import take_rows
from smartsvm._core.threads import ThreadedMap
from smartsvm._core.validation import is_plain
from smartsvm._mst.products.cross_paths import ClassPaths, measure

_ENTRIES = 2**20  # of a product that is computed at once
MOST_ENTRIES = 2**24  # of the largest product of two classes
_MOST_TIED = 32  # edges of a pair that may be the shortest; with more it needs trees
_JUDGED, _TOO_MANY = 16, 0.5  # pairs after which, and share of trees with which, to give up


class Separation(NamedTuple):
    """What products tell about each pair of classes."""

    apart: np.ndarray  # whether each tree of the pair has exactly one cross edge,
    crossing: np.ndarray  # these edges as pairs of rows, (pairs, trees, 2),
    squared: np.ndarray  # and their squared lengths, (pairs, trees)


class ClassProducts:
    """Rows in the order of classes, rounded to float32, and what bounds their products.

    `rows` of the points are in the order of classes, of which `first` is where each begins, with
    the end at last.
    """

    def __init__(self, points, rows, first, n_threads):
        self._points, self._rows, self._first = points, rows, first
        n_classes, n = len(first) - 1, int(first[-1])
        classes = [slice(*first[k : k + 2]) for k in range(n_classes)]

        def take(some):
            return take_rows(points, rows[some])

        def ends(some):
            block = take(some)
            return block.min(axis=0), block.max(axis=0)

        low, high = zip(*in_threads(ends, classes, n_threads), strict=True)
        low, high = np.min(low, axis=0), np.max(high, axis=0)
        middle = low / 2 + high / 2
        self._exponent = int(np.frexp((high / 2 - low / 2).max())[1])
        d = len(low)
        self._slack = (d + 16) * 2.0**-23
        self._rounding = (d + 16) * 2.0**-52
        self._single = np.empty((n, d), dtype=np.float32)
        self._moved, self._lengths = np.empty((2, n))

        def fill(some):
            block = np.ldexp(take(some) - middle, -self._exponent)
            self._single[some] = block
            rounded = self._single[some].astype(np.float64)
            self._lengths[some] = np.einsum("ij,ij->i", rounded, rounded)
            rounded -= block
            # Centring rounds the points themselves.
            centred = 2.0**-52 * np.sqrt(np.einsum("ij,ij->i", block, block))
            self._moved[some] = np.sqrt(np.einsum("ij,ij->i", rounded, rounded)) + centred

        in_threads(fill, classes, n_threads)
        self._moved *= 1 + self._rounding
        self._most_moved = np.maximum.reduceat(self._moved, first[:-1])
        self._longest = np.maximum.reduceat(self._lengths, first[:-1])
        self._halves = (self._lengths / 2).astype(np.float32)

    def separate(self, linkages, seed, n_trees, n_threads, progress):
        """The `Separation` of all pairs k < m in order; None if most of them need trees.

        `linkages` has the `Linkage` of every tree of each class.
        """
        n_classes, paths = len(linkages), ClassPaths(linkages)

        def one(k):
            parts = [self._against(k, some, paths, seed, n_trees) for some in self._parts(k)]
            return [np.concatenate(each) for each in zip(*parts, strict=True)]

        found, done, needs = [], 0, 0
        with ThreadedMap(one, zip(range(n_classes - 1)), n_threads) as results:
            for part in results:
                found.append(part)
                done, needs = done + len(part[0]), needs + np.count_nonzero(~part[0])
                progress.update(done)
                if done >= _JUDGED and needs > _TOO_MANY * done:
                    return None
        return Separation(*(np.concatenate(each) for each in zip(*found, strict=True)))

    def _parts(self, k):
        """Ranges of the classes after k whose products with it are computed at once."""
        first, n_classes = self._first, len(self._first) - 1
        width = max(1, _ENTRIES // (first[k + 1] - first[k]))
        start = k + 1
        while start < n_classes:
            end = int(np.searchsorted(first, first[start] + width, "right")) - 1
            end = min(max(end, start + 1), n_classes)
            yield start, end
            start = end

    def _measured(self, u, v, seed):
        """Squared lengths and tie keys of edges."""
        ids = np.stack([self._rows[u], self._rows[v]])
        if is_plain(self._points):
            return measure(self._points, ids, ids, seed)
        taken = take_rows(self._points, ids.ravel())
        return measure(taken, np.arange(ids.size).reshape(ids.shape), ids, seed)

    def _against(self, k, some, paths, seed, n_trees):
        """Class k with the classes of a range: apart, crossing and squared of `Separation`."""
        own, others = slice(*self._first[k : k + 2]), slice(*self._first[list(some)])
        starts = self._first[some[0] : some[1] + 1] - others.start
        classes, of_column = slice(*some), np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        near = self._single[own] @ self._single[others].T
        near -= self._halves[own, None]
        near -= self._halves[others]  # minus half the squared distances
        to_class = np.maximum.reduceat(near, starts[:-1], axis=1).astype(np.float64)
        error = self._slack * (self._lengths[own, None] + self._longest[classes]) + 1e-30
        moved = self._moved[own, None] + self._most_moved[classes]
        n_own, n_others = len(near), len(starts) - 1
        crossing = np.full((n_others, n_trees, 2), -1, dtype=np.intp)
        squared = np.full((n_others, n_trees), np.inf)
        if n_own < n_trees:
            return np.zeros(n_others, dtype=bool), crossing, squared
        # As many rows as trees have an edge within the bound: the shortest ones are below it.
        bound = np.sqrt(np.maximum(-2 * to_class + error, 0)) + moved
        bound = np.partition(bound, n_trees - 1, axis=0)[n_trees - 1] + moved.max(axis=0)
        bound = (bound**2 + error.max(axis=0)) * (1 + 1e-6)
        limits = np.nextafter((-bound / 2).astype(np.float32), np.float32(-np.inf))
        to_own = near.max(axis=0)
        columns = np.flatnonzero(to_own >= limits[of_column])
        row, place = np.nonzero(near[:, columns] >= limits[of_column[columns]])
        column, other = columns[place], of_column[columns[place]]
        few = np.bincount(other, minlength=n_others) <= _MOST_TIED * n_trees
        row, column, other = (each[few[other]] for each in (row, column, other))
        u, v = row + own.start, column + others.start
        lengths, keys = self._measured(u, v, seed)
        order = np.lexsort((keys, lengths, other))
        place = np.searchsorted(other[order], np.flatnonzero(few))[:, None] + np.arange(n_trees)
        chosen = order[place]
        crossing[few], squared[few] = np.stack([u[chosen], v[chosen]], axis=2), lengths[chosen]
        # The least distances of the rows of both sides to the other class, squared.
        lowest = self._lowest(to_class, error, moved)
        error = self._slack * (self._lengths[others] + self._longest[k]) + 1e-30
        back = self._lowest(
            to_own.astype(np.float64), error, self._moved[others] + self._most_moved[k]
        )
        ends = np.maximum(crossing[:, 0] - [own.start, 0], 0)
        ends[:, 1] = np.maximum(ends[:, 1] - self._first[classes], 0)
        sides = (
            (np.full(n_others, k), lowest.T.ravel(), np.arange(n_others + 1) * n_own),
            (np.arange(*some), back, starts),
        )
        apart = few
        for of_side, (of, low, begins) in zip(ends.T.copy(), sides, strict=True):
            apart &= ~paths.near(of, of_side, low, begins)
        return apart, crossing, squared

    def _lowest(self, near, error, moved):
        """A lower limit of squared lengths as float64 measures them, of minus half of them."""
        low = np.maximum(np.sqrt(np.maximum(-2 * near - error, 0)) - moved, 0)
        return np.ldexp(low**2 * (1 - self._rounding), 2 * self._exponent)
