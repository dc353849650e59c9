# See units.pyx.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

from smartsvm._mst.kd.graph cimport Graph, Side
from smartsvm._mst.kd.tree cimport KDIndex


cdef class Units:
    cdef Graph graph
    cdef Side[2] sides
    cdef int n_sides, cancelled
    cdef KDIndex first, second
    cdef Py_ssize_t n_slots, n_units, n_components, n_edges, largest_site
    cdef bint collapsed
    # By slot.
    cdef uint32_t[::1] identity, used
    cdef Py_ssize_t[::1] used_start
    # By site, all sides one after the other; None where every site has one slot.
    cdef uint32_t[::1] site_start, unit_of_site
    # What graph.h and this class point into: a row for each thing.
    cdef uint32_t[:, ::1] by_unit, by_slot
    cdef uint32_t *slot_parent
    cdef double[::1] lower
    # The edges of all trees so far, as slots.
    cdef uint32_t[:, ::1] edges
    cdef double[::1] lengths

    cdef _lay_out_sites(self)
    cdef start_units(self)
    cdef void _lay_out_units(self, uint32_t *label) noexcept nogil
    cdef _join_equal_points(self)
    cdef Py_ssize_t _append_slots(self, uint32_t *slots, Py_ssize_t count, Py_ssize_t site)
    cdef _join_by_keys(self, uint32_t *slots, Py_ssize_t size, uint64_t *key, uint32_t *source)
    cdef void add_edge(self, uint32_t i, uint32_t j, double length) noexcept nogil
    cdef strike_out(self)
    cdef rows_of_edges(self)
