"""The trees of each class, computed once, and from them those of pairs of classes.

Pairs come in batches, which threads share: many small pairs by Prim's algorithm, large ones each by
a kernel that joins the trees of its classes, and pairs with listed cross edges by peeling these.
"""

from itertools import chain
from typing import NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.points import Points
from smartsvm._core.threads import ThreadedMap
from smartsvm._mst.choice import KERNELS
from smartsvm._mst.prim.pairs import MOST_DISTANCES, Sets
from smartsvm.trees.in_memory.forests import PairForests

# From this size on, a pair of classes keeps several threads busy.
_LARGE_CLASS = 4000
# Pairs are given to threads in batches of this many points, since passing on a pair costs as
# much as computing a very small one.
_POINTS_AT_ONCE = 1 << 14
# Pairs whose trees are peeled off listed edges at once, in a few hundredths of a second.
_PEELED_AT_ONCE = 256


class ClassRows(NamedTuple):
    """Points, and the rows of each class."""

    points: Points
    ids: np.ndarray  # identities of all points, for the order of ties
    rows: list  # of each class
    counts: np.ndarray  # how many they are

    def all_pairs(self):
        return np.stack(np.triu_indices(len(self.counts), 1), axis=1)

    def index(self, choice, kernel, rows, n_threads):
        return choice.index(kernel, self.points.take(rows), self.ids[rows], n_threads)


class PairTrees:
    """The forests of all classes, and those of pairs when they are asked for."""

    def __init__(self, classes, choice, seed, n_trees, n_threads):
        self.classes, self._choice = classes, choice
        self.seed, self.n_trees = seed, n_trees
        self._inside = n_threads  # within a pair
        # One thread per pair, unless there are few pairs or they are large.
        n_classes = len(classes.counts)
        n_pairs = n_classes * (n_classes - 1) // 2
        if n_pairs >= 4 * n_threads and classes.counts.max() < _LARGE_CLASS:
            self._inside = 1
        self._n_threads = n_threads // self._inside  # pairs computed at a time
        self.kernels = _kernels_by_size(choice, classes.counts)
        calls = ((self._index_and_trees, rows) for rows in classes.rows)
        with single_blas_thread():  # once for all classes, since it takes 50 microseconds
            self._indices, self.forests = zip(*_run(calls, self._n_threads), strict=True)

    def batches(self, pairs, peeler=None):
        """The forests of some pairs, in batches, and of those that `peeler` has listed."""
        batches = self._batches(pairs) if len(pairs) else []
        sets = self._sets(batches)
        calls = (
            (self._small_forests, batch, *sets) if is_small else (self._large_forests, batch)
            for batch, is_small in batches
        )
        if peeler is not None:
            calls = chain(self._peel_calls(peeler), calls)
        yield from _run(calls, self._n_threads)

    def _batches(self, pairs):
        """(pairs, whether they are small) for each batch of pairs."""
        counts = self.classes.counts
        left, right = counts[pairs].T
        sizes = left + right
        by_prim = np.zeros(2 * counts.max() + 1, dtype=bool)
        by_prim[[size for size, kernel in self.kernels.items() if kernel is KERNELS["prim"]]] = True
        small = by_prim[sizes] & (left * right <= MOST_DISTANCES)
        points = np.cumsum(sizes)
        n_threads = self._n_threads
        enough = points[-1] // (4 * n_threads) if n_threads > 1 else points[-1]
        part = points // min(_POINTS_AT_ONCE, enough + 1)
        same = (small[1:] == small[:-1]) & (part[1:] == part[:-1])
        starts = np.flatnonzero(np.append(True, ~same))
        return list(zip(np.split(pairs, starts[1:]), small[starts].tolist(), strict=True))

    def _sets(self, batches):
        """Identities and points of the classes in small pairs; None without such pairs."""
        small = [batch.ravel() for batch, is_small in batches if is_small]
        if not small:
            return None
        counts = np.zeros_like(self.classes.counts)
        in_pairs = np.concatenate(small)
        counts[in_pairs] = self.classes.counts[in_pairs]
        rows = [rows[:n] for rows, n in zip(self.classes.rows, counts, strict=True)]
        rows = np.concatenate(rows)
        starts = np.append(0, np.cumsum(counts))
        within = [
            (edges, squared) if n else (edges[:0], squared[:0])
            for (edges, squared, _), n in zip(self.forests, counts, strict=True)
        ]
        points, ids = self.classes.points.take(rows), self.classes.ids[rows]
        return ids, Sets(points, starts, ids, within, self.seed, self.n_trees)

    def _index_and_trees(self, rows):
        """The index of a class, by kernel, and its forests."""
        forests = self._corner_forests(rows)
        if forests is not None:
            return {}, forests
        kernel = self.kernels[2 * len(rows)]
        # The pairs need this index anyway.
        index = self._index(kernel, rows)
        return {kernel: index}, kernel.forests(index, self.seed, self.n_trees, self._inside)

    @staticmethod
    def _small_forests(batch, ids, sets):
        edges, squared, sizes = sets.forests(batch)
        return PairForests(batch, ids[edges], squared, sizes)

    def _peel_calls(self, peeler):
        """Calls of `_peeled_forests` for all listed pairs, in batches."""
        rows = np.concatenate(self.classes.rows).astype(np.uint32)
        pairs = self.classes.all_pairs()[peeler.listed.pairs]
        for lo in range(0, len(pairs), _PEELED_AT_ONCE):
            yield self._peeled_forests, pairs[lo : lo + _PEELED_AT_ONCE], lo, peeler, rows

    def _peeled_forests(self, batch, lo, peeler, rows):
        edges, squared, sizes, sure = peeler.forests(batch, lo, lo + len(batch))
        of_sure = PairForests(batch[sure], rows[edges], squared, sizes[sure])
        if sure.all():
            return of_sure
        others = self._large_forests(batch[~sure])
        return PairForests(*map(np.concatenate, zip(of_sure, others, strict=True)))

    def _large_forests(self, batch):
        of_pairs = [self._pair_forests(k, m) for k, m in batch.tolist()]
        # In one piece: the thread that counts would take longer than all others for single pairs.
        edges, squared, sizes = map(np.concatenate, zip(*of_pairs, strict=True))
        return PairForests(batch, edges, squared, sizes)

    def _pair_forests(self, k, m):
        pair_rows = np.concatenate([self.classes.rows[k], self.classes.rows[m]])
        forests = self._corner_forests(pair_rows)
        if forests is None:
            kernel, indices = self.kernels[len(pair_rows)], self._indices
            for c in (k, m):
                if kernel not in indices[c]:
                    # If two threads build it at once, one of the two is kept.
                    index = self._index(kernel, self.classes.rows[c])
                    indices[c].setdefault(kernel, index)
            within = (self.forests[c][:2] for c in (k, m))
            forests = kernel.pair_forests(
                indices[k][kernel],
                indices[m][kernel],
                *within,
                self.seed,
                self.n_trees,
                self._inside,
            )
        edges, squared, sizes = forests
        return pair_rows.astype(np.uint32).take(edges), squared, sizes[None]

    def _corner_forests(self, rows):
        if not self._choice.are_corners():
            return None
        points = self.classes.points.take(rows)
        return self._choice.corner_forests(points, self.classes.ids[rows], self.seed)

    def _index(self, kernel, rows):
        return self.classes.index(self._choice, kernel, rows, self._inside)


def _kernels_by_size(choice, class_counts):
    """The kernel of a pair of classes by its number of points; of a class, by twice that."""
    sizes = np.unique(np.add.outer(class_counts, class_counts))
    return {size: choice.for_pair(size) for size in sizes.tolist()}


def _run(calls, n_threads):
    """Yield the results of (function, *arguments) in order, computed by some threads."""
    if n_threads == 1:
        yield from map(_call, calls)
        return
    # Always threads, since the indices are large and live in this process.
    with ThreadedMap(_call, zip(calls), n_threads) as results:
        yield from results


def _call(call):
    # Here once, so that the kernels need not do it: it takes 50 microseconds.
    with single_blas_thread():
        function, *arguments = call
        return function(*arguments)
