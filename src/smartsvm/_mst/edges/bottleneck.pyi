import numpy as np
from numpy.typing import NDArray

def components(
    edges: NDArray[np.uint32], squared: NDArray[np.float64], limit: float, n_nodes: int
) -> tuple[NDArray[np.uint32], int]: ...

class Linkage:
    def __init__(
        self, edges: NDArray[np.uint32], squared: NDArray[np.float64], n_nodes: int
    ) -> None: ...
    def distances(self, start: int) -> NDArray[np.float64]: ...
