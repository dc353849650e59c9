import numpy as np
from numpy.typing import ArrayLike, NDArray

MOST_DISTANCES: int

class Sets:
    def __init__(
        self,
        points: NDArray[np.float64],
        starts: ArrayLike,
        ids: NDArray[np.uint32],
        within: list[tuple[NDArray[np.uint32], NDArray[np.float64]]],
        seed: int,
        n_trees: int,
    ) -> None: ...
    def forests(
        self, pairs: NDArray[np.intp]
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
