"""Trees of pairs of classes by products of whole classes: most pairs have one cross edge a tree.

Let F_1, F_2, ... be the orthogonal trees of class A, g(a) the longest edge in any of them on the
path from a to x, and likewise in B with y, where (x, y) is the shortest edge between A and B. If
every cross edge (a, b) is longer than g(a) and g(b), the s-th tree of both classes together has the
s-th shortest cross edge and no other: any longer one closes a cycle of shorter edges that are left
for this tree, a - x - p - q - y - b with (p, q) the s-th shortest.

Other pairs get a list of all cross edges up to the longest edge of any of these trees. A tree of
the union needs none above that if one of them is left for it: the classes' own trees connect the
rest. Then the trees are peeled off this list and the classes' trees (`edges/class_peel.pyx`).

Slack. Points are centred, scaled by a power of two and rounded to float32, which moves a point by
at most δ (in float64). A sum of d products is off by at most d 2⁻²⁴ |a||b| in any order, and
subtracting half the squared lengths adds a few 2⁻²⁴ (|a|² + |b|²). So the squared distance of the
rounded points is off by less than `slack` (|a|² + |b|²), with twice the sum of these, and the
distance of the points by δ_a + δ_b more. Only edges that may be the shortest within these limits
are measured in float64, and a pair counts as apart only beyond them. Cost: n²/2 products.
"""

from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from smartsvm._core.parallel import in_threads
from smartsvm._core.safe_range import take_rows
from smartsvm._core.threads import ThreadedMap
from smartsvm._core.validation import is_plain
from smartsvm._mst.edges.class_peel import join_classes, ranks_of
from smartsvm._mst.products.cross_paths import PairTest, measure

# Rows and columns of a product, at most, unless a single class has more: 4 MiB of entries.
_SIDE = 2**10
# Entries of the largest product of two classes: 64 MiB for each thread.
MOST_ENTRIES = 2**24
# Edges per tree that may be the shortest of a pair, within rounding; a pair with more gets trees.
_MOST_TIED = 32
# A pair lists at most this fraction of the edges between its classes: to sort and peel more of them
# takes longer than the trees of the pair.
_MOST_SHARE = 1 / 32
# Give up once 16 pairs are judged and more than half of all are neither apart nor listed.
_JUDGED = 16
_TOO_MANY = 0.5
# Listed edges that are kept, for each row and tree: 16 bytes each. Later pairs get no list.
_MOST_LISTED = 256


class CrossEdges(NamedTuple):
    """All edges up to some length between the classes of some pairs, in their order."""

    pairs: np.ndarray  # numbers of the pairs, in rising order
    starts: np.ndarray  # where the edges of each begin
    ends: np.ndarray  # pairs of places in the rows by class
    squared: np.ndarray


class Separation(NamedTuple):
    """Which pairs of classes are apart, and cross edges of all pairs."""

    apart: np.ndarray  # whether each tree of a pair has exactly one cross edge
    crossing: np.ndarray  # these edges of the pairs apart, as rows, (pairs, trees, 2)
    squared: np.ndarray  # their squared lengths, (pairs, trees)
    listed: CrossEdges | None = None  # cross edges of other pairs


class ClassProducts:
    """Rows by class, rounded to float32, with bounds of the errors of their products.

    `rows` are sorted by class; class k has the rows from `first[k]` to `first[k + 1]`.
    """

    def __init__(self, points, rows, first, n_threads):
        self._points = points
        self._rows = rows
        self.first = first
        n_classes = len(first) - 1
        n = int(first[-1])
        classes = [slice(*first[k : k + 2]) for k in range(n_classes)]
        low, high = (end(axis=0).astype(np.float64) for end in (points.min, points.max))
        middle = low / 2 + high / 2
        exponent = int(np.frexp((high / 2 - low / 2).max())[1])
        d = len(low)
        self.slack, rounding = (d + 16) * 2.0**-23, (d + 16) * 2.0**-52
        # Turns a lower limit of squared distances into one of those that float64 measures.
        self.unit = np.ldexp(1 - rounding, 2 * exponent)
        self._single = np.empty((n, d), dtype=np.float32)
        self.moved, self.lengths = np.empty((2, n))

        def fill(some):
            block = np.ldexp(take_rows(points, rows[some]) - middle, -exponent)
            self._single[some] = block
            rounded = self._single[some].astype(np.float64)
            self.lengths[some] = np.einsum("ij,ij->i", rounded, rounded)
            rounded -= block
            # Centring rounds the points themselves.
            centred = 2.0**-52 * np.sqrt(np.einsum("ij,ij->i", block, block))
            self.moved[some] = np.sqrt(np.einsum("ij,ij->i", rounded, rounded)) + centred

        in_threads(fill, classes, n_threads)
        self.moved *= 1 + rounding
        self.most_moved = np.maximum.reduceat(self.moved, first[:-1])
        self.longest = np.maximum.reduceat(self.lengths, first[:-1])
        self.halves = (self.lengths / 2).astype(np.float32)

    def separate(self, linkages, reach, seed, n_trees, n_threads, progress):
        """The `Separation` of all pairs k < m in order; None if most of them need trees.

        `linkages` has the `Linkage` of every tree of each class, `reach` the squared length of the
        longest edge in these trees, infinite for a class that they do not span.
        """
        n_pairs = len(linkages) * (len(linkages) - 1) // 2
        done = 0
        settled = 0
        n_listed = 0
        none = np.empty(0, dtype=np.intp)
        listed = [(none, none, np.empty((0, 2), dtype=np.int32), np.empty(0))]
        most_listed = _MOST_LISTED * n_trees * int(self.first[-1])
        found = Separation(
            np.zeros(n_pairs, dtype=bool),
            np.full((n_pairs, n_trees, 2), -1, dtype=np.intp),
            np.full((n_pairs, n_trees), np.inf),
        )
        test = PairTest(self, linkages, found)

        def one(rows, columns):
            own, others = (slice(self.first[x.start], self.first[x.stop]) for x in (rows, columns))
            tile = self._single[own] @ self._single[others].T
            ends, begins, *near = test.find(tile, rows, columns, _MOST_TIED * n_trees)
            ends, squared = self._in_order(ends, np.diff(begins), seed)
            n_judged, n_apart = test.judge(rows, columns, ends, squared, begins, *near)
            (pairs, counts), ends = test.list_up_to(
                tile, rows, columns, near[0], reach, _MOST_SHARE
            )
            ends, squared = self._in_order(ends, counts, seed)
            return n_judged, n_apart, (pairs, counts, ends.T.astype(np.int32), squared)

        tiles = combinations_with_replacement(self._ranges(), 2)
        with ThreadedMap(one, tiles, n_threads) as results:
            for n_judged, n_apart, edges in results:
                done, settled = done + n_judged, settled + n_apart + len(edges[0])
                if n_listed + len(edges[3]) <= most_listed:
                    listed.append(edges)
                    n_listed += len(edges[3])
                progress.update(done)
                if done >= _JUDGED and done - settled > _TOO_MANY * done:
                    return None
        pairs, counts, ends, squared = map(np.concatenate, zip(*listed, strict=True))
        starts = np.concatenate([[0], np.cumsum(counts)])
        return found._replace(listed=CrossEdges(pairs, starts, ends, squared))

    def _ranges(self):
        """Ranges of classes; the products of two are computed at once."""
        start = 0
        n_classes = len(self.first) - 1
        while start < n_classes:
            end = int(np.searchsorted(self.first, self.first[start] + _SIDE, "right")) - 1
            yield range(start, max(end, start + 1))
            start = max(end, start + 1)

    def _in_order(self, ends, counts, seed):
        """Edges of some pairs of classes, each with so many, in their order; squared lengths."""
        squared, keys = self._measured(ends, seed)
        order = np.lexsort((keys, squared, np.repeat(np.arange(len(counts)), counts)))
        return ends[:, order], squared[order]

    def _measured(self, ends, seed):
        """Squared lengths and tie keys of edges."""
        ids = self._rows[ends]
        if is_plain(self._points):
            return measure(self._points, ids, ids, seed)
        taken = take_rows(self._points, ids.ravel())
        return measure(taken, np.arange(ids.size).reshape(ids.shape), ids, seed)


class PairPeeler:
    """Peels the trees of pairs of classes off the trees of each class and listed cross edges.

    `trees` has for each class the edges of all trees, as places in the rows by class, and squared
    lengths.
    """

    def __init__(self, listed, trees, reach, first, ids, seed, n_trees):
        self.listed = listed
        self._reach = reach
        self._first = first
        self._n_trees = n_trees
        self._ranks = ranks_of(ids, seed)
        edges, squared = map(np.concatenate, zip(*trees, strict=True))
        a, b = self._ranks[edges].astype(np.int64).T
        owner = np.repeat(np.arange(len(trees)), [len(lengths) for _, lengths in trees])
        order = np.lexsort((np.minimum(a, b), abs(a - b), squared, owner))
        self._inside = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(trees)))])
        self._edges = np.concatenate([edges[order].astype(np.int32), listed.ends])
        self._squared = np.concatenate([squared[order], listed.squared])

    def forests(self, pairs, lo, hi):
        """Edges, squared lengths and sizes of forests of the listed pairs lo..hi; which are sure.

        `pairs` are their classes. Those that are not sure have no edges.
        """
        return join_classes(
            pairs.astype(np.int32),
            self._edges,
            self._squared,
            self._inside,
            self.listed.starts[lo : hi + 1] + self._inside[-1],
            self._first,
            self._ranks,
            self._n_trees,
            np.sqrt(self._reach[pairs].max(axis=1)),
        )
