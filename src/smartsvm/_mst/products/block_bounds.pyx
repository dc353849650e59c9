"""Lower bounds of the distances between blocks of points.

Two blocks are as far apart as the balls around them, or as their projections onto the line
through the centres of these balls, whichever is more. In high dimension a projection is far
narrower than a ball: d normal variables project to about 3 on either side, the ball has radius
sqrt(d). For blocks with centres p and q the projections are those of x . (q - p), and products
of all points with all centres give every one of them.

The reach of a block towards another centre is the largest such product, less the product with
its own centre: how far its points come. Between two sets reaches are also known of panels of
eight points: in a pair of classes few points of one are near the other, and panels that are
not need no product. Two panels are no nearer than minus the sum of their reaches.

Rounding: all is in a unit in which points, centres and the vector between the two sets are no
longer than 1. Products in float32 of rounded points with rounded centres are then off by at most
2 (d + 4) 1.1 2^-24, on either side; `ROUNDING` (d + 16) is taken off.

Cost: one product of every point with the centre of every block.
"""
from libc.math cimport INFINITY, ldexp, sqrt
from scipy.linalg.cython_blas cimport dgemm

import numpy as np

from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.tiles cimport PANEL
from smartsvm._threads import run_chunks

cdef extern from "products/tile_kernel.h" nogil:
    void panel_reach(
        const float *panel, Py_ssize_t n_points, const float *own, const float *centres,
        Py_ssize_t n_centres, Py_ssize_t d, float *reach,
    )

cdef enum:
    PANEL_ROOM = 8
    MOST_FEATURES = 1 << 20         # of which a sum in float32 is known well enough
    PRODUCTS_AT_ONCE = 1 << 17

cdef double ROUNDING = 8 * 2.0 ** -24
# Of centres nearer than this too little is known; squared.
cdef double NEAREST = 1e-6


def block_centres(Index left, Index right, const double[::1] apart, int exponent):
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
    cdef Py_ssize_t k
    cdef double[::1] rescaled = np.empty(apart.shape[0]), nothing = np.zeros(apart.shape[0])
    for k in range(apart.shape[0]):
        rescaled[k] = ldexp(apart[k], -exponent)
    return (
        _centres(left, rescaled, exponent), _centres(right, nothing, exponent),
        np.asarray(rescaled),
    )


cdef _centres(Index index, const double[::1] shift, int exponent):
    """Centres of the blocks of a set over two to this power, moved."""
    cdef const double[:, ::1] centre = index.ball_centre
    cdef double[:, ::1] moved = np.empty((centre.shape[0], centre.shape[1]))
    cdef double scale = ldexp(1.0, index.exponent - exponent)
    cdef Py_ssize_t b, k
    for b in range(centre.shape[0]):
        for k in range(centre.shape[1]):
            moved[b, k] = centre[b, k] * scale + shift[k]
    return np.asarray(moved)


cdef double[::1] _squares(const double[:, ::1] rows):
    """Squared norms."""
    cdef double[::1] squares = np.zeros(rows.shape[0])
    cdef Py_ssize_t i, k
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            squares[i] += rows[i, k] * rows[i, k]
    return squares


def ball_distances(Index left, Index right, centres, int exponent):
    """Distances of the balls, negative where they meet, and squared ones of their centres.

    `centres` are those that `block_centres` returns; other parameters as there.
    """
    cdef const double[:, ::1] of_left = centres[0], of_right = centres[1]
    cdef const double[::1] radius_left = left.ball_radius, radius_right = right.ball_radius
    cdef const double[::1] squares_left = _squares(of_left), squares_right = _squares(of_right)
    cdef int n_left = <int> of_left.shape[0], n_right = <int> of_right.shape[0]
    cdef int d = <int> of_left.shape[1], a, b
    cdef double[:, ::1] found = np.empty((n_left, n_right)), between = np.empty((n_left, n_right))
    cdef double scale_left = ldexp(1.0, left.exponent - exponent)
    cdef double scale_right = ldexp(1.0, right.exponent - exponent)
    cdef double squares, minus_two = -2, zero = 0
    with nogil:
        dgemm(
            b"T", b"N", &n_right, &n_left, &d, &minus_two, <double *> &of_right[0, 0], &d,
            <double *> &of_left[0, 0], &d, &zero, &between[0, 0], &n_right,
        )
        for a in range(n_left):
            for b in range(n_right):
                squares = squares_left[a] + squares_right[b]
                between[a, b] += squares
                found[a, b] = (
                    sqrt(max(between[a, b] - 1e-11 * squares, 0))
                    - radius_left[a] * scale_left - radius_right[b] * scale_right
                )
    return np.asarray(found), np.asarray(between)


cdef double _rounding(Index left, Index right):
    return ROUNDING * (left.width + 16) * max(1.0, left.largest_norm, right.largest_norm)


def projected_distances(Index left, Index right, centres, int exponent, between, n_threads=1):
    """Distances of the blocks' projections; parameters and `between` as of `ball_distances`.

    Where nothing is known they are negative.
    """
    if left.width >= MOST_FEATURES:
        return np.full(between.shape, -np.inf)
    centres_left, centres_right, apart = centres
    reach = _block_reaches(left, centres_right - apart, exponent, n_threads)
    if left is right:
        reach = reach + reach.T
    else:
        reach += _block_reaches(right, centres_left, exponent, n_threads).T
    reach += centres_right @ apart
    reach -= (centres_left @ apart)[:, None]
    found = -(reach + _rounding(left, right)) / np.sqrt(np.maximum(between, NEAREST)) - 2.0**-20
    found[between <= NEAREST] = -np.inf
    return found


def _block_reaches(Index index, others, int exponent, n_threads):
    """Of each block towards each other centre, not yet divided by the distance to it."""
    others = others.T.astype(np.float32)
    own = np.ldexp(index.along_centre, index.exponent - exponent).astype(np.float32)
    start, n_blocks = index.start, len(index.start) - 1
    reach = np.empty((n_blocks, others.shape[1]), dtype=np.float32)

    def find(a, b):
        along = index.single[start[a]:start[b]] @ others
        _take_largest(along, own[start[a]:start[b]], start[a:b + 1], reach[a:b])

    at_once = max(1, PRODUCTS_AT_ONCE * n_blocks // (index.n * others.shape[1]))
    run_chunks(find, n_blocks, at_once, n_threads)
    return np.ldexp(reach.astype(np.float64), index.exponent - exponent)


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


cdef float[::1] _in_panels(const double[:, ::1] centres, const double[::1] shift):
    """Centres less a shift in panels, as those of `Index`; the last panel ends with zeros."""
    cdef Py_ssize_t n = centres.shape[0], d = centres.shape[1], c, k
    cdef float[::1] packed = np.zeros((n + PANEL - 1) // PANEL * PANEL * d, dtype=np.float32)
    for c in range(n):
        for k in range(d):
            packed[(c // PANEL * d + k) * PANEL + c % PANEL] = <float> (centres[c, k] - shift[k])
    return packed


cdef _panel_reaches(Index index, const float[::1] centres, Py_ssize_t n_centres, int exponent):
    """Of each panel towards each other centre, not yet divided by the distance to it."""
    cdef const float[:, :, ::1] packed = index.packed
    cdef const Py_ssize_t[::1] start = index.start, panel_start = index.panel_start
    cdef const double[::1] along = index.along_centre
    cdef Py_ssize_t b, p, i, first, stop
    cdef float[:, ::1] reach = np.empty((packed.shape[0], n_centres), dtype=np.float32)
    cdef float own[PANEL_ROOM]
    cdef double scale = ldexp(1.0, index.exponent - exponent)
    with nogil:
        for b in range(start.shape[0] - 1):
            for p in range(panel_start[b], panel_start[b + 1]):
                first = start[b] + PANEL * (p - panel_start[b])
                stop = min(first + PANEL, start[b + 1])
                for i in range(first, stop):
                    own[i - first] = <float> (along[i] * scale)
                panel_reach(
                    &packed[p, 0, 0], stop - first, own, &centres[0], n_centres, index.width,
                    &reach[p, 0],
                )
                for i in range(n_centres):
                    reach[p, i] *= <float> scale
    return reach


def panel_reaches(Index left, Index right, centres, int exponent, const double[:, ::1] between):
    """Reaches of the panels of both sets, with distances of the blocks that follow from them.

    Parameters as of `projected_distances`. Returns distances, shape (n_left, n_right), and
    reaches, each of shape (panels, blocks of the other set).
    """
    centres_left, centres_right, apart = centres
    cdef Py_ssize_t a, b, p, n_left = between.shape[0], n_right = between.shape[1]
    cdef float[:, ::1] of_left = _panel_reaches(
        left, _in_panels(centres_right, apart), n_right, exponent
    )
    cdef float[:, ::1] of_right = _panel_reaches(
        right, _in_panels(centres_left, np.zeros(left.width)), n_left, exponent
    )
    cdef const Py_ssize_t[::1] left_panel = left.panel_start, right_panel = right.panel_start
    cdef const double[::1] to_right = centres_right @ apart, to_left = centres_left @ apart
    cdef double[:, ::1] found = np.empty((n_left, n_right))
    cdef double rounding = _rounding(left, right), length
    cdef float most_left, most_right
    with nogil:
        for a in range(n_left):
            for b in range(n_right):
                length = sqrt(between[a, b]) if between[a, b] > NEAREST else INFINITY
                most_left = most_right = -INFINITY
                for p in range(left_panel[a], left_panel[a + 1]):
                    # What rounding may have hidden is added to one of the two.
                    if length < INFINITY:
                        of_left[p, b] = <float> (
                            (of_left[p, b] + to_right[b] - to_left[a] + rounding) / length
                            + 2.0 ** -20
                        )
                    else:
                        of_left[p, b] = INFINITY
                    most_left = max(most_left, of_left[p, b])
                for p in range(right_panel[b], right_panel[b + 1]):
                    of_right[p, a] = <float> (of_right[p, a] / length)
                    most_right = max(most_right, of_right[p, a])
                found[a, b] = -(<double> most_left + most_right)
    return np.asarray(found), np.asarray(of_left), np.asarray(of_right)
