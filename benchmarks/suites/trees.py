"""Time and peak memory of spanning trees: a grid, and the shapes of the race."""

from smartsvm import euclidean_mst, nearest_neighbors

from .data import points

# Kind of points, n, d: below a second each.
RACE = [
    ("uniform", 100_000, 2),
    ("clustered", 100_000, 2),
    ("lattice", 20_000, 3),
    ("clustered", 20_000, 8),
    ("uniform", 20_000, 10),
    ("clustered", 20_000, 16),
    ("integers", 20_000, 16),
]


class Trees:
    params = ([1000, 4000], [2, 10, 50], [1, 3])
    param_names = ("n", "d", "n_trees")

    def setup(self, n, d, n_trees):
        self.X = points(n, d)

    def time_euclidean_mst(self, n, d, n_trees):
        euclidean_mst(self.X, n_trees=n_trees)

    peakmem_euclidean_mst = time_euclidean_mst

    def track_length(self, n, d, n_trees):
        """Sum of all weights, which no change of the engine may move."""
        return float(euclidean_mst(self.X, n_trees=n_trees).weights.sum())

    track_length.unit = "length"


class Neighbors:
    params = ([1000, 4000], [2, 10, 50])
    param_names = ("n", "d")

    def setup(self, n, d):
        self.X = points(n, d)

    def time_nearest_neighbors(self, n, d):
        nearest_neighbors(self.X, 10)


class MutualReachability:
    params = ([(1000, 10), (100_000, 2), (20_000, 10), (20_000, 50)],)
    param_names = ("n, d",)

    def setup(self, shape):
        self.X = points(*shape)

    def time_mutual_reachability(self, shape):
        euclidean_mst(self.X, core_neighbors=10)

    peakmem_mutual_reachability = time_mutual_reachability


class Race:
    params = ([f"{kind}-n{n}-d{d}" for kind, n, d in RACE],)
    param_names = ("cell",)

    def setup(self, cell):
        kind, n, d = RACE[self.params[0].index(cell)]
        self.X = points(n, d, kind)

    def time_euclidean_mst(self, cell):
        euclidean_mst(self.X)
