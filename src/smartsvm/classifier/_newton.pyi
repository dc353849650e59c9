import numpy as np
from numpy.typing import NDArray

class Newton:
    weights: NDArray[np.float64]
    shortfalls: NDArray[np.float64]
    factor: NDArray[np.float64]
    def __init__(
        self,
        rows: NDArray[np.float64],
        n_left: int,
        row_weights: NDArray[np.float64] | None,
        gram: NDArray[np.float64] | None,
        C: float,
        start: NDArray[np.float64] | None,
    ) -> None: ...
    def solve(self, most_steps: int) -> bool: ...

def leverages(
    rows: NDArray[np.float64],
    which: NDArray[np.intp],
    scales: NDArray[np.float64],
    factor: NDArray[np.float64],
) -> NDArray[np.float64]: ...
