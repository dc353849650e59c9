import numpy as np
from numpy.typing import NDArray

class Logistic:
    def __init__(
        self,
        rows: NDArray[np.float64],
        shares: NDArray[np.float64],
        counts: NDArray[np.float64] | None,
        ridge: NDArray[np.float64],
    ) -> None: ...
    def fit(
        self, start: NDArray[np.float64], most_steps: int, least_gain: float
    ) -> NDArray[np.float64]: ...
    def left_out(self, solution: NDArray[np.float64]) -> NDArray[np.float64]: ...
