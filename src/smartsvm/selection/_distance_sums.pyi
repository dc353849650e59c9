import numpy as np
from numpy.typing import NDArray

def add_squared_differences(
    matrix: NDArray[np.float64], column: NDArray[np.float64], out: NDArray[np.float64]
) -> None: ...
def nearest_in_sum(
    matrix: NDArray[np.float64],
    column: NDArray[np.float64],
    ids: NDArray[np.uint32],
    seed: int,
    k: int,
) -> NDArray[np.uint32]: ...
