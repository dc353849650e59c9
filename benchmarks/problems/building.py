"""Parts that recipes of several kinds share."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, ndtr, softmax


def draw_labels(random, chances):
    """A class for each row, drawn from its probabilities."""
    return (chances.cumsum(axis=1)[:, :-1] < random.random(len(chances))[:, None]).sum(axis=1)


def two_classes(chance):
    """The probabilities of two classes, from those of the second one."""
    return np.stack([1 - chance, chance], axis=1)


def with_noise(which, n_classes, noise):
    """Probabilities of labels of which a fraction is drawn evenly from all classes."""
    return (1 - noise) * np.eye(n_classes)[which] + noise / n_classes


class Generative:
    """A problem that draws a class first and then its columns.

    ``sample(random, n)`` gives points and their classes, ``scores(X)`` the logarithms of the joint
    densities of points and classes up to a constant per row. As both are given, a test can compare
    the classes drawn with the probabilities.
    """

    def __init__(self, sample, scores):
        self._sample, self._scores = sample, scores

    def __call__(self, random, n):
        return self.labelled(random, n)[::2]

    def labelled(self, random, n):
        """Points, the classes they were drawn from, and the probabilities of the classes."""
        X, which = self._sample(random, n)
        return X, which, softmax(self._scores(X), axis=1)


def _mixture(centres, owners, log_density, noise, weights=None):
    """Points around centres, each of which belongs to a class.

    `log_density` is that of the noise around each centre, of shape (n, centres); `noise`
    draws it for given centres.
    """
    weights = np.full(len(centres), 1 / len(centres)) if weights is None else np.asarray(weights)
    n_classes = max(owners) + 1

    def draw(random, n):
        which = random.choice(len(centres), n, p=weights)
        X = centres[which] + noise(random, which)
        logs = log_density(X) + np.log(weights)
        logs -= logs.max(axis=1, keepdims=True)
        parts = np.exp(logs)
        chances = np.stack(
            [parts[:, np.asarray(owners) == k].sum(axis=1) for k in range(n_classes)], axis=1
        )
        return X, chances / chances.sum(axis=1, keepdims=True)

    return draw


def normal_mixture(centres, owners, weights=None, factors=None):
    """Normal clusters; `factors[c]` turns white noise into that of centre c."""
    n_centres, d = centres.shape
    if factors is None:
        factors = np.repeat(np.eye(d)[None], n_centres, axis=0)
    inverses = np.linalg.inv(factors)
    log_volumes = np.linalg.slogdet(factors)[1]

    def log_density(X):
        logs = np.empty((len(X), n_centres))
        for c in range(n_centres):
            white = (X - centres[c]) @ inverses[c].T
            logs[:, c] = -0.5 * np.einsum("ij,ij->i", white, white) - log_volumes[c]
        return logs

    def noise(random, which):
        white = random.normal(size=(len(which), d))
        for c in range(n_centres):
            white[which == c] = white[which == c] @ factors[c].T
        return white

    return _mixture(centres, owners, log_density, noise, weights)


def white_mixture(centres, owners, density, noise, weights=None):
    """Clusters with independent noise of one density in every column."""

    def log_density(X):
        return np.stack([density(X - centre).sum(axis=1) for centre in centres], axis=1)

    return _mixture(
        centres,
        owners,
        log_density,
        lambda random, which: noise(random, (len(which), centres.shape[1])),
        weights,
    )


def random_centres(random, n_centres, d, apart):
    """Random centres whose typical distance is `apart`, in at most ten directions."""
    live = min(d, 10)
    centres = np.zeros((n_centres, d))
    centres[:, :live] = random.normal(size=(n_centres, live)) * apart / np.sqrt(2 * live)
    if n_centres == 2:
        gap = centres[1] - centres[0]
        centres[1] = centres[0] + gap * apart / np.linalg.norm(gap)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    return centres @ turn


def noise_columns(extra):
    """Columns of pure noise behind the two that matter."""
    return lambda X, generator: np.hstack([X, generator.normal(size=(len(X), extra))])


def normal_scores(X, means, spreads):
    """Log densities of independent normal columns, up to a constant, shape (n, K)."""
    return np.stack(
        [
            (-0.5 * ((X - mean) / spread) ** 2 - np.log(spread)).sum(axis=1)
            for mean, spread in zip(means, spreads, strict=True)
        ],
        axis=1,
    )


def gaussian_scores(X, centres, factors):
    """Log densities of normal clusters up to a constant, shape (n, clusters)."""
    inverses, volumes = np.linalg.inv(factors), np.linalg.slogdet(factors)[1]
    scores = np.empty((len(X), len(centres)))
    for c, centre in enumerate(centres):
        white = (X - centre) @ inverses[c].T
        scores[:, c] = -0.5 * np.einsum("ij,ij->i", white, white) - volumes[c]
    return scores


def template_scores(X, templates):
    """Log densities of white unit noise around templates, up to a constant per row."""
    return X @ templates.T - 0.5 * (templates**2).sum(axis=1)


def log_between(low, high):
    """The logarithm of the chance that a standard normal value lies between two ends."""
    upper = low > 0  # there the chances of being above the ends keep their digits
    chance = np.where(upper, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
    return np.log(np.maximum(chance, 1e-300))


def step_logs(steps, means, spreads):
    """Log chances that normal columns are read as 0 to steps - 1; the ends are open."""
    edges = np.r_[-np.inf, np.arange(steps - 1) + 0.5, np.inf].reshape(-1, *[1] * np.ndim(means))
    return log_between((edges[:-1] - means) / spreads, (edges[1:] - means) / spreads)


def step_scores(levels, logs):
    """Sums over columns of `logs[level, part, column]`, shape (n, parts)."""
    return sum(logs[column, :, each] for each, column in enumerate(levels.T.astype(int)))


def class_scores(logs, n_classes):
    """Joint log densities of classes, from those of their parts: as many parts in each class."""
    return logsumexp(logs.reshape(len(logs), n_classes, -1), axis=2)


def part_weights(priors, weights):
    """Chances of parts that every class has in the same shares, class by class."""
    return np.outer(priors, weights / np.sum(weights)).ravel()


def priors_to_a_tenth(random, n_classes):
    """Even, or falling from class to class, the last one a tenth as frequent as the first."""
    weights = np.geomspace(1, random.choice([1.0, 1.0, 0.1]), n_classes)
    return weights / weights.sum()


def halving_priors(random, n_classes):
    """Even, or each class half as frequent as the one before, up to one in twenty of the first."""
    if random.random() < 0.5:
        return np.full(n_classes, 1 / n_classes)
    sizes = np.maximum(0.5 ** np.arange(n_classes), 0.05)
    return sizes / sizes.sum()


def slowly_falling_priors(random, n_classes):
    """Even, or each class 0.7 times as frequent as the one before, but at least a tenth as much."""
    sizes = np.maximum(random.choice([0.7, 1.0]) ** np.arange(n_classes), 0.1)
    return sizes / sizes.sum()


def normal_classes(means, covariances, priors):
    """Draws from normal classes."""
    factors = np.linalg.cholesky(np.array(covariances))
    inverses = np.linalg.inv(factors)
    volumes = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(priors), n, p=priors)
        X, logs = generator.normal(size=(n, means.shape[1])), np.empty((n, len(priors)))
        for k, factor in enumerate(factors):
            X[which == k] = X[which == k] @ factor.T + means[k]
        for k, inverse in enumerate(inverses):
            logs[:, k] = -0.5 * (((X - means[k]) @ inverse.T) ** 2).sum(axis=1) - volumes[k]
        return X, softmax(logs + np.log(priors), axis=1)

    return draw
