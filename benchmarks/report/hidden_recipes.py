"""Recipes of problems in which one part of the signal is easy to see and another one is hidden.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each. With few samples every classifier settles at
the part that is easy to see, and the interval must not take that for the best possible.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax


def _two(chances):
    return np.stack([1 - chances, chances], axis=1)


def line_and_product(random):
    """A line in some columns, and the product of two or three others."""
    d, used = int(random.choice([5, 10, 30])), int(random.choice([2, 3]))
    steep, line = random.choice([1.0, 3.0, 10.0]), random.choice([0.0, 0.5, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, _two(expit(steep * (X[:, :used].prod(axis=1) + line * X[:, used])))

    return f"d={d} used={used} steep={steep:.0f} line={line}", draw


def smooth_borders(random):
    """Each class has a smooth random function of a few columns; the largest one wins."""
    d, used = int(random.choice([2, 6, 15, 30])), int(random.choice([2, 3, 5]))
    n_classes, steep = int(random.choice([2, 3, 5, 10])), random.choice([1.0, 3.0, 10.0])
    used, waves = min(used, d), 30
    slopes = random.normal(scale=random.choice([0.5, 1.0, 2.0]), size=(used, waves))
    starts, heights = random.uniform(0, 2 * np.pi, waves), random.normal(size=(waves, n_classes))

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        values = np.cos(X[:, :used] @ slopes + starts) @ heights / np.sqrt(waves / 2)
        return X, softmax(steep * values, axis=1)

    return f"d={d} used={used} K={n_classes} steep={steep:.0f}", draw


def striped(random):
    """Stripes along one direction take turns in the classes; a line tells a part of the rest."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3]))
    stripes, steep = random.choice([2.0, 4.0, 8.0]), random.choice([1.0, 2.0, 5.0])
    line, directions = random.choice([0.0, 1.0]), random.normal(size=(2, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)

    def draw(generator, n):
        X = generator.uniform(-1.7, 1.7, size=(n, d))
        turns = np.floor(stripes * X @ directions[0]).astype(int) % n_classes
        scores = np.eye(n_classes)[turns] + line * np.outer(X @ directions[1], range(n_classes))
        return X, softmax(steep * scores, axis=1)

    return f"d={d} K={n_classes} stripes={stripes:.0f} steep={steep:.0f} line={line:.0f}", draw


def parity_beside_a_line(random):
    """Whether three to six columns have an odd number of signs, and a line in another one."""
    d, used = int(random.choice([8, 15, 30])), int(random.choice([3, 4, 6]))
    steep, line = random.choice([0.5, 1.0, 3.0]), random.choice([0.0, 0.5, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, _two(expit(2 * steep * (np.sign(X[:, :used]).prod(axis=1) + line * X[:, used])))

    return f"d={d} used={used} steep={steep} line={line}", draw


HIDDEN = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (line_and_product, smooth_borders, striped, parity_beside_a_line)
}
