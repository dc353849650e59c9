import numpy as np
from numpy.typing import NDArray

def look_at(points: NDArray[np.float64], n_sampled: int) -> tuple[float, int] | None: ...
