"""Prim's algorithm with orthogonal trees: the simple kernel that is always right.

One tree grows from the first point. Each fringe vertex keeps the smallest edge that joins it to the
tree. When a vertex enters the tree, its row of distances, computed or read from a matrix, updates
the fringe; edges of earlier trees are excluded. So tree r is the minimum spanning tree of the
complete graph without the edges of trees 1..r-1, or its minimum spanning forest: where no edge is
left, a new tree starts.

Cost: n^2/2 distances per tree, O(n (d + n_trees)) memory. Order of edges: edge_order.h.

Reference: R. C. Prim (1957); V. K. M. Whitney, Algorithm 422 (1972).
"""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from smartsvm._mst.common.edge_order cimport tie_ranks
from smartsvm._mst.common.used_edges cimport index_used
from smartsvm._mst.common.vector_loops cimport vector_kind
from smartsvm._mst.prim.fringe cimport (
    FRINGE_GROUP, Fringe, PrimLoops, fringe_improve, fringe_improve_mutual, fringe_point,
    prim_loops,
)
from smartsvm._mst.prim.nearest import core_lengths, nearest_points
from smartsvm._mst.prim.pairs import MOST_DISTANCES, Sets
from smartsvm._core.threads cimport check_interrupt

# Distance terms between two looks for Ctrl-C: a few hundredths of a second.
cdef enum:
    WORK_BETWEEN_SIGNAL_CHECKS = 1 << 24


cdef inline void _remove(Fringe *fringe, Py_ssize_t j, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t last = fringe.size - 1, k
    cdef double *to = fringe_point(fringe, j, d)
    cdef double *point = fringe_point(fringe, last, d)
    fringe.position[fringe.vertex[j]] = <uint32_t> last
    if j != last:
        fringe.vertex[j] = fringe.vertex[last]
        fringe.position[fringe.vertex[j]] = <uint32_t> j
        fringe.nearest[j] = fringe.nearest[last]
        fringe.source[j] = fringe.source[last]
        if fringe.core != NULL:
            fringe.core[j], fringe.distance[j] = fringe.core[last], fringe.distance[last]
    fringe.nearest[last] = INFINITY
    for k in range(d):
        to[k * fringe.block] = point[k * fringe.block]
    point[0] = INFINITY
    fringe.size = last


cdef double _improve_by_matrix(
    Fringe *fringe, uint32_t entered, const double *core, const double *row, double coordinate
) noexcept nogil:
    """Improve the fringe by edges: a row of a matrix plus squared differences of a coordinate."""
    cdef Py_ssize_t j
    cdef double distance, difference, least = INFINITY
    for j in range(fringe.size):
        difference = coordinate - fringe.points[j]
        distance = row[fringe.vertex[j]] + difference * difference
        if core == NULL:
            least = min(least, fringe_improve(fringe, entered, j, distance))
        else:
            least = min(
                least, fringe_improve_mutual(fringe, entered, core[entered], j, distance)
            )
    return least


cdef Py_ssize_t _grow_forest(
    Fringe *fringe, const double *points, const double *matrix, const double *core, Py_ssize_t n,
    Py_ssize_t d, const uint32_t *rows, Py_ssize_t n_rows, const Py_ssize_t *used_start,
    const uint32_t *used, uint32_t *edges, double *distances,
) except -1 nogil:
    """Write the edges of one minimum spanning forest of some rows; how many they are."""
    cdef Py_ssize_t j, k, n_edges = 0, work = 0
    cdef uint32_t entered = rows[0]
    cdef double *point
    cdef double least
    cdef const PrimLoops *loops = prim_loops(vector_kind())
    fringe.size = n_rows
    for j in range(n_rows):
        fringe.vertex[j] = rows[j]
        fringe.position[rows[j]] = <uint32_t> j
        fringe.nearest[j] = INFINITY
        fringe.source[j] = entered
        if core != NULL:
            fringe.core[j], fringe.distance[j] = core[rows[j]], INFINITY
        point = fringe_point(fringe, j, d)
        for k in range(d):
            point[k * fringe.block] = points[rows[j] * d + k]
    _remove(fringe, 0, d)
    while fringe.size > 0:
        for k in range(used_start[entered], used_start[entered + 1]):
            if fringe.position[used[k]] < fringe.size:
                fringe_point(fringe, fringe.position[used[k]], d)[0] = INFINITY
        if matrix != NULL:
            least = _improve_by_matrix(
                fringe, entered, core, matrix + entered * n, points[entered]
            )
        elif core == NULL:
            least = loops.improve(fringe, entered, points + entered * d, d)
        else:
            least = loops.improve_mutual(fringe, entered, core[entered], points + entered * d, d)
        j = loops.smallest(fringe, least)
        for k in range(used_start[entered], used_start[entered + 1]):
            if fringe.position[used[k]] < fringe.size:
                fringe_point(fringe, fringe.position[used[k]], d)[0] = points[used[k] * d]
        work += fringe.size * (d + 1)
        entered = fringe.vertex[j]
        if fringe.nearest[j] < INFINITY:
            edges[2 * n_edges] = <uint32_t> fringe.source[j]
            edges[2 * n_edges + 1] = entered
            distances[n_edges] = fringe.nearest[j]
            n_edges += 1
        _remove(fringe, j, d)
        if work > WORK_BETWEEN_SIGNAL_CHECKS:
            work = 0
            with gil:
                check_interrupt()
    return n_edges


cdef _peel(
    const double *points, const double *matrix, Py_ssize_t n, Py_ssize_t d,
    const uint32_t[::1] rows, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees,
    const double[::1] core=None,
):
    """Forests of the `rows` among n points; a row of the edges is a pair of such rows.

    With the `core` of each point, its squared distance to the k-th neighbour, lengths are those of
    mutual reachability.
    """
    cdef Py_ssize_t tree, found, total = 0, n_rows = rows.shape[0]
    # One spare edge, so that a single point has addresses to pass on as well.
    cdef Py_ssize_t most = n_trees * (n_rows - 1) + 1
    cdef uint32_t[:, ::1] edges = np.empty((most, 2), dtype=np.uint32)
    cdef double[::1] distances = np.empty(most)
    cdef Py_ssize_t[::1] sizes = np.zeros(n_trees, dtype=np.intp)
    cdef Py_ssize_t room = (n_rows + FRINGE_GROUP - 1) // FRINGE_GROUP * FRINGE_GROUP
    # All else in one piece, since arrays of their own take longer than a tree of few points.
    cdef Py_ssize_t room_of_cores = 0 if core is None else 2 * room
    cdef double[::1] memory = np.empty(room * (d + 2) + room_of_cores + 3 * n + most + 1)
    cdef const double *of_points = NULL
    cdef Fringe fringe
    fringe.nearest, fringe.points = &memory[0], &memory[room]
    fringe.source = <int64_t *> (fringe.points + room * d)
    cdef double *cores = <double *> (fringe.source + room)
    cdef Py_ssize_t *used_start = <Py_ssize_t *> (cores + room_of_cores)
    cdef uint32_t *used = <uint32_t *> (used_start + n + 1)
    fringe.rank = used + 2 * most
    fringe.vertex, fringe.position = fringe.rank + n, fringe.rank + 2 * n
    fringe.block = prim_loops(vector_kind()).block
    fringe.core = fringe.distance = NULL
    if core is not None:
        fringe.core, fringe.distance = cores, cores + room
        of_points = &core[0]
    with nogil:
        for tree in range(room * (d + 1)):
            memory[tree] = INFINITY
        for tree in range(room_of_cores):
            cores[tree] = INFINITY
        memset(used_start, 0, (n + 1) * sizeof(Py_ssize_t))
        tie_ranks(&ids[0], n, seed, fringe.rank)
        for tree in range(n_trees):
            found = _grow_forest(
                &fringe, points, matrix, of_points, n, d, &rows[0], n_rows, used_start, used,
                &edges[total, 0], &distances[total],
            )
            sizes[tree] = found
            total += found
            if found == 0:
                break
            if tree + 1 < n_trees:
                index_used(&edges[0, 0], total, n, used_start, used)
    return np.asarray(edges)[:total], np.asarray(distances)[:total], np.asarray(sizes)


def prim_points(
    const double[:, ::1] points, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees
):
    """Orthogonal spanning forests of points, distances computed row by row."""
    return _peel(
        &points[0, 0], NULL, points.shape[0], points.shape[1],
        np.arange(len(points), dtype=np.uint32), ids, seed, n_trees,
    )


def prim_matrix(
    const double[:, ::1] matrix, const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees,
    const double[::1] core=None,
):
    """Orthogonal spanning forests of a symmetric matrix of distances, as `prim_points`."""
    cdef Py_ssize_t n = matrix.shape[0]
    cdef double[::1] zeros = np.zeros(n)
    return _peel(
        &zeros[0], &matrix[0, 0], n, 1, np.arange(n, dtype=np.uint32), ids, seed, n_trees, core
    )


def prim_sum(
    const double[:, ::1] matrix, const double[::1] column, const uint32_t[::1] rows,
    const uint32_t[::1] ids, uint64_t seed, Py_ssize_t n_trees,
):
    """Forests of some `rows`; squared distances are those of a matrix plus those of a column."""
    cdef Py_ssize_t n = column.shape[0]
    if matrix.shape[0] != n or matrix.shape[1] != n:
        raise ValueError("matrix must have a row and a column for each entry of column")
    return _peel(&column[0], &matrix[0, 0], n, 1, rows, ids, seed, n_trees)


def index(points, ids, n_threads=1):
    """What the other functions of this kernel need of a set of points: the set itself."""
    return points, ids


def forests(index, seed, n_trees, n_threads):
    """Orthogonal spanning forests of an indexed set; serial, whatever `n_threads` says."""
    points, ids = index
    return prim_points(points, ids, seed, n_trees)


def mutual_forests(index, seed, n_trees, k, n_threads):
    """Forests by mutual reachability, and the squared distances to the k-th neighbours."""
    cdef const double[:, ::1] points = index[0]
    core = core_lengths(points, k)
    rows = np.arange(len(points), dtype=np.uint32)
    return *_peel(
        &points[0, 0], NULL, points.shape[0], points.shape[1], rows, index[1], seed, n_trees, core
    ), core


def neighbors(index, seed, k, n_threads):
    """Rows of the k nearest other points of every row, and squared distances: (n, k)."""
    return nearest_points(*index, seed, k)


def pair_forests(index_a, index_b, forests_a, forests_b, seed, n_trees, n_threads):
    """Forests of two sets together; of large sets from scratch: their distances are not kept."""
    points = np.concatenate([index_a[0], index_b[0]])
    ids = np.concatenate([index_a[1], index_b[1]])
    n_a, n_b = len(index_a[0]), len(index_b[0])
    if n_a * n_b > MOST_DISTANCES:
        return prim_points(points, ids, seed, n_trees)
    sets = Sets(points, [0, n_a, n_a + n_b], ids, [forests_a, forests_b], seed, n_trees)
    edges, squared, sizes = sets.forests(np.array([[0, 1]]))
    return edges, squared, sizes[0]
