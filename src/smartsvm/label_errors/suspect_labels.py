"""Votes of a sample's neighbours on its label, and the labels that they contradict.

A vote counts less with the distance, and less the more the voter's own neighbours contradict the
voter's label: wrong labels would otherwise accuse their correct neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_STEEPNESS = 2.0  # the vote of the farthest neighbour has weight e^-2
_ROUNDS = 2  # of trust in the voters: a third one changes next to nothing
_LEAST_TRUST = 0.02  # in a voter whose own neighbours all contradict it
_CERTAIN_SHARES = (0.25, 0.5, 0.75)
# Mean certainty of the most certain quarter: with wrong labels in separate classes it is at least
# 0.96; below, classes overlap everywhere, and fewer labels count as wrong.
_UNSURE, _SURE = 0.9, 0.95
# In the score of suspects: the margin ranks labels better that were confused with one other class,
# the posterior those that were confused with any.
_POSTERIOR_WEIGHT = 2.0
_BLOCK_NUMBERS = 2**21  # in the largest temporary array


class LabelVotes(NamedTuple):
    """What the neighbours say about the label of every sample."""

    posterior: np.ndarray  # weighted share of the given label, smoothed to the class share
    margin: np.ndarray  # trusted share of the given label less that of its strongest rival
    certainty: np.ndarray  # trusted share of the strongest label
    suggested: np.ndarray  # the strongest label; the given one where it is as strong


def label_votes(points, codes, n_classes, nearest):
    """Let the nearest neighbours of every sample vote on its label.

    A neighbour at distance r has weight exp(-2 r²/r_k²), r_k being the distance of the farthest
    one, times the trust in it: its own label's share of the votes for that label and its strongest
    rival. O(n k) time and memory.
    """
    weights = _weights(points, nearest)
    trust = np.ones(len(codes))
    posterior = None
    for _ in range(_ROUNDS + 1):
        own, other, rival, total = _tally(codes, n_classes, nearest, weights, trust)
        if posterior is None:
            priors = np.bincount(codes, minlength=n_classes) / len(codes)
            one_more = 1 / (nearest.shape[1] + 1)  # the prior counts as one more neighbour
            posterior = (1 - one_more) * own / total + one_more * priors[codes]
        both = own + other
        trust = np.clip(own / np.where(both > 0, both, 1), _LEAST_TRUST, 1)
    suggested = np.where(other > own, rival, codes)
    return LabelVotes(posterior, (own - other) / total, np.maximum(own, other) / total, suggested)


def _weights(points, nearest):
    """Weights by distance, in half precision: they take the most memory."""
    n, k = nearest.shape
    weights = np.empty((n, k), dtype=np.float16)
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        away = points.take(nearest[rows], axis=0)  # three times as fast as an index
        away -= points[rows, None]
        squared = np.einsum("ijk,ijk->ij", away, away)
        farthest = squared.max(axis=1, keepdims=True)
        # Votes of copies all have the same weight.
        weights[rows] = np.exp(-_STEEPNESS * squared / np.where(farthest > 0, farthest, 1))
    return weights


def _tally(codes, n_classes, nearest, weights, trust):
    """Votes for the given label and for its strongest rival, the rival, and all votes."""
    n, k = nearest.shape
    own, other, total = (np.empty(n) for _ in range(3))
    rival = np.empty(n, dtype=codes.dtype)
    step = max(1, _BLOCK_NUMBERS // (k + n_classes))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        m = rows.stop - start
        votes = weights[rows] * trust.take(nearest[rows])
        places = codes.take(nearest[rows])
        places += n_classes * np.arange(m)[:, None]
        shares = np.bincount(places.ravel(), votes.ravel(), m * n_classes).reshape(m, n_classes)
        given = np.arange(m), codes[rows]
        own[rows], total[rows] = shares[given], votes.sum(axis=1)
        shares[given] = -1
        rival[rows] = shares.argmax(axis=1)
        other[rows] = shares.max(axis=1)
    return own, other, rival, total


def count_wrong_labels(votes, codes):
    """Estimate how many labels are wrong, as opposed to samples where classes overlap.

    Overlap makes neighbours and label disagree where the neighbours are divided, wrong labels
    everywhere. So the fraction that disagrees is measured among the most certain quarter, half and
    three quarters for each suggested class, and extended to all; the smallest of the three sums
    counts. If they rise by two standard errors, a line extrapolates to the most certain sample.
    Where even the most certain quarter is uncertain, fewer labels count, or none.
    """
    disagree = votes.suggested != codes
    sums = np.zeros(len(_CERTAIN_SHARES))
    certain, n_certain = 0.0, 0
    order = np.lexsort((-votes.certainty, votes.suggested))
    begins = np.flatnonzero(np.r_[True, np.diff(votes.suggested[order]) != 0])
    for of_class in np.split(order, begins[1:]):
        certainty, wrong = votes.certainty[of_class], np.cumsum(disagree[of_class])
        for place, share in enumerate(_CERTAIN_SHARES):
            last = certainty[int(np.ceil(share * len(of_class))) - 1]
            # With all that are as certain as the last one.
            taken = np.searchsorted(-certainty, -last, side="right")
            sums[place] += len(of_class) * wrong[taken - 1] / taken
            if place == 0:
                certain, n_certain = certain + certainty[:taken].sum(), n_certain + taken
    first, rise = sums[0], sums[-1] - sums[0]
    if rise > 2 * np.sqrt(max(first, 1) / _CERTAIN_SHARES[0]):
        first -= rise * _CERTAIN_SHARES[0] / (_CERTAIN_SHARES[-1] - _CERTAIN_SHARES[0])
    trust = np.clip((certain / n_certain - _UNSURE) / (_SURE - _UNSURE), 0, 1)
    return max(0, round(trust * min(first, *sums[1:])))


def without_twins(votes, codes, are_twins):
    """Votes that never suggest a class in place of one that it cannot be told from."""
    twins = are_twins[codes, votes.suggested]
    return votes._replace(suggested=np.where(twins, codes, votes.suggested))


def label_score(votes):
    """How well the neighbours agree with the given labels; suspects have the lowest scores."""
    return votes.margin + _POSTERIOR_WEIGHT * votes.posterior


def rank_suspects(votes, codes, n_wrong):
    """At most `n_wrong` rows whose label looks wrong, the most suspicious first."""
    candidates = np.flatnonzero(votes.suggested != codes)
    return candidates[np.argsort(label_score(votes)[candidates], kind="stable")[:n_wrong]]
