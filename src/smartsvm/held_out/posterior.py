"""One held-out posterior per sample: the classifiers' log probabilities, weighted and added up.

The weights, one for each classifier and none negative, maximise the likelihood of the labels, so
the posterior is calibrated. The weights that a sample gets are fitted without it, or without its
fold of groups, by one Newton step from the weights of all samples.
"""

from typing import NamedTuple

import numpy as np

from smartsvm._core.blas_threads import single_blas_thread
from smartsvm._core.parallel import in_threads
from smartsvm.held_out.folds import group_folds
from smartsvm.held_out.standardised_columns import chunks_of

# Log probabilities are at most 12 below the largest one: no classifier alone rules out a class.
_FLOOR = 12.0
# Smaller probabilities of a label count as this much: log losses stay finite.
_LEAST_PROBABILITY = 1e-12
# Penalty ½ |w - 1/C|² for C classifiers, which pulls their weights towards the plain mean.
_RIDGE = 1.0
# Samples times classes that the weights are fitted to, at most: 4 MiB for each classifier.
_MOST_NUMBERS = 2**20
# Classes from which on numpy reduces rows faster than their transpose.
_WIDE = 32
# Newton's method ends after 20 steps, or once a step gains less than 0.01 nats. That is no evidence
# for any weights, and single precision rounds the likelihood of many samples by more.
_MOST_STEPS = 20
_LEAST_GAIN = 0.01


class Posterior(NamedTuple):
    """Log probabilities of all classes for every sample, without its own label."""

    log_probabilities: np.ndarray  # shape (n, K), 32 bits
    weights: dict  # by classifier

    def of_labels(self, codes):
        """Probability of each sample's own label."""
        return np.exp(self.log_probabilities[np.arange(len(codes)), codes].astype(float))

    def log_losses(self, codes):
        """Minus the logarithm of the probability of each sample's own label."""
        return -np.log(np.maximum(self.of_labels(codes), _LEAST_PROBABILITY))

    def of(self, rows):
        """The posterior of some samples."""
        n = len(self.log_probabilities)
        if len(rows) == n and np.array_equal(rows, np.arange(n)):
            return self  # no copy of the largest array of a report
        return self._replace(log_probabilities=self.log_probabilities[rows])

    def towards(self, weights):
        """The posterior where each class is as many times as frequent."""
        logs = self.log_probabilities + np.log(weights).astype(np.float32)
        return self._replace(log_probabilities=normalised(logs))

    def answers(self):
        """The most probable class of every sample."""
        return self.log_probabilities.argmax(axis=1)


def combined_posterior(trials, codes, n_classes, groups=None):
    """Combine the held-out scores of all classifiers in `trials`."""
    with single_blas_thread():  # several threads round in another order
        names = trials.scored()
        rows = trials.rows
        row_codes = codes[rows]
        # The class sizes are one more part, which counts where no classifier has learnt anything.
        priors = log_shares(np.log(np.bincount(codes, minlength=n_classes))[None])
        of_sizes = np.broadcast_to(priors, (len(rows), n_classes))
        n_jobs = trials.n_jobs
        parts = np.stack([*(log_shares(trials.scores(name), n_jobs) for name in names), of_sizes])
        folds = None if groups is None else group_folds(groups[rows])
        weights, without = fit_weights(parts, row_codes, folds)
        # Samples that are never held out keep the class sizes.
        out = np.empty((len(codes), n_classes), dtype=np.float32)
        out[:] = priors
        out[rows] = normalised(np.einsum("ic,cik->ik", without.astype(np.float32), parts))
        del parts
        if len(trials.unfitted):
            _fill_unfitted(out, trials, names, weights, priors)
    return Posterior(out, dict(zip([*names, "class sizes"], weights.tolist(), strict=True)))


def _fill_unfitted(out, trials, names, weights, priors):
    """Write the log probabilities of the samples that the weights were not fitted to."""
    unfitted, chunks = trials.unfitted, chunks_of(len(trials.unfitted), priors.shape[1])
    out[unfitted] = np.float32(weights[-1]) * priors
    for name, weight in zip(names, weights[:-1].tolist(), strict=True):
        if weight > 0:
            scores = trials.scores(name, unfitted=True)

            def add(rows, scores=scores, weight=weight):
                out[unfitted[rows]] += weight * _shares_of_chunk(scores[rows])

            in_threads(add, chunks, trials.n_jobs)

    def normalise(rows):
        out[unfitted[rows]] = normalised(out[unfitted[rows]])

    in_threads(normalise, chunks, trials.n_jobs)


def log_shares(scores, n_jobs=1):
    """Scores as log probabilities; no class is less likely than the best by more than e^12."""
    out = np.empty(scores.shape, dtype=np.float32)

    def fill(rows):
        out[rows] = _shares_of_chunk(scores[rows])

    in_threads(fill, chunks_of(*scores.shape), n_jobs)
    return out


def _shares_of_chunk(scores):
    logs = np.array(scores)
    logs -= _by_sample(np.max, logs)
    return _less_their_sum(np.maximum(logs, -_FLOOR, out=logs))


def normalised(scores):
    """Scores less a constant per row, so that probabilities add up to 1; overwrites them."""
    for rows in chunks_of(*scores.shape):
        logs = scores[rows]
        logs -= _by_sample(np.max, logs)
        _less_their_sum(logs)
    return scores.astype(np.float32, copy=False)


def _less_their_sum(logs):
    """The same where the largest of each row is 0."""
    logs -= np.log(_by_sample(np.sum, np.exp(logs)))
    return logs


def _by_sample(reduce, values):
    """The maximum or sum of each row, as a column."""
    if values.shape[1] >= _WIDE:
        return reduce(values, axis=1, keepdims=True)
    return reduce(np.ascontiguousarray(values.T), axis=0)[:, None]


def fit_weights(parts, codes, folds=None):
    """Weights of C classifiers from (C, n, K) log probabilities, and those without each sample.

    The latter have shape (n, C). With `folds` they are fitted without the fold of a sample.
    """
    n_parts, n, n_classes = parts.shape
    step = -(-n * n_classes // _MOST_NUMBERS)
    fitted = np.arange(n)
    if step > 1:
        fitted = np.random.default_rng(0).permutation(n)[: -(-n // step)]
        parts, codes = parts[:, fitted], codes[fitted]
    problem = _Likelihood(parts, codes)
    weights, gradients, hessian = _likeliest(problem, n_parts)
    gradient = gradients.sum(axis=1) + problem.pull(weights)
    free = weights > 0
    steps = np.zeros((n_parts, n))
    if folds is None:
        # One sample is a small part of the Hessian, which stays.
        steps[:, fitted] = _newton(hessian, gradient[:, None] - gradients, free)
    else:
        for fold in range(int(folds.max()) + 1):
            inside = folds[fitted] == fold
            hessian_without = hessian - problem.hessian(weights, inside)
            part = gradient - gradients[:, inside].sum(axis=1)
            steps[:, folds == fold] = _newton(hessian_without, part[:, None], free)
    last = _newton(hessian, gradient[:, None], free)
    return tuple(np.maximum(weights + change.T, 0) for change in (last[:, 0], steps))


def _likeliest(problem, n_parts):
    """The weights of the largest likelihood, by Newton's method, and its derivatives there."""
    weights = np.full(n_parts, 1 / n_parts)
    value, gradients, hessian = problem.at(weights)
    for _ in range(_MOST_STEPS):
        gradient = gradients.sum(axis=1) + problem.pull(weights)
        free = (weights > 0) | (gradient < 0)
        towards = _newton(hessian, gradient[:, None], free)[:, 0]
        if -(gradient @ towards) / 2 < _LEAST_GAIN:
            break
        size, before = 1.0, value
        while True:
            changed = np.maximum(weights + size * towards, 0)
            moved = problem.at(changed)
            if moved[0] <= before or size <= 1e-3:
                break
            size /= 2
        weights, (value, gradients, hessian) = changed, moved
        if before - value < _LEAST_GAIN:
            break
    return weights, gradients, hessian


def _newton(hessian, gradient, free):
    """Newton steps of the free weights, for each column of gradients."""
    step = np.zeros(gradient.shape)
    among_free = hessian[np.ix_(free, free)] + _RIDGE * np.eye(np.count_nonzero(free))
    step[free] = np.linalg.solve(among_free, -gradient[free])
    return step


class _Likelihood:
    """The negative log likelihood of the labels, with a ridge, and its derivatives."""

    def __init__(self, parts, codes):
        self._parts = parts
        self._of_labels = parts[:, np.arange(len(codes)), codes].astype(float)

    def pull(self, weights):
        """The gradient of the ridge."""
        return _RIDGE * (weights - 1 / len(weights))

    def _value(self, weights, logs):
        constant = np.tensordot(weights, self._parts[:, :, 0], 1) - logs[:, 0]
        ridge = _RIDGE / 2 * ((weights - 1 / len(weights)) ** 2).sum()
        return float((constant - weights @ self._of_labels).sum()) + ridge

    def at(self, weights):
        """The objective, the gradient of each sample, shape (C, n), and the Hessian of all.

        Gradients and Hessian are without the ridge.
        """
        logs = normalised(np.tensordot(weights.astype(np.float32), self._parts, 1))
        weighted = self._parts * np.exp(logs)
        means = weighted.sum(axis=2, dtype=float)
        hessian = _hessian(weighted, self._parts, means)
        return self._value(weights, logs), means - self._of_labels, hessian

    def hessian(self, weights, inside):
        """The Hessian of some samples."""
        parts = self._parts[:, inside]
        weighted = parts * np.exp(normalised(np.tensordot(weights.astype(np.float32), parts, 1)))
        return _hessian(weighted, parts, weighted.sum(axis=2, dtype=float))


def _hessian(weighted, parts, means):
    """The sum of the covariances of log probabilities, each over the classes of one sample."""
    n_parts = len(parts)
    return weighted.reshape(n_parts, -1) @ parts.reshape(n_parts, -1).T - means @ means.T
