"""`Points`: X behind the door, in memory, on a GPU or not read yet. Here is all scaling of points.

Columns are put on a common scale if a user or a report chooses so (column_scales.py). Then one
power of two brings squared differences into the range of float64 (safe_range.py), which changes no
tree. Classifiers that need more say why: held_out/standardised_columns.py, principal_components.py.
"""

from functools import cached_property

import numpy as np

from smartsvm._core.column_scales import scale_columns
from smartsvm._core.devices import (
    beside,
    enough_memory,
    find_device,
    magnitudes_of,
    on_host,
    to_device,
)
from smartsvm._core.safe_range import is_safe, scale_to_safe_range, take_rows
from smartsvm._core.sources import open_source
from smartsvm._core.validation import as_finite, is_plain

# Kernels of the GPU number rows by 32-bit integers.
_MOST_ON_DEVICE = 2**31 - 1


class Points:
    """Rows of X, and where they live."""

    # values    in memory, or mapped from a file: finite numbers of any type; their squared
    #           differences neither overflow nor underflow. From a GPU they are copied at first use
    # exponent  distances between rows of X are 2^exponent times those between rows of `values`
    # tensor    the values on a GPU, if one computes; else None
    # limit     bytes that trees may take where the points live; None for all that is free
    # source    rows that are not read: too many for memory, or some of them will do; else None

    def __init__(self, values=None, exponent=0, *, tensor=None, limit=None, source=None):
        self.exponent = exponent
        self.tensor = tensor
        self.limit = limit
        self.source = source
        if values is not None:
            self.values = values
        if source is not None:
            self.shape = source.n_rows, source.n_features
        else:
            self.shape = tuple(tensor.shape) if values is None else values.shape
        self.n_rows, self.n_features = self.shape

    @cached_property
    def values(self):
        """The values of points on a GPU, copied to memory; None for a source, which is not read."""
        return None if self.device is None else on_host(self.tensor)

    @property
    def device(self):
        """The torch.device of the tensor; None in memory."""
        return None if self.tensor is None else self.tensor.device

    def where_they_live(self):
        """The tensor, or the values in memory."""
        return self.values if self.device is None else self.tensor

    def take(self, rows):
        """Some rows of the values, as a float64 array in C order."""
        return take_rows(self.values, rows)

    def matrix(self):
        """All rows of the values, as a float64 array in C order."""
        return self.values if is_plain(self.values) else self.take(np.arange(self.n_rows))

    def of(self, rows):
        """`Points` of some rows, in memory."""
        return Points(self.take(rows), self.exponent)

    def read(self, rows=None):
        """All or some rows of the source, checked, in the units of X, in an array of our own."""
        source = self.source
        if rows is None or len(rows) == self.n_rows:
            return source.whole()
        return as_finite(source.gather(rows), source.name, copy=False)


def scale_points(X, scale="none", *, device="cpu", n_jobs=None):
    """Checked numbers that are ours as `Points`: columns on one of `SCALES`, squares in range."""
    values, exponent = scale_to_safe_range(scale_columns(X, scale, n_jobs))
    place = find_device(device, X)
    if place is None:
        return Points(values, exponent)
    return Points(values, exponent, tensor=points_on_device(values, place).tensor)


def points_on_device(X, device, limit=None, name="X"):
    """`Points` of any X on a GPU, checked there."""
    with enough_memory(device):
        tensor = to_device(X, device, name, open_source)
        if len(tensor) > _MOST_ON_DEVICE:
            raise ValueError(
                f"{name} must have at most {_MOST_ON_DEVICE} rows on a GPU, got {len(tensor)}."
            )
        exponent = 0
        if not is_safe(*magnitudes_of(tensor, name)):
            values, exponent = scale_to_safe_range(as_finite(on_host(tensor), name))
            tensor = beside(values, tensor)
    return Points(exponent=exponent, tensor=tensor, limit=limit)
