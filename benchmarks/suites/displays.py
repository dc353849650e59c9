"""Time to draw; left out where matplotlib is not installed."""

import importlib.util
import sys

from smartsvm import (
    ClassErrorDisplay,
    HierarchyDisplay,
    PairwiseErrorDisplay,
    class_hierarchy,
    ovr_bayes_error,
    pairwise_bayes_error,
)

from .data import classes, public


class Displays:
    params = (5, 20)
    param_names = ("n_classes",)

    def setup(self, n_classes):
        if importlib.util.find_spec("matplotlib") is None:
            raise NotImplementedError  # asv's way to leave a benchmark out
        import matplotlib

        matplotlib.use("Agg")
        X, y = classes(50 * n_classes, 4, n_classes)
        self.pairs, self.rest = pairwise_bayes_error(X, y), ovr_bayes_error(X, y)
        self.tree = class_hierarchy(self.pairs)
        self.selector = public("BayesErrorSelector")(2).fit(X, y)

    def teardown(self, n_classes):
        if "matplotlib" in sys.modules:
            from matplotlib import pyplot

            pyplot.close("all")

    def time_PairwiseErrorDisplay(self, n_classes):
        PairwiseErrorDisplay.from_estimate(self.pairs).plot()

    def time_ClassErrorDisplay(self, n_classes):
        ClassErrorDisplay(self.rest).plot()

    def time_HierarchyDisplay(self, n_classes):
        HierarchyDisplay(self.tree).plot()

    def time_SelectionPathDisplay(self, n_classes):
        public("SelectionPathDisplay").from_estimator(self.selector).plot()
