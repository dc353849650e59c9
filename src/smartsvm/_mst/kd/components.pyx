"""The components that Boruvka's algorithm merges, by union and find.

A round joins components along edges, and then numbers those that are left from 0
on. Units keep a label; labels lead to components, and are renewed only while they
are many, so that a late round need not touch every unit.
"""
from libc.stdint cimport uint32_t

import numpy as np

from smartsvm._mst.kd.graph cimport component_of, unit_of
from smartsvm._mst.common.disjoint_set cimport root
from smartsvm._mst.kd.units cimport Units


cdef class Components(Units):
    """Units, the components they are in, and the edges that joined them."""

    cdef start_components(self):
        """Components at the start of a tree: nothing joined but equal points."""
        cdef Py_ssize_t c, u
        self.start_units()
        self.n_labels = self.n_components
        self._lay_out_joins(np.empty((3, self.n_components), dtype=np.uint32))
        for c in range(self.n_components):
            self.parent[c] = <uint32_t> c
            self.size[c] = 0
        for u in range(self.n_units):
            self.size[self.graph.label[u]] += 1

    cdef _lay_out_joins(self, uint32_t[:, ::1] joins):
        self.joins = joins
        self.parent, self.renamed, self.size = &joins[0, 0], &joins[1, 0], &joins[2, 0]

    cdef shrink(self):
        """Give back what only the components of earlier rounds needed."""
        if 2 * self.n_components <= self.joins.shape[1]:
            self._lay_out_joins(np.asarray(self.joins)[:, :self.n_components].copy())

    cdef uint32_t largest(self) noexcept nogil:
        cdef uint32_t c, largest = 0
        for c in range(self.n_components):
            if self.size[c] > self.size[largest]:
                largest = c
        return largest

    cdef void join(self, uint32_t c, uint32_t i, uint32_t j, double length) noexcept nogil:
        """Take the edge from slot i in component c to slot j, unless it closes a cycle."""
        cdef uint32_t a = root(self.parent, c)
        cdef uint32_t b = root(
            self.parent, component_of(&self.graph, unit_of(&self.graph, j))
        )
        if a != b:
            self.parent[max(a, b)] = min(a, b)
            self.add_edge(i, j, length)

    cdef void rename(self) noexcept nogil:
        """Number the joined components anew."""
        cdef Py_ssize_t u
        cdef uint32_t c, a, n_components = 0
        # A root is the least of its component: new numbers never pass old ones.
        for c in range(self.n_components):
            a = root(self.parent, c)
            if a == c:
                self.renamed[c] = n_components
                self.size[n_components] = self.size[c]
                n_components += 1
            else:
                self.renamed[c] = self.renamed[a]
                self.size[self.renamed[a]] += self.size[c]
        for u in range(self.n_labels):
            self.graph.component[u] = self.renamed[self.graph.component[u]]
        self.n_components = n_components
        for c in range(n_components):
            self.parent[c] = c
        if self.n_labels > self.n_units // 64:
            for u in range(self.n_units):
                self.graph.label[u] = self.graph.component[self.graph.label[u]]
            self.n_labels = n_components
            for u in range(n_components):
                self.graph.component[u] = <uint32_t> u
