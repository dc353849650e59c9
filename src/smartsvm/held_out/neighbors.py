"""Leave-one-out error of nearest neighbours, from one search, in memory of O(n k).

The search is blind to the labels also where distances tie: the lists of the blocked
kernel follow the seeded order of edges, and for a search tree the rows are shuffled
first, because it prefers some rows among equals, and in data sorted by class that
preference gives the label away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.spatial import cKDTree

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.progress import Progress
from smartsvm._core.threads import run_chunks
from smartsvm._mst import blocked
from smartsvm._mst.products.projection import find_basis

LADDER = (1, 3, 5, 9, 15, 21, 31)
_MOST_TREE_FEATURES = 8  # beyond it a search tree visits most of its leaves
_BLOCK = 4096  # rows of one query: the largest temporary is this times k
_DISTANCES = 2**22  # in memory at a time where groups are large


class LeaveOneOut(NamedTuple):
    """Errors of k-nearest-neighbour votes in which no sample votes for itself.

    Attributes
    ----------
    k : ndarray of shape (m,)
        Numbers of neighbours, rising.
    errors : ndarray of shape (m,)
        Share of the samples that are voted wrong; a tied vote counts in part.
    disagreement : ndarray of shape (n_samples,)
        Share of the largest number of neighbours that belong to other classes.
    wrong : ndarray of shape (m, n_samples)
        Whether each vote is wrong; a share where it is tied.
    """

    k: np.ndarray
    errors: np.ndarray
    disagreement: np.ndarray
    wrong: np.ndarray

    @property
    def best(self):
        """Position of the smallest error; the larger k among equals, which varies less."""
        return len(self.k) - 1 - int(np.argmin(self.errors[::-1]))


def ladder_for(n_samples):
    """The numbers of neighbours worth trying: up to √n and never above 31."""
    most = max(1.0, min(np.sqrt(n_samples), n_samples - 1))
    return np.array([k for k in LADDER if k <= most])


def nearest_neighbors(points, n_neighbors, *, groups=None, seed=0, n_jobs=None, verbose=0):
    """Rows of the nearest neighbours of every point, the point itself left out.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    n_neighbors : int
        Neighbours of each point, less than n_samples; fewer than the samples outside of
        each group.
    groups : ndarray of int of shape (n_samples,) or None, default=None
        Samples that depend on each other: a neighbour is of another group.
    seed : int, default=0
        Seed of the choice among equally near points.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    ndarray of shape (n_samples, n_neighbors)
        The nearest first.
    """
    if groups is not None:
        return _outside_groups(points, n_neighbors, groups, seed, n_jobs, verbose)
    if points.shape[1] <= _MOST_TREE_FEATURES:
        return _found_by_tree(points, n_neighbors, seed, n_jobs, verbose)
    ids = np.arange(len(points), dtype=np.uint32)
    points, n_threads = np.ascontiguousarray(points), effective_n_jobs(n_jobs)
    index = blocked.index(points, ids, n_threads, find_basis(points))
    return blocked.neighbors(index, seed, n_neighbors, n_threads)


def neighbor_labels(points, codes, n_neighbors, *, seed=0, n_jobs=None, verbose=0):
    """Classes of the nearest neighbours of every point, the point itself left out.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1.
    n_neighbors : int
        Neighbours of each point, less than n_samples.
    seed : int, default=0
        Seed of the choice among equally near points.
    n_jobs : int or None, default=None
        Threads.
    verbose : int, default=0
        1 shows progress on standard error.

    Returns
    -------
    ndarray of shape (n_neighbors, n_samples)
        Row j holds the class of the (j+1)-th nearest neighbour.
    """
    found = nearest_neighbors(points, n_neighbors, seed=seed, n_jobs=n_jobs, verbose=verbose)
    return labels_of(found, codes)


def neighbors_leave_one_out(points, codes, n_classes, *, seed=0, n_jobs=None):
    """Errors of the votes of nearest neighbours, for all numbers of them that are worth trying.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Finite points, scaled so that no square of a difference leaves the range.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1.
    n_classes : int
        Classes K.
    seed : int, default=0
        Seed of the choice among equally near points.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    LeaveOneOut
        One error for each number of neighbours.
    """
    ladder = ladder_for(len(codes))
    labels = neighbor_labels(points, codes, int(ladder[-1]), seed=seed, n_jobs=n_jobs)
    return leave_one_out(labels, codes, n_classes, ladder)


def labels_of(nearest, codes):
    """Classes of the neighbours, shape (n_neighbors, n_samples), from their rows."""
    labels = np.empty(nearest.shape[::-1], dtype=np.min_scalar_type(int(codes.max())))
    for row, neighbor in zip(labels, nearest.T, strict=True):
        row[:] = codes[neighbor]
    return labels


def _found_by_tree(points, n_neighbors, seed, n_jobs, verbose):
    n = len(points)
    order = np.random.default_rng(seed).permutation(n).astype(np.uint32)
    shuffled = points[order]
    tree = cKDTree(shuffled)
    nearest = np.empty((n, n_neighbors), dtype=np.uint32)
    n_threads = effective_n_jobs(n_jobs)

    def search(lo, hi):
        # Neighbours in the tree one after the other: they meet in the same leaves. The tree's own
        # threads (`workers`) would write into freed memory after Ctrl-C.
        rows = tree.indices[lo:hi]
        found = tree.query(shuffled[rows], n_neighbors + 1)[1].reshape(len(rows), -1)
        itself = found == rows[:, None]
        # Among many copies of a point it may not find itself: then the last one goes.
        itself[~itself.any(axis=1), -1] = True
        others = found[~itself].reshape(len(rows), n_neighbors)
        nearest[order[rows]] = order[others]

    progress = Progress("nearest neighbours", n, verbose)
    for start in range(0, n, _BLOCK * n_threads):
        stop = min(start + _BLOCK * n_threads, n)
        run_chunks(
            lambda lo, hi, start=start: search(start + lo, start + hi),
            stop - start,
            min(_BLOCK, -(-(stop - start) // n_threads)),
            n_threads,
        )
        progress.update(stop)
    progress.close()
    return nearest


def _outside_groups(points, n_neighbors, groups, seed, n_jobs, verbose):
    """The nearest of all neighbours that are of other groups, in lists as long as that takes."""
    n = len(points)
    nearest = np.empty((n, n_neighbors), dtype=np.uint32)
    length = min(2 * n_neighbors, n - 1)
    found = nearest_neighbors(points, length, seed=seed, n_jobs=n_jobs, verbose=verbose)
    outside = groups[found] != groups[:, None]
    enough = outside.sum(axis=1) >= n_neighbors
    first = np.argsort(~outside[enough], axis=1, kind="stable")[:, :n_neighbors]
    nearest[enough] = np.take_along_axis(found[enough], first, axis=1)
    missing = np.flatnonzero(~enough)
    if missing.size:
        nearest[missing] = _found_one_by_one(points, missing, n_neighbors, groups, seed)
    return nearest


def _found_one_by_one(points, rows, n_neighbors, groups, seed):
    """For samples of large groups in one place: all distances, some rows at a time."""
    n = len(points)
    order = np.random.default_rng(seed).permutation(n)  # blind to the labels among equals
    centred = points - points.mean(axis=0)
    others, other_groups = centred[order], groups[order]
    lengths = np.einsum("ij,ij->i", others, others)
    nearest = np.empty((len(rows), n_neighbors), dtype=np.uint32)
    step = max(1, _DISTANCES // n)
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        with single_blas_thread():  # several would round in another order
            squared = lengths - 2 * (centred[some] @ others.T)
        squared[groups[some, None] == other_groups] = np.inf
        found = np.argpartition(squared, n_neighbors - 1, axis=1)[:, :n_neighbors]
        by_length = np.argsort(np.take_along_axis(squared, found, axis=1), axis=1, kind="stable")
        nearest[start : start + step] = order[np.take_along_axis(found, by_length, axis=1)]
    return nearest


def leave_one_out(labels, codes, n_classes, ladder):
    """Errors of the votes of the nearest neighbours, for several numbers of them.

    Parameters
    ----------
    labels : ndarray of shape (at least ladder[-1], n_samples)
        Result of `neighbor_labels`.
    codes : ndarray of shape (n_samples,)
        Class of each sample.
    n_classes : int
        Classes K.
    ladder : ndarray of shape (m,)
        Rising numbers of neighbours.

    Returns
    -------
    LeaveOneOut
        One error for each number of neighbours.

    Notes
    -----
    One pass over the classes keeps the best count so far, how many classes share
    it, and the count of the sample's own class: O(n m) memory for any K.
    """
    n = len(codes)
    shape = (len(ladder), n)
    # No count exceeds 31 and no more classes than that share one.
    best, own, sharing = (np.zeros(shape, dtype=np.uint8) for _ in range(3))
    for k in range(n_classes):
        votes = np.zeros(n, dtype=np.uint8)
        begin = 0
        for step, end in enumerate(ladder.tolist()):
            for row in labels[begin:end]:
                votes += row == k
            begin = end
            better = votes > best[step]
            sharing[step] = np.where(
                better, 1, sharing[step] + ((votes == best[step]) & (votes > 0))
            )
            np.maximum(best[step], votes, out=best[step])
            np.copyto(own[step], votes, where=codes == k)
    won = own == best
    wrong = 1 - won / sharing.astype(np.float32)
    errors = wrong.mean(axis=1, dtype=float)
    return LeaveOneOut(ladder, errors, 1 - own[-1] / float(ladder[-1]), wrong)
