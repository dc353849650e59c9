"""Clusters that the blocks of a search by products should follow.

Two blocks that lie in different clusters are far apart, which excludes their tile
(block_bounds.pyx); blocks that hold several clusters are not. So before points are cut into
blocks a sample shows whether they are clustered, and where. Only the speed of a search depends
on the answer.

Leaders, each the farthest from those before it, find every cluster that the sample has met,
however many there are; leaders whose points are near each other are of one cluster.

Cost: products of n points with some hundred leaders if there are clusters, of a sample with
itself if not.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.safe_range import take_rows
from smartsvm._core.threads import run_chunks
from smartsvm._mst.products.projection import squared_distances

# In smaller sets blocks are few, and hardly any tile can be excluded.
FEWEST_POINTS = 2048
# The sample has about 1,024 points, at most every eighth: its distances take a few ms.
_SAMPLE = 1024
_LEAST_STEP = 8
# Sampled points whose distances show whether there may be clusters at all.
_QUERIES = 128
# Let q be the median over points of the squared distance to the nearest point of the sample.
# There may be clusters if q / (typical squared distance) is at most 0.25: uniform points of 16
# features have .28, of 34 features .45, clusters four times as far apart as wide .03 to .05.
_CLUSTERED = 0.25
# Points lie near a manifold if that ratio is at most 0.6 times the one of m uniform points, .67 *
# m ** (-2 / d): most real sets have .03 to .45 times as much, manifolds of few dimensions less.
_NEAR_MANIFOLD = 0.6
# Leaders are more than 3 q apart, squared; points within 2 q are of one cluster.
_APART = 3
_NEAR = 2
# Clusters exclude too few pairs if more than this fraction of all lies within one.
_MOST_INSIDE = 0.25
# Clusters are uneven, one with outskirts, if 4 times as many pairs lie within them as would if all
# had the same size.
_UNEVEN = 4
# Rows whose leader a thread finds at a time.
_ROWS_AT_ONCE = 1024


def find_clusters(points, n_threads=1):
    """Return the clusters of centred float32 points, or None, and if they lie near a manifold."""
    if len(points) < FEWEST_POINTS:
        return None, False
    found, near_manifold = _clusters_of_sample(points[:: _step(points)])
    if found is None:
        return None, near_manifold
    leaders, clusters, _ = found
    return clusters[_nearest(points, leaders, n_threads)], near_manifold


def has_even_clusters(points):
    """Whether points have clusters of similar size."""
    if len(points) < FEWEST_POINTS:
        return False
    sample = take_rows(points, np.arange(0, len(points), 2 * _step(points)))
    sample = sample - sample.mean(axis=0)
    largest = np.abs(sample).max()
    if not largest > 0:
        return False
    with single_blas_thread():
        found, _ = _clusters_of_sample((sample / largest).astype(np.float32))
    return found is not None and bool(len(found[2]) * (found[2] @ found[2]) < _UNEVEN)


def _step(points):
    """From one sampled row to the next."""
    return max(len(points) // _SAMPLE + 1, _LEAST_STEP)


def _clusters_of_sample(sample):
    """Return leaders, their clusters and the shares of these, or None, and if near a manifold."""
    nearest, near_manifold, may_be_many = _how_near(sample)
    if not may_be_many:
        return None, near_manifold
    squared = squared_distances(sample, sample)
    leaders = _leaders(squared, nearest)
    leader = squared[:, leaders].argmin(axis=1)
    clusters = _join_leaders(squared, leader, len(leaders), nearest)
    shares = np.bincount(clusters[leader]) / len(sample)
    if shares @ shares > _MOST_INSIDE:
        return None, near_manifold
    return (sample[leaders], clusters, shares), near_manifold


def _how_near(sample):
    """Return q (see above), whether near a manifold, and whether there may be clusters."""
    queries = np.arange(0, len(sample), len(sample) // _QUERIES + 1)
    some = squared_distances(sample[queries], sample)
    typical = np.median(some[:: len(some) // 16 + 1])
    some[np.arange(len(queries)), queries] = np.inf
    nearest = np.median(some.min(axis=1))
    uniform = 0.67 * len(sample) ** (-2 / sample.shape[1])
    near_manifold = bool(nearest <= _NEAR_MANIFOLD * uniform * typical)
    near = 0 < nearest <= _CLUSTERED * typical
    return nearest, near_manifold, near and not _is_one_cluster(some, queries, nearest)


def _is_one_cluster(some, queries, nearest):
    """Whether distances of a few points show one cluster, the usual case, which ends the search."""
    near = some <= _NEAR * nearest
    near[np.arange(len(queries)), queries] = True
    reached = near[near.sum(axis=1).argmax()]
    before = 0
    while np.count_nonzero(reached) > before:
        before = np.count_nonzero(reached)
        reached = near[(near & reached).any(axis=1)].any(axis=0)
    return reached.mean() ** 2 > _MOST_INSIDE


def _nearest(points, leaders, n_threads):
    """The nearest leader of each point."""
    half = np.einsum("ij,ij->i", leaders, leaders) / 2
    nearest = np.empty(len(points), dtype=np.intp)

    def find(start, stop):
        products = points[start:stop] @ leaders.T
        products -= half
        products.argmax(axis=1, out=nearest[start:stop])

    run_chunks(find, len(points), _ROWS_AT_ONCE, n_threads)
    return nearest


def _leaders(squared, nearest):
    """Points that are far from each other, and near to all others."""
    leaders = [0]
    distance = squared[0].copy()
    while len(leaders) < len(squared) // 4:
        farthest = distance.argmax()
        if distance[farthest] <= _APART * nearest:
            break
        leaders.append(farthest)
        np.minimum(distance, squared[farthest], out=distance)
    return leaders


def _join_leaders(squared, leader, n_leaders, nearest):
    """The cluster of every leader: those with points near each other share one."""
    left, right = np.divmod(np.flatnonzero(squared <= _NEAR * nearest), len(squared))
    near = csr_matrix(
        (np.ones(len(left), dtype=bool), (leader[left], leader[right])),
        shape=(n_leaders, n_leaders),
    )
    return connected_components(near, directed=False)[1]
