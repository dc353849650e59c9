"""Trees and neighbours of `Points` on a GPU; None where the processor must compute."""

from contextlib import contextmanager
from functools import partial

import numpy as np

from smartsvm._core.devices import enough_memory, free_bytes

LEAST_ON_DEVICE = 2000  # rows; of fewer the processor has the trees before a GPU has begun


def forests(points, ids, seed, n_trees, rows=None, core_neighbors=0):
    """The forests of all or some rows, as kernels return them; with cores as `mutual_forests`."""
    if points.device is None or len(ids) < LEAST_ON_DEVICE:
        return None
    from smartsvm._mst.gpu.trees import forests

    with _on_gpu(points):
        X = points.tensor if rows is None else points.tensor[rows]
        return forests(X, ids, seed, n_trees, core_neighbors, memory_limit=_limit(points))


def class_pairs(points, rows, counts, ids, seed, n_trees, n_threads):
    """`ClassPairs` of rows that are grouped by class."""
    from smartsvm._mst.gpu.class_pairs import class_pairs

    with _on_gpu(points):
        options = {"n_threads": n_threads, "memory_limit": _limit(points)}
        pairs = class_pairs(points.tensor, rows, counts, ids, seed, n_trees, **options)
    return None if pairs is None else pairs._replace(joined=partial(_joined, points, pairs.joined))


def _joined(points, joined, union):
    with _on_gpu(points):
        yield from joined(union)


def neighbors(points, seed, n_neighbors):
    """Rows of the nearest neighbours of every point, and squared distances."""
    if points.device is None:
        return None
    from smartsvm._mst.gpu.neighbors import neighbors

    with _on_gpu(points):
        ids = np.arange(points.n_rows, dtype=np.uint32)
        return neighbors(points.tensor, ids, seed, n_neighbors)


@contextmanager
def _on_gpu(points):
    """Where kernels run: compiling them is announced, too little memory is explained."""
    from smartsvm._mst.gpu.compiling import announced

    with enough_memory(points.device), announced():
        yield


def _limit(points):
    return points.limit or free_bytes(points.device)
