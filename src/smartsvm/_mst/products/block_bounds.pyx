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

import numpy as np

from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.index import panels
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
    of_left, of_right = (
        (<Index> index).ball_centre * ldexp(1.0, (<Index> index).exponent - exponent)
        for index in (left, right)
    )
    return of_left + apart, of_right, apart


def ball_distances(Index left, Index right, centres, int exponent):
    """Distances of the balls, negative where they meet, and squared ones of their centres.

    `centres` are those that `block_centres` returns; other parameters as there.
    """
    squares, of_right = (np.einsum("ij,ij->i", of_set, of_set) for of_set in centres[:2])
    squares = squares[:, None] + of_right
    between = squares - 2 * (centres[0] @ centres[1].T)
    found = np.sqrt(np.maximum(between - 1e-11 * squares, 0))
    found -= (left.ball_radius * ldexp(1.0, left.exponent - exponent))[:, None]
    found -= right.ball_radius * ldexp(1.0, right.exponent - exponent)
    return found, between


cdef double _rounding(Index left, Index right):
    return ROUNDING * (left.width + 16) * max(1.0, left.norms.max(), right.norms.max())


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


cdef _panel_reaches(Index index, others, int exponent):
    """Of each panel towards each other centre, not yet divided by the distance to it."""
    padding = np.zeros((PANEL - 1 - (len(others) - 1) % PANEL, index.width))
    cdef const float[:, :, ::1] packed = index.packed
    cdef const float[:, :, ::1] centres = panels(np.vstack([others, padding]).astype(np.float32))
    cdef const Py_ssize_t[::1] start = index.start, panel_start = index.panel_start
    cdef const double[::1] along = index.along_centre
    cdef Py_ssize_t n_others = len(others), b, p, i, first, stop
    cdef float[:, ::1] reach = np.empty((len(packed), n_others), dtype=np.float32)
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
                    &packed[p, 0, 0], stop - first, own, &centres[0, 0, 0], n_others,
                    index.width, &reach[p, 0],
                )
                for i in range(n_others):
                    reach[p, i] *= <float> scale
    return reach


def panel_reaches(Index left, Index right, centres, int exponent, const double[:, ::1] between):
    """Reaches of the panels of both sets, with distances of the blocks that follow from them.

    Parameters as of `projected_distances`. Returns distances, shape (n_left, n_right), and
    reaches, each of shape (panels, blocks of the other set).
    """
    centres_left, centres_right, apart = centres
    cdef float[:, ::1] of_left = _panel_reaches(left, centres_right - apart, exponent)
    cdef float[:, ::1] of_right = _panel_reaches(right, centres_left, exponent)
    cdef const Py_ssize_t[::1] left_panel = left.panel_start, right_panel = right.panel_start
    cdef const double[::1] to_right = centres_right @ apart, to_left = centres_left @ apart
    cdef Py_ssize_t a, b, p, n_left = between.shape[0], n_right = between.shape[1]
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
