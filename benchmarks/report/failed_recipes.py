"""Recipes of kinds of problems on which intervals were too short, for design.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each. A `Copies` also gives samples that depend on
each other.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit, softmax
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from .recipes import clusters, draw_labels, rings, shift, two_classes


def log_ratios(random):
    """Shares that sum to 1, of normal log ratios: means and covariances differ by class."""
    d, n_classes = int(random.choice([3, 5, 10, 20])), int(random.choice([2, 3, 4]))
    means = random.normal(scale=random.uniform(0.2, 1.0), size=(n_classes, d))
    spread = random.choice([0.0, 0.3, 0.6])
    factors = np.stack([_turned(random, np.exp(spread * random.normal(size=d)), d) for _ in means])
    if not spread:
        factors[:] = factors[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        logs = means[which] + np.einsum("nij,nj->ni", factors[which], generator.normal(size=(n, d)))
        X = softmax(np.column_stack([logs, np.zeros(n)]), axis=1)
        return X, softmax(_gaussian_scores(logs, means, factors), axis=1)

    return f"d={d} K={n_classes} spread={spread}", draw


def balances(random):
    """A logistic curve in a contrast of the logarithms of a few of several shares."""
    d, used = int(random.choice([4, 8, 15])), int(random.choice([2, 3, 4]))
    steep, alpha = random.choice([1.0, 3.0, 10.0]), random.uniform(0.5, 3)
    weights = np.zeros(d)
    weights[:used] = random.normal(size=used)
    weights[:used] -= weights[:used].mean()
    weights /= np.linalg.norm(weights)

    def draw(generator, n):
        X = generator.gamma(alpha, size=(n, d)) + 1e-9
        X /= X.sum(axis=1, keepdims=True)
        return X, two_classes(expit(steep * np.log(X) @ weights))

    return f"d={d} used={used} steep={steep:.0f} alpha={alpha:.1f}", draw


def ordinal_levels(random):
    """Ordered classes: a bent score of some columns, cut at several places."""
    d, n_classes = int(random.choice([3, 6, 12])), int(random.choice([3, 5, 7]))
    noise, bend = random.choice([0.05, 0.2, 0.6]), random.choice([0.0, 1.0, 3.0])
    slopes = random.normal(size=d) * (np.arange(d) < 4)
    slopes /= np.linalg.norm(slopes)
    power = random.choice([1.0, 0.0])

    def score(X):
        line = X @ slopes
        return line + bend * np.sin(2 * line) / 2 + 0.3 * bend * X[:, 0] * X[:, 1]

    cuts = np.quantile(score(random.normal(size=(4000, d))), np.arange(1, n_classes) / n_classes)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        below = expit((cuts - score(X)[:, None]) / noise)
        chances = np.diff(np.column_stack([np.zeros(n), below, np.ones(n)]), axis=1)
        return (X if power else np.exp(X)), np.maximum(chances, 0)

    return f"d={d} K={n_classes} noise={noise} bend={bend:.0f} power={power:.0f}", draw


def parity_of_bits(random):
    """Whether the sum of a few of several bits is odd, with some noise."""
    d, used = int(random.choice([4, 6, 9, 12])), int(random.choice([2, 3, 4]))
    noise, chance = random.choice([0.0, 0.1, 0.25]), random.choice([0.5, 0.5, 0.3])

    def draw(generator, n):
        X = (generator.random((n, d)) < chance).astype(float)
        odd = X[:, :used].sum(axis=1) % 2
        return X, two_classes(noise + (1 - 2 * noise) * odd)

    return f"d={d} used={used} noise={noise} chance={chance}", draw


def bits(random):
    """Ten bits or so, with a probability for each pattern that is partly a line in the bits."""
    d, table = int(random.choice([5, 8, 10, 12])), random.choice([0.0, 0.5, 1.5])
    weights, patterns = random.normal(size=d), random.normal(scale=table, size=2**d)
    chances_of_one = random.uniform(0.1, 0.9, d)
    powers = 2 ** np.arange(d)

    def draw(generator, n):
        X = (generator.random((n, d)) < chances_of_one).astype(int)
        scores = (X - chances_of_one) @ weights + patterns[X @ powers]
        return X.astype(float), two_classes(expit(1.5 * scores))

    return f"d={d} table={table}", draw


def spectra(random):
    """Smooth curves: a peak whose place varies within a class, on correlated noise."""
    d, n_classes = int(random.choice([30, 60, 120])), int(random.choice([2, 3]))
    noise, width = random.uniform(0.1, 0.6), random.uniform(2, 6)
    grid = np.arange(d)
    places = np.sort(random.uniform(0.25, 0.75, n_classes)) * d
    heights, wander = random.uniform(0.7, 1.3, n_classes), random.choice([0.5, 2.0, 6.0])
    offsets = np.linspace(-2, 2, 9)
    weights = np.exp(-(offsets**2) / 2)
    weights /= weights.sum()
    covariance = np.exp(-np.abs(grid[:, None] - grid) / random.choice([1.0, 5.0]))
    factor = noise * np.linalg.cholesky(covariance + 1e-6 * np.eye(d))
    centres = np.stack(
        [
            height * np.exp(-(((grid - place - wander * offset) / width) ** 2) / 2)
            for place, height in zip(places, heights, strict=True)
            for offset in offsets
        ]
    )
    white_centres = np.linalg.solve(factor, centres.T).T
    priors = np.tile(np.log(weights), n_classes)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n) * 9 + generator.choice(9, n, p=weights)
        white = white_centres[which] + generator.normal(size=(n, d))
        logs = priors - 0.5 * (white_centres**2).sum(axis=1) + white @ white_centres.T
        return white @ factor.T, softmax(logs, axis=1).reshape(n, n_classes, 9).sum(axis=2)

    return f"d={d} K={n_classes} noise={noise:.2f} wander={wander}", draw


@cache
def _fitted(name, n_components, parts):
    """Normal mixtures fitted to the classes of a real set in some principal components."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name != "digits":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = PCA(min(n_components, X.shape[1]), random_state=0).fit_transform(X)
    centres, factors, weights, owners = [], [], [], []
    for k in np.unique(y):
        own = X[y == k]
        found = GaussianMixture(parts, reg_covar=0.02 * X.var(), random_state=0).fit(own)
        centres.append(found.means_)
        factors.append(np.linalg.cholesky(found.covariances_))
        weights.append(found.weights_ * len(own) / len(X))
        owners += [k] * parts
    return (*map(np.concatenate, (centres, factors, weights)), np.array(owners))


def fitted_mixtures(random):
    """Normal mixtures fitted to iris, wine, breast cancer or digits, wider or narrower."""
    name = str(random.choice(["iris", "wine", "breast_cancer", "digits"]))
    parts, wider = int(random.choice([1, 2, 4])), random.choice([0.8, 1.2, 1.8])
    draw = _mixture_draw(name, int(random.choice([4, 10, 30])), parts, wider)
    return f"{name} parts={parts} wider={wider}", draw


def noisy_images(random):
    """Digits in fifty principal components, by a fitted mixture; 20 to 60% random labels."""
    noise, parts = random.uniform(0.2, 0.6), int(random.choice([1, 3]))
    clean = _mixture_draw("digits", 50, parts, random.choice([0.8, 1.0, 1.5]))

    def draw(generator, n):
        X, chances = clean(generator, n)
        return X, (1 - noise) * chances + noise / 10

    return f"noise={noise:.2f} parts={parts}", draw


def _mixture_draw(name, n_components, parts, wider):
    centres, factors, weights, owners = _fitted(name, n_components, parts)
    factors = wider * factors

    def draw(generator, n):
        which = generator.choice(len(weights), n, p=weights / weights.sum())
        X = np.empty((n, centres.shape[1]))
        for each in np.unique(which):
            rows = np.flatnonzero(which == each)
            X[rows] = (
                centres[each] + generator.normal(size=(len(rows), X.shape[1])) @ factors[each].T
            )
        parts_of = softmax(_gaussian_scores(X, centres, factors) + np.log(weights), axis=1)
        n_classes = owners.max() + 1
        return X, np.stack([parts_of[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return draw


def hidden_chains(random):
    """Hidden Markov chains: classes differ in how states follow each other."""
    length, n_states = int(random.choice([8, 15, 30])), int(random.choice([2, 3]))
    n_classes, noise = int(random.choice([2, 3])), random.uniform(0.3, 1.2)
    steady = random.uniform(0.5, 6, n_classes)
    moves = np.stack(
        [random.dirichlet(np.ones(n_states), n_states) + s * np.eye(n_states) for s in steady]
    )
    moves /= moves.sum(axis=2, keepdims=True)
    levels = np.arange(n_states) - (n_states - 1) / 2

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        state = generator.integers(0, n_states, n)
        X = np.empty((n, length))
        for step in range(length):
            X[:, step] = levels[state] + noise * generator.normal(size=n)
            state = draw_labels(generator, moves[which, state])
        seen = np.exp(-0.5 * ((X[:, :, None] - levels) / noise) ** 2) + 1e-300
        logs = np.zeros((n, n_classes))
        for k in range(n_classes):
            forward = np.full((n, n_states), 1 / n_states)
            for step in range(length):
                forward = forward * seen[:, step]
                total = forward.sum(axis=1, keepdims=True)
                logs[:, k] += np.log(total[:, 0])
                forward = forward / total @ moves[k]
        return X, softmax(logs, axis=1)

    return f"length={length} states={n_states} K={n_classes} noise={noise:.2f}", draw


def mixed_tables(random):
    """Skewed amounts, dates, flags and categories in one table, some of which interact."""
    n_amounts, n_flags = int(random.choice([3, 6])), int(random.choice([2, 5]))
    levels, steep = int(random.choice([3, 8])), random.choice([1.0, 2.0, 5.0])
    by_level = random.normal(size=levels)
    weights, effects = random.normal(size=n_amounts), random.normal(size=n_flags)
    cross = random.choice([0.0, 1.0])

    def draw(generator, n):
        logs = generator.normal(size=(n, n_amounts))
        flags = (generator.random((n, n_flags)) < 0.3).astype(float)
        level = generator.integers(0, levels, n)
        day = generator.integers(0, 7, n)
        scores = logs @ weights / 2 + (flags - 0.3) @ effects + by_level[level]
        scores += cross * (flags[:, 0] - 0.3) * 3 * logs[:, 0] + 0.5 * (day >= 5)
        X = np.column_stack([np.exp(logs), flags, np.eye(levels)[level], day])
        return X, two_classes(expit(steep * scores / 1.5))

    return f"amounts={n_amounts} flags={n_flags} levels={levels} steep={steep} x={cross}", draw


def few_of_many(random):
    """Few of many columns matter, by thresholds and products."""
    d, used = int(random.choice([60, 150, 300])), int(random.choice([2, 5]))
    steep, kind = random.choice([1.0, 3.0, 8.0]), str(random.choice(["steps", "products", "line"]))

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        if kind == "steps":
            scores = (X[:, :used] > 0.3).sum(axis=1) - 0.382 * used
        elif kind == "products":
            scores = X[:, 0] * X[:, 1] + X[:, 2:used].sum(axis=1) / 2
        else:
            scores = X[:, :used].sum(axis=1) / np.sqrt(used)
        return X, two_classes(expit(steep * scores))

    return f"d={d} used={used} steep={steep:.0f} {kind}", draw


class Copies:
    """A problem whose samples are jittered copies of fewer ones; called, it draws no copies."""

    def __init__(self, draw, times, jitter):
        self._draw, self._times, self._jitter = draw, times, jitter

    def __call__(self, random, n):
        return self._draw(random, n)

    def sample(self, random, n):
        """Points and labels of n samples: copies have the label of their original."""
        X, chances = self._draw(random, -(-n // self._times))
        y = draw_labels(random, chances)
        apart = np.sqrt(2 * X.var(axis=0).sum())  # typical distance of two samples
        noise = random.normal(size=(len(X) * self._times, X.shape[1])) / np.sqrt(X.shape[1])
        X = np.repeat(X, self._times, axis=0) + self._jitter * apart * noise
        order = random.permutation(len(X))[:n]
        return X[order], np.repeat(y, self._times)[order]


def jittered_copies(random):
    """Augmentation: each row two to ten times, moved by 1 to 5% of the typical distance."""
    base = [shift, clusters, rings, fitted_mixtures][int(random.integers(4))]
    times, jitter = int(random.choice([2, 5, 10])), random.choice([0.01, 0.02, 0.05])
    describe, draw = base(random)
    return f"{describe} times={times} jitter={jitter}", Copies(draw, times, jitter)


def _turned(random, sizes, d):
    """A factor of a covariance with these standard deviations in random directions."""
    return np.linalg.qr(random.normal(size=(d, d)))[0] * sizes


def _gaussian_scores(X, centres, factors):
    """Log densities of normal clusters up to a constant, shape (n, clusters)."""
    inverses, volumes = np.linalg.inv(factors), np.linalg.slogdet(factors)[1]
    scores = np.empty((len(X), len(centres)))
    for c, centre in enumerate(centres):
        white = (X - centre) @ inverses[c].T
        scores[:, c] = -0.5 * np.einsum("ij,ij->i", white, white) - volumes[c]
    return scores


FAILED = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        log_ratios, balances, ordinal_levels, parity_of_bits, bits, spectra, fitted_mixtures,
        noisy_images, hidden_chains, mixed_tables, few_of_many, jittered_copies,
    )
}  # fmt: skip
