"""Trees and neighbours of `Points` on a GPU; None where the processor must compute."""

import numpy as np

from smartsvm._core.devices import enough_memory, free_bytes

LEAST_ON_DEVICE = 2000  # rows; of fewer the processor has the trees before a GPU has begun


def forests(points, ids, seed, n_trees, rows=None):
    """The forests of all or some rows, as kernels return them."""
    if len(ids) < LEAST_ON_DEVICE:
        return None
    from smartsvm._mst.gpu.trees import forests

    with enough_memory(points.tensor.device):
        X = points.tensor if rows is None else points.tensor[rows]
        return forests(X, ids, seed, n_trees, memory_limit=_limit(points))


def class_pairs(points, rows, counts, ids, seed, n_trees):
    """`ClassPairs` of rows that are grouped by class."""
    from smartsvm._mst.gpu.class_pairs import class_pairs

    with enough_memory(points.tensor.device):
        limit = _limit(points)
        return class_pairs(points.tensor, rows, counts, ids, seed, n_trees, memory_limit=limit)


def neighbors(points, seed, n_neighbors):
    """Rows of the nearest neighbours of every point."""
    from smartsvm._mst.gpu.neighbors import neighbors

    with enough_memory(points.tensor.device):
        ids = np.arange(points.n_rows, dtype=np.uint32)
        return neighbors(points.tensor, ids, seed, n_neighbors)


def _limit(points):
    return points.limit or free_bytes(points.tensor.device)
