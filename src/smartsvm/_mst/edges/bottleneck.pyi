import numpy as np
from numpy.typing import NDArray

class Linkage:
    def __init__(
        self, edges: NDArray[np.uint32], squared: NDArray[np.float64], n_nodes: int
    ) -> None: ...
    def distances(self, start: int) -> NDArray[np.float64]: ...
