"""Labels that the held-out posterior contradicts: ranked, and how many of them are wrong.

Three models explain the labels (`noise_models`): all are right, they are wrong at one rate, or at
rates of their own for each class. Each has a probability: its prior times its likelihood, which is

- a mean over the rates, weighted by how often labels are wrong at such a rate,
- for the model by class, that of samples that it was not fitted to, less `_COST` nats for each
  label that it calls wrong,
- less what rates of wrong labels gain by repairing a posterior that is not quite calibrated: in
  proportion to the number of samples and to the square of the rate,
- to a power below 1 for more than 2,000 samples, since such faults do not vanish with their number.

The first model has a posterior that is calibrated by pairs of classes, so that rates by class do
not win by doing the same.

A label is wrong with the probabilities by the models, each times that of the model. If some labels
are more probably wrong than all are right, those that are wrong with a probability of `_LISTED` or
more are listed, the most probable first. Label errors that concentrate at the boundary between
classes look like overlap: the clean model explains them, and nobody can count them.

Where the posterior contradicts labels more decisively than overlap explains (`decisiveness`), all
contradictions may as well be label errors: a label is then wrong with at least the probability of
`overlap.noise_if_rare`, times that of this reading. Who knows the overlap says so: then
`noise_if_rare` or `noise_at_rates` alone count.

All other labels are ranked by how much more they surprise than a label of their sample is expected
to: log odds against the strongest rival, and the entropy of the posterior.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax
from scipy.stats import binom, norm

from smartsvm._core.parallel import in_threads
from smartsvm.estimation.results import Interval
from smartsvm.held_out.standardised_columns import chunks_of
from smartsvm.label_errors.noise_models import (
    calibrated_by_pairs,
    class_noise,
    clean_likelihood,
    folds_of,
    uniform_noise,
)
from smartsvm.label_errors.overlap import decisiveness, noise_at_rates, noise_if_rare

# Prior probabilities that all labels are right, that they are wrong at one rate, and at rates by
# class. Rates by class fit any class whose samples reach far into another one, which is common
# where all labels are right. With this prior, the probabilities of wrong labels are calibrated on
# the benchmark's tables.
_PRIOR = (0.24, 0.75, 0.01)
_MOST_NUMBERS = 2**18  # samples times classes that the models are fitted to
LEAST_OF_CLASS = 12  # samples of a class, on average, that counting takes
_LEAST_OF_PAIR = 2  # samples for each pair of classes that a matrix takes
# A label is listed if it is wrong with at least this probability. Of the labels of the benchmark's
# tables as they are, one of 243 is; with 0.25 it is one of 320, and 7% fewer wrong labels are.
_LISTED = 0.19
_LEAST_SEEN = 3  # labels of which at most 5% of samples have none, if so many are expected
LIKELY = 0.5  # a label that is wrong with this probability is advised to be checked
# Contradictions that are more decisive than this leave open whether they are overlap: at a boundary
# it is 0.557, on 41 of 55 tables below 0.65, and on networks for images 0.71 and more. They are
# label errors with the probability `_IF_DECISIVE` if fewer labels than `_MOST_OF_ALL` are.
_DECISIVE, _LEAST_CONTRADICTED, _IF_DECISIVE, _MOST_OF_ALL = 0.7, 30, 0.53, 0.45
_LISTED_IF_KNOWN = 0.58  # with the overlap known, at a precision of cleanlab's list
_BY_CHANCE = 0.05  # probability below which confirmed labels show that a class is recognised


class LabelErrors(NamedTuple):
    """Which labels a posterior contradicts, and how likely they are wrong."""

    posterior: np.ndarray  # probability of the given label
    margin: np.ndarray  # log odds of the given label against its strongest rival
    error_chance: np.ndarray  # probability that the label is wrong
    # Fraction of wrong labels: from "all disagreement is overlap" to "none is" where the overlap is
    # unknown. NaN where they cannot be counted.
    error_rate: Interval
    ranking: np.ndarray  # all samples, the most suspicious first
    suspects: np.ndarray  # the first of them: labels that are worth a look
    rivals: np.ndarray  # the most probable class but the given one
    supports: str  # what the data support: "wrong labels", "either" or "overlap"
    overlap: object  # as given: a name, or a rate for each class
    chance_if_rare: np.ndarray | None  # the same chance if overlap is rare; None if not computed

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


def find_label_errors(
    posterior,
    codes,
    z,
    *,
    overlap="unknown",
    most_wrong=1.0,
    signal=True,
    beats_baseline=True,
    cases=None,
    n_jobs=1,
):
    """Rank all labels and count the wrong ones; limits are z standard errors away.

    `overlap` is one that `check_overlap` returns. `cases` are rows, one of each case, if samples
    are copies of each other: copies say the same again, and the models count them once.

    At most a fraction `most_wrong` is called wrong, and none where the signal test is silent or no
    classifier clearly beats the baseline: nothing then shows whose label is wrong.
    """
    logs, n = posterior.log_probabilities, len(codes)
    margin, rivals = _margins(logs, codes, n_jobs)
    chance, share, supports = np.zeros(n), Interval(np.nan, np.nan, np.nan), "either"
    listed, chance_if_rare = np.zeros(n, dtype=bool), None
    if isinstance(overlap, str) and overlap == "all":
        share = Interval(0.0, 0.0, 0.0)
    elif signal and beats_baseline and n >= LEAST_OF_CLASS * logs.shape[1]:
        fitted_rows, by_pairs = _fitted_rows(n, logs.shape[1], cases)
        if not isinstance(overlap, str):
            noise = noise_at_rates(logs, codes, margin, overlap)
        else:
            noise = noise_if_rare(logs, codes, margin, fitted_rows, by_pairs)
        factors = _Evidence.of(logs, codes, margin).factors(noise.chance, codes)
        noise = noise._replace(chance=noise.chance * factors[codes])
        if isinstance(overlap, str):
            chance_if_rare = noise.chance
        if isinstance(overlap, str) and overlap == "unknown":
            parts = logs, codes, margin, z, fitted_rows, by_pairs, n_jobs
            share, chance, listed, supports = _if_unknown(*parts, noise)
        else:
            chance, listed = noise.chance, noise.chance >= _LISTED_IF_KNOWN
            share = Interval(
                float(np.clip(chance.mean(), noise.low, noise.high)), noise.low, noise.high
            )
        share = Interval(*(min(end, max(most_wrong, 0.0)) for end in share))
    score = margin + _entropies(logs, n_jobs)
    # A label that no other one beats is not called wrong.
    suspects = np.flatnonzero((margin < 0) & listed)
    suspects = suspects[np.lexsort((score[suspects], -chance[suspects]))][: int(n * most_wrong)]
    others = np.setdiff1d(np.arange(n), suspects, assume_unique=True)
    ranking = np.concatenate([suspects, others[np.argsort(score[others], kind="stable")]])
    of_labels = np.exp(logs[np.arange(n), codes].astype(float))
    return LabelErrors(
        posterior=of_labels,
        margin=margin.astype(float),
        error_chance=chance,
        error_rate=share,
        ranking=ranking,
        suspects=suspects,
        rivals=rivals,
        supports=supports,
        overlap=overlap,
        chance_if_rare=chance_if_rare,
    )


def is_decisive(margin):
    """Whether labels are contradicted more decisively than overlap explains."""
    enough = np.count_nonzero(margin < 0) >= _LEAST_CONTRADICTED
    return bool(enough and decisiveness(margin) > _DECISIVE)


def _if_unknown(logs, codes, margin, z, fitted_rows, by_pairs, n_jobs, if_rare):
    """Fraction and chance of wrong labels, which to list, and what the data support."""
    share, chance = _wrong_labels(logs, codes, margin, z, fitted_rows, by_pairs, n_jobs)
    listed = chance >= _LISTED
    supports = "wrong labels" if listed.any() else "overlap"
    if is_decisive(margin) and if_rare.rate < _MOST_OF_ALL:
        chance = np.maximum(chance, _IF_DECISIVE * if_rare.chance)
        supports = "wrong labels" if listed.any() else "either"
        listed |= chance >= LIKELY
    # If none of the disagreement is overlap, every label that is contradicted is wrong.
    n_most = max(np.count_nonzero(margin < 0), _LEAST_SEEN)
    high = max(n_most / len(codes), share.high, if_rare.high)
    value = float(chance.mean())
    return Interval(value, min(share.low, value), min(high, 1.0)), chance, listed, supports


def _margins(logs, codes, n_jobs):
    """Log odds of each label against its strongest rival, and that rival."""
    rivals, margin = np.empty(len(codes), dtype=np.intp), np.empty(len(codes), dtype=logs.dtype)

    def fill(rows):
        others, places = logs[rows].copy(), np.arange(len(codes[rows]))
        others[places, codes[rows]] = -np.inf
        rivals[rows] = others.argmax(axis=1)
        margin[rows] = logs[rows][places, codes[rows]] - others[places, rivals[rows]]

    in_threads(fill, chunks_of(*logs.shape), n_jobs)
    return margin, rivals


def _entropies(logs, n_jobs):
    """Entropy of the posterior of each sample."""
    out = np.empty(len(logs), dtype=logs.dtype)

    def fill(rows):
        out[rows] = -np.einsum("ij,ij->i", np.exp(logs[rows]), logs[rows])

    in_threads(fill, chunks_of(*logs.shape), n_jobs)
    return out


def _fitted_rows(n, n_classes, cases):
    """The rows that models are fitted to, and whether they are enough for each pair of classes."""
    rows = np.arange(n) if cases is None else cases
    if len(rows) * n_classes > _MOST_NUMBERS:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[: _MOST_NUMBERS // n_classes])
    return rows, len(rows) >= _LEAST_OF_PAIR * n_classes**2


def _wrong_labels(logs, codes, margin, z, fitted_rows, by_pairs, n_jobs):
    """The fraction of wrong labels by the evidence for each model, and the chance of each."""
    n, folds = len(codes), folds_of(codes)
    calibrated = calibrated_by_pairs(logs, codes, folds, fitted_rows) if by_pairs else logs
    clean = clean_likelihood(calibrated[fitted_rows], codes[fitted_rows])
    models = [uniform_noise(calibrated, codes, fitted_rows, clean, z, n_jobs)]
    evidence = _Evidence.of(logs, codes, margin)
    factors = [evidence.factors(models[0].chance, codes)]
    by_class = class_noise(logs, codes, folds, fitted_rows, clean, z) if by_pairs else None
    if by_class is not None:
        models.append(by_class)
        factors.append(evidence.recognised.astype(float))
    over_clean = np.array([0.0, *(model.evidence for model in models)])
    all_right, *weights = softmax(np.log(_PRIOR[: len(over_clean)]) + over_clean)
    chances = [model.chance * left[codes] for model, left in zip(models, factors, strict=True)]
    chance = np.tensordot(weights, chances, 1)
    value = float(chance.mean())
    if all_right > 0.5 or round(n * value) == 0:
        return Interval(0.0, 0.0, 0.0), np.zeros(n)
    # The rates of all models that are not ruled out, after the evidence of each class.
    lows, highs = [0.0] if all_right > norm.sf(z) else [], []
    for model, weight, of_model in zip(models, weights, chances, strict=True):
        if weight > norm.sf(z):
            left = float(of_model.mean() / model.chance.mean())
            lows.append(left * model.rates[0])
            highs.append(left * model.rates[1])
    limits = min([value, *lows]), max([value, *highs])
    return Interval(value, *limits), chance


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
        """Factors of the chances of each class: no class has more wrong labels than others predict.

        Wrong labels at one rate r reach each of the other classes alike: n r / (K - 1) of them. A
        class that is not recognised gets as many at most, with r from the labels of the other
        classes; and one of its labels is right, or there would be no such class.
        """
        n, n_classes = len(codes), len(self.counts)
        wrong = np.bincount(codes, weights=chance, minlength=n_classes)
        rates = (wrong.sum() - wrong) / np.maximum(n - self.counts, 1)
        factors = np.minimum(rates * n / (n_classes - 1) / np.maximum(wrong, 1e-300), 1.0)
        factors *= np.where(self.confirmed > 0, 1.0, 1 - 1 / np.maximum(self.counts, 1))
        return np.where(self.recognised, 1.0, factors)
