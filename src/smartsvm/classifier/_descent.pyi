import numpy as np
from numpy.typing import NDArray

def quadratic_terms(
    factors: NDArray[np.float64],
    shift: NDArray[np.float64],
    scale: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...

class Descent:
    def __init__(
        self,
        children: NDArray[np.intp],
        least: NDArray[np.float64],
        given: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        added: NDArray[np.float64],
        mapped: NDArray[np.uint8],
    ) -> None: ...
    def margins(
        self, rows: NDArray[np.float64], columns: NDArray[np.float64], out: NDArray[np.float64]
    ) -> None: ...
    def hard(
        self, rows: NDArray[np.float64], columns: NDArray[np.float64], out: NDArray[np.intp]
    ) -> None: ...
    def soft(
        self, rows: NDArray[np.float64], columns: NDArray[np.float64], out: NDArray[np.intp]
    ) -> int: ...
    def log_probabilities(
        self,
        rows: NDArray[np.float64],
        columns: NDArray[np.float64],
        out: NDArray[np.float64],
        exponentiate: bool,
    ) -> None: ...
