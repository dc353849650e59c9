# See components.pyx.
from libc.stdint cimport uint32_t

from smartsvm._mst.kd.units cimport Units


cdef class Components(Units):
    cdef Py_ssize_t n_labels
    # By component, rows of one array.
    cdef uint32_t[:, ::1] joins
    cdef uint32_t *parent
    cdef uint32_t *renamed
    cdef uint32_t *size

    cdef start_components(self)
    cdef uint32_t largest(self) noexcept nogil
    cdef void join(self, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil
    cdef void rename(self) noexcept nogil
    cdef shrink(self)
    cdef _lay_out_joins(self, uint32_t[:, ::1] joins)
