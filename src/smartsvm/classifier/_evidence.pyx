"""Columns and sums of node evidence, in one pass over the rows each."""


def quadratic_terms(
    const double[:, ::1] inside, Py_ssize_t n_factors, const double[::1] shift,
    const double[::1] scale, double[:, ::1] out,
):
    """The columns and all products of two of the first `n_factors`, standardised, into `out`.

    Parameters
    ----------
    inside : array of shape (n, m)
        Points.
    n_factors : int
        Columns to multiply with each other, at most m.
    shift, scale : array of shape (m + n_factors (n_factors + 1) / 2,)
        Every column of the result has `shift` taken off and is then multiplied by `scale`.
    out : array of shape (n, m + n_factors (n_factors + 1) / 2)
        The result.
    """
    cdef Py_ssize_t row, i, j, k, n = inside.shape[0], m = inside.shape[1]
    cdef Py_ssize_t n_columns = m + n_factors * (n_factors + 1) // 2
    if not 0 <= n_factors <= m:
        raise ValueError(f"n_factors must be from 0 to {m}, got {n_factors}.")
    if (
        out.shape[0] != n or out.shape[1] != n_columns
        or shift.shape[0] != n_columns or scale.shape[0] != n_columns
    ):
        raise ValueError(f"out, shift and scale must have {n_columns} columns and out {n} rows.")
    with nogil:
        for row in range(n):
            for i in range(m):
                out[row, i] = (inside[row, i] - shift[i]) * scale[i]
            k = m
            for i in range(n_factors):
                for j in range(i, n_factors):
                    out[row, k] = (inside[row, i] * inside[row, j] - shift[k]) * scale[k]
                    k += 1


def add_clipped(
    const double[:, ::1] values, const Py_ssize_t[::1] nodes, const double[::1] weights,
    double limit, double[:, ::1] out,
):
    """Add weight · value to the sums of some nodes, values cut at ±limit.

    Parameters
    ----------
    values : array of shape (n, k)
        Evidence of k nodes.
    nodes : array of shape (k,)
        Their columns in `out`.
    weights : array of shape (k,)
        Their weights.
    limit : float
        Largest size of a value.
    out : array of shape (n, n_nodes)
        The sums.
    """
    cdef Py_ssize_t i, j, k = values.shape[1]
    cdef double value
    if nodes.shape[0] != k or weights.shape[0] != k or out.shape[0] != values.shape[0]:
        raise ValueError("values, nodes, weights and out must have matching shapes.")
    for j in range(k):
        if not 0 <= nodes[j] < out.shape[1]:
            raise ValueError(f"nodes must be from 0 to {out.shape[1] - 1}, got {nodes[j]}.")
    with nogil:
        for i in range(values.shape[0]):
            for j in range(k):
                value = values[i, j]
                if value > limit:
                    value = limit
                elif value < -limit:
                    value = -limit
                out[i, nodes[j]] += weights[j] * value
