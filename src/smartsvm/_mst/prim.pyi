import numpy as np
from numpy.typing import NDArray

_Index = tuple[NDArray[np.float64], NDArray[np.uint32]]
_Edges = tuple[NDArray[np.uint32], NDArray[np.float64]]
_Forests = tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]

def prim_points(
    points: NDArray[np.float64], ids: NDArray[np.uint32], seed: int, n_trees: int
) -> _Forests: ...
def prim_matrix(
    matrix: NDArray[np.float64], ids: NDArray[np.uint32], seed: int, n_trees: int
) -> _Forests: ...
def prim_sum(
    matrix: NDArray[np.float64],
    column: NDArray[np.float64],
    rows: NDArray[np.uint32],
    ids: NDArray[np.uint32],
    seed: int,
    n_trees: int,
) -> _Forests: ...
def index(points: NDArray[np.float64], ids: NDArray[np.uint32], n_threads: int = 1) -> _Index: ...
def forests(index: _Index, seed: int, n_trees: int, n_threads: int) -> _Forests: ...
def pair_forests(
    index_a: _Index,
    index_b: _Index,
    within_a: _Edges,
    within_b: _Edges,
    seed: int,
    n_trees: int,
    n_threads: int,
) -> _Forests: ...
