"""Tile entries are lower bounds, however the matrix product is summed."""

import numpy as np
import pytest

from smartsvm._mst.products.index import rounding_slack


def threshold(squared):
    """What `as_threshold` makes of a squared distance in the unit of the tiles."""
    return np.float32(squared * (1 + 2.0**-20) + 2.0**-100)


def entry_by_reference_blas(x, y, apart, slack):
    """An entry as a BLAS computes it that adds term by term to what the tile holds.

    `x` and `y` are float32, `apart` is the float64 vector between the centres of their sets.
    """
    of_x, of_y = x.astype(np.float64), y.astype(np.float64)
    between = apart @ apart
    row = of_x @ of_x + 2 * of_x @ apart + between - slack * (of_x @ of_x + between)
    column = of_y @ of_y * (1 - slack) - 2 * of_y @ apart
    entry = np.float32(row) + np.float32(column)
    for term in np.float32(-2) * x * y:
        entry = entry + term
    return entry, ((of_x + apart - of_y) ** 2).sum()


def pessimal(d):
    """Points whose first term doubles the sum, and whose others are rounded up by half each."""
    x = np.full(d, np.sqrt(2.0**-23) * (1 + 2.0**-10), dtype=np.float32)
    x[0] = 1 + 2.0**-6  # so that sums stay above 4, where half a unit is 2^-22
    return x, -x


@pytest.mark.parametrize("d", [200, 1000, 5000, 40_000])
def test_one_set_with_the_worst_order_of_summation(d):
    x, y = pessimal(d)
    none, squared = entry_by_reference_blas(x, y, np.zeros(d), 0.0)
    squares = float(x.astype(np.float64) @ x + y.astype(np.float64) @ y)
    # The bound is nearly attained: no smaller slack would do.
    assert (none - squared) / squares > 0.9 * 2 * d * 2.0**-24
    entry, squared = entry_by_reference_blas(x, y, np.zeros(d), rounding_slack(d, True))
    assert entry <= threshold(squared)


@pytest.mark.parametrize("d", [200, 5000])
@pytest.mark.parametrize("apart", [0.0, 0.5, 1.0])
def test_two_sets_with_the_worst_order_of_summation(d, apart):
    x, y = pessimal(d)
    vector = np.zeros(d)
    vector[0] = apart
    entry, squared = entry_by_reference_blas(x, y, vector, rounding_slack(d, False))
    assert entry <= threshold(squared)


def test_random_points_in_many_orders():
    rng = np.random.default_rng(0)
    for _ in range(200):
        d = int(rng.integers(1, 400))
        x, apart = rng.normal(size=(2, d)) / np.sqrt(d)
        # Near and far points, terms of one sign or both, in rising or falling order.
        y = x + apart + rng.choice([0.0, 1e-6, 1.0]) * rng.normal(size=d)
        order = np.argsort(x * y)[:: rng.choice([-1, 1])]
        x, y = (v[order].astype(np.float32) for v in (x, y))
        for vector, symmetric in ((np.zeros(d), True), (apart[order], False)):
            entry, squared = entry_by_reference_blas(x, y, vector, rounding_slack(d, symmetric))
            assert entry <= threshold(squared)
