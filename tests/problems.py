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


def check_best_by(margin, name, X, y):
    """The held-out mistakes of a classifier, which errs less than all others, as its scores say."""
    found = trials_of(X, y).mistakes
    errors = {other: each.errors.min() for other, each in found.items()}
    assert errors[name] < min(errors[other] for other in errors if other != name) - margin
    np.testing.assert_array_equal(found[name].scores(0).argmax(axis=1) != y, found[name].wrong[0])
    return found[name]


def check_no_signal(held_out, n, d):
    """Labels that depend on no column: a leak, also by the choice of columns, shows as signal."""
    errors = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(n, d)), random.permutation(np.arange(n) % 2)
        errors.append(held_out(X, y, 2).errors[0])
    assert 0.43 < np.mean(errors) < 0.57


def trials_of(X, y, classifiers=CLASSIFIERS, seed=0):
    """The held-out mistakes of some classifiers."""
    return Trials(Points(X), y, None, classifiers, seed=seed, n_jobs=1)
