"""Minimum spanning forests in high dimension, by matrix products of blocks.

Above about fifteen dimensions boxes and balls exclude nothing, so this kernel compares all points,
but cheaply. It cuts the points into blocks of near ones; a tile is the matrix product of two.

1. A sweep over the tiles proposes each node's k smallest edges from float32 products; direct
   float64 sums decide (sweep.pxi, tiles.pxi). Lower bounds exclude tiles of blocks that are far
   apart (block_bounds.pyx).
2. Kruskal's algorithm runs on these lists as far as they certify its choices (list_kruskal.pxi).
3. Nodes that leave their component uncertain get new lists, of edges that leave the component and
   are no longer than the best it knows. The smallest entry of each tile, recorded when the tile
   was computed, excludes most tiles. Then Kruskal's algorithm goes on.

Later trees start from the same lists without the edges already used. Between two sets only the
product of one with the other is computed: within a set, the forests of the union have no edges but
those of its own forests. Where a few directions hold most of the distance, products are those of
projections (projection.py). Equal points are one node, a site, if that saves work.

By mutual reachability (edge_order.h) the first lists, in the order of distances, give the cores. An
edge is certain if it is shorter than the end of a list: what is not listed is no shorter. Lists
that are filled again have the order of lengths.

Exact for any input, ties included (edge_order.h): only the cost depends on what float32 resolves.
Cost: at least n^2/2 entries of a product of inner dimension d; O(n (d + k + n_trees)) memory and
one number for each tile.
"""
from libc.stdint cimport uint64_t

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._mst.common.equal_points cimport Sites, collapse
from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.search import Search
from smartsvm._core.thread_pool cimport ThreadPool


cdef _forests_of_sites(
    Index index, Sites sites, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t k,
    Py_ssize_t n_threads,
):
    """What `_forests` returns, from a search among sites; None if sites are not apart."""
    index.build(n_threads)
    sites.arrange(index.order)
    search = Search(index, None, sites, seed, n_trees, n_threads, n_core=k)
    found = search.grow(n_trees)
    if found is None:
        return None
    edges, distances, keys, sizes = found
    # The first tree has the smallest edge of every site: see equal_points.pyx.
    of_zero = edges[:sizes[0]][distances[:sizes[0]] == 0]
    if k == 0 and (np.diff(sites.start)[of_zero] > 1).any():
        return None
    ends = np.cumsum(sizes)[:n_trees - 1]
    pairs = np.split(sites.pairs(keys), ends)
    core = np.zeros(len(sites.members))
    if k > 0:
        core[sites.members] = np.repeat(search.cores(), np.diff(sites.start))
    # Every tree joins the points of a site by edges that are as long as its core.
    lengths = [
        part for inside, both in zip(sites.inside, np.split(distances, ends))
        for part in (core[inside[:, 0]], both)
    ]
    return (
        np.concatenate([part for both in zip(sites.inside, pairs) for part in both]),
        np.concatenate(lengths), sizes + len(sites.inside[0]), core,
    )


cdef _forests(
    Index index, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t n_threads, Py_ssize_t k=0,
):
    """What `mutual_forests` returns; k = 0 for plain distances, and cores of 0."""
    points, ids, order, equal = index.rows()
    cdef Sites sites = collapse(index.equal_start, equal, ids, seed, n_trees)
    if sites is not None:
        found = _forests_of_sites(
            Index(points[sites.rows], ids[sites.rows], n_threads, index.basis), sites, seed,
            n_trees, k, n_threads,
        )
        if found is not None:
            core = np.empty(len(order))
            core[order] = found[3]
            return order[found[0]].astype(np.uint32), found[1], found[2], core
    index.build(n_threads)
    search = Search(index, None, None, seed, n_trees, n_threads, n_core=k)
    edges, distances, _, sizes = search.grow(n_trees)
    core = np.zeros(index.n)
    if k > 0:
        core[index.order] = search.cores()
    return index.order[edges].astype(np.uint32), distances, sizes, core


def index(points, ids, n_threads=1, basis=None):
    """What a search needs of a set of points; indices searched together share one `basis`."""
    with single_blas_thread(), ThreadPool(n_threads):
        return Index(points, ids, n_threads, basis)


def forests(Index index, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t n_threads):
    """Orthogonal minimum spanning forests of one set of points."""
    with single_blas_thread(), ThreadPool(n_threads):
        return _forests(index, seed, n_trees, n_threads)[:3]


def mutual_forests(
    Index index, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t k, Py_ssize_t n_threads,
):
    """Forests by mutual reachability, and the squared distances to the k-th neighbours."""
    with single_blas_thread(), ThreadPool(n_threads):
        return _forests(index, seed, n_trees, n_threads, k)


cdef _neighbors(
    Index index, uint64_t seed, Py_ssize_t n_neighbors, Py_ssize_t n_threads,
):
    with single_blas_thread(), ThreadPool(n_threads):
        index.build(n_threads)
        search = Search(index, None, None, seed, 1, n_threads, n_neighbors)
        search.fill_lists()
    return search


def neighbor_rows(Index index, uint64_t seed, Py_ssize_t n_neighbors, Py_ssize_t n_threads):
    """Rows of the nearest other points of every point, in the order of edges: (n, n_neighbors)."""
    return _neighbors(index, seed, n_neighbors, n_threads).neighbor_rows()


def neighbors(Index index, uint64_t seed, Py_ssize_t k, Py_ssize_t n_threads):
    """Rows of the k nearest other points of every row, and squared distances: (n, k)."""
    search = _neighbors(index, seed, k, n_threads)
    return search.neighbor_rows(), search.neighbor_distances()


cdef bint _has_many_equal(Index index_a, Index index_b, Py_ssize_t n_trees):
    """Whether a search among sites of the union is less work than one between the sets."""
    cdef Py_ssize_t n_nodes = index_a.n + index_b.n, g, size
    cdef const Py_ssize_t[::1] start
    for index in (index_a, index_b):
        start = (<Index> index).equal_start
        for g in range(start.shape[0] - 1):
            size = start[g + 1] - start[g]
            if size // 2 >= n_trees:
                n_nodes -= size - 1
    # Half of the pairs of nodes; known edges and the index are worth another factor of two.
    return n_nodes * n_nodes < index_a.n * index_b.n


def pair_forests(
    Index index_a, Index index_b, forests_a, forests_b, uint64_t seed, Py_ssize_t n_trees,
    Py_ssize_t n_threads,
):
    """Orthogonal minimum spanning forests of the union of two sets of points."""
    if index_a.basis is not index_b.basis:
        raise ValueError("basis must be the same for both sets.")
    with single_blas_thread(), ThreadPool(n_threads):
        if _has_many_equal(index_a, index_b, n_trees):
            points_a, ids_a, order_a, _ = index_a.rows()
            points_b, ids_b, order_b, _ = index_b.rows()
            union = Index(
                np.concatenate([points_a, points_b]), np.concatenate([ids_a, ids_b]), n_threads,
                index_a.basis,
            )
            edges, distances, sizes, _ = _forests(union, seed, n_trees, n_threads)
        else:
            index_a.build(n_threads)
            index_b.build(n_threads)
            order_a, order_b = index_a.order, index_b.order
            known = index_a.own_edges(forests_a, n_trees), index_b.own_edges(forests_b, n_trees)
            search = Search(index_a, index_b, None, seed, n_trees, n_threads, 0, known)
            edges, distances, _, sizes = search.grow(n_trees)
    order = np.concatenate([order_a, order_b + index_a.n]).astype(np.uint32)
    return order[edges], distances, sizes
