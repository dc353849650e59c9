"""Samples that are copies of fewer ones."""

from __future__ import annotations

import numpy as np

from .building import draw_labels, named
from .gaussians import shift
from .geometry import rings
from .mixtures import clusters, fitted_mixtures


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


FAMILIES = named(jittered_copies)
