"""Spanning forests of each class, of each pair of classes, and of all classes, in memory.

All trees of one `SpanningForest` follow one order of edges, whose ties depend on the rows'
positions in the whole data set. So trees of different subsets fit together: `peel` on the union of
their edges gives the trees of the union.
"""

from functools import cached_property
from itertools import combinations

import numpy as np

from smartsvm._core.checksums import checksum_of
from smartsvm._core.parallel import count_threads
from smartsvm._core.points import Points
from smartsvm._core.sampling import rows_by_class
from smartsvm._mst.choice import KernelChoice
from smartsvm.presentation.progress import Progress
from smartsvm.trees.in_memory import on_device
from smartsvm.trees.in_memory.base import ClassTrees
from smartsvm.trees.in_memory.forests import Forests, ForestUnion, PairForests, SeparatedPairs
from smartsvm.trees.in_memory.pair_trees import ClassRows, PairTrees
from smartsvm.trees.in_memory.separated_pairs import may_be_separated, separate

# The trees of all pairs have K - 1 times the edges of one tree; with more classes they are dropped.
_MOST_KEPT_CLASSES = 32
# From this mean class size on, the trees of all classes are peeled from those of the pairs. With
# smaller classes the pairs have too many edges.
_LEAST_GATHERED = 128
# The trees of all pairs of fewer points take less time than to ask which pairs need them.
_LEAST_POINTS = 2000


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

    @property
    def _classes(self):
        return ClassRows(self.points, self._ids, self._class_rows, self.class_counts)

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
        yield from self._gathered(self._pair_trees(), self._classes.all_pairs())

    def _pair_trees(self):
        n_threads = count_threads(self.n_jobs)
        return PairTrees(self._classes, self._choice, self.seed, self.n_trees, n_threads)

    def _gathered(self, pair_trees, pairs, separation=None, peeler=None):
        """The forests of some pairs and of listed ones, which in the end give those of all points.

        `separation` has cross edges of the other pairs.
        """
        n_pairs = len(pairs) + (0 if peeler is None else len(peeler.listed.pairs))
        many = len(self.codes) >= _LEAST_GATHERED * self.n_classes
        gathers = not self.keeps_pairs and (many or separation is not None)
        trees_of_pairs, whole = {}, ForestUnion(self._ids, self.seed, self.n_trees)
        progress, done = Progress("pairs of classes", n_pairs, self.verbose), 0
        for batch in pair_trees.batches(pairs, peeler):
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
            for rows, forests in zip(self._class_rows, pair_trees.forests, strict=True):
                whole.add(self._ids[rows][forests[0]], forests[1])
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
        if (
            self.keeps_pairs
            or self._algorithm != "auto"
            or not may_be_separated(self.class_counts, self.points.n_features)
            or self._choice.are_corners()
        ):
            return None
        pairs, pair_trees = self._classes.all_pairs(), self._pair_trees()
        found = separate(pair_trees, count_threads(self.n_jobs), self.verbose)
        if found is None:
            return SeparatedPairs((), pairs[:0], None, self._gathered(pair_trees, pairs))
        separation = found.separation
        others = self._gathered(pair_trees, pairs[~found.has_trees], separation, found.peeler)
        return SeparatedPairs(found.within, pairs[separation.apart], separation.crossing, others)

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

    def _of_rows(self, rows):
        """The forests of some rows, computed from their points."""
        ids = self._ids[rows]
        forests = on_device.forests(self.points, ids, self.seed, self.n_trees, rows)
        if forests is None:
            points, n_threads = self.points.take(rows), count_threads(self.n_jobs)
            forests = self._choice.forests(points, ids, self.seed, n_threads)
        return Forests(ids[forests[0]], *forests[1:])
