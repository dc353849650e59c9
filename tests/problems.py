"""Classification problems of known difficulty that several tests share."""

import numpy as np

from smartsvm._core.points import Points
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.held_out.trials import Trials


def two_gaussians(n, d=3, separation=1.5, seed=0):
    """Two spherical Gaussian classes, `separation` apart along the first of d columns."""
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = random.normal(size=(n, d))
    X[:, 0] += separation * y
    return X, y


def trials_of(X, y, classifiers=CLASSIFIERS, seed=0):
    """The held-out mistakes of some classifiers."""
    return Trials(Points(X), y, None, classifiers, seed=seed, n_jobs=1)
