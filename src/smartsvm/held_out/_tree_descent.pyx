"""Descent of a decision tree by eight points at a time.

A point waits for memory at every node of its path. Eight points wait together: about three times
as fast as one after the other.
"""

from libc.stdint cimport int32_t

cdef enum:
    LANES = 8


def find_leaves(
    const float[:, ::1] points, const int32_t[:, ::1] children, const int32_t[::1] features,
    const float[::1] thresholds, Py_ssize_t[::1] out,
):
    """Write the leaf of every point to `out`, in a tree as `grow` returns it."""
    cdef Py_ssize_t n = points.shape[0], n_nodes = children.shape[0], start, lane, width, node
    cdef Py_ssize_t[LANES] at
    cdef Py_ssize_t[LANES] row
    cdef Py_ssize_t here
    cdef bint moving
    if features.shape[0] != n_nodes or thresholds.shape[0] != n_nodes or out.shape[0] != n:
        raise ValueError("a tree must have a feature and a threshold for each node.")
    if n == 0:
        return
    for node in range(n_nodes):
        if (
            not node <= children[node, 0] < n_nodes or not node <= children[node, 1] < n_nodes
            or not 0 <= features[node] < points.shape[1]
            or (children[node, 0] == node) != (children[node, 1] == node)
        ):
            raise ValueError(
                f"node {node} of a tree has a child before it or beyond the last one, or tests no "
                "column."
            )
    with nogil:
        for start in range(0, n, 8):  # LANES; a step must be a literal here
            width = n - start if n - start < LANES else LANES
            for lane in range(LANES):  # the last point fills the missing lanes
                at[lane] = 0
                row[lane] = start + (lane if lane < width else width - 1)
            moving = True
            while moving:
                moving = False
                for lane in range(LANES):
                    node = at[lane]
                    here = children[node, points[row[lane], features[node]] > thresholds[node]]
                    moving = moving or here != node
                    at[lane] = here
            for lane in range(width):
                out[start + lane] = at[lane]


def add_shares(
    double[:, ::1] votes, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] leaves,
    const int32_t[::1] classes, const int32_t[:, ::1] entries, const Py_ssize_t[::1] of_entry,
    const double[::1] shares,
):
    """Add the class shares of leaves to the votes of rows."""
    # Where a leaf has no class, its `entries` delimit its classes in `of_entry`, and their shares.
    cdef Py_ssize_t i, e, leaf, n = rows.shape[0], n_leaves = classes.shape[0]
    cdef bint fits = leaves.shape[0] == n and shares.shape[0] == of_entry.shape[0]
    for i in range(n):
        fits = fits and 0 <= rows[i] < votes.shape[0] and 0 <= leaves[i] < n_leaves
        if fits and classes[leaves[i]] < 0:
            fits = leaves[i] < entries.shape[0] and 0 <= entries[leaves[i], 0]
            fits = fits and entries[leaves[i], 1] <= shares.shape[0]
        fits = fits and classes[leaves[i]] < votes.shape[1]
    for e in range(of_entry.shape[0]):
        fits = fits and 0 <= of_entry[e] < votes.shape[1]
    if not fits:
        raise ValueError("a tree must have classes, and shares of them, for the leaves reached.")
    with nogil:
        for i in range(n):
            leaf = leaves[i]
            if classes[leaf] >= 0:
                votes[rows[i], classes[leaf]] += 1
                continue
            for e in range(entries[leaf, 0], entries[leaf, 1]):
                votes[rows[i], of_entry[e]] += shares[e]
