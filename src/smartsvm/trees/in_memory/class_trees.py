"""Spanning forests of each class, of each pair of classes, and of all classes.

All trees of one `SpanningForest` follow one order of edges, whose ties depend on the rows'
positions in the whole data set. So trees of different subsets fit together: `peel` on the union of
their edges gives the trees of the union.
"""

from functools import cached_property
from itertools import chain, combinations

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.checksums import checksum_of
from smartsvm._core.parallel import count_threads
from smartsvm._core.points import Points
from smartsvm._core.sampling import rows_by_class
from smartsvm._core.threads import ThreadedMap
from smartsvm._mst.choice import KERNELS, KernelChoice
from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.prim.pairs import MOST_DISTANCES, Sets
from smartsvm._mst.products.class_pairs import MOST_ENTRIES, ClassProducts, PairPeeler
from smartsvm.presentation.progress import Progress
from smartsvm.trees.in_memory import on_device
from smartsvm.trees.in_memory.forests import (
    ClassWork,
    Forests,
    ForestUnion,
    PairForests,
    SeparatedPairs,
)

# The trees of all pairs have K - 1 times the edges of one tree; with more classes they are dropped.
_MOST_KEPT_CLASSES = 32
# From this size on, a pair of classes keeps several threads busy.
_LARGE_CLASS = 4000
# Pairs are given to threads in batches of this many points, since passing on a pair costs as
# much as computing a very small one.
_POINTS_AT_ONCE = 1 << 14
# Pairs whose trees are peeled off listed edges at once, in a few hundredths of a second.
_PEELED_AT_ONCE = 256
# From this mean class size on, the trees of all classes are peeled from those of the pairs. With
# smaller classes the pairs have too many edges.
_LEAST_GATHERED = 128
# Products of whole classes tell which pairs need trees, for at least this many points, and on the
# processor for as many classes and columns: the trees of fewer take less time.
_LEAST_POINTS, _LEAST_SEPARATED, _LEAST_COLUMNS = 2000, 20, 32


class ClassTrees:
    """Base of the forests in memory and in blocks, which have `codes`, `pairs` and `union`."""

    _whole = None

    def apart(self):
        """Nothing is known about the pairs before their trees are."""

    @property
    def n_classes(self):
        return len(self.class_counts)

    def pair_batches(self):
        """The forests of all pairs, in batches."""
        for k, m, forests in self.pairs():
            yield PairForests(np.array([[k, m]]), *forests[:2], forests.sizes[None])

    def whole(self):
        """The forests of all classes together."""
        if self._whole is None:
            self._whole = self.union(np.arange(self.n_classes))
        return self._whole

    def tree_edges(self):
        """Edges of the forests that span, one array of shape (n - 1, 2) for each."""
        edges, _, sizes = self.whole()
        n_trees = max(1, np.count_nonzero(sizes == len(self.codes) - 1))
        return np.split(edges, np.cumsum(sizes))[:n_trees]


class SpanningForest(ClassTrees):
    """Orthogonal trees of classes of `Points` in memory, mapped from a file, or on a GPU."""

    def __init__(self, points, codes, *, n_trees, seed, algorithm="auto", n_jobs=None, verbose=0):
        self.points, self._algorithm = points, algorithm
        self.codes = codes
        self.n_trees = n_trees
        self.seed = seed
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.class_counts = np.bincount(codes)
        self._ids = np.arange(len(codes), dtype=np.uint32)
        self._class_rows = np.split(rows_by_class(codes), np.cumsum(self.class_counts)[:-1])
        # Whether to keep the trees of the pairs for `union`; they take most of the memory.
        self.keeps_pairs = self.n_classes <= _MOST_KEPT_CLASSES
        self._pairs = None

    def __getstate__(self):
        options = {name: getattr(self, name) for name in ("n_trees", "seed", "n_jobs", "verbose")}
        own = {
            "given": (self.points.values, self.codes),
            "options": options | {"algorithm": self._algorithm},
            "trees": (self.keeps_pairs, self._pairs, self._whole),
        }
        return own | {"checksum": checksum_of(own)}

    def __setstate__(self, state):
        # Compiled code trusts the edges and codes.
        own = {name: state[name] for name in ("given", "options", "trees")}
        if state["checksum"] != checksum_of(own):
            raise ValueError("the pickled ClassForest is damaged: its checksum is another.")
        points, codes = own["given"]
        self.__init__(Points(points), codes, **own["options"])
        self.keeps_pairs, self._pairs, self._whole = own["trees"]

    @cached_property
    def _choice(self):
        """The kernels of all subsets; made when one computes, since a GPU may need none."""
        points = self.points
        return KernelChoice(self._algorithm, points.values, self.n_trees, points.limit is not None)

    def pairs(self):
        """Yield (k, l, forests) for every pair of classes k < l, in that order."""
        for batch in self.pair_batches():
            yield from batch.split()

    def pair_batches(self):
        """The forests of all pairs, in batches."""
        if self.n_classes == 2:
            # The only pair is all points: trees of each class would not help.
            progress = Progress("pairs of classes", 1, self.verbose)
            forests = self.whole()
            progress.update(1)
            progress.close()
            yield PairForests(np.array([[0, 1]]), *forests[:2], forests.sizes[None])
            return
        yield from self._of_pairs(self._all_pairs(), self._class_work())

    def _all_pairs(self):
        return np.stack(np.triu_indices(self.n_classes, 1), axis=1)

    def _class_work(self):
        """The classes by themselves, which all pairs share."""
        n_threads = inside = count_threads(self.n_jobs)
        # One thread per pair, unless there are few pairs or they are large.
        n_pairs = self.n_classes * (self.n_classes - 1) // 2
        if n_pairs >= 4 * n_threads and self.class_counts.max() < _LARGE_CLASS:
            inside = 1
        n_threads //= inside
        kernels = self._kernels_by_size()
        classes = (
            (self._index_and_trees, kernels[2 * len(rows)], rows, inside)
            for rows in self._class_rows
        )
        with single_blas_thread():  # once for all classes, since it takes 50 microseconds
            indices, forests = zip(*self._run(classes, n_threads), strict=True)
        return ClassWork(kernels, indices, forests, n_threads, inside)

    def _of_pairs(self, pairs, work, separation=None, peeler=None):
        """The forests of some pairs, in batches, and of those that `peeler` has listed.

        `separation` has cross edges of the others.
        """
        within = [forests[:2] for forests in work.forests]
        batches = self._batches(pairs, work.kernels, work.n_threads) if len(pairs) else []
        sets = self._sets(batches, within)
        calls = (
            (self._small_forests, batch, *sets) if is_small else (self._large_forests, batch, work)
            for batch, is_small in batches
        )
        n_pairs = len(pairs)
        if peeler is not None:
            n_pairs += len(peeler.listed.pairs)
            calls = chain(self._peel_calls(peeler, work), calls)
        many = len(self.codes) >= _LEAST_GATHERED * self.n_classes
        gathers = not self.keeps_pairs and (many or separation is not None)
        trees_of_pairs, whole = {}, ForestUnion(self._ids, self.seed, self.n_trees)
        progress, done = Progress("pairs of classes", n_pairs, self.verbose), 0
        for batch in self._run(calls, work.n_threads):
            if self.keeps_pairs:
                trees_of_pairs.update(((k, m), forests) for k, m, forests in batch.split())
            elif gathers:
                # Edges within a class are added below.
                ends = self.codes[batch.edges]
                crossing = ends[:, 0] != ends[:, 1]
                whole.add(batch.edges[crossing], batch.squared[crossing])
            done += len(batch.pairs)
            progress.update(done)
            yield batch
        progress.close()
        if self.keeps_pairs:
            self._pairs = trees_of_pairs
        elif gathers:
            del sets, calls  # free memory before the last peel
            for rows, (edges, squared) in zip(self._class_rows, within, strict=True):
                whole.add(self._ids[rows][edges], squared)
            if separation is not None:
                whole.add(separation.crossing.reshape(-1, 2), separation.squared.ravel())
            self._whole = whole.peel()

    def apart(self):
        """What is known about all pairs of classes at once, or None: `SeparatedPairs`."""
        if self.n_classes == 2 or len(self.codes) < _LEAST_POINTS:
            return None
        if self.points.device is None:
            return self._separated()
        rows = np.concatenate(self._class_rows)
        n_threads = count_threads(self.n_jobs)
        pairs = on_device.class_pairs(
            self.points, rows, self.class_counts, self._ids, self.seed, self.n_trees, n_threads
        )
        return None if pairs is None else SeparatedPairs(*pairs[:3], pairs.joined(self.union))

    def _separated(self):
        """`SeparatedPairs`, where products of classes are likely to tell many apart."""
        largest = self.class_counts.max()
        if (
            self.keeps_pairs
            or self.n_classes < _LEAST_SEPARATED
            or largest**2 > MOST_ENTRIES
            or self._algorithm != "auto"
            or self.points.n_features < _LEAST_COLUMNS
            or self._choice.are_corners()
        ):
            return None
        n_threads, rows = count_threads(self.n_jobs), np.concatenate(self._class_rows)
        pairs, work = self._all_pairs(), self._class_work()
        first = np.concatenate([[0], np.cumsum(self.class_counts)])
        trees = [list(_trees(*forests)) for forests in work.forests]
        linkages = [
            [Linkage(*tree, n) for tree in of_class]
            for of_class, n in zip(trees, self.class_counts.tolist(), strict=True)
        ]
        reach = np.array(
            [
                squared.max() if len(squared) == self.n_trees * (n - 1) > 0 else np.inf
                for (_, squared, _), n in zip(work.forests, self.class_counts, strict=True)
            ]
        )
        progress = Progress("pairs of classes", len(pairs), self.verbose)
        with single_blas_thread():
            products = ClassProducts(self.points.values, rows, first, n_threads)
            separation = products.separate(
                linkages, reach, self.seed, self.n_trees, n_threads, progress
            )
        progress.close()
        if separation is None:
            return SeparatedPairs((), pairs[:0], None, self._of_pairs(pairs, work))
        within = [
            np.concatenate(
                [own[edges] for own, (edges, _) in zip(self._class_rows, tree, strict=True)]
            )
            for tree in zip(*trees, strict=True)
        ]
        crossing = rows[separation.crossing[separation.apart]].astype(np.uint32)
        in_rows = separation._replace(
            crossing=crossing, squared=separation.squared[separation.apart]
        )
        inside = [
            (edges + start, squared)
            for (edges, squared, _), start in zip(work.forests, first[:-1], strict=True)
        ]
        peeler = PairPeeler(
            separation.listed, inside, reach, first, self._ids[rows], self.seed, self.n_trees
        )
        has_trees = separation.apart.copy()
        has_trees[separation.listed.pairs] = True
        rest = self._of_pairs(pairs[~has_trees], work, in_rows, peeler)
        return SeparatedPairs(within, pairs[separation.apart], crossing, rest)

    def in_other_order(self, seed):
        """A forest of the same points with another order of ties."""
        other = object.__new__(type(self))  # not by `copy`, which checks everything
        vars(other).update(vars(self))
        other.seed, other._pairs, other._whole = seed, None, None
        return other

    def union(self, classes):
        """The forests of some classes together."""
        if self._pairs is not None:
            union = ForestUnion(self._ids, self.seed, self.n_trees)
            for pair in combinations(sorted(classes), 2):
                union.add(*self._pairs[pair][:2])
            return union.peel()
        return self._of_rows(np.sort(np.concatenate([self._class_rows[k] for k in classes])))

    def of_class(self, k):
        """The rows of one class and its forests."""
        return self._class_rows[k], self._of_rows(self._class_rows[k])

    def join(self, left, right):
        """The rows and forests of two disjoint groups together, from those of each."""
        rows = np.concatenate([left[0], right[0]])
        kernel = self._choice.for_pair(len(rows))
        n_threads = count_threads(self.n_jobs)
        indices, within = [], []
        for group, forests in (left, right):
            indices.append(self._index(kernel, group, n_threads))
            position = np.empty(len(self.codes), dtype=np.uint32)
            position[group] = np.arange(len(group), dtype=np.uint32)
            within.append((position[forests.edges], forests.squared))
        edges, squared, sizes = kernel.pair_forests(
            *indices, *within, self.seed, self.n_trees, n_threads
        )
        return rows, Forests(self._ids[rows][edges], squared, sizes)

    def _of_rows(self, rows):
        """The forests of some rows, computed from their points."""
        ids = self._ids[rows]
        forests = on_device.forests(self.points, ids, self.seed, self.n_trees, rows)
        if forests is None:
            points, n_threads = self.points.take(rows), count_threads(self.n_jobs)
            forests = self._choice.forests(points, ids, self.seed, n_threads)
        return Forests(ids[forests[0]], *forests[1:])

    @staticmethod
    def _run(calls, n_threads):
        """Yield the results of (function, *arguments) in order, computed by some threads."""
        if n_threads == 1:
            yield from map(_call, calls)
            return
        # Always threads, since the indices are large and live in this process.
        with ThreadedMap(_call, zip(calls), n_threads) as results:
            yield from results

    def _batches(self, pairs, kernels, n_threads):
        """(pairs, whether they are small) for each batch of pairs."""
        left, right = self.class_counts[pairs].T
        sizes = left + right
        by_prim = np.zeros(2 * self.class_counts.max() + 1, dtype=bool)
        by_prim[[size for size, kernel in kernels.items() if kernel is KERNELS["prim"]]] = True
        small = by_prim[sizes] & (left * right <= MOST_DISTANCES)
        points = np.cumsum(sizes)
        enough = points[-1] // (4 * n_threads) if n_threads > 1 else points[-1]
        part = points // min(_POINTS_AT_ONCE, enough + 1)
        same = (small[1:] == small[:-1]) & (part[1:] == part[:-1])
        starts = np.flatnonzero(np.append(True, ~same))
        return list(zip(np.split(pairs, starts[1:]), small[starts].tolist(), strict=True))

    def _sets(self, batches, within):
        """Identities and points of the classes in small pairs; None without such pairs."""
        small = [batch.ravel() for batch, is_small in batches if is_small]
        if not small:
            return None
        counts = np.zeros_like(self.class_counts)
        classes = np.concatenate(small)
        counts[classes] = self.class_counts[classes]
        rows = np.concatenate([rows[:n] for rows, n in zip(self._class_rows, counts, strict=True)])
        starts = np.append(0, np.cumsum(counts))
        within = [
            trees if n else (trees[0][:0], trees[1][:0])
            for trees, n in zip(within, counts, strict=True)
        ]
        points, ids = self.points.take(rows), self._ids[rows]
        return ids, Sets(points, starts, ids, within, self.seed, self.n_trees)

    def _kernels_by_size(self):
        """The kernel of a pair of classes by its number of points; of a class, by twice that."""
        sizes = np.unique(np.add.outer(self.class_counts, self.class_counts))
        return {size: self._choice.for_pair(size) for size in sizes.tolist()}

    def _index_and_trees(self, kernel, rows, n_threads):
        """The index of a class, by kernel, and its forests."""
        forests = self._corner_forests(rows)
        if forests is not None:
            return {}, forests
        # The pairs need the index of `kernel` anyway.
        index = self._index(kernel, rows, n_threads)
        return {kernel: index}, kernel.forests(index, self.seed, self.n_trees, n_threads)

    @staticmethod
    def _small_forests(batch, ids, sets):
        edges, squared, sizes = sets.forests(batch)
        return PairForests(batch, ids[edges], squared, sizes)

    def _peel_calls(self, peeler, work):
        """Calls of `_peeled_forests` for all listed pairs, in batches."""
        rows = np.concatenate(self._class_rows).astype(np.uint32)
        pairs = self._all_pairs()[peeler.listed.pairs]
        for lo in range(0, len(pairs), _PEELED_AT_ONCE):
            batch = pairs[lo : lo + _PEELED_AT_ONCE]
            yield self._peeled_forests, batch, lo, peeler, rows, work

    def _peeled_forests(self, batch, lo, peeler, rows, work):
        edges, squared, sizes, sure = peeler.forests(batch, lo, lo + len(batch))
        of_sure = PairForests(batch[sure], rows[edges], squared, sizes[sure])
        if sure.all():
            return of_sure
        others = self._large_forests(batch[~sure], work)
        return PairForests(*map(np.concatenate, zip(of_sure, others, strict=True)))

    def _large_forests(self, batch, work):
        of_pairs = [self._pair_forests(k, m, work) for k, m in batch.tolist()]
        # In one piece: the thread that counts would take longer than all others for single pairs.
        edges, squared, sizes = map(np.concatenate, zip(*of_pairs, strict=True))
        return PairForests(batch, edges, squared, sizes)

    def _pair_forests(self, k, m, work):
        both = np.concatenate([self._class_rows[k], self._class_rows[m]])
        forests = self._corner_forests(both)
        if forests is None:
            kernel, indices = work.kernels[len(both)], work.indices
            for c in (k, m):
                if kernel not in indices[c]:
                    # If two threads build it at once, one of the two is kept.
                    index = self._index(kernel, self._class_rows[c], work.inside)
                    indices[c].setdefault(kernel, index)
            own = (work.forests[c][:2] for c in (k, m))
            forests = kernel.pair_forests(
                indices[k][kernel], indices[m][kernel], *own, self.seed, self.n_trees, work.inside
            )
        edges, squared, sizes = forests
        return both.astype(np.uint32).take(edges), squared, sizes[None]

    def _corner_forests(self, rows):
        if not self._choice.are_corners():
            return None
        points = self.points.take(rows)
        return self._choice.corner_forests(points, self._ids[rows], self.seed)

    def _index(self, kernel, rows, n_threads):
        points = self.points.take(rows)
        return self._choice.index(kernel, points, self._ids[rows], n_threads)


def _trees(edges, squared, sizes):
    """The edges and squared lengths of each of some forests."""
    ends = np.cumsum(sizes)
    for begin, end in zip(ends - sizes, ends, strict=True):
        yield np.ascontiguousarray(edges[begin:end]), np.ascontiguousarray(squared[begin:end])


def _call(call):
    # Here once, so that the kernels need not do it: it takes 50 microseconds.
    with single_blas_thread():
        function, *arguments = call
        return function(*arguments)
