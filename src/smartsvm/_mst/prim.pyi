import numpy as np
from numpy.typing import NDArray

def prim_points(
    points: NDArray[np.float64], ids: NDArray[np.uint32], seed: int, n_trees: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
def prim_matrix(
    matrix: NDArray[np.float64], ids: NDArray[np.uint32], seed: int, n_trees: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...

Index = tuple[NDArray[np.float64], NDArray[np.uint32]]
Edges = tuple[NDArray[np.uint32], NDArray[np.float64]]

def index(points: NDArray[np.float64], ids: NDArray[np.uint32]) -> Index: ...
def forests(
    index: Index, seed: int, n_trees: int, n_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
def pair_forests(
    index_a: Index,
    index_b: Index,
    within_a: Edges,
    within_b: Edges,
    seed: int,
    n_trees: int,
    n_threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], NDArray[np.intp]]: ...
