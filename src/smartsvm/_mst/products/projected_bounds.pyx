"""How far panels of points reach towards the blocks of another set.

The shadows of gaps.pyx, of eight points at a time instead of a block: in a pair of classes
few points of one are near the other, and panels that are not need no product. For panels
p of block a and q of block b the reaches of p towards b and of q towards a add up to no
more than minus the distance of the two.

Rounding: as in gaps.pyx; what is taken off there is added to the reaches of the left set.

Cost: one product of every point with the centre of every block of the other set.
"""
from libc.math cimport INFINITY, ldexp, sqrt

import numpy as np

from smartsvm._mst.products.index cimport Index
from smartsvm._mst.products.block_bounds import OFF, SHORTEST_WAY
from smartsvm._mst.products.tiles cimport PANEL

cdef enum:
    PANEL_ROOM = 8

cdef double SHORTEST = SHORTEST_WAY ** 2

cdef extern from "products/tile_kernel.h" nogil:
    void panel_reach(
        const float *panel, Py_ssize_t n_points, const float *own, const float *centres,
        Py_ssize_t n_centres, Py_ssize_t d, float *reach,
    )


cdef _pack_centres(const double[:, ::1] centres):
    """Centres in float32 panels, feature by feature."""
    cdef Py_ssize_t n = centres.shape[0], d = centres.shape[1], c, k
    cdef float[:, :, ::1] panels = np.zeros(
        ((n + PANEL - 1) // PANEL, d, PANEL), dtype=np.float32
    )
    for c in range(n):
        for k in range(d):
            panels[c // PANEL, k, c % PANEL] = <float> centres[c, k]
    return panels


cdef _reaches(Index index, const double[:, ::1] others, int exponent):
    """Of each panel towards each other centre, not yet divided by the way to it."""
    cdef const float[:, :, ::1] packed = index.packed, centres = _pack_centres(others)
    cdef const Py_ssize_t[::1] panel = index.panel, start = index.start
    cdef const Py_ssize_t[::1] panel_start = index.panel_start
    cdef const double[::1] along = index.along_centre
    cdef Py_ssize_t n_others = others.shape[0], b, p, i, stop
    cdef float[:, ::1] reach = np.empty((panel.shape[0], n_others), dtype=np.float32)
    cdef float own[PANEL_ROOM]
    cdef double scale = ldexp(1.0, index.exponent - exponent)
    with nogil:
        for b in range(start.shape[0] - 1):
            for p in range(panel_start[b], panel_start[b + 1]):
                stop = min(panel[p] + PANEL, start[b + 1])
                for i in range(panel[p], stop):
                    own[i - panel[p]] = <float> (along[i] * scale)
                panel_reach(
                    &packed[p, 0, 0], stop - panel[p], own, &centres[0, 0, 0], n_others,
                    index.width, &reach[p, 0],
                )
                for i in range(n_others):
                    reach[p, i] *= <float> scale
    return reach


def panel_shadows(Index left, Index right, centres, int exponent, const double[:, ::1] between):
    """Reaches of the panels of both sets and distances of blocks; see `gaps.shadow_gaps`.

    Returns gaps, shape (n_left, n_right), and reaches, each of shape (panels, blocks of the
    other set).
    """
    centres_left, centres_right, way = centres
    cdef float[:, ::1] of_left = _reaches(left, centres_right - way, exponent)
    cdef float[:, ::1] of_right = _reaches(right, centres_left, exponent)
    cdef const Py_ssize_t[::1] left_panel = left.panel_start, right_panel = right.panel_start
    cdef const double[::1] to_right = centres_right @ way, to_left = centres_left @ way
    cdef Py_ssize_t a, b, p, n_left = between.shape[0], n_right = between.shape[1]
    cdef double[:, ::1] gaps = np.empty((n_left, n_right))
    cdef double off = OFF * (left.width + 16) * max(1.0, left.norms.max(), right.norms.max())
    cdef double length
    cdef float most_left, most_right
    with nogil:
        for a in range(n_left):
            for b in range(n_right):
                length = sqrt(between[a, b]) if between[a, b] > SHORTEST else INFINITY
                most_left = most_right = -INFINITY
                for p in range(left_panel[a], left_panel[a + 1]):
                    if length < INFINITY:
                        of_left[p, b] = <float> (
                            (of_left[p, b] + to_right[b] - to_left[a] + off) / length + 2.0 ** -20
                        )
                    else:
                        of_left[p, b] = INFINITY
                    most_left = max(most_left, of_left[p, b])
                for p in range(right_panel[b], right_panel[b + 1]):
                    of_right[p, a] = <float> (of_right[p, a] / length)
                    most_right = max(most_right, of_right[p, a])
                gaps[a, b] = -(<double> most_left + most_right)
    return np.asarray(gaps), np.asarray(of_left), np.asarray(of_right)
