"""Recipes of simulated problems whose columns are zero most of the time, for design.

As in `recipes`, each gives its parameters in words and a function
``draw(random, n)`` that gives points and the probabilities of the classes at each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, softmax


def rare_events(random):
    """Counts of rare events: Poisson columns with a rate for each class."""
    d, n_classes = int(random.choice([4, 12, 30, 60])), int(random.choice([2, 3, 5]))
    base = random.gamma(0.5, random.uniform(0.2, 1.5), d) + 0.01
    rates = base * np.exp(random.normal(scale=random.uniform(0.3, 1.2), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(rates[which]).astype(float)
        return X, softmax(X @ np.log(rates).T - rates.sum(axis=1), axis=1)

    return f"d={d} K={n_classes} mean={rates.mean():.2f}", draw


def word_counts(random):
    """Documents: counts of words that each class draws by its own chances."""
    d, n_classes = int(random.choice([20, 60, 150])), int(random.choice([2, 4, 8]))
    words = random.dirichlet(np.full(d, 0.3)) + 1e-3
    tilt = random.uniform(0.2, 1.0)
    chances = words * np.exp(random.normal(scale=tilt, size=(n_classes, d)))
    chances /= chances.sum(axis=1, keepdims=True)
    length = int(random.choice([8, 25, 60]))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        lengths = 1 + generator.poisson(length, n)
        X = generator.multinomial(lengths, chances[which]).astype(float)
        return X, softmax(X @ np.log(chances).T, axis=1)

    return f"d={d} K={n_classes} tilt={tilt:.2f} length={length}", draw


def cut_off(random):
    """Instruments that show nothing below a threshold: normal columns, cut off at zero."""
    d, n_classes = int(random.choice([3, 8, 20, 40])), int(random.choice([2, 3]))
    middles = random.normal(-0.8, random.uniform(0.2, 0.9), (n_classes, d))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.maximum(middles[which] + generator.normal(size=(n, d)), 0)
        logs = np.stack(
            [
                np.where(X > 0, -0.5 * (X - middle) ** 2 - 0.919, log_ndtr(-middle)).sum(axis=1)
                for middle in middles
            ],
            axis=1,
        )
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes}", draw


def amounts(random):
    """Purchases: which things go together is one matter, their skewed amounts another."""
    d, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 3]))
    n_types = int(random.choice([2, 4]))
    chances = random.beta(0.5, 1.5, (n_classes, n_types, d)) * 0.8 + 0.02
    shape, scales = random.uniform(0.5, 2), np.exp(random.normal(scale=0.5, size=(n_classes, d)))

    def draw(generator, n):
        which, kind = generator.integers(0, n_classes, n), generator.integers(0, n_types, n)
        there = generator.random((n, d)) < chances[which, kind]
        X = np.where(there, generator.gamma(shape, scales[which]) + 1e-9, 0.0)
        logs = np.empty((n, n_classes, n_types))
        for k in range(n_classes):
            inside = -X / scales[k] - shape * np.log(scales[k])
            for kind_ in range(n_types):
                present = chances[k, kind_]
                logs[:, k, kind_] = np.where(
                    there, inside + np.log(present), np.log1p(-present)
                ).sum(axis=1)
        parts = softmax(logs.reshape(n, -1), axis=1)
        return X, parts.reshape(n, n_classes, n_types).sum(axis=2)

    return f"d={d} K={n_classes} types={n_types} shape={shape:.2f}", draw


def overdispersed(random):
    """Counts with more zeros and longer tails than Poisson's: negative binomial, inflated."""
    d, n_classes = int(random.choice([5, 15, 50])), int(random.choice([2, 3, 4]))
    size, zero = random.uniform(0.3, 1.5), random.uniform(0.2, 0.7, d)
    means = random.gamma(1.0, 2.0, d) * np.exp(
        random.normal(scale=random.uniform(0.3, 1.0), size=(n_classes, d))
    )
    chances = size / (size + means)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.negative_binomial(size, chances[which])
        X = np.where(generator.random((n, d)) < zero, 0, X).astype(float)
        logs = np.empty((n, n_classes))
        constant = gammaln(X + size) - gammaln(size) - gammaln(X + 1)
        for k in range(n_classes):
            log = constant + size * np.log(chances[k]) + X * np.log1p(-chances[k])
            log = np.log1p(-zero) + log
            log = np.where(X == 0, np.logaddexp(np.log(zero), log), log)
            logs[:, k] = log.sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} size={size:.2f}", draw


def few_active(random):
    """A straight score of sparse amounts, of which two columns count only together."""
    d, share = int(random.choice([5, 15, 50, 120])), random.uniform(0.05, 0.4)
    slopes = random.normal(scale=random.uniform(0.5, 2), size=d) * (random.random(d) < 0.4)
    together, offset = random.normal(scale=3), random.normal(scale=0.5)

    def draw(generator, n):
        there = generator.random((n, d)) < share
        X = np.where(there, generator.exponential(size=(n, d)), 0.0)
        score = X @ slopes - share * slopes.sum() + offset
        score += together * ((X[:, 0] > 0) & (X[:, 1] > 0))
        chance = expit(score)
        return X, np.column_stack([1 - chance, chance])

    return f"d={d} share={share:.2f}", draw


def claims(random):
    """Claims: few, of Weibull amounts with long tails; classes differ in how often and how much."""
    d, n_classes = int(random.choice([4, 10, 25])), int(random.choice([2, 3, 4]))
    shape, often = random.uniform(0.4, 0.9), random.beta(1.5, 4, (n_classes, d)) * 0.9 + 0.02
    scales = np.exp(random.normal(scale=random.uniform(0.2, 0.8), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        there = generator.random((n, d)) < often[which]
        X = np.where(there, scales[which] * generator.weibull(shape, (n, d)) + 1e-9, 0.0)
        logs = np.empty((n, n_classes))
        for k in range(n_classes):
            ratio = np.where(there, X, 1.0) / scales[k]
            inside = (shape - 1) * np.log(ratio) - ratio**shape - np.log(scales[k])
            logs[:, k] = np.where(there, inside + np.log(often[k]), np.log1p(-often[k])).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} shape={shape:.2f}", draw


def mixed_columns(random):
    """Half of the columns dense and normal, half mostly zero with amounts of several magnitudes."""
    d, n_classes = int(random.choice([4, 10, 24])), int(random.choice([2, 3]))
    half = d // 2
    middles = random.normal(scale=random.uniform(0.1, 0.6), size=(n_classes, half))
    often = random.uniform(0.03, 0.4, (n_classes, d - half))
    spread = random.uniform(0.8, 2.0)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        dense = middles[which] + generator.normal(size=(n, half))
        there = generator.random((n, d - half)) < often[which]
        sizes = np.exp(spread * generator.normal(size=there.shape))
        logs = -0.5 * ((dense[:, None] - middles) ** 2).sum(axis=2)
        logs += there @ np.log(often).T + ~there @ np.log1p(-often).T
        return np.hstack([dense, np.where(there, sizes, 0.0)]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} spread={spread:.2f}", draw
