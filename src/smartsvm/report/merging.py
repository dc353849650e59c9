"""Which classes to merge: groups in which nothing separates any two, and what merging brings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST_SAMPLES = 30  # of a class: with fewer, "nothing separates them" says little


class MergeAdvice(NamedTuple):
    """Groups of classes to merge."""

    groups: tuple  # labels of each group; nothing separates any two of them
    accuracy: float  # held-out accuracy with the classes as they are
    merged_accuracy: float  # held-out accuracy if mistakes inside the groups do not count
    too_small: tuple  # labels with fewer than `least_samples`, too few to tell
    least_samples: int = LEAST_SAMPLES


def merge_advice(alike, scores, confusion, counts, labels, *, significant):
    """The advice where nothing separates pairs of `alike`; none without any signal."""
    enough = counts >= LEAST_SAMPLES
    groups = _groups(scores, alike & enough & enough[:, None]) if significant else []
    group_of = np.arange(len(counts))
    for group in groups:
        group_of[group] = group[0]
    total = confusion.sum()
    merged = confusion[group_of[:, None] == group_of].sum() / total
    return MergeAdvice(
        tuple(tuple(labels[group].tolist()) for group in groups),
        float(np.trace(confusion) / total),
        float(merged),
        tuple(labels[~enough].tolist()),
    )


def _groups(scores, mixed):
    """Groups of two or more classes, grown from the least separable pair on."""
    members = [[k] for k in range(len(mixed))]
    firsts, seconds = np.nonzero(np.triu(mixed, 1))
    for place in np.argsort(-scores[firsts, seconds], kind="stable"):
        one, other = members[firsts[place]], members[seconds[place]]
        if one is not other and mixed[np.ix_(one, other)].all():
            one += other
            for k in other:
                members[k] = one
    return [sorted(group) for k, group in enumerate(members) if len(group) > 1 and k == min(group)]
