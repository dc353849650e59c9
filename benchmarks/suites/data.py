"""Data of the suites: made here, the same at every run."""

import numpy as np
import pandas as pd

import smartsvm


def public(name):
    """A public thing of smartsvm; asv leaves a benchmark out where a commit has no such thing."""
    if not hasattr(smartsvm, name):
        raise NotImplementedError(name)
    return getattr(smartsvm, name)


def points(n, d, kind="clustered"):
    """Points in a cube, whole numbers, a lattice of many copies, or clusters of about a hundred."""
    random = np.random.default_rng(20 * n + d)
    if kind == "uniform":
        return random.random((n, d))
    if kind == "integers":
        return random.integers(0, 17, size=(n, d)).astype(float)
    if kind == "lattice":
        side = round((n / 4) ** (1 / d))  # three of four points copy another
        return random.integers(0, side, size=(n, d)).astype(float)
    centres = random.normal(size=(max(1, n // 100), d)) * 5
    return centres[random.integers(len(centres), size=n)] + random.normal(size=(n, d))


def classes(n, d, n_classes, spread=2.0):
    """Overlapping Gaussian classes: points and labels; a wider spread makes them easier."""
    random = np.random.default_rng(n + d + n_classes)
    centres = random.normal(size=(n_classes, d)) * spread
    y = np.arange(n) % n_classes
    return centres[y] + random.normal(size=(n, d)), y


def table(n):
    """Two classes as a user's table: numbers with gaps, counts, texts and dates."""
    random = np.random.default_rng(n)
    sick = random.integers(2, size=n)
    frame = pd.DataFrame(
        {
            "age": random.normal(50 + 10 * sick, 15),
            "visits": random.poisson(2 + sick),
            "sex": random.choice(["f", "m"], n),
            "town": np.char.add("town ", random.integers(20, size=n).astype(str)),
            "seen": pd.Timestamp("2025-01-01") + pd.to_timedelta(random.integers(365, size=n), "D"),
            "sick": np.where(sick, "yes", "no"),
        }
    )
    frame.loc[::5, "age"] = np.nan
    return frame
