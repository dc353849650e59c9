import numpy as np
from numpy.typing import NDArray

def peel(
    edges: NDArray[np.uint32],
    squared: NDArray[np.float64],
    ids: NDArray[np.uint32],
    seed: int,
    n_trees: int,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
