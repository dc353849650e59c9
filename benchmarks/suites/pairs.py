"""All pairs of classes, as in the race."""

from smartsvm import ClassForest

from ..trees.cells import CELLS, load


class Pairs:
    def setup(self):
        self.X, self.y = load(CELLS["pairs-d3-26-classes"])

    def time_pairs_d3_26_classes(self):
        ClassForest(self.X, self.y, n_trees=1).pairwise()

    peakmem_pairs_d3_26_classes = time_pairs_d3_26_classes
