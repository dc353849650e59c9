"""The kernel classifier: closed-form leave-one-out against a refit without every sample."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import point_sets

from smartsvm._core.sampling import content_order
from smartsvm.held_out import kernel_ridge
from smartsvm.held_out.kernel_ridge import FLAT, RIDGES, WIDTHS, kernel_leave_one_out
from smartsvm.held_out.standardised_columns import Columns

UNIT = 2.0**-24  # by which single precision rounds


def features_of(columns, landmarks, width, n_powers):
    """Features whose inner products are the kernel, and what single precision changes in them."""

    def bumps(points):
        return np.exp(-((points[:, None] - landmarks[None]) ** 2).sum(axis=2) * width)

    spread, directions = np.linalg.eigh(bumps(landmarks))
    directions /= np.sqrt(spread + FLAT * len(landmarks))
    kernel = bumps(columns)
    # Rounded once, then taken to the fourth power n_powers times, then summed over the landmarks.
    changes = UNIT * (4**n_powers + len(landmarks)) * (kernel @ np.abs(directions))
    return kernel @ directions, changes


def refitted_margins(features, codes, n_classes, ridge):
    """How far its own class is ahead for each sample by the regression made without it."""
    n = len(codes)
    values = np.empty((n, n_classes))
    for i in range(n):
        others = np.arange(n) != i
        inputs = features[others]
        targets = np.eye(n_classes)[codes[others]]
        middle = inputs.mean(axis=0)
        gram = (inputs - middle).T @ (inputs - middle) + ridge * np.eye(inputs.shape[1])
        slopes = np.linalg.solve(gram, (inputs - middle).T @ (targets - targets.mean(axis=0)))
        values[i] = targets.mean(axis=0) + (features[i] - middle) @ slopes
    own = np.arange(n_classes) == codes[:, None]
    return values[own] - np.where(own, -np.inf, values).max(axis=1)


@pytest.mark.parametrize(("n", "d", "n_classes"), [(40, 2, 2), (61, 5, 3), (30, 50, 2)])
def test_closed_form_is_the_refit_without_every_sample(n, d, n_classes):
    random = np.random.default_rng(n)
    codes = np.arange(n) % n_classes
    X = random.normal(size=(n, d)) + codes[:, None] * random.normal(size=d)
    each = [kernel_leave_one_out(X, codes, n_classes, [width]) for width in WIDTHS]
    settings = [setting for found in each for setting in found.settings]
    assert settings == [(width, ridge) for width in WIDTHS for ridge in RIDGES]
    # Beside each width alone, all in a row: kernels are then powers of the one before.
    powers = kernel_leave_one_out(X, codes, n_classes)
    assert len(powers.settings) > len(RIDGES)
    columns = Columns(X).block(slice(None))
    landmarks = columns[content_order(X)[: -(-n // 2)]]
    squared = ((columns[:, None] - landmarks[None]) ** 2).sum(axis=2)
    unit = np.median(squared[squared > 1e-12])
    of_powers = dict(zip(powers.settings, powers.wrong, strict=True))
    for (width, ridge), wrong in zip(settings, (w for f in each for w in f.wrong), strict=True):
        features, changes = features_of(columns, landmarks, width / unit, WIDTHS.index(width))
        margins, *changed = (
            refitted_margins(features + sign * changes, codes, n_classes, ridge)
            for sign in (0, *random.uniform(-1, 1, (3, *changes.shape)))
        )
        clear = np.abs(margins) > 4 * np.abs(np.array(changed) - margins).max() + n * UNIT
        assert clear.mean() > 0.8
        assert np.array_equal(wrong[clear], margins[clear] <= 0)
        if (width, ridge) in of_powers:
            assert np.array_equal(of_powers[width, ridge][clear], margins[clear] <= 0)


def test_bumps_learn_what_no_line_can():
    random = np.random.default_rng(0)
    X = random.uniform(0, 4, (800, 2))
    y = np.floor(X).sum(axis=1).astype(int) % 2
    found = kernel_leave_one_out(X, y, 2)
    assert found.errors.min() < 0.15
    assert found.settings[int(found.errors.argmin())][0] >= 8
    straight = kernel_leave_one_out(X, y, 2, widths=(0.01,))
    assert straight.errors.min() > 0.4


@pytest.mark.parametrize(
    ("d", "tried"), [(2, list(WIDTHS)), (5, [0.5, 2.0, 8.0]), (20, [0.5, 2.0])]
)
def test_widths_are_tried_until_errors_rise(d, tried):
    random = np.random.default_rng(1)
    if d == 2:  # small squares
        X = random.uniform(0, 8, (1000, 2))
        y = np.floor(X).sum(axis=1).astype(int) % 2
    else:  # a circle, the narrower the kernel the deeper in noise
        X = random.normal(size=(1000, d))
        y = (np.hypot(X[:, 0], X[:, 1]) > 1.2).astype(int)
    # Whether errors rise is here decided by 26 samples at least, and rounding changes but a few.
    found = kernel_leave_one_out(X, y, 2)
    assert found.settings == tuple((width, ridge) for width in tried for ridge in RIDGES)


def test_errors_rise_by_more_than_a_standard_error():
    best = np.arange(20) < 8
    for n_lost, n_won, worse in ((6, 3, False), (7, 3, True), (2, 3, False), (1, 0, False)):
        wrong = best.copy()
        wrong[8 : 8 + n_lost], wrong[:n_won] = True, False
        assert kernel_ridge._is_clearly_worse(wrong, best) == worse  # n_lost - n_won against a root


def test_labels_without_meaning_are_not_learnt():
    errors = []
    for seed in range(12):
        X = np.random.default_rng(seed).normal(size=(400, 4))
        y = np.arange(400) % 2
        errors.append([kernel_leave_one_out(X, y, 2, [width]).errors for width in WIDTHS])
    # Balanced classes: without a sample its own class is the rarer one.
    assert np.mean(errors, axis=0) == pytest.approx(0.5, abs=0.03)


def test_landmarks_ignore_the_seed_and_the_order_of_rows():
    random = np.random.default_rng(2)
    X = random.normal(size=(500, 3))
    order = random.permutation(500)
    landmarks, unit = kernel_ridge._landmarks(X, X)
    of_shuffled, same_unit = kernel_ridge._landmarks(X[order], X[order])
    assert np.array_equal(landmarks, of_shuffled)
    assert unit == same_unit
    y = np.arange(500) % 3
    first, other = (kernel_leave_one_out(X + y[:, None], y, 3, seed=s).wrong for s in (0, 1))
    assert np.array_equal(first, other)


def test_landmarks_are_few(monkeypatch):
    monkeypatch.setattr(kernel_ridge, "MOST_LANDMARKS", 5)
    y = np.arange(200) % 2
    X = np.random.default_rng(3).normal(size=(200, 2)) + 5 * y[:, None]
    assert kernel_leave_one_out(X, y, 2).errors.min() == 0


@given(point_sets(least=4, most=20), st.integers(2, 3))
def test_any_finite_points_give_errors(X, n_classes):
    codes = np.arange(len(X)) % n_classes
    found = kernel_leave_one_out(X, codes, n_classes)
    assert ((found.errors >= 0) & (found.errors <= 1)).all()


def test_points_that_are_all_the_same_teach_nothing():
    y = np.repeat([0, 1], [30, 10])
    found = kernel_leave_one_out(np.zeros((40, 3)), y, 2)
    assert found.errors.min() >= 0.25
