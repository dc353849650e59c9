"""The Bayes error of a table of cells."""

import numpy as np
import pytest

from smartsvm.estimation.cells import table_of_cells


def draw(random, n, n_cells, n_classes, strength):
    """Cells, labels and the true Bayes error."""
    weights = random.dirichlet(np.full(n_cells, 2.0))
    shares = random.dirichlet(np.full(n_classes, strength / n_classes), n_cells)
    cells = random.choice(n_cells, n, p=weights)
    codes = (random.random(n)[:, None] > shares.cumsum(axis=1)[cells]).sum(axis=1)
    return cells, np.minimum(codes, n_classes - 1), float(weights @ (1 - shares.max(axis=1)))


@pytest.mark.parametrize("n", [60, 1000])
def test_the_interval_covers_and_the_plug_in_error_does_not(n):
    random = np.random.default_rng(n)
    covered = 0
    low_plug_in = []
    errors = []
    for _ in range(100):
        cells, codes, truth = draw(
            random, n, 12, int(random.integers(2, 5)), random.choice([0.5, 2, 20])
        )
        found = table_of_cells(cells, codes)
        assert 0 <= found.low <= found.value <= found.high <= 1
        covered += found.low <= truth <= found.high
        largest = np.array([np.bincount(codes[cells == c], minlength=1).max() for c in range(12)])
        low_plug_in.append(1 - largest.sum() / n - truth)
        errors.append(found.value - truth)
    assert covered >= 85
    assert np.mean(low_plug_in) < 0  # too low
    assert abs(np.mean(errors)) < 0.6 * abs(np.mean(low_plug_in))


def test_labels_that_follow_the_cells_have_no_error():
    cells = np.repeat(np.arange(10), 50)
    found = table_of_cells(cells, cells % 2)
    assert found.high < 0.02
    assert found.value == pytest.approx(0, abs=0.01)
