import numpy as np
from numpy.typing import NDArray

def canonical(
    edges: NDArray[np.uint32],
    weights: NDArray[np.float64],
    out_edges: NDArray[np.intp],
    out_weights: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...
