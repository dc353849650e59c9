"""Time to draw, with matplotlib from the extra `plot`."""

import matplotlib
from matplotlib import pyplot

from smartsvm import (
    HierarchyDisplay,
    PairwiseErrorDisplay,
    class_hierarchy,
    pairwise_bayes_error,
)

from .data import classes

matplotlib.use("Agg")


class Displays:
    params = (5, 20)
    param_names = ("n_classes",)

    def setup(self, n_classes):
        X, y = classes(50 * n_classes, 4, n_classes)
        self.pairs = pairwise_bayes_error(X, y)
        self.tree = class_hierarchy(self.pairs)

    def teardown(self, n_classes):
        pyplot.close("all")

    def time_PairwiseErrorDisplay(self, n_classes):
        PairwiseErrorDisplay.from_estimate(self.pairs)

    def time_HierarchyDisplay(self, n_classes):
        HierarchyDisplay(self.tree).plot()
