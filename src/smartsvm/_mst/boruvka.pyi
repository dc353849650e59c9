import numpy as np
from numpy.typing import NDArray

def index(points: NDArray[np.float64], ids: NDArray[np.uint32], n_threads: int = 1) -> object: ...
def forests(
    index: object, seed: int, n_trees: int, n_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
def pair_forests(
    index_a: object,
    index_b: object,
    within_a: tuple[NDArray[np.uint32], NDArray[np.float64]],
    within_b: tuple[NDArray[np.uint32], NDArray[np.float64]],
    seed: int,
    n_trees: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
