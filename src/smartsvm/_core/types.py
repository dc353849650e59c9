"""Types of the public signatures."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Algorithm: TypeAlias = Literal["auto", "prim", "kdtree", "products"]
BiasCorrection: TypeAlias = bool | Literal["prior"]
Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.intp]
Labels: TypeAlias = NDArray[Any]  # class labels of any sortable type
LabelsLike: TypeAlias = ArrayLike | os.PathLike[str]  # labels in memory, or a file of them
MemoryLimit: TypeAlias = int | str | None  # bytes, or text such as "4 GiB"
Path: TypeAlias = str | os.PathLike[str]
PointsLike: TypeAlias = ArrayLike | os.PathLike[str]  # rows in memory, or a file that holds them
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
Scale: TypeAlias = Literal["auto", "none", "standard", "robust", "ranks", "minmax"]  # of columns

_Method = TypeVar("_Method", bound=Callable[..., Any])

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
    from matplotlib.image import AxesImage as AxesImage

    def available_if(check: Callable[[Any], bool]) -> Callable[[_Method], _Method]:
        """scikit-learn's decorator, which has no types."""
else:
    from sklearn.utils.metaestimators import available_if  # noqa: F401

    Axes = AxesImage = Figure = Any  # only displays need matplotlib
