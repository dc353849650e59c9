import numpy as np
from numpy.typing import NDArray

def quadratic_terms(
    inside: NDArray[np.float64],
    n_factors: int,
    shift: NDArray[np.float64],
    scale: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def quadratic_margins(
    inside: NDArray[np.float64],
    n_factors: int,
    units: NDArray[np.float64],
    weights: NDArray[np.float32] | NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def quadratic_moments(
    inside: NDArray[np.float64],
    n_factors: int,
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
) -> None: ...
def add_clipped(
    values: NDArray[np.float64],
    nodes: NDArray[np.intp],
    weights: NDArray[np.float64],
    limit: float,
    out: NDArray[np.float64],
) -> None: ...
def sum_sides(
    children: NDArray[np.intp], scores: NDArray[np.float64], out: NDArray[np.float64]
) -> None: ...
