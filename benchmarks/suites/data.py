"""Data of the suites: made here, the same at every run."""

import numpy as np

import smartsvm


def public(name):
    """A public thing of smartsvm; asv leaves a benchmark out where a commit has no such thing."""
    if not hasattr(smartsvm, name):
        raise NotImplementedError(name)
    return getattr(smartsvm, name)


def points(n, d, kind="clustered"):
    """Uniform points in a cube, or Gaussian clusters of about a hundred points."""
    random = np.random.default_rng(20 * n + d)
    if kind == "uniform":
        return random.random((n, d))
    centres = random.normal(size=(max(1, n // 100), d)) * 5
    return centres[random.integers(len(centres), size=n)] + random.normal(size=(n, d))


def classes(n, d, n_classes, spread=2.0):
    """Overlapping Gaussian classes: points and labels; a wider spread makes them easier."""
    random = np.random.default_rng(n + d + n_classes)
    centres = random.normal(size=(n_classes, d)) * spread
    y = np.arange(n) % n_classes
    return centres[y] + random.normal(size=(n, d)), y
