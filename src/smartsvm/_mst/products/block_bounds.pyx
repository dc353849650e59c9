"""Lower bounds of the distances between blocks of points.

Two blocks are as far apart as the balls around them, or as their shadows on the line
through their centres, whichever is more. In high dimension a shadow is far narrower
than a ball: that of d normal variables is about 3 wide on either side, the ball sqrt(d).
For blocks a and b with centres p and q the shadows are those of x . (q - p), and
products of all points with all centres give every one of them.

Rounding: all is in a unit in which points, centres and the way between the two sets are no
longer than 1. Products in float32 of rounded points with rounded centres are off by at
most 2 (d + 4) 1.1 2^-24 then, on either side; `OFF` (d + 16) is taken off.
"""

from libc.math cimport INFINITY, ldexp, sqrt

import numpy as np

from smartsvm._mst.products.index cimport Index
from smartsvm._threads import run_chunks

OFF = 8 * 2.0**-24
MOST_FEATURES = 1 << 20  # of which a sum in float32 is known well enough
SHORTEST_WAY = 1e-3  # between centres; of shorter ones too little is known
_PRODUCTS_AT_ONCE = 1 << 17


cdef _centres(Index index, const double[::1] way, int exponent):
    cdef const double[:, ::1] centre = index.ball_centre
    cdef double scale = ldexp(1.0, index.exponent - exponent)
    cdef double[:, ::1] centres = np.empty((centre.shape[0], centre.shape[1]))
    cdef Py_ssize_t b, k
    with nogil:
        for b in range(centre.shape[0]):
            for k in range(centre.shape[1]):
                centres[b, k] = centre[b, k] * scale + way[k]
    return np.asarray(centres)


def centres_of(Index left, Index right, apart, int exponent):
    """Centres of the blocks, about that of the right set, and the way to the left one's.

    Parameters
    ----------
    left, right : Index
        Blocks, each set about its own centre.
    apart : float64 array of shape (d,)
        From the right centre to the left one.
    exponent : int
        Everything is divided by two to this power.
    """
    way = np.ldexp(apart, -exponent)
    return _centres(left, way, exponent), _centres(right, np.zeros(len(way)), exponent), way


def ball_gaps(Index left, Index right, centres, int exponent):
    """Distances of balls, and the way between their centres, squared.

    `centres` are those that `centres_of` returns; other parameters as there.
    """
    cdef const double[:, ::1] of_left = centres[0], of_right = centres[1]
    cdef Py_ssize_t n_left = of_left.shape[0], n_right = of_right.shape[0], a, b
    cdef const double[:, ::1] product = centres[0] @ centres[1].T
    cdef const double[::1] left_radius = left.ball_radius, right_radius = right.ball_radius
    cdef double left_scale = ldexp(1.0, left.exponent - exponent)
    cdef double right_scale = ldexp(1.0, right.exponent - exponent)
    cdef double[::1] square_left = np.einsum("ij,ij->i", centres[0], centres[0])
    cdef double[::1] square_right = np.einsum("ij,ij->i", centres[1], centres[1])
    cdef double[:, ::1] gaps = np.empty((n_left, n_right)), between = np.empty((n_left, n_right))
    cdef double squares, radius
    with nogil:
        for a in range(n_left):
            radius = left_radius[a] * left_scale
            for b in range(n_right):
                squares = square_left[a] + square_right[b]
                between[a, b] = squares - 2 * product[a, b]
                gaps[a, b] = (
                    sqrt(max(between[a, b] - 1e-11 * squares, 0.0))
                    - radius - right_radius[b] * right_scale
                )
    return np.asarray(gaps), np.asarray(between)


def squared_gaps(const double[:, ::1] gaps):
    """What squared distances of points of two blocks are not below, in float32."""
    cdef Py_ssize_t a, b
    cdef float[:, ::1] least = np.empty((gaps.shape[0], gaps.shape[1]), dtype=np.float32)
    with nogil:
        for a in range(gaps.shape[0]):
            for b in range(gaps.shape[1]):
                # Without a gap nothing is known: entries that rounding made negative count too.
                least[a, b] = -INFINITY
                if gaps[a, b] > 0:
                    least[a, b] = <float> (gaps[a, b] * gaps[a, b] * (1 - 1e-6))
    return np.asarray(least)


def shadow_gaps(left, right, centres, exponent, between, n_threads=1):
    """Distances of shadows; parameters and `between` as of `ball_gaps`.

    Where nothing is known they are negative.
    """
    d = left.width
    if d >= MOST_FEATURES:
        return np.full(between.shape, -np.inf)
    centres_left, centres_right, way = centres
    reach = _reach(left, centres_right - way, exponent, n_threads)
    if left is right:
        reach = reach + reach.T
    else:
        reach += _reach(right, centres_left, exponent, n_threads).T
    reach += centres_right @ way
    reach -= (centres_left @ way)[:, None]
    longest = max(1.0, left.norms.max(), right.norms.max())
    ways = np.sqrt(np.maximum(between, SHORTEST_WAY**2))
    gaps = -(reach + OFF * (d + 16) * longest) / ways - 2.0**-20
    gaps[between <= SHORTEST_WAY**2] = -np.inf
    return gaps


def _reach(index, others, exponent, n_threads):
    """For each block and each other centre: how far its points come towards that."""
    scale = index.exponent - exponent
    others = others.T.astype(np.float32)
    own = np.ldexp(index.along_centre, scale).astype(np.float32)[:, None]
    start, n_blocks = index.start, len(index.start) - 1
    reach = np.empty((n_blocks, others.shape[1]))

    def find(a, b):
        along = index.coordinates(a, b) @ others
        along -= own[start[a]:start[b]]
        np.maximum.reduceat(along, start[a:b] - start[a], axis=0, out=reach[a:b])

    at_once = max(1, _PRODUCTS_AT_ONCE * n_blocks // (index.n * others.shape[1]))
    run_chunks(find, n_blocks, at_once, n_threads)
    return np.ldexp(reach, scale)
