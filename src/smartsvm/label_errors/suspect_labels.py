"""Labels that the held-out posterior contradicts: ranked, and how many of them are wrong.

The labels are clean, wrong at one rate, or wrong at rates of their own for each class
(`noise_models`). The model is chosen that explains the labels best, by its log likelihood less

- one nat for the rate of the uniform model (Akaike's criterion),
- for the model by class, judged on samples that it was not fitted to, `_COST` nats for each label
  that it calls wrong,
- for both, what they gain by repairing a posterior that is not quite calibrated: in proportion to
  the number of samples and to the square of the rate of wrong labels.

The clean model has a posterior that is calibrated by pairs of classes, so that rates by class do
not win by doing the same.

A label counts as wrong with the probability by that model times the probability of the model. As
many labels are listed as are wrong, and all that are wrong with a probability of `_LISTED` or more.
Label errors that concentrate at the boundary between classes look like overlap: the clean model
explains them, and nobody can count them.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from smartsvm.estimation.results import Interval
from smartsvm.label_errors.noise_models import (
    calibrated_by_pairs,
    class_noise,
    clean_likelihood,
    folds_of,
    uniform_noise,
)

_COST = 0.05  # nats for each label that rates by class call wrong: they follow overlap closely
_MOST_NUMBERS = 2**18  # samples times classes that the models are fitted to
LEAST_OF_CLASS = 12  # samples of a class, on average, that counting takes
_LEAST_OF_PAIR = 2  # samples for each pair of classes that a matrix takes
_LISTED = 1 / 3  # probability of being wrong from which a label is worth a look
_BY_CHANCE = 0.05  # probability below which confirmed labels show that a class is recognised


class LabelErrors(NamedTuple):
    """What a posterior says about the labels."""

    posterior: np.ndarray  # probability of the given label
    margin: np.ndarray  # log odds of the given label against its strongest rival
    error_chance: np.ndarray  # probability that the label is wrong
    # Fraction of wrong labels. All is NaN where they cannot be counted, the high end where the
    # labels seem clean: wrong ones at the boundary cannot be told from hard samples.
    error_rate: Interval
    ranking: np.ndarray  # all samples, the most suspicious first
    suspects: np.ndarray  # the first of them: as many as labels are wrong, or worth a look
    rivals: np.ndarray  # the most probable class but the given one

    def among(self, rows, n):
        """The same among n samples, if these are some `rows`: nothing is known of the others."""
        if len(rows) == n:
            return self
        others = np.setdiff1d(np.arange(n), rows, assume_unique=True)

        def spread(values, unknown):
            out = np.full(n, unknown, dtype=values.dtype)
            out[rows] = values
            return out

        return self._replace(
            posterior=spread(self.posterior, np.nan),
            margin=spread(self.margin, np.nan),
            error_chance=spread(self.error_chance, 0.0),
            ranking=np.concatenate([rows[self.ranking], others]),
            suspects=rows[self.suspects],
            rivals=spread(self.rivals, 0),
        )


def find_label_errors(posterior, codes, z, *, most_wrong=1.0, signal=True, beats_baseline=True):
    """Rank all labels and count the wrong ones; limits are z standard errors away.

    At most a fraction `most_wrong` is called wrong, and none where the signal test is silent or no
    classifier clearly beats the baseline: nothing then shows whose label is wrong.
    """
    logs, n = posterior.log_probabilities, len(codes)
    margin, rivals = _margins(logs, codes)
    chance, score, ranked = np.zeros(n), margin, margin
    share = Interval(np.nan, np.nan, np.nan)
    if signal and beats_baseline and n >= LEAST_OF_CLASS * logs.shape[1]:
        share, chance, score, ranked = _wrong_labels(logs, codes, margin, z)
        share = share._replace(
            value=min(share.value, most_wrong),
            low=min(share.low, most_wrong),
            high=np.minimum(share.high, max(most_wrong, 0.0)),
        )
    ranking = np.lexsort((ranked, score))
    n_wrong = 0 if np.isnan(share.value) else min(round(n * share.value), int(n * most_wrong))
    # A label that no other one beats is not called wrong, nor one of a class without evidence.
    suspects = ranking[(margin[ranking] < 0) & (chance[ranking] > 0)]
    if n_wrong:
        worth_a_look = (np.arange(len(suspects)) < n_wrong) | (chance[suspects] >= _LISTED)
        suspects = suspects[worth_a_look][: int(n * most_wrong)]
    else:
        suspects = suspects[:0]
    listed = np.zeros(n, dtype=bool)
    listed[suspects] = True
    ranking = np.concatenate([suspects, ranking[~listed[ranking]]])
    own = np.exp(logs[np.arange(n), codes].astype(float))
    return LabelErrors(own, margin.astype(float), chance, share, ranking, suspects, rivals)


def _margins(logs, codes):
    """Log odds of each label against its strongest rival, and that rival."""
    places, others = (np.arange(len(codes)), codes), logs.copy()
    others[places] = -np.inf
    rivals = others.argmax(axis=1)
    return logs[places] - others[places[0], rivals], rivals


def _wrong_labels(logs, codes, margin, z):
    """The fraction of wrong labels, the chance of each, and two scores that rank them."""
    n, n_classes = logs.shape
    some = np.arange(n)
    if logs.size > _MOST_NUMBERS:
        some = np.sort(np.random.default_rng(0).permutation(n)[: _MOST_NUMBERS // n_classes])
    by_pairs, folds = len(some) >= _LEAST_OF_PAIR * n_classes**2, folds_of(codes)
    calibrated = calibrated_by_pairs(logs, codes, folds, some) if by_pairs else logs
    uniform = uniform_noise(calibrated, codes, some, z)
    to_beat, by_class = max(uniform.gain, 0.0), None
    if by_pairs:
        clean = max(clean_likelihood(each[some], codes[some]) for each in (logs, calibrated))
        by_class = class_noise(logs, codes, folds, some, clean, _COST, to_beat, z)
    evidence = _Evidence.of(logs, codes, margin)
    if by_class is not None:
        factors = evidence.recognised.astype(float)
        model, score = by_class, -by_class.chance
    else:
        if uniform.gain <= 0:
            return Interval(0.0, 0.0, np.nan), np.zeros(n), margin, margin
        factors = evidence.factors(uniform.chance, codes)
        model, score = uniform, _margins(calibrated, codes)[0]
    chance = model.chance * factors[codes]
    value = float(chance.mean())
    if round(n * value) == 0:  # the evidence of the classes leaves none
        return Interval(0.0, 0.0, np.nan), np.zeros(n), margin, margin
    left = value / float(model.chance.mean())  # after the evidence of each class
    limits = min(left * model.rates[0], value), max(left * model.rates[1], value)
    return Interval(value, *limits), model.sure * chance, score, margin


class _Evidence(NamedTuple):
    """Whether each class is recognised at all: if not, its labels are hard, not wrong."""

    counts: np.ndarray  # labels of each class
    confirmed: np.ndarray  # of which the posterior names the same class
    recognised: np.ndarray  # more of these than random labels would give

    @classmethod
    def of(cls, logs, codes, margin):
        n, n_classes = logs.shape
        counts = np.bincount(codes, minlength=n_classes)
        confirmed = np.bincount(codes[margin > 0], minlength=n_classes)
        named = np.bincount(logs.argmax(axis=1), minlength=n_classes)
        by_luck = binom.sf(confirmed - 1, np.maximum(named, confirmed), counts / n)
        return cls(counts, confirmed, (confirmed > 0) & (by_luck < _BY_CHANCE))

    def factors(self, chance, codes):
        """Of the chances of each class, so that no class has more than the others foretell.

        Wrong labels at one rate r reach each of the other classes alike: n r / (K - 1) of them. A
        class that is not recognised gets as many at most, with r from the labels of the other
        classes; and one of its labels is right, or there would be no such class.
        """
        n, n_classes = len(codes), len(self.counts)
        wrong = np.bincount(codes, weights=chance, minlength=n_classes)
        rates = (wrong.sum() - wrong) / np.maximum(n - self.counts, 1)
        foretold = np.minimum(rates * n / (n_classes - 1) / np.maximum(wrong, 1e-300), 1.0)
        foretold *= np.where(self.confirmed > 0, 1.0, 1 - 1 / np.maximum(self.counts, 1))
        return np.where(self.recognised, 1.0, foretold)
