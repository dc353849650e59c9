"""Recipes of simulated problems that were written down after those of `recipes` had been looked at.

As in `recipes`, each gives its parameters in words and a function
``draw(random, n)`` that gives points and the probabilities of the classes at each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gammaln, softmax

_SIDE = 8  # pixels of the edge of a picture


def ripples(random):
    """Fine sinusoidal borders across a few columns, beside columns of noise."""
    live, extra = int(random.choice([1, 2, 3])), int(random.choice([0, 1, 4]))
    direction, speed = random.normal(size=live), random.uniform(4, 14)
    direction /= np.linalg.norm(direction)
    steepness = random.choice([2.0, 8.0])

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, live + extra))
        height = np.sin(speed * X[:, :live] @ direction)
        return X, softmax(np.stack([-steepness * height, steepness * height], axis=1) / 2, axis=1)

    return f"live={live} extra={extra} speed={speed:.1f} steepness={steepness:.0f}", draw


def nested_mixture(random):
    """Clusters of clusters of clusters, each level narrower; classes belong to the last level."""
    d, n_classes = int(random.choice([2, 4, 8, 16])), int(random.choice([2, 3, 5]))
    wide, narrow = random.uniform(3, 8), random.uniform(1.5, 4)
    top = random.normal(scale=wide, size=(3, 1, 1, d))
    middle = random.normal(scale=narrow, size=(3, 2, 1, d))
    last = random.normal(scale=1.5, size=(3, 2, 3, d))
    centres = (top + middle + last).reshape(-1, d) / np.sqrt(min(d, 6) / 2)
    owners = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, 18 - n_classes)])
    widths = np.exp(random.normal(scale=0.4, size=18))

    def draw(generator, n):
        which = generator.integers(0, 18, n)
        X = centres[which] + widths[which, None] * generator.normal(size=(n, d))
        squared = ((X[:, None] - centres) ** 2).sum(axis=2)
        parts = softmax(-squared / (2 * widths**2) - d * np.log(widths), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"d={d} K={n_classes} wide={wide:.1f} narrow={narrow:.1f}", draw


def table(random):
    """Columns of a few levels, whose twos and threes act together on the class."""
    d, n_classes = int(random.choice([4, 6, 10, 15])), int(random.choice([2, 3, 4]))
    levels, strength = random.integers(2, 6, d), random.uniform(0.7, 3)
    together = [random.choice(d, int(random.choice([1, 2, 3])), replace=False) for _ in range(5)]
    effects = [
        random.normal(scale=strength, size=(*levels[columns], n_classes)) for columns in together
    ]

    def draw(generator, n):
        X = generator.integers(0, levels, (n, d))
        scores = sum(
            effect[tuple(X[:, columns].T)]
            for columns, effect in zip(together, effects, strict=True)
        )
        return X.astype(float), softmax(scores, axis=1)

    return f"d={d} K={n_classes} strength={strength:.2f}", draw


def copula(random):
    """Heavy tails, the same in every class: classes differ in how columns go together."""
    d, n_classes = int(random.choice([2, 3, 5, 10])), int(random.choice([2, 3]))
    freedom = int(random.choice([2, 4]))
    factors = []
    for _ in range(n_classes):
        mixed = random.normal(size=(d, d)) * random.uniform(0.3, 1.5) + np.eye(d)
        matrix = mixed @ mixed.T
        scale = np.sqrt(np.diag(matrix))
        factors.append(np.linalg.cholesky(matrix / np.outer(scale, scale)))
    inverses = [np.linalg.inv(each) for each in factors]
    volumes = [np.log(np.diag(each)).sum() for each in factors]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        white = generator.normal(size=(n, d))
        X = np.stack(
            [each @ row for each, row in zip(np.array(factors)[which], white, strict=True)]
        )
        X /= np.sqrt(generator.chisquare(freedom, (n, 1)) / freedom)
        logs = [
            -(freedom + d) / 2 * np.log1p(((X @ inverse.T) ** 2).sum(axis=1) / freedom) - volume
            for inverse, volume in zip(inverses, volumes, strict=True)
        ]
        return np.sign(X) * np.abs(X) ** 1.5, softmax(np.stack(logs, axis=1), axis=1)

    return f"d={d} K={n_classes} freedom={freedom}", draw


def pictures(random):
    """A pattern for each class, shifted at random in a noisy picture of 8 by 8 pixels."""
    n_classes, noise = int(random.choice([2, 3, 6])), random.uniform(0.3, 1.5)
    patterns = random.normal(size=(n_classes, 3, 3))
    n_shifts = int(random.choice([2, 4, 6]))
    places = [(k, i, j) for k in range(n_classes) for i in range(n_shifts) for j in range(n_shifts)]
    centres = np.zeros((len(places), _SIDE, _SIDE))
    for centre, (k, i, j) in zip(centres, places, strict=True):
        centre[i : i + 3, j : j + 3] = patterns[k]
    centres = centres.reshape(len(places), -1)
    owners = np.array([k for k, _, _ in places])

    def draw(generator, n):
        which = generator.integers(0, len(places), n)
        X = centres[which] + noise * generator.normal(size=(n, _SIDE**2))
        squared = (centres**2).sum(axis=1) - 2 * X @ centres.T
        parts = softmax(-squared / (2 * noise**2), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"K={n_classes} shifts={n_shifts} noise={noise:.2f}", draw


def decisions(random):
    """A random decision tree over a few of the columns, with its own probabilities in each leaf."""
    d, n_classes = int(random.choice([3, 6, 12, 25])), int(random.choice([2, 3]))
    depth = int(random.choice([2, 4, 6]))
    live = min(d, int(random.choice([2, 4, 6])))
    columns = random.integers(0, live, 2**depth)
    places = random.uniform(-1, 1, 2**depth)
    leaves = random.dirichlet(np.full(n_classes, random.choice([0.15, 0.6])), 2**depth)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        node = np.ones(n, dtype=np.intp)
        for _ in range(depth):
            node = 2 * node + (X[np.arange(n), columns[node]] > places[node])
        return X, leaves[node - 2**depth]

    return f"d={d} K={n_classes} depth={depth} live={live}", draw


# ---------------------------------------------------------- written down after those above were run


def compositions(random):
    """Shares that sum to 1: Dirichlet classes."""
    d, n_classes = int(random.choice([3, 5, 10, 20])), int(random.choice([2, 3, 4]))
    strength = random.uniform(2, 12)
    alphas = strength * random.dirichlet(np.full(d, 3.0), n_classes) + 0.3
    constants = gammaln(alphas.sum(axis=1)) - gammaln(alphas).sum(axis=1)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.gamma(alphas[which]) + 1e-12
        X /= X.sum(axis=1, keepdims=True)
        return X, softmax(np.log(X) @ (alphas - 1).T + constants, axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


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


def mostly_zero(random):
    """Columns that are zero most of the time; classes differ in which and in how much."""
    d, n_classes = int(random.choice([5, 15, 40])), int(random.choice([2, 3]))
    present = random.uniform(0.05, 0.5, (n_classes, d))
    middle = random.normal(scale=0.5, size=(n_classes, d))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        there = generator.random((n, d)) < present[which]
        logs = generator.normal(size=(n, d)) + middle[which]
        scores = np.zeros((n, n_classes))
        for k in range(n_classes):
            inside = np.log(present[k]) - 0.5 * (logs - middle[k]) ** 2
            scores[:, k] = np.where(there, inside, np.log1p(-present[k])).sum(axis=1)
        return np.where(there, np.exp(logs), 0.0), softmax(scores, axis=1)

    return f"d={d} K={n_classes}", draw


def tones(random):
    """Short series of one tone each, of any phase, in noise; classes are frequencies."""
    d, n_classes = int(random.choice([12, 24, 48])), int(random.choice([2, 3]))
    noise = random.uniform(0.5, 2.5)
    frequencies = random.uniform(0.5, 2.5, n_classes)
    phases = 2 * np.pi * np.arange(16) / 16
    steps = np.arange(d)
    centres = np.cos(frequencies[:, None, None] * steps + phases[:, None]).reshape(-1, d)
    owners = np.repeat(np.arange(n_classes), 16)

    def draw(generator, n):
        which = generator.integers(0, len(centres), n)
        X = centres[which] + noise * generator.normal(size=(n, d))
        squared = (centres**2).sum(axis=1) - 2 * X @ centres.T
        parts = softmax(-squared / (2 * noise**2), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"d={d} K={n_classes} noise={noise:.2f}", draw
