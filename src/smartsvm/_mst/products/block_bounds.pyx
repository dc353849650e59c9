"""Lower bounds of the distances between blocks of points.

Two blocks are as far apart as the balls around them, or as their projections onto the line
through the centres of these balls, whichever is more. In high dimension a projection is far
narrower than a ball: d normal variables project to about 3 on either side, the ball has radius
sqrt(d). For blocks with centres p and q the projections are those of x . (q - p), and products
of all points with all centres give every one of them.

The reach of a block towards another centre is the largest such product, less the product with
its own centre: how far its points come. Reaches are also known of panels of eight points: in a
pair of classes few points of one are near the other, and panels that are not need no product. Two
panels are no nearer than minus the sum of their reaches.

Rounding: all is in a unit in which points, centres and the vector between the two sets are no
longer than 1. Products in float32 of rounded points with rounded centres are then off by at most
2 (d + 4) 1.1 2^-24, on either side; `ROUNDING` (d + 16) is taken off.

Cost: one product of every point with the centre of every block.
"""
from libc.math cimport INFINITY, ldexp, sqrt

import numpy as np

from smartsvm._mst.common.edge_order cimport squared_distance
from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.index import panels
from smartsvm._mst.products.tiles cimport PANEL
from smartsvm._threads import run_chunks

cdef enum:
    PANEL_ROOM = 8
    PRODUCTS_AT_ONCE = 1 << 17

cdef double ROUNDING = 8 * 2.0 ** -24
# Of centres nearer than this too little is known; squared.
cdef double NEAREST = 1e-6


def block_centres(Index left, Index right, apart, int exponent):
    """Centres of the blocks of both sets about that of the right set, and `apart` rescaled.

    Parameters
    ----------
    left, right : Index
        Blocks, each set about its own centre.
    apart : float64 array of shape (d,)
        From the right centre to the left one.
    exponent : int
        Everything is divided by two to this power.
    """
    apart = np.ldexp(apart, -exponent)
    return (
        left.ball_centre * ldexp(1.0, left.exponent - exponent) + apart,
        right.ball_centre * ldexp(1.0, right.exponent - exponent), apart,
    )


def ball_distances(Index left, Index right, centres, int exponent):
    """Distances of the balls, negative where they meet, and squared ones of their centres.

    `centres` are those that `block_centres` returns; other parameters as there.
    """
    cdef const double[:, ::1] of_left = centres[0], of_right = centres[1]
    cdef const double[::1] radius_left = left.ball_radius, radius_right = right.ball_radius
    cdef Py_ssize_t n_left = of_left.shape[0], n_right = of_right.shape[0], a, b
    cdef double[:, ::1] found = np.empty((n_left, n_right)), between = np.empty((n_left, n_right))
    cdef double scale_left = ldexp(1.0, left.exponent - exponent)
    cdef double scale_right = ldexp(1.0, right.exponent - exponent)
    with nogil:
        for a in range(n_left):
            for b in range(n_right):
                between[a, b] = squared_distance(&of_left[a, 0], &of_right[b, 0], left.width)
                found[a, b] = (
                    sqrt(between[a, b]) * (1 - 1e-9)
                    - radius_left[a] * scale_left - radius_right[b] * scale_right
                )
    return np.asarray(found), np.asarray(between)


def _block_reaches(Index index, centres, int exponent, n_threads):
    """Of each block towards each centre, not yet divided by the distance to it."""
    centres = centres.T.astype(np.float32)
    own = np.ldexp(index.along_centre, index.exponent - exponent).astype(np.float32)
    start, n_blocks = index.start, len(index.start) - 1
    reach = np.empty((n_blocks, centres.shape[1]), dtype=np.float32)

    def find(a, b):
        along = index.single[start[a]:start[b]] @ centres
        _take_largest(along, own[start[a]:start[b]], start[a:b + 1], reach[a:b])

    at_once = max(1, PRODUCTS_AT_ONCE * n_blocks // (index.n * centres.shape[1]))
    run_chunks(find, n_blocks, at_once, n_threads)
    return np.ldexp(reach, index.exponent - exponent, out=reach)


cdef _take_largest(
    const float[:, ::1] along, const float[::1] own, const Py_ssize_t[::1] start,
    float[:, ::1] reach,
):
    """The largest of each column in each block of rows, whose own numbers are taken off first."""
    cdef Py_ssize_t b, i
    with nogil:
        for b in range(reach.shape[0]):
            reach[b, :] = -INFINITY
            for i in range(start[b] - start[0], start[b + 1] - start[0]):
                _raise_to(&along[i, 0], own[i], along.shape[1], &reach[b, 0])


cdef inline void _raise_to(
    const float *row, float own, Py_ssize_t n, float *most
) noexcept nogil:
    cdef Py_ssize_t c
    cdef float value
    for c in range(n):
        value = row[c] - own
        most[c] = value if value > most[c] else most[c]


def _panel_reaches(Index index, centres, int exponent, n_threads):
    """Of each panel towards each centre, not yet divided by the distance to it."""
    cdef const float[:, :, ::1] packed = index.packed
    cdef const Py_ssize_t[::1] start = index.start, panel_start = index.panel_start
    cdef const double[::1] along = index.along_centre
    cdef Py_ssize_t b, p, i, first, stop, n_centres = len(centres)
    cdef float[:, ::1] reach = np.empty((packed.shape[0], n_centres), dtype=np.float32)
    cdef float own[PANEL_ROOM]
    cdef double scale = ldexp(1.0, index.exponent - exponent)
    padded = np.zeros(((n_centres + PANEL - 1) // PANEL * PANEL, index.width), dtype=np.float32)
    padded[:n_centres] = centres
    cdef const float[:, :, ::1] packed_centres = panels(padded)
    with nogil:
        for b in range(start.shape[0] - 1):
            for p in range(panel_start[b], panel_start[b + 1]):
                first = start[b] + PANEL * (p - panel_start[b])
                stop = min(first + PANEL, start[b + 1])
                for i in range(first, stop):
                    own[i - first] = <float> (along[i] * scale)
                index.loops.panel_reach(
                    &packed[p, 0, 0], stop - first, own, &packed_centres[0, 0, 0], n_centres,
                    index.width, &reach[p, 0],
                )
                for i in range(n_centres):
                    reach[p, i] *= <float> scale
    return np.asarray(reach)


def reaches(
    Index left, Index right, centres, int exponent, const double[:, ::1] between, by_panel,
    n_threads=1,
):
    """Distances of the blocks' projections, and the reaches that they follow from.

    Parameters
    ----------
    left, right, centres, exponent, between
        As of `ball_distances`, which returns the last.
    by_panel : bool
        Whether reaches are those of panels, rather than of blocks.
    n_threads : int
        Threads that multiply.

    Returns
    -------
    Distances, shape (n_left, n_right), negative where nothing is known, and reaches of either set,
    each of shape (panels or blocks, blocks of the other set).
    """
    cdef Py_ssize_t a, b, p, n_left = between.shape[0], n_right = between.shape[1]
    cdef const Py_ssize_t[::1] left_first = left.panel_start if by_panel else np.arange(n_left + 1)
    cdef const Py_ssize_t[::1] right_first = (
        right.panel_start if by_panel else np.arange(n_right + 1)
    )
    centres_left, centres_right, apart = centres
    find = _panel_reaches if by_panel else _block_reaches
    reach_left = find(left, centres_right - apart, exponent, n_threads)
    reach_right = (
        reach_left.copy() if left is right else find(right, centres_left, exponent, n_threads)
    )
    cdef float[:, ::1] of_left = reach_left, of_right = reach_right
    cdef const double[::1] to_right = centres_right @ apart, to_left = centres_left @ apart
    cdef double[:, ::1] found = np.empty((n_left, n_right))
    cdef double rounding = (
        ROUNDING * (left.width + 16) * max(1.0, left.largest_norm, right.largest_norm)
    )
    cdef double length
    cdef float most_left, most_right
    with nogil:
        for a in range(n_left):
            for b in range(n_right):
                length = sqrt(between[a, b]) if between[a, b] > NEAREST else INFINITY
                most_left = most_right = -INFINITY
                for p in range(left_first[a], left_first[a + 1]):
                    # What rounding may have hidden is added to one of the two.
                    if length < INFINITY:
                        of_left[p, b] = <float> (
                            (of_left[p, b] + to_right[b] - to_left[a] + rounding) / length
                            + 2.0 ** -20
                        )
                    else:
                        of_left[p, b] = INFINITY
                    most_left = max(most_left, of_left[p, b])
                for p in range(right_first[b], right_first[b + 1]):
                    of_right[p, a] = <float> (of_right[p, a] / length)
                    most_right = max(most_right, of_right[p, a])
                found[a, b] = -(<double> most_left + most_right)
    return np.asarray(found), reach_left, reach_right
