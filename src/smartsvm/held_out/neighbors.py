"""Leave-one-out errors of k nearest neighbours, from one search, in O(n k) memory.

Tied distances must not reveal the labels: lists follow the seeded order of edges.
"""

from functools import partial

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import count_threads
from smartsvm._core.points import Points
from smartsvm._core.threads import run_chunks
from smartsvm._mst.kdtree import kdtree
from smartsvm._mst.products import products
from smartsvm._mst.products.projection import find_basis
from smartsvm.held_out._votes import count_votes, fill_vote_scores
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.trees.in_memory import on_device

# Numbers of neighbours that are tried.
LADDER = (1, 3, 5, 9, 15, 21, 31)
# Up to this many features a kd-tree is faster than matrix products.
_MOST_TREE_FEATURES = 4
# A neighbour at distance r has weight exp(-2 r² / s²), where s is the distance of the ninth one.
_STEEPNESS = 2.0
_UNIT = 9
# Rows whose votes are counted at once.
_VOTES = 256
# Smaller shares of the votes count as this much: their logarithms stay finite.
_LEAST_SHARE = 1e-6
# Distances in memory at a time, where neighbours outside large groups are searched.
_DISTANCES = 2**22


def ladder_for(n_samples, groups=None):
    """The numbers of neighbours, from other `groups`, to try: up to √n and at most 31."""
    n_others = n_samples - 1 if groups is None else n_outside(groups)
    most = max(1.0, min(np.sqrt(n_others + 1), n_others))
    return np.array([k for k in LADDER if k <= most])


def nearest_rows(points, n_neighbors, *, groups=None, seed=0, n_jobs=None):
    """Rows (n, k) of the nearest other `Points`, those of other groups if there are `groups`."""
    if groups is not None:
        return _outside_groups(points, n_neighbors, groups, seed, n_jobs)
    ids, n_threads = np.arange(points.n_rows, dtype=np.uint32), count_threads(n_jobs)
    if points.n_features <= _MOST_TREE_FEATURES:
        index = kdtree.index(points.matrix(), ids, n_threads)
        return kdtree.neighbors(index, seed, n_neighbors, n_threads)[0]
    from_device = on_device.neighbors(points, seed, n_neighbors)
    if from_device is not None:
        return from_device[0]
    values = points.matrix()
    index = products.index(values, ids, n_threads, find_basis(values))
    return products.neighbor_rows(index, seed, n_neighbors, n_threads)


def neighbor_labels(points, codes, n_neighbors, *, seed=0, n_jobs=None):
    """Classes of the nearest neighbours of all `Points`, shape (n_neighbors, n_samples)."""
    nearest = nearest_rows(points, n_neighbors, seed=seed, n_jobs=n_jobs)
    return labels_of(nearest, codes)


def neighbors_leave_one_out(points, codes, n_classes, *, groups=None, seed=0, n_jobs=None):
    """Leave-one-out mistakes of nearest neighbours, for all numbers of them to try."""
    ladder = ladder_for(len(codes), groups)
    nearest = nearest_rows(Points(points), int(ladder[-1]), groups=groups, seed=seed, n_jobs=n_jobs)
    return neighbor_mistakes(points, codes, n_classes, nearest, ladder, n_jobs)


def neighbors_predict(points, codes, n_classes, train, settings, *, seed=0, n_jobs=None):
    """Scores of the rows not in `train` by votes of the nearest ones in it, for each number k."""
    from sklearn.neighbors import NearestNeighbors  # takes long to import

    # In random order, so that ties do not follow the labels. The class shares count as one more
    # neighbour, which decides tied votes.
    fitted = np.random.default_rng(seed).permutation(np.flatnonzero(train))
    most = min(max(settings), len(fitted))
    search = NearestNeighbors(n_neighbors=most, n_jobs=count_threads(n_jobs)).fit(points[fitted])
    labels = codes[fitted[search.kneighbors(points[~train], return_distance=False)]]
    priors = np.bincount(codes[fitted], minlength=n_classes) / len(fitted)
    places = np.arange(len(labels)) * n_classes
    votes = np.zeros(len(labels) * n_classes)
    counted = 0
    by_number = {}
    for k in sorted(settings):
        for column in labels.T[counted:k]:
            votes[places + column] += 1
        counted = min(k, most)
        shares = (votes.reshape(-1, n_classes) + priors) / (counted + 1)
        by_number[k] = np.log(np.maximum(shares, _LEAST_SHARE), dtype=np.float32)
    return [by_number[k] for k in settings]


def neighbor_mistakes(points, codes, n_classes, nearest, ladder, n_jobs):
    """Mistakes of the votes of the `nearest` rows, for each number of them in the ladder."""
    scores = partial(vote_scores, points, codes, n_classes, nearest, n_jobs)
    mistakes = leave_one_out(labels_of(nearest, codes), codes, n_classes, ladder)
    return mistakes._replace(scores=scores)


def n_outside(groups):
    """Samples outside the largest group."""
    return len(groups) - int(np.bincount(groups).max())


def vote_scores(points, codes, n_classes, nearest, n_jobs, number, rows=slice(None)):
    """Logarithms of the shares of the neighbours' votes, shape (n, K), for any `number`."""
    # The class shares among the other samples count as one more neighbour.
    n = len(codes)
    row_numbers = np.arange(len(codes))[rows]
    shares = np.empty((len(row_numbers), n_classes), dtype=np.float32)
    priors = np.bincount(codes, minlength=n_classes) / (n - 1)
    unit = min(_UNIT, nearest.shape[1]) - 1
    data = np.ascontiguousarray(points), codes.astype(np.intp), nearest

    def vote(lo, hi):
        fill_vote_scores(*data, row_numbers[lo:hi], priors, unit, _STEEPNESS, shares[lo:hi])

    run_chunks(vote, len(row_numbers), _VOTES, count_threads(n_jobs))
    return shares


def labels_of(nearest, codes):
    """Classes of the neighbours, shape (n_neighbors, n_samples), from their rows."""
    labels = np.empty(nearest.shape[::-1], dtype=np.min_scalar_type(int(codes.max())))
    for row, neighbor in zip(labels, nearest.T, strict=True):
        row[:] = codes[neighbor]
    return labels


def _outside_groups(points, n_neighbors, groups, seed, n_jobs):
    """The nearest neighbours from other groups, from lists as long as that takes."""
    n = points.n_rows
    nearest = np.empty((n, n_neighbors), dtype=np.uint32)
    length = min(2 * n_neighbors, n - 1)
    lists = nearest_rows(points, length, seed=seed, n_jobs=n_jobs)
    outside = groups[lists] != groups[:, None]
    enough = outside.sum(axis=1) >= n_neighbors
    first = np.argsort(~outside[enough], axis=1, kind="stable")[:, :n_neighbors]
    nearest[enough] = np.take_along_axis(lists[enough], first, axis=1)
    missing = np.flatnonzero(~enough)
    if missing.size:
        nearest[missing] = _scan_rows(points.matrix(), missing, n_neighbors, groups, seed)
    return nearest


def _scan_rows(points, rows, n_neighbors, groups, seed):
    """Neighbours of samples whose lists hold only their own group: all distances, in blocks."""
    n = len(points)
    order = np.random.default_rng(seed).permutation(n)  # ties do not follow the labels
    centred = points - points.mean(axis=0)
    others, other_groups = centred[order], groups[order]
    lengths = np.einsum("ij,ij->i", others, others)
    nearest = np.empty((len(rows), n_neighbors), dtype=np.uint32)
    step = max(1, _DISTANCES // n)
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        with single_blas_thread():  # several threads round in another order
            squared = lengths - 2 * (centred[block] @ others.T)
        squared[groups[block, None] == other_groups] = np.inf
        nearest_in_block = np.argpartition(squared, n_neighbors - 1, axis=1)[:, :n_neighbors]
        by_length = np.argsort(
            np.take_along_axis(squared, nearest_in_block, axis=1), axis=1, kind="stable"
        )
        nearest[start : start + step] = order[
            np.take_along_axis(nearest_in_block, by_length, axis=1)
        ]
    return nearest


def leave_one_out(labels, codes, n_classes, ladder):
    """Mistakes of the votes of rising numbers of neighbours, of tied votes in part; O(n k) time."""
    own_votes, most_votes, sharing = count_votes(
        labels.astype(np.uint32), codes.astype(np.intp), n_classes, ladder.astype(np.intp)
    )
    wrong = 1 - (own_votes == most_votes) / sharing.astype(np.float32)
    return Mistakes(tuple(ladder.tolist()), wrong)
