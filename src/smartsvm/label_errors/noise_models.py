"""How labels become wrong: not at all, at one rate, or at rates of their own for each class.

All three explain the labels by the held-out posterior p, which is calibrated for the labels as
given, wrong ones included. A wrong label therefore shows only in the form of p: sharpened, p^a with
a > 1, it is too certain, and a rate of wrong labels that is the same at the boundary and far from
it makes up for that. Overlap of classes is followed best by p itself.

clean
    P(y) = p(y). The labels that p contradicts are hard samples.
uniform
    P(y) = (1 - r) q(y) + r (1 - q(y)) / (K - 1) with q ∝ p^a: any other label is as likely.
by class
    P(y) = Σ_t q(t) T[t, y] with q ∝ p^a: T holds the rate from each true class to each label.

Every model allows for outliers: with probability `_OUTLIERS` a sample has any label, and it is the
right one. No label is wrong with a probability of 1 for that reason.

Some tables have more of them: classifiers contradict right labels more firmly than p foresees.
Nothing in the labels tells these mistakes from wrong labels, so a prior does (`_wrong_of_taken`).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from smartsvm._core.parallel import in_threads
from smartsvm.held_out.posterior import normalised
from smartsvm.held_out.standardised_columns import chunks_of

# Powers of the posterior. With many rates a power of 1 would only repeat the overlap of classes.
_EXPONENTS = (1.0, 1.5, 2.0, 3.0, 4.0)
_EXPONENTS_BY_CLASS = (1.25, 1.5, 2.0, 3.0, 4.0)
_RATES = np.geomspace(0.001, 0.4, 40)  # fractions of wrong labels to try, 16% apart
# Where labels are wrong, 3% of them are on average: the prior of the rate r is exp(-r / 0.03), on a
# geometric grid times r. Overlap that is the same everywhere looks like a high rate, which is rare.
_MEAN_RATE = 0.03
_OUTLIERS = 0.002  # one sample in 500 has any label: a single one does not decide between models
_NUMBERS_AT_ONCE = 2**16  # in the largest temporary array
# Nats for each sample and squared rate of wrong labels. A posterior that is off by r in each
# probability loses likelihood in proportion to r², and a rate r of wrong labels makes up for that.
_MISFIT = 0.2
# In an eighth of all tables, classifiers contradict right labels unforeseen, half as often as the
# posterior foresees mistakes. Fitted to the wrong labels of the benchmark's design tables.
_TABLES_WITH_UNFORESEEN = 0.125
_UNFORESEEN = 0.5
_COST = 0.05  # nats for each label that rates by class call wrong: they follow overlap closely
# Evidence counts as that of 2,000 samples at most. No posterior is exact, and what it gets wrong is
# the same in each sample: with ever more of them, some rate of wrong labels would win everywhere.
_MOST_EVIDENCE = 2000
_TOO_LITTLE = -5.0  # evidence at which a model has hardly any weight beside the clean one
_FOLDS = 5
# Calibration by pairs of classes: pseudo-samples of each pair, rounds, and a factor below 1 that
# pulls the correction towards none in each round.
_PAIR_SAMPLES = 2.0
_CALIBRATION_ROUNDS = 10
_PULL = 0.95
# Of the matrix: rounds of the EM algorithm, the rate that it starts from, pseudo-samples of each
# class at the mean rate, and the least share of right labels of a class. A class of which fewer
# would be right is hard, not mislabelled: all of its labels count as right.
_ROUNDS = 20
_FIRST_RATE = 0.05
_PRIOR_SAMPLES = 5.0
_LEAST_RIGHT = 0.7


class NoiseModel(NamedTuple):
    """A model fitted to the labels."""

    evidence: float  # log likelihood over that of the clean model, a mean over the prior of rates
    chance: np.ndarray  # probability that each label is wrong
    rates: tuple[float, float]  # lowest and highest rate of wrong labels that fits


def folds_of(codes):
    """A fold for every sample; each class is spread over all of them."""
    order = np.lexsort((np.random.default_rng(0).random(len(codes)), codes))
    folds = np.empty(len(codes), dtype=np.intp)
    folds[order] = np.arange(len(codes)) % _FOLDS
    return folds


def calibrated_by_pairs(logs, codes, folds, fitted_rows):
    """Log probabilities corrected for each pair of classes, if that explains held-out labels."""
    # log p'(y) = log p(y) + Σ_t p(t) C[t, y] + constant: C makes as many samples that look like t
    # have the label y as do. Its rows are fitted to `fitted_rows`, without the fold it is used on.
    out, labels = np.empty_like(logs), (np.arange(len(codes)), codes)
    is_fitted = np.zeros(len(codes), dtype=bool)
    is_fitted[fitted_rows] = True
    for fold in range(_FOLDS):
        inside, training = folds == fold, is_fitted & (folds != fold)
        pairs = _fit_pairs(logs[training], codes[training])
        out[inside] = normalised(logs[inside] + np.exp(logs[inside]) @ pairs)
    better = out[labels][fitted_rows].sum(dtype=float) > logs[labels][fitted_rows].sum(dtype=float)
    return out if better else logs


def _fit_pairs(logs, codes):
    shares, n_classes = np.exp(logs), logs.shape[1]
    counted = np.stack(
        [np.bincount(codes, weights=row, minlength=n_classes) for row in shares.T.astype(float)]
    )
    pairs = np.zeros((n_classes, n_classes), dtype=np.float32)
    # By class: numpy is slow to reduce many short rows.
    logs, by_class = np.ascontiguousarray(logs.T), np.ascontiguousarray(shares.T)
    for _ in range(_CALIBRATION_ROUNDS):
        corrected = pairs.T @ by_class
        corrected += logs
        corrected -= corrected.max(axis=0)
        np.exp(corrected, out=corrected)
        corrected /= corrected.sum(axis=0)
        step = np.log((counted + _PAIR_SAMPLES) / (by_class @ corrected.T + _PAIR_SAMPLES))
        pairs = (_PULL * (pairs + step)).astype(np.float32)
    return pairs


def tempered(n):
    """The power of the likelihood of n samples (Miller and Dunson's coarsened posterior)."""
    return min(1.0, _MOST_EVIDENCE / n)


def sharpened(logs, exponent):
    """The posterior to a power, as log probabilities."""
    return logs if exponent == 1 else normalised(exponent * logs)


def _of_label(logs, codes):
    return np.exp(logs[np.arange(len(codes)), codes].astype(float))


def _with_outliers(shares, n_classes):
    return (1 - _OUTLIERS) * shares + _OUTLIERS / n_classes


def clean_likelihood(logs, codes):
    """Log likelihood of the labels if all of them are right."""
    return float(np.log(_with_outliers(_of_label(logs, codes), logs.shape[1])).sum())


def _misfit(n, rate):
    """Nats that a rate of wrong labels gains where none of n is wrong: it repairs overlap."""
    return _MISFIT * n * rate**2


def _foreseen(shares):
    """The fraction of mistakes that a posterior foresees."""
    return 1 - float(shares.max(axis=1).mean())


def _wrong_of_taken(rate, foreseen):
    """The expected fraction of wrong labels among a `rate` of labels that are taken for wrong."""
    return 1 - _TABLES_WITH_UNFORESEEN * min(_UNFORESEEN * foreseen / max(rate, 1e-12), 1.0)


def _lowest(rate, foreseen):
    """The lowest rate of wrong labels if the table is one with unforeseen mistakes."""
    return max(rate - _UNFORESEEN * foreseen, 0.0)


def uniform_noise(logs, codes, fitted_rows, clean, z, n_jobs=1):
    """One rate of wrong labels; `clean` is the log likelihood of the clean model."""
    likelihood = np.empty((len(_EXPONENTS), len(_RATES)))
    at_once = max(1, _NUMBERS_AT_ONCE // len(fitted_rows))
    for row, exponent in zip(likelihood, _EXPONENTS, strict=True):
        right, wrong = _right_and_wrong(logs[fitted_rows], codes[fitted_rows], exponent)
        for start in range(0, len(_RATES), at_once):
            rates = _RATES[start : start + at_once, None]
            row[start : start + at_once] = np.log((1 - rates) * right + rates * wrong).sum(axis=1)
    likelihood -= clean + _misfit(len(fitted_rows), _RATES)
    likelihood *= tempered(len(fitted_rows))
    prior = np.log(_RATES) - _RATES / _MEAN_RATE
    prior -= logsumexp(prior)
    # The best exponent for each rate: the clean model has the best one, too, and there it is 1.
    evidence = float(logsumexp(prior + likelihood.max(axis=0)))
    weights = np.exp(prior + likelihood - logsumexp(prior + likelihood))
    chance, foreseen = np.zeros(len(codes)), 0.0
    for exponent, of_rates in zip(_EXPONENTS, weights, strict=True):
        if of_rates.sum() < 0.01:  # too little to be seen
            continue
        right, wrong = _right_and_wrong(logs, codes, exponent, n_jobs)
        mistakes = _foreseen(np.exp(sharpened(logs[fitted_rows], exponent)))
        foreseen += of_rates.sum() * mistakes
        for rate, weight in zip(_RATES[of_rates > 1e-4], of_rates[of_rates > 1e-4], strict=True):
            is_wrong = rate * wrong / ((1 - rate) * right + rate * wrong)
            chance += weight * _wrong_of_taken(rate, mistakes) * is_wrong
    below = weights.sum(axis=0).cumsum()
    below /= below[-1]  # 1 but for rounding, and so is the level of a large z
    low, high = (_RATES[np.searchsorted(below, level)] for level in (norm.sf(z), norm.cdf(z)))
    return NoiseModel(evidence, chance, (_lowest(float(low), foreseen), float(high)))


def _right_and_wrong(logs, codes, exponent, n_jobs=1):
    """Probability of each label if right, and if any other class is the true one."""
    of_label = np.empty(len(codes))

    def fill(rows):
        sharp = exponent * logs[rows]
        of_label[rows] = _of_label(sharp, codes[rows]) / np.exp(sharp).sum(axis=1)

    in_threads(fill, chunks_of(*logs.shape), n_jobs)
    return _with_outliers(of_label, logs.shape[1]), (1 - of_label) / (logs.shape[1] - 1)


def class_noise(logs, codes, folds, fitted_rows, clean, z):
    """Rates of wrong labels by class, tested on held-out samples; None if not worth it."""
    # The evidence is less the misfit and `_COST` nats for each label that is called wrong. Labels
    # that a matrix was fitted to are explained better than others: a matrix that explains too
    # few of them is not tried on others.
    fitted = logs[fitted_rows], codes[fitted_rows]
    all_shares = np.stack(
        [np.exp(sharpened(fitted[0], exponent)) for exponent in _EXPONENTS_BY_CLASS]
    )
    matrices = fit_matrices(all_shares, fitted[1], np.ones((len(fitted_rows), 1)))[:, 0]
    tried, power = [], tempered(len(fitted_rows))
    for place, (shares, matrix) in enumerate(zip(all_shares, matrices, strict=True)):
        likelihood, chance = label_likelihood(shares, fitted[1], matrix)
        rate = max(float(chance.mean()), _RATES[0])
        prior = np.log(rate / _MEAN_RATE) + 1 - rate / _MEAN_RATE  # 0 at its mode
        charge = _COST * chance.sum() + _misfit(len(chance), rate) + clean
        gain = power * (likelihood.sum() - charge) + prior
        if gain > _TOO_LITTLE:
            tried.append((place, gain, charge, prior, rate, chance))
    if not tried:
        return None
    in_fit = folds[fitted_rows, None] != np.arange(_FOLDS)
    matrices_of_rest = fit_matrices(all_shares[[place for place, *_ in tried]], fitted[1], in_fit)
    gains, chances, foreseen = [], [], []
    for (place, gain, charge, prior, rate, chance), of_rest in zip(
        tried, matrices_of_rest, strict=True
    ):
        if gains and gain <= max(gains) + _TOO_LITTLE:
            continue
        shares, likelihood = all_shares[place], 0.0
        for fold, matrix_of_rest in enumerate(of_rest):
            inside = folds[fitted_rows] == fold
            likelihood += label_likelihood(shares[inside], fitted[1][inside], matrix_of_rest)[
                0
            ].sum()
        gains.append(float(power * (likelihood - charge) + prior))
        foreseen.append(_foreseen(shares))
        wrong_of_taken = _wrong_of_taken(rate, foreseen[-1])
        if len(fitted[1]) < len(codes):
            sharper = sharpened(logs, _EXPONENTS_BY_CLASS[place])
            chance = label_likelihood(np.exp(sharper), codes, matrices[place])[1]
        chances.append(wrong_of_taken * chance)
    weights = np.exp(np.array(gains) - max(gains))
    weights /= weights.sum()
    chance = np.tensordot(weights, np.stack(chances), 1)
    share, n = float(chance.mean()), len(codes)
    half = z * float(np.sqrt((chance * (1 - chance)).sum() + n * share * (1 - share))) / n
    rates = _lowest(share - half, float(weights @ foreseen)), share + half
    return NoiseModel(max(gains), chance, rates)


def label_likelihood(shares, codes, matrix):
    """Log likelihood of each label, and its chance to be wrong."""
    n_classes, places = shares.shape[1], (np.arange(len(codes)), codes)
    total = _with_outliers(np.einsum("ij,ij->i", shares, matrix.T[codes]), n_classes)
    right = _with_outliers(shares[places] * matrix.diagonal()[codes], n_classes)
    return np.log(total), 1 - right / total


def fit_matrices(shares, codes, in_fit, least_right=_LEAST_RIGHT):
    """Rates of true class and label by the EM algorithm; classes that are hard have none.

    A class of which fewer labels than `least_right` would be right is hard. One matrix for each of
    several posteriors, shape (P, n, K), and each column of `in_fit`, which says which samples it is
    fitted to.
    """
    n_classes = shares.shape[2]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=n_classes))[:-1]
    by_label = np.split(shares[:, order].astype(float), ends, axis=1)
    in_fit = np.split(in_fit[order].astype(float), ends)
    counts = np.stack([of_label.sum(axis=0) for of_label in in_fit], axis=1)
    same = np.eye(n_classes)
    elsewhere = (1 - same) * (counts[:, None] + 1)
    elsewhere /= elsewhere.sum(axis=2, keepdims=True)
    joint = np.empty((len(shares), *elsewhere.shape))
    matrix = np.broadcast_to((1 - _FIRST_RATE) * same + _FIRST_RATE * elsewhere, joint.shape)
    for _ in range(_ROUNDS):
        for label, (of_label, of_fits) in enumerate(zip(by_label, in_fit, strict=True)):
            # Σ_i q_i(t) T[t, y] / P_i(y), as two products of matrices.
            rates = matrix[..., label]
            odds = of_fits / np.maximum(of_label @ rates.swapaxes(1, 2), 1e-300)
            joint[..., label] = rates * (odds.swapaxes(1, 2) @ of_label)
        right = np.diagonal(joint, axis1=2, axis2=3).sum(axis=2) / joint.sum(axis=(2, 3))
        rate = np.minimum(1 - right, 1 - least_right)[..., None, None]
        joint += _PRIOR_SAMPLES * ((1 - rate) * same + rate * elsewhere)
        matrix = joint / joint.sum(axis=3, keepdims=True)
        right = np.diagonal(matrix, axis1=2, axis2=3).copy()
        short = right < least_right
        scale = np.where(short, (1 - least_right) / np.maximum(1 - right, 1e-12), 1.0)
        matrix *= scale[..., None]
        matrix[..., same > 0] = np.where(short, least_right, right)
    return np.where(short[..., None], same, matrix)
