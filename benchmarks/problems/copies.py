"""Samples that are copies of others."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from .building import draw_labels
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


class Repeated:
    """A problem in which some cases are entered twice; called, it draws each case once."""

    def __init__(self, draw, share, dated):
        self._draw, self._share, self._dated = draw, share, dated

    def __call__(self, random, n):
        return self._draw(random, n)

    def sample(self, random, n):
        """Points and labels: a second entry repeats the first one, but for its date."""
        once = n - int(self._share * n / 2)
        X, chances = self._draw(random, once)
        y = draw_labels(random, chances)
        again = random.choice(once, n - once, replace=False)
        second = X[again]
        if self._dated:
            second[:, -1] = _days(random, len(again))
        order = random.permutation(n)
        return np.concatenate([X, second])[order], np.concatenate([y, y[again]])[order]


def _days(random, n):
    """Days of a year, of which none matters."""
    return random.integers(1, 366, n)


def double_entries(random):
    """A register in which some people are entered twice, perhaps on another day."""
    d, n_classes = int(random.choice([4, 8, 16])), int(random.choice([2, 3]))
    share, dated = random.choice([0.1, 0.4, 0.8]), random.random() < 0.5
    sharp, codes = random.uniform(0.5, 3), random.random(d) < 0.4
    slopes = sharp * random.normal(size=(d, n_classes)) / np.sqrt(d)
    both = 0.4 * sharp * random.normal(size=n_classes)

    def draw(generator, n):
        X = generator.normal(size=(n, d)) + 0.5 * generator.normal(size=(n, 1))
        X[:, codes] = X[:, codes].round()
        chances = softmax(X @ slopes + np.outer(X[:, 0] * X[:, 1], both), axis=1)
        return (np.column_stack([X, _days(generator, n)]) if dated else X), chances

    text = f"d={d} K={n_classes} twice={share} dated={dated} sharp={sharp:.1f}"
    return text, Repeated(draw, share, dated)
