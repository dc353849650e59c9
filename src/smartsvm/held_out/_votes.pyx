"""Votes of nearest neighbours: one walk through the neighbours of each sample, nearest first."""

import numpy as np


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
