"""Recipes of eight further kinds; half of them hide what tells classes apart in several columns.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtri

from .recipes import two_classes


def remainders(random):
    """The remainder of a sum of two whole numbers among other columns, with some noise."""
    n_classes, others = int(random.choice([2, 3])), int(random.choice([0, 3, 6]))
    top, noise = int(random.choice([3, 5])), random.choice([0, 0.1, 0.3])

    def draw(generator, n):
        X = generator.integers(0, top, size=(n, 2 + others)).astype(float)
        sure = np.eye(n_classes)[((X[:, 0] + X[:, 1]) % n_classes).astype(int)]
        X += generator.uniform(-0.4, 0.4, X.shape)
        return X, (1 - noise) * sure + noise / n_classes

    return f"K={n_classes} others={others} top={top} noise={noise}", draw


def exceptions(random):
    """One column decides on one side of another one, and a product of two on its other side."""
    d, steep = int(random.choice([4, 8, 12])), random.choice([1.0, 3.0, 10.0])
    share = random.choice([0.3, 0.6, 0.9])
    border = ndtri(share)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        decides = np.where(X[:, 0] < border, X[:, 1], X[:, 2] * X[:, 3])
        return X, two_classes(expit(steep * decides))

    return f"d={d} steep={steep:.0f} share={share}", draw


def cells_of_three(random):
    """A random table over three levels of three of some uniform columns."""
    d, strength = int(random.choice([3, 6, 9])), random.choice([1.0, 2.0, 4.0])
    table = expit(strength * random.normal(size=(3, 3, 3)))

    def draw(generator, n):
        X = generator.random((n, d))
        levels = np.minimum((3 * X[:, :3]).astype(int), 2)
        return X, two_classes(table[tuple(levels.T)])

    return f"d={d} strength={strength:.0f}", draw


def phases(random):
    """How far two angles are apart, given by sines and cosines beside columns of noise."""
    others, steep = int(random.choice([0, 2, 6])), random.choice([1.0, 3.0, 8.0])
    turns = int(random.choice([1, 2]))

    def draw(generator, n):
        angles = generator.uniform(0, 2 * np.pi, (n, 2))
        X = [np.cos(angles), np.sin(angles), 0.7 * generator.normal(size=(n, others))]
        return np.concatenate(X, axis=1), two_classes(
            expit(steep * np.cos(turns * (angles[:, 0] - angles[:, 1])))
        )

    return f"others={others} steep={steep:.0f} turns={turns}", draw


def pairs_of_places(random):
    """Whether two places, three coordinates each, are far from each other."""
    steep, spread = random.choice([1.0, 3.0, 8.0]), random.uniform(0.5, 2.0)

    def draw(generator, n):
        X = generator.normal(size=(n, 6)) * np.repeat([1, spread], 3)
        apart = np.linalg.norm(X[:, :3] - X[:, 3:], axis=1)
        return X, two_classes(expit(steep * (apart - 1.6 * np.hypot(1, spread))))

    return f"steep={steep:.0f} spread={spread:.2f}", draw


def questionnaires(random):
    """A logistic curve in the sum of some of twenty answers from 1 to 5."""
    used, steep = int(random.choice([3, 10, 20])), random.choice([0.5, 1.0, 3.0])
    weights = np.zeros(20)
    weights[:used] = random.normal(size=used)
    weights /= np.linalg.norm(weights)

    def draw(generator, n):
        mood = generator.normal(size=(n, 1))
        X = np.clip(np.round(3 + 0.6 * mood + generator.normal(size=(n, 20))), 1, 5)
        return X, two_classes(expit(steep * (X - 3) @ weights))

    return f"used={used} steep={steep}", draw


def uneven_noise(random):
    """The sign of one column, the less certain the larger another one is."""
    d, most = int(random.choice([2, 5, 10])), random.choice([0.2, 0.35, 0.5])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        wrong = most * expit(2 * X[:, 1])
        return X, two_classes(np.where(X[:, 0] > 0, 1 - wrong, wrong))

    return f"d={d} most={most}", draw


def heavy_mixtures(random):
    """Three classes of two Student distributions each, of three degrees of freedom."""
    d, apart = int(random.choice([2, 4, 8])), random.uniform(1.5, 4)
    centres = apart * random.normal(size=(3, 2, d)) / np.sqrt(d)

    def draw(generator, n):
        which, part = generator.integers(0, 3, n), generator.integers(0, 2, n)
        scale = np.sqrt(generator.chisquare(3, n) / 3)
        X = centres[which, part] + generator.normal(size=(n, d)) / scale[:, None]
        squared = ((X[:, None, None] - centres) ** 2).sum(axis=3)
        densities = ((1 + squared / 3) ** (-(3 + d) / 2)).sum(axis=2)
        return X, densities / densities.sum(axis=1, keepdims=True)

    return f"d={d} apart={apart:.2f}", draw


LATER = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        remainders, exceptions, cells_of_three, phases, pairs_of_places, questionnaires,
        uneven_noise, heavy_mixtures,
    )
}  # fmt: skip
