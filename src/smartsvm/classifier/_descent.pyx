"""Prediction through a hierarchy of nodes, over flat arrays.

Soft routing returns the leaf with the largest product of probabilities: it descends the likelier
side first and prunes every branch whose product is already smaller than the best leaf, because
products only fall along a path. It adds logarithms, so that a thousand levels do not underflow.

The margin of a row at a node is x·w + b, summed in one fixed order, so that all functions decide
alike. A `Descent` copies and checks its arrays, also when it is unpickled, so that no loop below
can leave them or run in a cycle. Rows are independent: threads can share them.
"""

from libc.math cimport exp, fabs

import numpy as np

from smartsvm.classifier.nodes._log_sums cimport log_one_and

from smartsvm.hierarchy.preorder import checked_children

cdef enum:
    LANES = 8


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    # Separate lanes let the compiler use vector registers without reordering sums.
    cdef double[LANES] sums
    cdef Py_ssize_t i, lane, whole = n - n % LANES
    for lane in range(LANES):
        sums[lane] = 0
    for i in range(0, whole, 8):  # LANES; a step must be a literal here
        for lane in range(LANES):
            sums[lane] += a[i + lane] * b[i + lane]
    for i in range(whole, n):
        sums[i - whole] += a[i] * b[i]
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))


cdef inline double log_sigmoid(double z) noexcept nogil:
    return -log_one_and(z) if z > 0 else z - log_one_and(-z)


cdef class Descent:
    """The nodes of a hierarchy, ready to route rows.

    `weights` has shape (n_nodes, d), or (n_nodes, 0) if rows are margins; `links` holds the slope
    (not negative) and offset from the margin, clipped at ±limit, to the log odds.
    """

    cdef const Py_ssize_t[:, ::1] children
    cdef const double[:, ::1] weights
    cdef const double[::1] intercepts
    cdef const double[:, ::1] links
    cdef double limit
    cdef Py_ssize_t n_nodes

    def __init__(self, children, weights, intercepts, links, double limit):
        self.children = checked_children(children, len(children) + 1)
        n_nodes = len(children)
        self.n_nodes = n_nodes
        self.weights = _finite(weights, "weights", (n_nodes, np.shape(weights)[1]))
        self.intercepts = _finite(intercepts, "intercepts", (n_nodes,))
        self.links = _finite(links, "links", (n_nodes, 2))
        if np.any(np.asarray(self.links)[:, 0] < 0) or not limit > 0:
            raise ValueError("links must have slopes of at least 0, and limit must be positive.")
        self.limit = limit

    def __reduce__(self):
        arrays = [
            np.asarray(self.children), np.asarray(self.weights),
            np.asarray(self.intercepts), np.asarray(self.links),
        ]
        return Descent, (*arrays, self.limit)

    cdef int check(self, const double[:, ::1] rows, Py_ssize_t n_out) except -1:
        cdef Py_ssize_t n_columns = self.weights.shape[1] or self.n_nodes
        if rows.shape[1] != n_columns or rows.shape[0] != n_out:
            raise ValueError(
                f"rows must have shape {(n_out, n_columns)}, got {(rows.shape[0], rows.shape[1])}."
            )
        return 0

    cdef inline double margin(self, Py_ssize_t node, const double* row) noexcept nogil:
        if self.weights.shape[1] == 0:
            return row[node]
        return dot(row, &self.weights[node, 0], self.weights.shape[1]) + self.intercepts[node]

    cdef inline double log_odds(self, Py_ssize_t node, const double* row) noexcept nogil:
        cdef double value = self.margin(node, row)
        if value > self.limit:
            value = self.limit
        elif value < -self.limit:
            value = -self.limit
        return self.links[node, 0] * value + self.links[node, 1]

    def margins(self, const double[:, ::1] rows, double[:, ::1] out):
        """Margins of all rows at all nodes into `out` of shape (n, n_nodes)."""
        cdef Py_ssize_t i, node
        self.check(rows, out.shape[0])
        _check_columns(out, self.n_nodes)
        with nogil:
            for i in range(rows.shape[0]):
                for node in range(self.n_nodes):
                    out[i, node] = self.margin(node, &rows[i, 0])

    def hard(self, const double[:, ::1] rows, Py_ssize_t[::1] out):
        """The class that each row reaches, into `out`."""
        cdef Py_ssize_t i, node
        self.check(rows, out.shape[0])
        with nogil:
            for i in range(rows.shape[0]):
                node = 0
                while node >= 0:
                    node = self.children[node, 1 if self.margin(node, &rows[i, 0]) > 0 else 0]
                out[i] = ~node

    def soft(self, const double[:, ::1] rows, Py_ssize_t[::1] out):
        """The likeliest class of each row into `out`; returns how many nodes were visited."""
        cdef Py_ssize_t i, node, pending, best_class, side, n_visited = 0
        cdef double so_far, best, best_log, z, value, rest
        self.check(rows, out.shape[0])
        # At most one branch is pending for each node of a path, and one more.
        cdef Py_ssize_t[::1] branch = np.empty(self.n_nodes + 2, dtype=np.intp)
        cdef double[::1] product = np.empty(self.n_nodes + 2)
        with nogil:
            for i in range(rows.shape[0]):
                branch[0], product[0], pending = 0, 0.0, 1
                best, best_log, best_class = -1.0, -1e300, self.n_nodes
                while pending > 0:
                    pending -= 1
                    node, so_far = branch[pending], product[pending]
                    # Some slack: leaves are compared by probabilities, not logarithms.
                    if so_far < best_log - 1e-9:
                        continue
                    if node < 0:
                        value = exp(so_far)
                        if value > best or (value == best and ~node < best_class):
                            best, best_class = value, ~node
                        if so_far > best_log:
                            best_log = so_far
                        continue
                    n_visited += 1
                    z = self.log_odds(node, &rows[i, 0])
                    side = 0 if z > 0 else 1  # the likelier side is on top of the stack
                    z = fabs(z)
                    rest = log_one_and(z)  # as in `log_sigmoid` of both sides
                    branch[pending] = self.children[node, side]
                    product[pending] = so_far + (-z - rest)
                    branch[pending + 1] = self.children[node, 1 - side]
                    product[pending + 1] = so_far + -rest
                    pending += 2
                out[i] = best_class
        return n_visited

    def log_probabilities(
        self, const double[:, ::1] rows, double[:, ::1] out, bint exponentiate
    ):
        """Logarithms of the class probabilities, or these themselves, into `out` (n, K)."""
        cdef Py_ssize_t i, node, child, side
        cdef double z, here
        self.check(rows, out.shape[0])
        _check_columns(out, self.n_nodes + 1)
        cdef double[::1] so_far = np.empty(self.n_nodes)
        with nogil:
            for i in range(rows.shape[0]):
                so_far[0] = 0
                for node in range(self.n_nodes):  # a node comes before its children
                    z = self.log_odds(node, &rows[i, 0])
                    for side in range(2):
                        child = self.children[node, side]
                        here = so_far[node] + log_sigmoid(z if side == 1 else -z)
                        if child >= 0:
                            so_far[child] = here
                        else:
                            out[i, ~child] = exp(here) if exponentiate else here


def _finite(values, name, shape):
    """A C-contiguous copy of finite numbers of one shape."""
    array = np.array(values, dtype=np.float64, order="C")
    if array.shape != shape:
        raise ValueError(f"{name} of the nodes must have shape {shape}, got {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} of the nodes must be finite.")
    return array


cdef int _check_columns(const double[:, ::1] out, Py_ssize_t n_columns) except -1:
    if out.shape[1] != n_columns:
        raise ValueError(f"out must have {n_columns} columns, got {out.shape[1]}.")
    return 0
