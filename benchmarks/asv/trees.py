"""Time and peak memory of spanning trees."""

from smartsvm import euclidean_mst

from .data import points


class Trees:
    params = ([1000, 4000], [2, 10, 50], [1, 3])
    param_names = ("n", "d", "n_trees")

    def setup(self, n, d, n_trees):
        self.X = points(n, d)

    def time_euclidean_mst(self, n, d, n_trees):
        euclidean_mst(self.X, n_trees=n_trees)

    def peakmem_euclidean_mst(self, n, d, n_trees):
        euclidean_mst(self.X, n_trees=n_trees)
