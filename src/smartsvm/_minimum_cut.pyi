import numpy as np
from numpy.typing import NDArray

def minimum_cut(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.bool_]]: ...
