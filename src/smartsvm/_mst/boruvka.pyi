import numpy as np
from numpy.typing import NDArray

from smartsvm._mst.kd.tree import KDIndex

def index(points: NDArray[np.float64], ids: NDArray[np.uint32], n_threads: int = 1) -> KDIndex: ...
def forests(
    index: KDIndex, seed: int, n_trees: int, n_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
def pair_forests(
    index_a: KDIndex,
    index_b: KDIndex,
    within_a: tuple[NDArray[np.uint32], NDArray[np.float64]],
    within_b: tuple[NDArray[np.uint32], NDArray[np.float64]],
    seed: int,
    n_trees: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
