"""Forests of pairs and unions of classes whose points are in blocks.

The same questions as `SpanningForest` answers, for data that is on disk or on a cluster.
"""

from itertools import combinations, product

import numpy as np

from smartsvm.trees.in_memory.base import ClassTrees
from smartsvm.trees.in_memory.forests import Forests, ForestUnion

_MOST_JOINS = 64  # pairs of classes whose tasks run side by side


class BlockSpanningForest(ClassTrees):
    """Orthogonal trees of pairs of classes and of all classes, computed in blocks."""

    def __init__(self, blocks, codes):
        self.codes = codes
        self.class_counts = np.bincount(codes)
        self.n_trees = blocks.n_trees
        self.seed = blocks.seed
        self.blocks = blocks
        groups = np.array([part.group for part in blocks.parts])
        self._blocks_of = [np.flatnonzero(groups == k).tolist() for k in range(self.n_classes)]
        self._classes = None

    def __reduce__(self):
        raise TypeError(
            "A ClassForest in blocks can neither be pickled nor copied: its blocks are files or on "
            "a cluster. Pass a checkpoint, and make it again from the data where it is needed."
        )

    def in_other_order(self, seed):
        """The same blocks under another order among equal distances, with no trees yet."""
        return BlockSpanningForest(self.blocks.in_other_order(seed), self.codes)

    def pairs(self):
        """Yield (k, l, forests) for every pair k < l; in the end those of all are known, too."""
        self._class_forests()
        ids = np.arange(len(self.codes), dtype=np.uint32)
        whole = ForestUnion(ids, self.blocks.seed, self.n_trees)
        for forests in self._classes:
            whole.add(forests.edges, forests.squared)
        pairs = list(combinations(range(self.n_classes), 2))
        step = min(_MOST_JOINS, max(1, self.n_classes // 2))  # of about as many rows as there are
        for start in range(0, len(pairs), step):
            some = pairs[start : start + step]
            joins = [self._join(pair) for pair in some]
            self.blocks.run(joins)
            for (k, m), join in zip(some, joins, strict=True):
                forests = self._peel((k, m), join)
                join.forests.clear()
                # The others are edges of a class's own forests: those are there already.
                crossing = self.codes[forests.edges[:, 0]] != self.codes[forests.edges[:, 1]]
                whole.add(forests.edges[crossing], forests.squared[crossing])
                yield k, m, forests
        self._whole = whole.peel()

    def union(self, classes):
        """The forests of some classes (at least two codes), joined from those of each."""
        self._class_forests()
        join = self._join(np.sort(classes).tolist())
        self.blocks.run([join])
        return self._peel(classes, join)

    def _class_forests(self):
        """The forests of each class, from those of its blocks."""
        if self._classes is not None:
            return
        joins = []
        for k, blocks in enumerate(self._blocks_of):
            pairs = list(combinations(range(len(blocks)), 2))
            joins.append(self.blocks.join(f"class-{k}-", blocks, pairs, []))
        self.blocks.run(joins)
        self._classes = []
        for blocks, join in zip(self._blocks_of, joins, strict=True):
            withins = [self.blocks.withins()[p] for p in blocks]
            if len(withins) == 1:
                only = withins[0]
                forests = Forests(only.ids[only.edges], only.squared, only.sizes)
            else:
                forests = self.blocks.peel(withins + join.forests)
            self._classes.append(forests)

    def _join(self, classes):
        """A join of classes: pairs of blocks of one class need no second look."""
        blocks, pairs = [], []
        for k in classes:
            own = range(len(blocks), len(blocks) + len(self._blocks_of[k]))
            pairs += product(range(len(blocks)), own)
            blocks += self._blocks_of[k]
        name = "-".join(["classes", *map(str, classes)]) + "-"
        return self.blocks.join(name, blocks, pairs, [self._classes[k] for k in classes])

    def _peel(self, classes, join):
        return self.blocks.peel([self._classes[k] for k in classes] + join.forests)
