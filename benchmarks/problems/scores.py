"""A score of the columns gives the probabilities: logistic, ordered, with products."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_ndtr, log_softmax, ndtri, softmax

from .building import two_classes


def logistic(random):
    """A logistic regression on normal columns."""
    d, strength = int(random.choice([3, 10, 30, 100])), random.uniform(0.5, 6)
    offset = random.choice([0.0, 0.0, 1.0])
    weights = random.normal(size=d)
    weights *= strength / np.linalg.norm(weights)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(X @ weights + offset))

    return f"d={d} strength={strength:.2f} offset={offset}", draw


def ordered(random):
    """Ordered classes: thresholds on a score with squares and products, behind noise."""
    d, n_classes = int(random.choice([3, 6, 12, 30])), int(random.choice([3, 4, 6]))
    slopes = random.normal(size=d) * (np.arange(d) < 5)
    pairs = random.normal(size=(d, d)) * ((np.arange(d) < 3)[:, None] & (np.arange(d) < 3))
    noise = random.uniform(0.2, 1.5)
    cuts = np.quantile(random.normal(scale=2, size=2000), np.arange(1, n_classes) / n_classes)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        scores = X @ slopes + np.einsum("ni,ij,nj->n", X, pairs, X)
        below = expit((cuts - scores[:, None]) / noise)
        ends = np.column_stack([np.zeros(n), below, np.ones(n)])
        return X, np.maximum(np.diff(ends, axis=1), 0)

    return f"d={d} K={n_classes} noise={noise:.2f}", draw


def ordinal(random):
    """Ordered classes along a line; half of the columns are lognormal."""
    d, n_classes = int(random.choice([3, 8, 20])), int(random.choice([3, 5, 7]))
    along, steep = random.normal(size=d), random.uniform(2, 12)
    along /= np.linalg.norm(along)
    cuts = ndtri(np.arange(1, n_classes) / n_classes)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        below = expit(steep * (cuts - (X @ along)[:, None]))
        below = np.column_stack([np.zeros(n), below, np.ones(n)])
        X[:, ::2] = np.exp(X[:, ::2])
        return X, np.diff(below, axis=1)

    return f"d={d} K={n_classes} steep={steep:.1f}", draw


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


def thresholds(random):
    """Selected samples: the label by a latent score, columns seen through a bent lens."""
    d, n_classes = int(random.choice([3, 8, 20])), 2
    slopes = random.normal(size=d)
    slopes *= random.uniform(0.7, 4) / np.linalg.norm(slopes)
    offset = random.choice([0.0, 1.0, 2.0])
    powers = random.choice([0.5, 1.0, 3.0], d)

    def draw(generator, n):
        latent = generator.normal(size=(n, d))
        low, high = log_ndtr(-(latent @ slopes - offset)), log_ndtr(latent @ slopes - offset)
        chances = np.exp(log_softmax(np.column_stack([low, high]), axis=1))
        return np.sign(latent) * np.abs(latent) ** powers, chances

    return f"d={d} K={n_classes} offset={offset}", draw


def products(random):
    """A logistic regression on products of columns."""
    d, first, second = int(random.choice([4, 8, 16])), random.uniform(1, 5), random.uniform(0, 3)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(first * X[:, 0] * X[:, 1] + second * X[:, 2] * X[:, 3] - 0.5))

    return f"d={d} first={first:.1f} second={second:.1f}", draw


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


def line_and_product(random):
    """A line in some columns, and the product of two or three others."""
    d, used = int(random.choice([5, 10, 30])), int(random.choice([2, 3]))
    steep, line = random.choice([1.0, 3.0, 10.0]), random.choice([0.0, 0.5, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(steep * (X[:, :used].prod(axis=1) + line * X[:, used])))

    return f"d={d} used={used} steep={steep:.0f} line={line}", draw


def ten_way_logits(random):
    """Ten classes or so by a multinomial logistic model in correlated columns."""
    d, n_classes = int(random.choice([4, 10, 30])), int(random.choice([6, 10, 20]))
    steep, shared = random.uniform(1, 8), random.choice([0.0, 0.6])
    weights = random.normal(size=(d, n_classes)) / np.sqrt(d)

    def draw(generator, n):
        X = np.sqrt(1 - shared) * generator.normal(size=(n, d))
        X += np.sqrt(shared) * generator.normal(size=(n, 1))
        return X, softmax(steep * X @ weights, axis=1)

    return f"d={d} K={n_classes} steep={steep:.1f} shared={shared}", draw


def any_cause(random):
    """Each of some columns may cause the event on its own once it passes a threshold."""
    used, extra = int(random.choice([2, 4, 8])), int(random.choice([0, 4, 30]))
    strength, steep = random.choice([0.5, 0.8, 0.99]), random.choice([2.0, 10.0])
    cuts = random.normal(size=used) * 0.4 + np.sqrt(used) * 0.7

    def draw(generator, n):
        X = generator.normal(size=(n, used + extra))
        spared = 1 - strength * expit(steep * (X[:, :used] - cuts))
        return X, two_classes(1 - 0.98 * spared.prod(axis=1))

    return f"used={used} extra={extra} strength={strength} steep={steep:.0f}", draw
