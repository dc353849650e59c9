import numpy as np
from numpy.typing import NDArray

from smartsvm._mst.prim import _Edges, _Forests

def index(
    points: NDArray[np.float64],
    ids: NDArray[np.uint32],
    n_threads: int = 1,
    basis: NDArray[np.float64] | None = None,
) -> object: ...
def forests(index: object, seed: int, n_trees: int, n_threads: int) -> _Forests: ...
def neighbors(index: object, seed: int, n_neighbors: int, n_threads: int) -> NDArray[np.uint32]: ...
def pair_forests(
    index_a: object,
    index_b: object,
    within_a: _Edges,
    within_b: _Edges,
    seed: int,
    n_trees: int,
    n_threads: int,
) -> _Forests: ...
