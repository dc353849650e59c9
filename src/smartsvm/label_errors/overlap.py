"""The user's knowledge of the overlap of classes, and how many labels are wrong by it.

A calibrated posterior p of labels with errors is what overlap would look like: from labels and
probabilities alone the two cannot be told apart. Somebody has to say how much of the doubt in p is
overlap. The true classes have the posterior q ∝ p^a: with a = 1 all doubt is overlap and no label
is wrong; with a → ∞ none is, and every label that p contradicts is wrong.

least noise
    The noise that turns q into p is at least 1 - p(c) / q(c) for the likeliest class c. A label
    with the odds r = p(label) / p(c) is then wrong with the probability 1 - r^(a - 1).
one rate
    A label is wrong at the rate ρ, whatever the sample. Its odds to be wrong are
    ρ / (1 - ρ) · q(rival) / q(label); ρ has the largest likelihood.
rates by class
    P(label) = Σ_t q(t) T[t, label], as in `noise_models`. Counts as much as it explains: fully
    where the labels gain a nat for each wrong one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from smartsvm.held_out.posterior import normalised
from smartsvm.held_out.standardised_columns import chunks_of
from smartsvm.label_errors.noise_models import fit_matrices, label_likelihood

Overlap = Literal["unknown", "rare", "all"] | float | Mapping[Any, float] | Sequence[float]

NAMES = ("unknown", "rare", "all")
# Exponents where overlap is rare. Human errors sit on hard samples, where q is hardly sharper than
# p; rates by class are the same on easy samples, where it is.
_RARE, _RARE_BY_CLASS = 1.5, 3.0
# The range is a factor of two wide: from the least noise, which takes no right label for wrong,
# to twice as much. With no contradiction in n labels at most 3 / n are wrong (95%).
_WIDTH, _NONE_SEEN = 2.0, 3.0
_MOST_EXPONENT = 64.0
_MOST_RATE = 0.5  # of wrong labels; with more, no label would tell its class
_MOST_LABELS = 2**17  # that a rate is fitted to
_NATS_PER_WRONG = 1.0


class KnownNoise(NamedTuple):
    """Wrong labels where the overlap is known."""

    chance: np.ndarray  # that each label is wrong
    low: float  # fraction of wrong labels
    high: float
    rate: float  # that is the same for all samples


def check_overlap(overlap, classes):
    """A name of `NAMES`, or an array with a rate for each class; raise if it is neither."""
    legal = (
        f"{', '.join(map(repr, NAMES))}, a rate of disagreement between experts from 0 to 1, or "
        "such a rate for each class"
    )
    if isinstance(overlap, str):
        if overlap in NAMES:
            return overlap
        raise ValueError(f"overlap must be {legal}, got {overlap!r}.")
    if isinstance(overlap, Mapping):
        missing = [name for name in classes.tolist() if name not in overlap]
        if missing:
            raise ValueError(f"overlap must be {legal}; it has no rate for {missing[0]!r}.")
        overlap = [overlap[name] for name in classes.tolist()]
    try:
        rates = np.broadcast_to(np.asarray(overlap, dtype=float), len(classes))
    except (TypeError, ValueError):
        rates = np.array([np.nan])
    if not ((rates >= 0) & (rates <= 1)).all():
        raise ValueError(f"overlap must be {legal}, got {overlap!r}.")
    return rates


def decisiveness(margin):
    """The mean of 1 - p(label) / p(c) over contradicted labels; NaN if there are none.

    Where a boundary between two classes is crossed at a constant density of log odds m, labels are
    contradicted with the density 1 / (1 + e^m), and the mean is 2 - 1 / ln 2 = 0.557.
    """
    contradicted = margin[margin < 0].astype(float)
    return float(1 - np.exp(contradicted).mean()) if len(contradicted) else float("nan")


def noise_if_rare(logs, codes, margin, fitted_rows, by_pairs):
    """Wrong labels if overlap is rare; rates by class are fitted to `fitted_rows` if `by_pairs`."""
    against = np.maximum(-margin.astype(float), -50.0)
    rate = _one_rate(_RARE * against)
    odds = np.log(max(rate, 1e-300)) - np.log1p(-rate)
    chance = expit(odds + _RARE * against) if rate else np.zeros(len(codes))
    if rate and by_pairs:
        weight, of_classes = _rates_by_class(logs, codes, fitted_rows, rate)
        if weight:
            chance = (1 - weight) * chance + weight * of_classes
    low = float(_least_noise(against, _RARE).mean())
    return KnownNoise(chance, low, max(_WIDTH * low, _NONE_SEEN / len(codes)), rate)


def noise_at_rates(logs, codes, margin, rates):
    """Wrong labels if experts disagree at these rates, one for each class."""
    against = np.maximum(-margin.astype(float), -50.0)
    exponents = _exponents(logs, rates)
    least = _least_noise(against, exponents)
    count, n = float(least.sum()), len(codes)
    chance = np.zeros(n)
    if count:
        sharp = np.clip(exponents * against, -700.0, 700.0)
        shift = brentq(lambda odds: float(expit(odds + sharp).sum()) - count, -1500.0, 1500.0)
        chance = expit(shift + sharp)
    contradicted = np.count_nonzero(against > 0)
    # The rate says how much is overlap, not how often the classifier errs by itself.
    high = max(min(_WIDTH * count, contradicted), _NONE_SEEN if count else 0.0)
    return KnownNoise(chance, count / _WIDTH / n, min(high / n, 1.0), count / n)


def _least_noise(against, exponents):
    return np.where(against > 0, -np.expm1(-(exponents - 1) * np.maximum(against, 0)), 0.0)


def _one_rate(sharp):
    """The rate of wrong labels with the largest likelihood, given the log odds of the rival."""
    if len(sharp) > _MOST_LABELS:
        sharp = np.random.default_rng(0).permutation(sharp)[:_MOST_LABELS]
    over_one = np.expm1(np.minimum(sharp, 300.0))

    def slope(rate):
        return float((over_one / (1 + rate * over_one)).mean())

    if slope(0.0) <= 0:
        return 0.0
    return _MOST_RATE if slope(_MOST_RATE) >= 0 else float(brentq(slope, 0.0, _MOST_RATE))


def _rates_by_class(logs, codes, fitted_rows, rate):
    """The weight of rates by class beside one rate, and the chance of each label by them."""
    n_classes, fitted_codes = logs.shape[1], codes[fitted_rows]
    shares = np.exp(normalised(_RARE_BY_CLASS * logs[fitted_rows]))
    ((matrix,),) = fit_matrices(
        shares[None], fitted_codes, np.ones((len(fitted_rows), 1)), least_right=0.0
    )
    gain = float(label_likelihood(shares, fitted_codes, matrix)[0].sum())
    gain -= float(logs[fitted_rows, fitted_codes].sum(dtype=float))
    gain -= (
        n_classes * (n_classes - 1) / 2 * np.log(len(fitted_rows))
    )  # Schwarz: half of log n each
    weight = float(np.clip(gain / (_NATS_PER_WRONG * rate * len(fitted_rows)), 0, 1)) / 2
    if not weight:
        return weight, None
    chance = np.empty(len(codes))
    for rows in chunks_of(*logs.shape):
        sharp = np.exp(normalised(_RARE_BY_CLASS * logs[rows]))
        chance[rows] = label_likelihood(sharp, codes[rows], matrix)[1]
    return weight, chance


def _exponents(logs, rates):
    """For each sample the exponent at which experts disagree at the rate of its likeliest class."""
    likeliest, exponents = logs.argmax(axis=1), np.ones(len(logs))
    same = np.ptp(rates) == 0
    for code in (0,) if same else np.unique(likeliest):
        rows = np.arange(len(logs)) if same else np.flatnonzero(likeliest == code)
        fitted = rows
        if len(fitted) * logs.shape[1] > _MOST_LABELS:
            most = max(_MOST_LABELS // logs.shape[1], 1)
            fitted = np.random.default_rng(0).permutation(fitted)[:most]
        exponents[rows] = _exponent(logs[fitted], float(rates[code]))
    return exponents


def _exponent(logs, rate):
    def excess(power):
        shares = np.exp(normalised(np.exp(power).astype(np.float32) * logs).astype(float))
        return 1 - float((shares**2).sum(axis=1).mean()) - rate

    if excess(np.array(0.0)) <= 0:
        return 1.0
    most = np.log(_MOST_EXPONENT)
    if excess(most) >= 0:
        return _MOST_EXPONENT
    return float(np.exp(brentq(excess, 0.0, most, xtol=1e-3)))
