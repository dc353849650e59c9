"""Votes of nearest neighbours: one walk through the neighbours of each sample, nearest first."""

from libc.math cimport exp, fmax, log

import numpy as np

from smartsvm._mst.common.edge_order cimport squared_distance


def count_votes(
    const unsigned int[:, ::1] labels, const Py_ssize_t[::1] codes, Py_ssize_t n_classes,
    const Py_ssize_t[::1] ladder,
):
    """Votes for the own class, most votes, and how many classes share them, shape (m, n) each."""
    cdef Py_ssize_t i, j, step, n = labels.shape[1], n_steps = ladder.shape[0]
    cdef Py_ssize_t most = ladder[n_steps - 1]
    cdef unsigned char best, sharing
    own, top, shared = (np.empty((n_steps, n), dtype=np.uint8) for _ in range(3))
    cdef unsigned char[:, ::1] of_own = own, of_best = top, of_shared = shared
    cdef unsigned char[::1] votes = np.zeros(n_classes, dtype=np.uint8)
    if not 0 < most <= min(255, labels.shape[0]) or codes.shape[0] != n:
        raise ValueError("labels, codes and ladder must have matching shapes.")
    if np.max(labels[:most], initial=0) >= n_classes or np.max(codes, initial=0) >= n_classes:
        raise ValueError(f"labels and codes must be below {n_classes}.")
    with nogil:
        for i in range(n):
            best = sharing = 0
            step = 0
            for j in range(most):
                votes[labels[j, i]] += 1
                if votes[labels[j, i]] > best:
                    best, sharing = votes[labels[j, i]], 1
                elif votes[labels[j, i]] == best:
                    sharing += 1
                if j + 1 == ladder[step]:
                    of_own[step, i], of_best[step, i] = votes[codes[i]], best
                    of_shared[step, i] = sharing
                    step += 1
            for j in range(most):
                votes[labels[j, i]] = 0
    return own, top, shared


def fill_vote_scores(
    const double[:, ::1] points, const Py_ssize_t[::1] codes, const unsigned int[:, ::1] nearest,
    const Py_ssize_t[::1] rows, const double[::1] priors, Py_ssize_t unit, double steepness,
    float[:, ::1] out,
):
    """Write what `vote_scores` returns for some rows; weights refer to the neighbour `unit`."""
    cdef Py_ssize_t r, i, j, k = nearest.shape[1], n = codes.shape[0], d = points.shape[1]
    cdef double[::1] lengths = np.empty(k), shares = np.array(priors)
    cdef double scale
    with np.errstate(divide="ignore"):  # the only sample of its class
        logs = np.log(np.asarray(priors)).astype(np.float32)
    np.asarray(out)[:] = logs
    with nogil:
        for r in range(rows.shape[0]):
            i = rows[r]
            for j in range(k):
                lengths[j] = squared_distance(&points[i, 0], &points[nearest[i, j], 0], d)
            # Votes of copies all have the same weight.
            scale = -steepness / (lengths[unit] if lengths[unit] > 0 else 1)
            shares[codes[i]] -= 1.0 / (n - 1)
            for j in range(k):
                shares[codes[nearest[i, j]]] += exp(scale * lengths[j])
            out[r, codes[i]] = <float> log(fmax(shares[codes[i]], 0))
            for j in range(k):
                out[r, codes[nearest[i, j]]] = <float> log(shares[codes[nearest[i, j]]])
            for j in range(k):
                shares[codes[nearest[i, j]]] = priors[codes[nearest[i, j]]]
            shares[codes[i]] = priors[codes[i]]
