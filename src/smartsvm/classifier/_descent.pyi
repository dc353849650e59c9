import numpy as np
from numpy.typing import ArrayLike, NDArray

class Descent:
    def __init__(
        self,
        children: ArrayLike,
        weights: ArrayLike,
        intercepts: ArrayLike,
        links: ArrayLike,
        limit: float,
    ) -> None: ...
    def margins(self, rows: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...
    def hard(self, rows: NDArray[np.float64], out: NDArray[np.intp]) -> None: ...
    def soft(self, rows: NDArray[np.float64], out: NDArray[np.intp]) -> int: ...
    def log_probabilities(
        self, rows: NDArray[np.float64], out: NDArray[np.float64], exponentiate: bool
    ) -> None: ...
