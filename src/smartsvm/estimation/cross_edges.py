"""Count the tree edges that join different classes."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation._cross_edges import count_joining


class PairCounts(NamedTuple):
    """Cross edges in the trees of every pair of classes."""

    cross: np.ndarray  # edges between two classes in each tree of the pair, (n_trees, K, K)
    spanning: np.ndarray  # number of trees that span the points of a pair, (K, K)
    # pairs of edges with a common end in the union of the first trees of a pair, (n_trees, K, K)
    adjacent: np.ndarray


def count_by_class(edges, sizes, codes, n_classes):
    """Edges between every two classes in each tree, shape (n_trees, K, K), symmetric."""
    counts = np.zeros((len(sizes), n_classes, n_classes), dtype=np.intp)
    stop = np.cumsum(sizes)
    for tree, (begin, end) in enumerate(zip(stop - sizes, stop, strict=True)):
        ends = codes[edges[begin:end]]
        table = np.bincount(
            ends[:, 0] * n_classes + ends[:, 1], minlength=n_classes * n_classes
        ).reshape(n_classes, n_classes)
        counts[tree] = table + np.triu(table.T, 1) + np.tril(table.T, -1)
    return counts


def count_pairs(forest):
    """Cross edges of every pair of classes, with the trees of a few pairs in memory at a time."""
    n_classes = forest.n_classes
    cross = np.zeros((forest.n_trees, n_classes, n_classes), dtype=np.intp)
    adjacent = np.zeros_like(cross)
    spanning = np.zeros((n_classes, n_classes), dtype=np.intp)
    # Four bytes each, so that more of them stay in the cache.
    codes = forest.codes.astype(np.uint32)
    degrees = np.zeros(len(forest.codes), dtype=np.uint32)
    separated = forest.apart()
    batches = forest.pair_batches() if separated is None else separated.joined
    if separated is not None and len(separated.apart):
        k, m = separated.apart.T
        for one, other in ((k, m), (m, k)):
            cross[:, one, other] = 1
            spanning[one, other] = forest.n_trees
            adjacent[:, one, other] = _meeting(separated, forest)
    for pairs, edges, _, sizes in batches:
        joining, meeting = np.empty((2, *sizes.shape), dtype=np.intp)
        count_joining(edges, sizes, codes, degrees, joining, meeting)
        spans = sizes == forest.class_counts[pairs].sum(axis=1)[:, None] - 1
        for k, m in (pairs.T, pairs[:, ::-1].T):
            cross[:, k, m] = joining.T
            adjacent[:, k, m] = meeting.T
            # After the first forest that does not span, no other one does.
            spanning[k, m] = np.logical_and.accumulate(spans, axis=1).sum(axis=1)
    return PairCounts(cross, spanning, adjacent)


def _meeting(separated, forest):
    """Pairs of edges with a common end in pairs of classes with one cross edge in each tree."""
    degrees = np.zeros(len(forest.codes), dtype=np.intp)
    meeting = []
    for tree, edges in enumerate(separated.within):
        degrees += np.bincount(edges.ravel(), minlength=len(degrees))
        inside = degrees * (degrees - 1) // 2
        of_class = np.bincount(forest.codes, weights=inside, minlength=forest.n_classes)
        ends = separated.crossing[:, : tree + 1]
        count = of_class[separated.apart].sum(axis=1).astype(np.intp) + degrees[ends].sum(
            axis=(1, 2)
        )
        for late in range(1, tree + 1):  # crossing edges that share an end
            count += (ends[:, :late] == ends[:, late : late + 1]).sum(axis=(1, 2))
        meeting.append(count)
    return np.stack(meeting)


def between_groups(edges, groups):
    """Edges between different groups of samples; all edges without groups."""
    if groups is None:
        return edges
    return edges[groups[edges[:, 0]] != groups[edges[:, 1]]]


def count_by_sample(edges, codes):
    """Edges to other classes, and all edges, of every sample."""
    n = len(codes)
    crossing = codes[edges[:, 0]] != codes[edges[:, 1]]
    return (
        np.bincount(edges[crossing].ravel(), minlength=n),
        np.bincount(edges.ravel(), minlength=n),
    )


def mean_over_trees(cross, n_trees):
    """Average counts of shape (T, ...) over the first `n_trees` trees of each problem."""
    running = np.cumsum(cross, axis=0)
    last = np.broadcast_to(np.asarray(n_trees) - 1, cross.shape[1:])[None]
    return np.take_along_axis(running, last, axis=0)[0] / np.asarray(n_trees)
