"""What a sample's neighbours say about its label, near ones and trusted ones before others.

A vote counts less the farther it comes from, and less the more the voter's own
neighbours doubt the voter's label: wrong labels would otherwise accuse their right
neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_STEEPNESS = 2.0  # a vote from the farthest neighbour weighs e^-2
_ROUNDS = 2  # of doubt about the voters: a third one changes next to nothing
_LEAST_TRUST = 0.02  # of a voter whose own neighbours all contradict
_CERTAIN_SHARES = (0.25, 0.5, 0.75)
# Mean certainty of the first of these shares: where labels are wrong among classes that lie
# apart it is .96 or more; below, classes overlap everywhere, and fewer labels are counted.
_UNSURE, _SURE = 0.9, 0.95
# In the score that suspects are ranked by: the margin alone ranks labels better that were confused
# with one other class, the posterior those that were confused with any.
_POSTERIOR_WEIGHT = 2.0
_BLOCK_NUMBERS = 2**21  # in the largest temporary array


class LabelVotes(NamedTuple):
    """What the neighbours say about every sample.

    Attributes
    ----------
    posterior : ndarray of shape (n_samples,)
        Probability of the given label at the sample's place, from the other samples: the
        share of votes weighted by distance, smoothed towards the share of the class.
    margin : ndarray of shape (n_samples,)
        Share of trusted votes for the given label less that of the strongest other one,
        between -1 and 1.
    certainty : ndarray of shape (n_samples,)
        Share of trusted votes of the strongest label.
    suggested : ndarray of shape (n_samples,)
        The strongest label; the given one where nothing is stronger.
    """

    posterior: np.ndarray
    margin: np.ndarray
    certainty: np.ndarray
    suggested: np.ndarray


def label_votes(points, codes, n_classes, nearest):
    """Let the nearest neighbours of every sample vote on its label.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.
    codes : ndarray of shape (n_samples,)
        Class of each point, 0 to K-1.
    n_classes : int
        Classes K.
    nearest : ndarray of shape (n_samples, k)
        Rows of the nearest neighbours of each point, the nearest first.

    Returns
    -------
    LabelVotes
        In the order of the rows.

    Notes
    -----
    A neighbour at distance r weighs exp(-2 r²/r_k²), r_k being the distance of the farthest
    one. The weight is multiplied by the trust in the voter: its own label's share of the
    votes for that label and the strongest other one. Time and memory are O(n k).
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
    """Weights by distance, in half precision: they are the most memory that is needed."""
    n, k = nearest.shape
    weights = np.empty((n, k), dtype=np.float16)
    step = max(1, _BLOCK_NUMBERS // (k * points.shape[1]))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        away = points.take(nearest[rows], axis=0)  # three times as fast as an index
        away -= points[rows, None]
        squared = np.einsum("ijk,ijk->ij", away, away)
        farthest = squared.max(axis=1, keepdims=True)
        # Where all neighbours are copies every vote counts alike.
        weights[rows] = np.exp(-_STEEPNESS * squared / np.where(farthest > 0, farthest, 1))
    return weights


def _tally(codes, n_classes, nearest, weights, trust):
    """Votes for the given label, for the strongest other one, which that is, and all votes."""
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
    """Estimate how many labels are wrong.

    Parameters
    ----------
    votes : LabelVotes
        What the neighbours say.
    codes : ndarray of shape (n_samples,)
        The given labels.

    Returns
    -------
    int
        Wrong labels, as far as they can be told from places where classes overlap.

    Notes
    -----
    Overlap makes neighbours and label disagree where the neighbours are divided, wrong
    labels do so everywhere alike. So the share of disagreement is taken among the
    samples whose neighbours are most certain, the first quarter, half and three quarters
    of those for which they suggest each class, and spread over all. The smallest of the
    three sums counts. If they clearly rise, by two standard errors of the first, classes overlap,
    and a straight line through the first and the last says what the most certain sample
    would. Where classes overlap everywhere even the most certain quarter is not certain: with a
    mean certainty below .95 fewer are counted, at .9 none.
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
            # All that are as certain as the last one.
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
    """Votes that suggest no class in place of one that cannot be told from it.

    Parameters
    ----------
    votes : LabelVotes
        What the neighbours say.
    codes : ndarray of shape (n_samples,)
        The given labels.
    are_twins : ndarray of bool of shape (K, K)
        Pairs of classes that show no sign of any difference.

    Returns
    -------
    LabelVotes
        With the given label suggested instead.
    """
    twins = are_twins[codes, votes.suggested]
    return votes._replace(suggested=np.where(twins, codes, votes.suggested))


def label_score(votes):
    """How well the neighbours agree with the given labels; the lower, the more suspicious.

    Parameters
    ----------
    votes : LabelVotes
        What the neighbours say.

    Returns
    -------
    ndarray of shape (n_samples,)
        The margin plus twice the posterior.
    """
    return votes.margin + _POSTERIOR_WEIGHT * votes.posterior


def rank_suspects(votes, codes, n_wrong):
    """Samples whose labels look wrong, the most suspicious first.

    Parameters
    ----------
    votes : LabelVotes
        What the neighbours say.
    codes : ndarray of shape (n_samples,)
        The given labels.
    n_wrong : int
        How many labels are thought to be wrong.

    Returns
    -------
    ndarray of int
        At most `n_wrong` rows, each with another label suggested.
    """
    candidates = np.flatnonzero(votes.suggested != codes)
    return candidates[np.argsort(label_score(votes)[candidates], kind="stable")[:n_wrong]]
