"""Blocks: rows grouped by kd splits (the paper's hypercubes), and bounds between them.

Any grouping of the rows gives the same trees; compact blocks make the bounds good.
Distances are squared everywhere. Bounds from boxes are lowered by more than rounding
can have raised them, so an edge is never shorter than the bound that excludes it.
"""

from typing import NamedTuple

import numpy as np


class KDPlan(NamedTuple):
    """A tree of cuts, each across one feature; its leaves are the blocks."""

    feature: np.ndarray  # the feature that a node cuts
    cut: np.ndarray  # rows with a value up to it go left; infinite for a leaf
    child: np.ndarray  # the two children of a node; a leaf is its own child
    leaf: np.ndarray  # number of the leaf, -1 for inner nodes
    depth: int  # of the deepest leaf


def kd_plan(sample, n_leaves):
    """Cut space into this many leaves with about equally many points."""
    feature, cut, child, leaf, depths = [], [], [], [], []

    def grow(points, n_leaves, depth):
        node = len(cut)
        feature.append(0)
        cut.append(np.inf)
        child.append([node, node])
        leaf.append(-1)
        if n_leaves == 1:
            leaf[node] = sum(number >= 0 for number in leaf)
            depths.append(depth)
            return node
        left = n_leaves // 2
        widest = int(np.ptp(points, axis=0).argmax())
        place = min(len(points) * left // n_leaves, len(points) - 1)
        value = np.partition(points[:, widest], place)[place]
        below = points[:, widest] <= value
        if below.all():  # as in data of few values: the value itself goes right
            smaller = points[:, widest] < value
            if smaller.any():
                value, below = points[smaller, widest].max(), smaller
        feature[node], cut[node] = widest, value
        # A side without a sampled point may still get rows: some point must stand for it.
        child[node] = [
            grow(points[below] if below.any() else points[:1], left, depth + 1),
            grow(points[~below] if not below.all() else points[:1], n_leaves - left, depth + 1),
        ]
        return node

    grow(sample, n_leaves, 0)
    return KDPlan(
        np.array(feature), np.array(cut), np.array(child), np.array(leaf), max(depths, default=0)
    )


def leaf_of(points, plan):
    """The leaf that each point falls into."""
    node = np.zeros(len(points), dtype=np.intp)
    rows = np.arange(len(points))
    for _ in range(plan.depth):
        right = points[rows, plan.feature[node]] > plan.cut[node]
        node = plan.child[node, right.astype(np.intp)]
    return plan.leaf[node]


def certain(squared, n_features):
    """A squared distance, lowered by more than rounding can have raised it."""
    # A sum of d squares of rounded differences is off by less than (d + 3) 2^-53 of itself.
    return squared * (1 - (n_features + 8) * 2.0**-50)


def box_distances(low, high):
    """Squared distances between all pairs of boxes, rounded down."""
    total = np.zeros((len(low), len(low)))
    for k in range(low.shape[1]):
        gap = np.maximum(low[:, None, k] - high[None, :, k], 0)
        total += np.maximum(gap, gap.T) ** 2
    return certain(total, low.shape[1])


def distances_to_box(points, low, high):
    """Squared distances of points to a box, as lower bounds."""
    total = np.zeros(len(points))
    for k in range(points.shape[1]):
        column = points[:, k]
        if column.size and (column.min() < low[k] or column.max() > high[k]):
            gap = np.maximum(low[k] - column, column - high[k])
            np.maximum(gap, 0, out=gap)
            gap *= gap
            total += gap
    return certain(total, points.shape[1])


def near_box(points, low, high, reach):
    """Rows of the points whose squared distance to a box may be at most `reach`."""
    return np.flatnonzero(distances_to_box(points, low, high) <= reach)


def share_near(low, high, other_low, other_high, reach):
    """Estimate the fraction of a box's points within a distance of another box."""
    wide = high > low
    inside = np.minimum(high, other_high + reach) - np.maximum(low, other_low - reach)
    return float(np.prod(np.clip(inside[wide] / (high - low)[wide], 0, 1)))
