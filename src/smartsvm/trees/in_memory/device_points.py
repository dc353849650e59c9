"""Points on a GPU, and their trees."""

from contextlib import contextmanager
from functools import partial
from traceback import clear_frames

import numpy as np

from smartsvm._core.devices import find_device, free_bytes, on_host, to_device
from smartsvm._core.safe_range import ScaledPoints
from smartsvm._mst.choice import MOST_POINTS

LEAST_ON_DEVICE = 2000  # rows; of fewer the processor has the trees before a GPU has begun


class DevicePoints:
    """Checked points on a device; `exponent` as in `ScaledPoints`."""

    def __init__(self, X, device, memory_limit=None):
        scaled = X if isinstance(X, ScaledPoints) else None
        with _enough_memory(device):
            self.tensor, self.exponent = to_device(scaled.points if scaled else X, device)
        self.exponent += scaled.exponent if scaled else 0
        self.device, self.memory_limit = device, memory_limit
        if self.n_rows > min(MOST_POINTS, 2**31 - 1):
            raise ValueError(f"X must have at most {2**31 - 1} rows on a GPU, got {self.n_rows}.")

    @property
    def n_rows(self):
        return len(self.tensor)

    @property
    def n_features(self):
        return self.tensor.shape[1]

    def forests(self, ids, seed, n_trees, rows=None, core_neighbors=0):
        """The forests of some rows as kernels return them; None if they need the processor.

        With `core_neighbors` as `mutual_forests` returns them.
        """
        from smartsvm._mst.gpu.trees import forests

        if len(ids) < LEAST_ON_DEVICE:
            return None
        with _on_gpu(self.device):
            X = self.tensor if rows is None else self.tensor[rows]
            limit = self.memory_limit or free_bytes(self.device)
            return forests(X, ids, seed, n_trees, core_neighbors, memory_limit=limit)

    def class_pairs(self, rows, counts, ids, seed, n_trees, n_threads):
        """`ClassPairs` of rows that are grouped by class; None if they need the processor."""
        from smartsvm._mst.gpu.class_pairs import class_pairs

        with _on_gpu(self.device):
            limit = self.memory_limit or free_bytes(self.device)
            options = {"n_threads": n_threads, "memory_limit": limit}
            found = class_pairs(self.tensor, rows, counts, ids, seed, n_trees, **options)
        if found is None:
            return None
        return found._replace(joined=partial(self._joined, found.joined))

    def _joined(self, joined, union):
        with _on_gpu(self.device):
            yield from joined(union)

    def neighbors(self, seed, n_neighbors):
        """Rows and squared distances of neighbours; None if they need the processor."""
        from smartsvm._mst.gpu.neighbors import neighbors

        with _on_gpu(self.device):
            ids = np.arange(self.n_rows, dtype=np.uint32)
            return neighbors(self.tensor, ids, seed, n_neighbors)

    def in_memory(self):
        """The points in memory."""
        return on_host(self.tensor)


def open_on_device(X, device, memory_limit=None, *, algorithm="auto", checkpoint=None):
    """X as `DevicePoints` if a GPU computes; else X, in memory if it is a tensor."""
    if isinstance(X, DevicePoints):
        return X
    found = find_device(device, X)
    if found is None:
        return on_host(X)
    if algorithm != "auto":
        raise ValueError(f'algorithm must be "auto" on a GPU ({found}), got {algorithm!r}.')
    if checkpoint is not None:
        raise ValueError(f"checkpoint must be None on a GPU ({found}), got {str(checkpoint)!r}.")
    return DevicePoints(X, found, memory_limit)


@contextmanager
def _on_gpu(device):
    """Where kernels run: compiling them is announced, too little memory is explained."""
    from smartsvm._mst.gpu.compiling import announced

    with _enough_memory(device), announced():
        yield


@contextmanager
def _enough_memory(device):
    """Turn an error of a GPU without memory into one that says what to do; free what is left."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        problem = str(error).partition(". ")[0]
        clear_frames(error.__traceback__)  # which hold tensors
    else:
        return
    torch.cuda.empty_cache()
    raise MemoryError(
        f"the memory of {device} is not enough ({problem}): pass fewer rows, X as float16 or "
        'float32, or device="cpu".'
    )
