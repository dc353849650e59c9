"""How well a class is found among all others: AUC, precision at some recalls, the best threshold.

The accuracy of a rare class says nothing: who never answers it is nearly always right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from smartsvm.estimation.results import Interval

# A class of several is looked at if it has at most this fraction of the samples, and at most half
# as many as a class has on average.
RARE = 0.1
_MOST_CLASSES = 3
_LEAST_SAMPLES = 10  # of the class
_RECALLS = (0.25, 0.5, 0.75, 0.9)


class FoundCases(NamedTuple):
    """The samples whose probability of a class is at least a threshold."""

    threshold: float
    n_found: int  # of the class
    n_false: int  # of others
    recall: float
    precision: float


class FoundClass(NamedTuple):
    """How well the held-out probabilities of one class find it."""

    name: object
    n_samples: int  # of the class
    n_others: int
    auc: Interval  # probability that a sample of the class ranks above another one
    at_recalls: tuple[FoundCases, ...]  # the fewest samples that hold 25, 50, 75 and 90% of it
    best: FoundCases  # with the largest F1

    @property
    def is_found(self):
        """Whether its samples clearly rank above others."""
        return self.auc.low > 0.5


def find_classes(problem, neighborhood, posterior, weights=None):
    """`FoundClass` of the smaller one of two classes, or of rare classes, the smallest first.

    `weights` say how many samples each one of a class stands for, where priors are given.
    """
    rows = problem.held_out_rows if neighborhood.distinct is None else neighborhood.distinct
    codes, n = problem.codes[rows], len(rows)
    counts = np.bincount(codes, minlength=len(problem.classes))
    sizes = counts if weights is None else counts * weights
    chosen = np.argsort(sizes, kind="stable")[:_MOST_CLASSES]
    most = min(RARE, 1 / (2 * len(counts))) * n
    chosen = chosen[:1] if len(counts) == 2 else chosen[sizes[chosen] <= most]
    chosen = chosen[counts[chosen] >= _LEAST_SAMPLES]
    if not len(chosen):
        return ()
    posterior = posterior.of(rows)
    if weights is not None:
        posterior, weights = posterior.towards(weights), weights[codes]
    chances = np.exp(posterior.log_probabilities[:, chosen].astype(float))
    return tuple(
        found_class(problem.classes[k], chances[:, i], codes == k, problem.z, weights)
        for i, k in enumerate(chosen.tolist())
    )


def found_class(name, chances, inside, z, weights=None):
    """`FoundClass` of held-out probabilities and of whether each sample is of the class."""
    n_inside, n_others = int(inside.sum()), int((~inside).sum())
    weights = np.ones(len(inside)) if weights is None else weights
    order = np.argsort(-chances, kind="stable")
    # Samples of equal probability are found together.
    ends = np.flatnonzero(np.append(np.diff(chances[order]) != 0, True))
    found = np.cumsum(inside[order])[ends]
    false = ends + 1 - found
    thresholds = chances[order][ends]
    all_found = np.cumsum(weights[order])[ends]
    right = np.cumsum((weights * inside)[order])[ends]

    def cases(place):
        n_found, n_false = int(found[place]), int(false[place])
        precision = float(right[place] / all_found[place])
        return FoundCases(float(thresholds[place]), n_found, n_false, n_found / n_inside, precision)

    places = [int(np.searchsorted(found, np.ceil(r * n_inside))) for r in _RECALLS]
    best = int(np.argmax(2 * right / (all_found + right[-1])))
    auc = _auc(chances, inside, z)
    return FoundClass(name, n_inside, n_others, auc, tuple(map(cases, places)), cases(best))


def _auc(chances, inside, z):
    """The area under the ROC curve, with DeLong's standard error."""
    own, others = chances[inside], chances[~inside]
    ranks = rankdata(chances)
    above = (ranks[inside] - rankdata(own)) / len(others)  # of others, below each of the class
    below = 1 - (ranks[~inside] - rankdata(others)) / len(own)
    value = float(above.mean())
    variance = above.var(ddof=1) / len(own) + below.var(ddof=1) / len(others)
    half = z * float(np.sqrt(variance))
    return Interval(value, max(value - half, 0.0), min(value + half, 1.0))
