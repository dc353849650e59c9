import numpy as np
from numpy.typing import ArrayLike, NDArray

def clip_columns(
    points: NDArray[np.float64],
    first: NDArray[np.float64],
    unit: float,
    middle: NDArray[np.float64],
    limits: NDArray[np.float64],
    basis: NDArray[np.float64] | None,
    out: NDArray[np.float64],
) -> None: ...

class SingleScores:
    def __init__(
        self, scales: ArrayLike, factors: ArrayLike, centres: ArrayLike, constants: ArrayLike
    ) -> None: ...
    def scores(self, inside: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...

def left_out_densities(
    points: NDArray[np.float64],
    weights: NDArray[np.float64],
    own: int,
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    log_determinants: NDArray[np.float64],
    sizes: NDArray[np.float64],
    strength: float,
    share: float,
    out: NDArray[np.float64],
) -> None: ...
