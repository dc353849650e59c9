"""Labels that the held-out posterior contradicts: ranked, and how many of them are wrong.

The posterior p is calibrated for the labels as given, wrong ones included. So a wrong label shows
only in its form: sharpened, p^a with a > 1, it is too certain, and a rate of wrong labels that is
the same everywhere makes up for it. Two such models are compared with p itself, by likelihood: any
other label is as likely (one rate), or every class has rates of its own (a matrix, fitted to one
half of the samples and judged on the other). Overlap of classes, by contrast, is followed best by
p itself. Where the matrix explains the labels much better, it also ranks them.
"""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.results import Interval
from smartsvm.held_out.posterior import normalised

_EXPONENTS = (1.0, 1.25, 1.5, 2.0, 3.0)
_RATES = np.concatenate([[0.0], np.geomspace(0.002, 0.5, 60)])
_LEAST_GAIN = 2.0  # nats by which a rate of wrong labels must explain the labels better
# Nats by which a matrix of rates must explain them better than one rate, at least; and per sample
# where more errors than the second number are left: classes that overlap look much the same.
_MATRIX_GAIN, _MATRIX_GAIN_EACH, _MOST_OTHER_ERRORS = 10.0, 0.02, 0.15
_LEAST_RIGHT = 0.7  # of the labels of every class: one with fewer is hard, not mislabelled
_ROUNDS, _FIRST_RATE, _PRIOR_SAMPLES = 30, 0.05, 5.0  # to fit the matrix
_MOST_NUMBERS = 2**18  # samples times classes that the models are fitted to
LEAST_OF_CLASS = 20  # samples of a class, on average, that counting takes
_LEAST_OF_PAIR = 2  # samples for each pair of classes that a matrix takes


class LabelErrors(NamedTuple):
    """What a posterior says about the labels."""

    label_posterior: np.ndarray  # probability of the given label
    label_margin: np.ndarray  # log odds of the given label against its strongest rival
    label_error_chance: np.ndarray  # probability that the label is wrong
    wrong_labels: Interval  # fraction of wrong labels; NaN where it cannot be counted
    n_wrong_labels: int
    label_ranking: np.ndarray  # all samples, the most suspicious first
    suspects: np.ndarray  # the first of them, as many as labels are wrong
    rivals: np.ndarray  # the most probable class but the given one


def find_label_errors(posterior, codes, z):
    """Rank all labels and count the wrong ones; limits are z standard errors away."""
    logs, n = posterior.log_probabilities, len(codes)
    places = np.arange(n), codes
    own, others = logs[places], logs.copy()
    others[places] = -np.inf
    rivals = others.argmax(axis=1)
    margin = own - others[np.arange(n), rivals]
    share, chance, score = Interval(np.nan, np.nan, np.nan), np.zeros(n), margin
    if n >= LEAST_OF_CLASS * logs.shape[1]:
        share, chance, by_matrix = _wrong_share(logs, codes, margin, z)
        if by_matrix:
            score = -chance
    ranking = np.lexsort((margin, score))
    n_wrong = 0 if np.isnan(share.value) else round(n * share.value)
    # A label that no other one beats is not called wrong.
    suspects = ranking[margin[ranking] < 0][:n_wrong]
    return LabelErrors(
        np.exp(own.astype(float)), margin.astype(float), chance, share, len(suspects), ranking,
        suspects, rivals,
    )  # fmt: skip


def _wrong_share(logs, codes, margin, z):
    """The fraction of wrong labels, the chance of each to be wrong, and whether by a matrix."""
    n, n_classes = logs.shape
    some = slice(None)
    if logs.size > _MOST_NUMBERS:
        some = np.random.default_rng(0).permutation(n)[: _MOST_NUMBERS // n_classes]
    fitted = logs[some], codes[some]
    exponent, share, gain = _one_rate(*fitted, z)
    if len(fitted[0]) >= _LEAST_OF_PAIR * n_classes**2:
        matrix_gain, exponent_of_matrix, matrix = _rate_matrix(*fitted)
        gain = matrix_gain - gain
        joint = np.exp(_sharpened(logs, exponent_of_matrix)) * matrix.T[codes]
        chance = 1 - joint[np.arange(n), codes] / joint.sum(axis=1)
        value = float(chance.mean())
        counts = float((margin < 0).mean()) - value <= _MOST_OTHER_ERRORS
        counts &= float(matrix.diagonal().min()) >= _LEAST_RIGHT
        if gain > _MATRIX_GAIN and (counts or gain > _MATRIX_GAIN_EACH * len(fitted[0])):
            half = z * float(np.sqrt((chance * (1 - chance)).sum() + n * value * (1 - value))) / n
            matrix_share = Interval(value, max(value - half, 0.0), min(value + half, 1.0))
            return matrix_share if counts else Interval(0.0, 0.0, share.high), chance, True
    own = np.exp(_sharpened(logs, exponent)[np.arange(n), codes].astype(float))
    other = share.value * (1 - own) / (n_classes - 1)
    return share, other / ((1 - share.value) * own + other), False


def _sharpened(logs, exponent):
    return logs if exponent == 1 else normalised(exponent * logs)


def _one_rate(logs, codes, z):
    """The exponent and one rate of wrong labels by maximum likelihood, with limits and gain."""
    n, n_classes = logs.shape
    values = np.empty((len(_EXPONENTS), len(_RATES)))
    for row, exponent in zip(values, _EXPONENTS, strict=True):
        own = np.exp(_sharpened(logs, exponent)[np.arange(n), codes].astype(float))
        other = (1 - own) / (n_classes - 1)
        for place, rate in enumerate(_RATES):
            row[place] = np.log((1 - rate) * own + rate * other).sum()
    values -= values[0, 0]  # p itself
    best = np.unravel_index(values.argmax(), values.shape)
    gain = float(values[best])
    likely = np.flatnonzero((values >= gain - z**2 / 2).any(axis=0))
    low = float(_RATES[max(likely[0] - 1, 0)])  # the step is a tenth of the rate
    high = float(_RATES[min(likely[-1] + 1, len(_RATES) - 1)])
    if gain < _LEAST_GAIN:
        return 1.0, Interval(0.0, 0.0, high), 0.0
    return _EXPONENTS[best[0]], Interval(float(_RATES[best[1]]), low, high), gain


def _rate_matrix(logs, codes):
    """Gain in nats on other samples, exponent, and rates (K, K) of true class and given label."""
    n = len(codes)
    halves = np.random.default_rng(0).permutation(n) % 2
    gains = {}
    for exponent in _EXPONENTS[1:]:
        shares = np.exp(_sharpened(logs, exponent))
        gain = -float(logs[np.arange(n), codes].sum(dtype=float))
        for half in (0, 1):
            matrix = _fit_matrix(shares[halves != half], codes[halves != half])
            inside = halves == half
            joint = np.einsum("ij,ij->i", shares[inside], matrix.T[codes[inside]])
            gain += float(np.log(joint).sum())
        gains[exponent] = gain
    best = max(gains, key=gains.get)
    return gains[best], best, _fit_matrix(np.exp(_sharpened(logs, best)), codes)


def _fit_matrix(shares, codes):
    """Rates by the EM algorithm; some samples of each class count as wrong at the mean rate."""
    n_classes = shares.shape[1]
    counts = np.bincount(codes, minlength=n_classes)
    order = np.argsort(codes, kind="stable")
    by_label = np.split(shares[order].astype(float), np.cumsum(counts)[:-1])
    same = np.eye(n_classes)
    elsewhere = (1 - same) * counts
    elsewhere /= np.maximum(elsewhere.sum(axis=1, keepdims=True), 1e-9)
    rate, matrix = _FIRST_RATE, (1 - _FIRST_RATE) * same + _FIRST_RATE * elsewhere
    for _ in range(_ROUNDS):
        found = np.empty((n_classes, n_classes))
        for label, own in enumerate(by_label):
            rates = matrix[:, label]
            chances = np.einsum("ij,j->i", own, rates)
            found[:, label] = rates * np.einsum("i,ij->j", 1 / chances, own)
        rate = 1 - found.trace() / found.sum()
        found += _PRIOR_SAMPLES * ((1 - rate) * same + rate * elsewhere)
        matrix = found / found.sum(axis=1, keepdims=True)
    return matrix
