"""What forests of classes answer wherever their points are: in memory or in blocks."""

import numpy as np

from smartsvm.trees.in_memory.forests import PairForests


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
