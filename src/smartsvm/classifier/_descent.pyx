"""Prediction through a hierarchy of linear nodes, over flat arrays.

A row goes down from the root. Hard routing takes the side that each node decides
for and looks at no other node. Soft routing multiplies the probabilities of the
sides along each path and answers the leaf with the largest product: it goes down
the likelier side first, and leaves out every branch whose product is already
smaller than the best leaf found, because products only fall on the way down.

The margin of a row at a node is x·w + b, and for nodes with a feature map also the
product with the added columns of the row. Each margin is summed in one fixed
order, whichever function asks, so that all of them decide alike. Probabilities
follow from margins m by the minimiser of the squared hinge loss, E[m] = 2p - 1,
kept away from 0 and 1 by a floor for each node. Logarithms are added instead of
multiplying: a thousand levels do not underflow.

A hierarchy without weights takes margins in place of features: from one product of
all rows with all nodes where that is faster, or from classifiers of any kind.

Rows are independent: callers may hand out blocks of them to threads.
"""

from libc.math cimport exp, log
from libc.stdlib cimport free, malloc

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


cdef inline double right_probability(double value, double least) noexcept nogil:
    cdef double p = (value + 1) / 2
    if p < least:
        return least
    if p > 1 - least:
        return 1 - least
    return p


cdef inline const double* row_of(const double[:, ::1] array, Py_ssize_t i) noexcept nogil:
    return &array[i, 0] if array.shape[1] > 0 else NULL


def quadratic_terms(
    const double[:, ::1] factors, const double[::1] shift, const double[::1] scale,
    double[:, ::1] out,
):
    """Products of all pairs of columns, less `shift`, times `scale`, into `out`."""
    cdef Py_ssize_t row, i, j, k, n = factors.shape[0], d = factors.shape[1]
    with nogil:
        for row in range(n):
            k = 0
            for i in range(d):
                for j in range(i, d):
                    out[row, k] = (factors[row, i] * factors[row, j] - shift[k]) * scale[k]
                    k += 1


cdef class Descent:
    """The nodes of a hierarchy as flat arrays, ready to send rows down.

    Parameters
    ----------
    children : array of shape (n_nodes, 2)
        As in `ClassHierarchy`.
    least : array of shape (n_nodes,)
        Floor of the probability of either side of each node.
    given : array of shape (n_nodes, d)
        Weights of the given features; (n_nodes, 0) if rows are margins.
    intercepts : array of shape (n_nodes,)
        Intercepts.
    added : array of shape (n_nodes, q)
        Weights of the added columns, read only where `mapped`.
    mapped : array of shape (n_nodes,)
        Whether a node uses the added columns.
    """

    cdef const Py_ssize_t[:, ::1] children
    cdef const double[::1] least
    cdef const double[:, ::1] given
    cdef const double[::1] intercepts
    cdef const double[:, ::1] added
    cdef const unsigned char[::1] mapped
    cdef Py_ssize_t n_nodes

    def __init__(self, children, least, given, intercepts, added, mapped):
        self.children, self.least = children, least
        self.given, self.intercepts, self.added, self.mapped = given, intercepts, added, mapped
        self.n_nodes = self.children.shape[0]

    cdef inline double margin(
        self, Py_ssize_t node, const double* row, const double* columns
    ) noexcept nogil:
        cdef double total
        if self.given.shape[1] == 0:
            return row[node]
        total = dot(row, &self.given[node, 0], self.given.shape[1]) + self.intercepts[node]
        if self.mapped[node]:
            total += dot(columns, &self.added[node, 0], self.added.shape[1])
        return total

    def margins(self, const double[:, ::1] rows, const double[:, ::1] columns, double[:, ::1] out):
        """Margins of all rows at all nodes into `out` of shape (n, n_nodes)."""
        cdef Py_ssize_t i, node
        with nogil:
            for i in range(rows.shape[0]):
                for node in range(self.n_nodes):
                    out[i, node] = self.margin(node, &rows[i, 0], row_of(columns, i))

    def hard(
        self, const double[:, ::1] rows, const double[:, ::1] columns, Py_ssize_t[::1] out
    ):
        """The class that each row reaches, into `out`."""
        cdef Py_ssize_t i, node
        cdef double value
        with nogil:
            for i in range(rows.shape[0]):
                node = 0
                while node >= 0:
                    value = self.margin(node, &rows[i, 0], row_of(columns, i))
                    node = self.children[node, 1 if value > 0 else 0]
                out[i] = ~node

    def soft(
        self, const double[:, ::1] rows, const double[:, ::1] columns, Py_ssize_t[::1] out
    ):
        """The likeliest class of each row into `out`; returns how many nodes were looked at."""
        cdef Py_ssize_t i, node, waiting, best_class, side, looked_at = 0
        cdef double so_far, best, best_log, p, value
        # At most one branch waits for each node on the way down, and one more.
        cdef Py_ssize_t* branch = <Py_ssize_t*> malloc((self.n_nodes + 2) * sizeof(Py_ssize_t))
        cdef double* product = <double*> malloc((self.n_nodes + 2) * sizeof(double))
        if branch == NULL or product == NULL:
            free(branch)
            free(product)
            raise MemoryError("not enough memory for the branches of one row")
        with nogil:
            for i in range(rows.shape[0]):
                branch[0], product[0], waiting = 0, 0.0, 1
                best, best_log, best_class = -1.0, -1e300, self.n_nodes + 1
                while waiting > 0:
                    waiting -= 1
                    node, so_far = branch[waiting], product[waiting]
                    # A little slack: leaves are compared by probabilities, not logarithms.
                    if so_far < best_log - 1e-9:
                        continue
                    if node < 0:
                        value = exp(so_far)
                        if value > best or (value == best and ~node < best_class):
                            best, best_class = value, ~node
                        if so_far > best_log:
                            best_log = so_far
                        continue
                    looked_at += 1
                    value = self.margin(node, &rows[i, 0], row_of(columns, i))
                    p = right_probability(value, self.least[node])
                    side = 0 if p > 0.5 else 1  # the less likely side waits below the other
                    branch[waiting] = self.children[node, side]
                    product[waiting] = so_far + log(p if side == 1 else 1 - p)
                    branch[waiting + 1] = self.children[node, 1 - side]
                    product[waiting + 1] = so_far + log(p if side == 0 else 1 - p)
                    waiting += 2
                out[i] = best_class
        free(branch)
        free(product)
        return looked_at

    def log_probabilities(
        self, const double[:, ::1] rows, const double[:, ::1] columns, double[:, ::1] out,
        bint exponentiate,
    ):
        """Logarithms of the class probabilities, or these themselves, into `out` (n, K)."""
        cdef Py_ssize_t i, node, child, side
        cdef double p, here
        cdef double* so_far = <double*> malloc(self.n_nodes * sizeof(double))
        if so_far == NULL:
            raise MemoryError("not enough memory for the nodes of one row")
        with nogil:
            for i in range(rows.shape[0]):
                so_far[0] = 0
                for node in range(self.n_nodes):  # a node comes before its children
                    here = self.margin(node, &rows[i, 0], row_of(columns, i))
                    p = right_probability(here, self.least[node])
                    for side in range(2):
                        child = self.children[node, side]
                        here = so_far[node] + log(p if side == 1 else 1 - p)
                        if child >= 0:
                            so_far[child] = here
                        else:
                            out[i, ~child] = exp(here) if exponentiate else here
        free(so_far)
