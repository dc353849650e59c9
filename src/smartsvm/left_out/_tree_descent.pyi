import numpy as np
from numpy.typing import NDArray

def find_leaves(
    points: NDArray[np.float32],
    children: NDArray[np.int32],
    features: NDArray[np.int32],
    thresholds: NDArray[np.float32],
    out: NDArray[np.intp],
) -> None: ...
