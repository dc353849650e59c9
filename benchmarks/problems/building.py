"""Parts that recipes of several kinds share."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax


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


def named(*recipes):
    """Recipes by family name: the function's name with spaces."""
    return {recipe.__name__.replace("_", " "): recipe for recipe in recipes}
