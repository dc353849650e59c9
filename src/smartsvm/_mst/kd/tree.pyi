import numpy as np
from numpy.typing import NDArray

class KDIndex:
    n_points: int
    largest_site: int
    collapsed: bool
    @property
    def n_sites(self) -> int: ...
    def __init__(
        self, points: NDArray[np.float64], ids: NDArray[np.uint32], n_threads: int
    ) -> None: ...
