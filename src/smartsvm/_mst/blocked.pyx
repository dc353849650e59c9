"""Minimum spanning forests in high dimension, by blocked matrix products.

Boxes and balls stop excluding anything above about fifteen dimensions, so all
distances are looked at, but cheaply: float32 matrix products propose each point's
k smallest edges (sweep.pyx), float64 direct sums decide, and Borůvka's algorithm
runs on these lists as far as they certify its choices (list_boruvka.pyx). Points
that leave their component uncertain are asked again, for edges that leave the component
and are no longer than the best it knows; the smallest entry of each tile, recorded
when it was computed, excludes most tiles then. Later trees start from the same lists
and leave out the edges already used. Between two sets only the product of one with
the other is computed; edges within a set are those of its own forests, which is
exact: the forests of the union have no others.

Where a few directions hold most of the distance, products are those of projections onto
them (basis.py).

Exact for any input: only the cost depends on what float32 resolves. Order of
edges: order.h, ties included. Cost: n^2/2 entries of a product of inner dimension d
and a part of it again; O(n (d + k + n_trees)) memory and one number for each tile.
"""
from libc.stdint cimport uint64_t

import numpy as np

from smartsvm._blas_threads import single_blas_thread
from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.search cimport Search
from smartsvm._mst.common.equal_points cimport Sites, collapse
from smartsvm._mst.products.set_edges cimport within_of


cdef _forests_of_sites(
    Index index, Sites sites, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t n_threads,
):
    """What `_forests` returns, from a search among sites; None if sites are not apart."""
    cdef Index nodes = Index(
        index.points[sites.rows], index.ids[sites.rows], n_threads, index.basis
    )
    sites.arrange(nodes.order)
    edges, distances, keys, sizes = Search(
        nodes, None, sites, seed, n_trees, n_threads
    ).grow(n_trees)
    # The first tree has the smallest edge of every site: see sites.pyx.
    of_zero = edges[:sizes[0]][distances[:sizes[0]] == 0]
    if (np.diff(sites.start)[of_zero] > 1).any():
        return None
    ends = np.cumsum(sizes)[:-1]
    pairs = np.split(sites.pairs(edges, keys, seed), ends)
    inside = sites.inside
    zeros = np.zeros(len(inside[0]))
    return (
        np.concatenate([part for both in zip(inside, pairs) for part in both]),
        np.concatenate([part for both in np.split(distances, ends) for part in (zeros, both)]),
        sizes + len(zeros),
    )


cdef _forests(Index index, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t n_threads):
    """Edges as pairs of the index's nodes, their squared distances, and the trees' sizes."""
    cdef Sites sites = collapse(index.equal_start, index.equal, index.ids, seed, n_trees)
    if sites is not None:
        found = _forests_of_sites(index, sites, seed, n_trees, n_threads)
        if found is not None:
            return found
    edges, distances, _, sizes = Search(
        index, None, None, seed, n_trees, n_threads
    ).grow(n_trees)
    return edges, distances, sizes


def index(points, ids, n_threads=1, basis=None):
    """What a search needs of a set of points, for any number of searches.

    Parameters
    ----------
    points : C-contiguous float64 array of shape (n, d)
        Finite, and scaled so that no square of a difference leaves the range.
    ids : uint32 array of shape (n,)
        Identities of the points in the whole data set: they order tied edges.
    basis : float64 array of shape (d, m), optional
        What `find_basis` returns, for products of few features. Sets that will be in one
        search have the same.
    """
    with single_blas_thread():
        return Index(points, ids, n_threads, basis)


def forests(Index index, uint64_t seed, Py_ssize_t n_trees, Py_ssize_t n_threads):
    """Orthogonal minimum spanning forests of one set of points.

    Returns edges (pairs of rows of the indexed points, tree after tree), their
    squared distances, and the number of edges of each tree: n - 1 where it spans.
    """
    with single_blas_thread():
        edges, distances, sizes = _forests(index, seed, n_trees, n_threads)
    return index.order[edges].astype(np.uint32), distances, sizes


def neighbors(Index index, uint64_t seed, Py_ssize_t n_neighbors, Py_ssize_t n_threads):
    """The nearest points of every indexed point, itself left out, nearest first.

    The choice among equally near points is that of the order of edges: it knows only the
    seed and the points' identities. Returns rows, of shape (n, n_neighbors); there must be
    more points than neighbours.
    """
    cdef Search search
    with single_blas_thread():
        search = Search(index, None, None, seed, 1, n_threads, n_neighbors)
        search.first_sweep()
    return search.neighbor_rows()


cdef bint _has_many_equal(Index index_a, Index index_b, Py_ssize_t n_trees):
    """Whether a search among sites of the union is less work than one between the sets."""
    cdef Py_ssize_t n_nodes = index_a.n + index_b.n, size, g
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
    Index index_a, Index index_b, within_a, within_b, uint64_t seed, Py_ssize_t n_trees,
    Py_ssize_t n_threads,
):
    """Orthogonal minimum spanning forests of the union of two sets of points.

    `within_a` and `within_b` are the edges and squared distances of the `n_trees`
    forests of each set. Returns as `forests`; rows of b are counted after those of a.
    """
    cdef Search search
    if index_a.basis is not index_b.basis:
        raise ValueError("basis must be the same for both sets.")
    order = np.concatenate([index_a.order, index_b.order + index_a.n]).astype(np.uint32)
    with single_blas_thread():
        if _has_many_equal(index_a, index_b, n_trees):
            union = Index(
                np.concatenate([index_a.points, index_b.points]),
                np.concatenate([index_a.ids, index_b.ids]), n_threads, index_a.basis,
            )
            edges, distances, sizes = _forests(union, seed, n_trees, n_threads)
            return order[union.order[edges]], distances, sizes
        search = Search(index_a, index_b, None, seed, n_trees, n_threads)
        search.know(
            within_of(index_a, within_a[0], within_a[1], n_trees, seed),
            within_of(index_b, within_b[0], within_b[1], n_trees, seed),
        )
        edges, distances, _, sizes = search.grow(n_trees)
    return order[edges], distances, sizes
