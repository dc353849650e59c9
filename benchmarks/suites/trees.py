"""Time and peak memory of spanning trees: a grid, and the made cells of the race."""

from smartsvm import euclidean_mst, nearest_neighbors

from ..trees.cells import CELLS, load
from .data import points

# Cells that need no data set and about a second.
MADE = tuple(
    name
    for name, cell in CELLS.items()
    if cell.task == "trees"
    and 0 < cell.n * cell.d <= 4e5
    and cell.kind in ("uniform", "clustered", "integers", "lattice")
)


class Trees:
    params = ([1000, 4000], [2, 10, 50], [1, 3])
    param_names = ("n", "d", "n_trees")

    def setup(self, n, d, n_trees):
        self.X = points(n, d)

    def time_euclidean_mst(self, n, d, n_trees):
        euclidean_mst(self.X, n_trees=n_trees)

    peakmem_euclidean_mst = time_euclidean_mst

    def time_mutual_reachability(self, n, d, n_trees):
        euclidean_mst(self.X, n_trees=n_trees, core_neighbors=10)

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


class Race:
    params = MADE
    param_names = ("cell",)
    timeout = 300

    def setup(self, cell):
        self.X, _ = load(CELLS[cell])

    def time_cell(self, cell):
        euclidean_mst(self.X, n_trees=CELLS[cell].n_trees)
