"""Data of the suites: made here, the same at every run."""

import numpy as np


def points(n, d, kind="clustered"):
    """Uniform points in a cube, or Gaussian clusters of about a hundred points."""
    random = np.random.default_rng(20 * n + d)
    if kind == "uniform":
        return random.random((n, d))
    centres = random.normal(size=(max(1, n // 100), d)) * 5
    return centres[random.integers(len(centres), size=n)] + random.normal(size=(n, d))


def classes(n, d, n_classes):
    """Overlapping Gaussian classes: points and labels."""
    random = np.random.default_rng(n + d + n_classes)
    centres = random.normal(size=(n_classes, d)) * 2
    y = np.arange(n) % n_classes
    return centres[y] + random.normal(size=(n, d)), y
