"""Point sets that break careless kernels."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

_QUICK = settings.get_profile("ci").max_examples


def examples(number):
    """Settings of a test with this many examples in the quick suite, and more in a thorough one."""
    return settings(max_examples=max(1, number * settings.default.max_examples // _QUICK))


@st.composite
def point_sets(draw, least=1, most=24, most_features=20, kinds=None):
    """Random, single, lattice, duplicated, collinear, constant, offset and badly scaled values."""
    kind = draw(
        st.sampled_from(
            kinds
            or (
                "values",
                "normal",
                "lattice",
                "duplicated",
                "collinear",
                "constant",
                "extreme constant",
                "offset",
                "far",
                "onehot",
            )
        )
    )
    n = draw(st.integers(least, most))
    d = draw(st.integers(1, most_features))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind == "lattice":
        high = draw(st.integers(1, 4))
        return draw(
            hnp.arrays(
                np.float64, (n, d), elements=st.integers(0, high).map(float), fill=st.just(0.0)
            )
        )
    X = random.normal(size=(n, d))
    if kind == "normal":
        return X  # without ties, as no value is drawn by itself
    # Values that hypothesis shrinks one by one, or random ones.
    values = hnp.arrays(np.float64, (n, d), elements=st.floats(-4, 4, width=16))
    X = draw(values if kind == "values" else st.one_of(values, st.just(X)))
    if kind == "duplicated":
        X = X[draw(_places(n, max(1, n // 3)))]
    elif kind == "collinear":
        X = (draw(_places(n, 11))[:, None] - 5) * X[:1]
    elif kind == "constant":
        X[:, random.integers(0, d, size=d)] = 1.5
    elif kind == "extreme constant":
        # Columns of one value up to the limits of what kernels take, beside any others.
        columns = random.integers(0, d, size=(d + 1) // 2)
        X = np.ldexp(X, int(random.integers(-380, 380)))
        X[:, columns] = np.ldexp(1.5, random.integers(-439, 499, size=len(columns)))
    elif kind == "offset":
        X = X + 1e8
    elif kind == "far":
        X = X + 1e8 * draw(_places(n, 2))[:, None]
    elif kind == "onehot":
        X = np.eye(d)[draw(_places(n, d))]
    return X


def _places(n, number):
    """Which of a number of things each of n points has; simpler where all have the first."""
    return hnp.arrays(np.intp, n, elements=st.integers(0, number - 1))


seeds = st.integers(0, 2**64 - 1)


@st.composite
def graphs(draw, least=2, most=80):
    """Weights: dense, clustered, sparse, tied and constant; with ties also in rounding."""
    n = draw(st.integers(least, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["dense", "clustered", "sparse", "counts", "tenths", "constant"]))
    weights = random.random((n, n))
    if kind == "clustered":
        centres = 2 * random.normal(size=(n, 3))
        weights = np.exp(-((centres[:, None] - centres) ** 2).sum(axis=-1))
    elif kind == "sparse":
        weights *= random.random((n, n)) < 3 / n
    elif kind == "counts":
        weights = random.integers(0, 3, (n, n)).astype(float)
    elif kind == "tenths":
        weights = random.integers(0, 4, (n, n)) / 10
    elif kind == "constant":
        weights = np.full((n, n), 0.1)
    return np.triu(weights, 1) + np.triu(weights, 1).T
