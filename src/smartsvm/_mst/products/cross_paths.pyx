"""Compiled parts of `class_pairs`: cross edges in the one order, and the test of pairs."""
from libc.math cimport INFINITY, sqrt
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from smartsvm._core.threads cimport check_interrupt
from smartsvm._mst.common.edge_order cimport squared_distance, tie_key, tie_rank
from smartsvm._mst.edges.bottleneck cimport Linkage, Paths, fill_distances

cdef extern from "common/smallest.h" nogil:
    void insert_smallest(
        double *values, uint32_t *items, Py_ssize_t k, double value, uint32_t item
    )

cdef extern from "math.h" nogil:
    float nextafterf(float x, float y)


def measure(
    const double[:, ::1] points, const Py_ssize_t[:, :] ends, const Py_ssize_t[:, :] ids,
    uint64_t seed,
):
    """Squared lengths and tie keys of the edges between rows of points; `ids` name the ends."""
    cdef Py_ssize_t e, n = ends.shape[1], d = points.shape[1]
    cdef double[::1] squared = np.empty(n)
    cdef uint64_t[::1] keys = np.empty(n, dtype=np.uint64)
    cdef uint32_t left, right
    with nogil:
        for e in range(n):
            squared[e] = squared_distance(&points[ends[0, e], 0], &points[ends[1, e], 0], d)
            left, right = tie_rank(<uint32_t> ids[0, e], seed), tie_rank(<uint32_t> ids[1, e], seed)
            keys[e] = tie_key(left, right)
    return np.asarray(squared), np.asarray(keys)


cdef class PairTest:
    """The test of all pairs of classes, tile after tile of their products."""

    cdef list kept
    cdef Paths *paths       # class after class, tree after tree
    cdef Py_ssize_t n_trees, n_classes
    cdef const Py_ssize_t[::1] first
    cdef const float[::1] halves
    cdef const double[::1] lengths, moved, longest, most_moved
    cdef double slack, unit
    cdef signed char[::1] apart
    cdef Py_ssize_t[:, :, ::1] crossing
    cdef double[:, ::1] squared

    def __init__(self, products, list linkages, separation):
        cdef Py_ssize_t e = 0
        self.kept, self.n_trees, self.n_classes = linkages, len(linkages[0]), len(linkages)
        self.paths = <Paths *> calloc(self.n_classes * self.n_trees, sizeof(Paths))
        if self.paths == NULL:
            raise MemoryError
        for trees in linkages:
            for tree in trees:
                self.paths[e] = (<Linkage> tree).paths
                e += 1
        self.first, self.halves, self.lengths = products.first, products.halves, products.lengths
        self.moved, self.most_moved = products.moved, products.most_moved
        self.longest, self.slack, self.unit = products.longest, products.slack, products.unit
        self.apart = separation.apart.view(np.int8)
        self.crossing, self.squared = separation.crossing, separation.squared

    def __dealloc__(self):
        free(self.paths)

    cdef inline double _error(self, Py_ssize_t i, Py_ssize_t other) noexcept nogil:
        return self.slack * (self.lengths[i] + self.longest[other]) + 1e-30

    cdef void _halve(
        self, Py_ssize_t k, Py_ssize_t m, float *tile, Py_ssize_t width, float *of_rows,
        float *of_columns,
    ) noexcept nogil:
        """Turn products into minus half squared distances; find the largest by row and column."""
        cdef Py_ssize_t i, j, n = self.first[m + 1] - self.first[m]
        cdef const float *halves = &self.halves[self.first[m]]
        cdef float half, most
        for j in range(n):
            of_columns[j] = -INFINITY
        for i in range(self.first[k + 1] - self.first[k]):
            half, most = self.halves[self.first[k] + i], -INFINITY
            for j in range(n):
                tile[j] = tile[j] - half - halves[j]
                of_columns[j] = max(of_columns[j], tile[j])
            for j in range(n):
                most = max(most, tile[j])
            of_rows[i] = most
            tile += width

    cdef float _limit(
        self, Py_ssize_t k, Py_ssize_t m, const float *near, double *least,
    ) noexcept nogil:
        """A lower bound of the entries of the shortest edges, as many as trees.

        As many rows have an edge within `bound`, so the shortest edges are within it, too.
        """
        cdef Py_ssize_t i, start = self.first[k]
        cdef double bound
        for i in range(self.n_trees):
            least[i] = INFINITY
        for i in range(self.first[k + 1] - start):
            bound = sqrt(max(self._error(start + i, m) - 2 * <double> near[i], 0.0))
            insert_smallest(least, NULL, self.n_trees, bound + self.moved[start + i], 0)
        bound = least[self.n_trees - 1] + self.most_moved[k] + 2 * self.most_moved[m]
        bound = bound * bound + self.slack * (self.longest[k] + self.longest[m]) + 1e-30
        return nextafterf(<float> (-bound * (1 + 1e-6) / 2), -INFINITY)

    def find(self, float[:, ::1] tile, rows, columns, Py_ssize_t most):
        """Edges that may be the shortest ones of a pair; none of a pair with more than `most`.

        `tile` has the products of two ranges of classes. Returns the rows of both ends, where
        the edges of each pair begin, and the largest entries of rows and columns.
        """
        cdef Py_ssize_t a = rows.start, c = columns.start, n_a = len(rows), n_c = len(columns)
        cdef Py_ssize_t height = tile.shape[0], width = tile.shape[1]
        cdef Py_ssize_t k, m, i, j, row, column, pair = 0, count = 0, n_edges = 0
        cdef Py_ssize_t room = min(height * width, most * n_a * n_c)
        cdef Py_ssize_t[:, ::1] ends = np.empty((2, room), dtype=np.intp)
        cdef Py_ssize_t[::1] begins = np.zeros(n_a * n_c + 1, dtype=np.intp)
        cdef float[:, ::1] of_rows = np.empty((n_c, height), dtype=np.float32)
        cdef float[:, ::1] of_columns = np.empty((n_a, width), dtype=np.float32)
        cdef double[::1] least = np.empty(self.n_trees)
        cdef float limit
        with nogil:
            for k in range(a, a + n_a):
                row = self.first[k] - self.first[a]
                for m in range(c, c + n_c):
                    pair += 1
                    begins[pair] = n_edges
                    if k >= m or self.first[k + 1] - self.first[k] < self.n_trees:
                        continue
                    column = self.first[m] - self.first[c]
                    self._halve(
                        k, m, &tile[row, column], width, &of_rows[m - c, row],
                        &of_columns[k - a, column],
                    )
                    limit = self._limit(k, m, &of_rows[m - c, row], &least[0])
                    count = n_edges
                    for j in range(column, self.first[m + 1] - self.first[c]):
                        if of_columns[k - a, j] < limit:
                            continue
                        for i in range(row, self.first[k + 1] - self.first[a]):
                            if tile[i, j] >= limit:
                                if count < n_edges + most:
                                    ends[0, count] = self.first[a] + i
                                    ends[1, count] = self.first[c] + j
                                count += 1
                    if count <= n_edges + most:
                        n_edges = begins[pair] = count
        return np.asarray(ends)[:, :n_edges], np.asarray(begins), of_rows, of_columns

    def list_up_to(
        self, const float[:, ::1] tile, rows, columns, const float[:, ::1] of_rows,
        const double[::1] reach, double most_share,
    ):
        """Edges of pairs that are not apart up to the larger squared `reach` of both classes.

        `tile` is as `find` leaves it. Pairs of infinite reach, or with more than `most_share` of
        all edges between them, have none. Returns the numbers of pairs, how many edges each has,
        and the rows of both ends.
        """
        cdef Py_ssize_t a = rows.start, c = columns.start, n_a = len(rows), n_c = len(columns)
        cdef Py_ssize_t k, m, i, j, row, column, stop, pair, most, count, n_pairs = 0, n_edges = 0
        cdef Py_ssize_t[:, ::1] ends = np.empty((2, tile.shape[0] * tile.shape[1]), dtype=np.intp)
        cdef Py_ssize_t[:, ::1] found = np.empty((2, n_a * n_c), dtype=np.intp)
        cdef float limit
        with nogil:
            for k in range(a, a + n_a):
                row = self.first[k] - self.first[a]
                if self.first[k + 1] - self.first[k] < self.n_trees:
                    continue
                for m in range(max(c, k + 1), c + n_c):
                    pair = k * (2 * self.n_classes - k - 1) // 2 + m - k - 1
                    if self.apart[pair] or max(reach[k], reach[m]) == INFINITY:
                        continue
                    column, stop = self.first[m] - self.first[c], self.first[m + 1] - self.first[c]
                    limit = self._entry_of(k, m, max(reach[k], reach[m]))
                    most = (self.first[k + 1] - self.first[k]) * (stop - column)
                    count, most = 0, <Py_ssize_t> (most_share * most)
                    for i in range(row, self.first[k + 1] - self.first[a]):
                        if of_rows[m - c, i] < limit or count > most:
                            continue
                        for j in range(column, stop):
                            if tile[i, j] >= limit:
                                ends[0, n_edges + count] = self.first[a] + i
                                ends[1, n_edges + count] = self.first[c] + j
                                count += 1
                    if count <= most:
                        found[0, n_pairs], found[1, n_pairs] = pair, count
                        n_pairs += 1
                        n_edges += count
        return np.asarray(found)[:, :n_pairs], np.asarray(ends)[:, :n_edges]

    cdef float _entry_of(self, Py_ssize_t k, Py_ssize_t m, double squared) noexcept nogil:
        """A lower bound of the entries of edges up to a squared length."""
        cdef double bound = sqrt(squared / self.unit) + self.most_moved[k] + self.most_moved[m]
        bound = bound * bound + self.slack * (self.longest[k] + self.longest[m]) + 1e-30
        return nextafterf(<float> (-bound * (1 + 1e-6) / 2), -INFINITY)

    cdef bint _is_near(
        self, Py_ssize_t k, Py_ssize_t m, Py_ssize_t end, const float *near, double *longest,
    ) noexcept nogil:
        """Whether some point of k may be as near to m as its path to `end` is long."""
        cdef Py_ssize_t i, tree, start = self.first[k]
        cdef double low
        for tree in range(self.n_trees):
            fill_distances(
                self.paths + k * self.n_trees + tree, <uint32_t> (end - start), longest
            )
            for i in range(self.first[k + 1] - start):
                low = sqrt(max(-2 * <double> near[i] - self._error(start + i, m), 0.0))
                low = max(low - self.moved[start + i] - self.most_moved[m], 0.0)
                if low * low * self.unit <= longest[i]:
                    return True
        return False

    def judge(
        self, rows, columns, const Py_ssize_t[:, :] ends, const double[::1] squared,
        const Py_ssize_t[::1] begins, const float[:, ::1] of_rows, const float[:, ::1] of_columns,
    ):
        """Store which pairs are apart, and their shortest edges; return how many of how many are.

        Arguments are what `find` returns, with the edges of each pair in rising order.
        """
        cdef Py_ssize_t a = rows.start, c = columns.start, n_a = len(rows), n_c = len(columns)
        cdef Py_ssize_t k, m, e, s, pair, n_pairs = 0, n_apart = 0
        cdef double[::1] longest = np.empty(max(of_rows.shape[1], of_columns.shape[1]))
        check_interrupt()
        with nogil:
            for k in range(a, a + n_a):
                for m in range(max(c, k + 1), c + n_c):
                    n_pairs += 1
                    pair, e = (k - a) * n_c + m - c, begins[(k - a) * n_c + m - c]
                    if begins[pair + 1] - e < self.n_trees:
                        continue
                    pair = k * (2 * self.n_classes - k - 1) // 2 + m - k - 1
                    for s in range(self.n_trees):
                        self.crossing[pair, s, 0] = ends[0, e + s]
                        self.crossing[pair, s, 1] = ends[1, e + s]
                        self.squared[pair, s] = squared[e + s]
                    self.apart[pair] = not (
                        self._is_near(
                            k, m, ends[0, e], &of_rows[m - c, self.first[k] - self.first[a]],
                            &longest[0],
                        )
                        or self._is_near(
                            m, k, ends[1, e], &of_columns[k - a, self.first[m] - self.first[c]],
                            &longest[0],
                        )
                    )
                    n_apart += self.apart[pair]
        return n_pairs, n_apart
