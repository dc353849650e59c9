"""Trees of growing parts of the data, and the share of cross edges of ever more."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm._core.points import Points
from smartsvm.estimation.extrapolation import (
    EXPONENTS,
    Rungs,
    cross_limit,
    extrapolate,
    intrinsic_dimension,
    limit_of_equal_rows,
    rungs_of,
    trees_of_parts,
)
from smartsvm.held_out.neighbors import neighbor_labels
from smartsvm.trees.in_memory.class_trees import SpanningForest


def parts_of(X, y):
    whole = SpanningForest(Points(X), y, n_trees=1, seed=0).whole()
    return trees_of_parts(Points(X), y, whole)


def test_sizes_and_lengths():
    random = np.random.default_rng(0)
    X = random.normal(size=(410, 2))
    parts = parts_of(X, np.arange(410) % 2)
    assert parts.sizes.tolist() == [51, 102, 205, 410]
    assert parts.n_splits == (8, 8, 8, 1)
    assert [len(edges) for edges in parts.edges] == [8 * 402, 8 * 406, 8 * 408, 409]
    distances = [np.linalg.norm(X[e[:, 0]] - X[e[:, 1]], axis=1).mean() for e in parts.edges]
    assert parts.mean_lengths == pytest.approx(distances)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2) + np.diag(np.full(410, np.inf))
    assert parts.nearest_length == pytest.approx(apart.min(axis=1).mean())


def test_of_many_samples_one_part_of_each_size_says_the_same(monkeypatch):
    X, y = two_gaussians(4000, 4, 1.5)
    whole = SpanningForest(Points(X), y, n_trees=1, seed=0)
    all_parts = cross_limit(whole)
    monkeypatch.setattr("smartsvm.estimation.extrapolation._MOST_FOR_ALL_PARTS", 3999)
    parts = trees_of_parts(Points(X), y, whole.whole())
    assert parts.n_splits == (1 / 8, 1 / 4, 1 / 2, 1)
    assert [len(edges) for edges in parts.edges] == [499, 999, 1999, 3999]
    one_part = cross_limit(whole)
    assert one_part.value == pytest.approx(all_parts.value, abs=2 * all_parts.error)
    assert all_parts.error < one_part.error * 1.2


def test_too_few_samples_are_not_cut_into_parts():
    parts = parts_of(np.arange(49.0).reshape(-1, 1), np.arange(49) % 2)
    assert parts.sizes.tolist() == [49]
    assert parts.dimension == 1


def test_parts_hold_every_class_in_proportion():
    # One class on each of two far lines: a part without one of them would have no cross edge.
    y = np.repeat([0, 1], [360, 40])
    parts = parts_of(np.column_stack([np.arange(400.0), y * 1e6]), y)
    for edges, size, n_splits in zip(parts.edges, parts.sizes, parts.n_splits, strict=True):
        n_crossing = np.count_nonzero(y[edges[:, 0]] != y[edges[:, 1]])
        assert n_crossing == n_splits * 400 // size  # one in each part


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_intrinsic_dimension_is_that_of_the_sheet(dimension):
    random = np.random.default_rng(dimension)
    X = random.uniform(size=(2000, dimension)) @ random.normal(size=(dimension, 30))
    parts = parts_of(X, np.arange(2000) % 2)
    assert parts.dimension == pytest.approx(dimension, rel=0.25)


def test_dimension_without_lengths_is_the_number_of_columns():
    assert intrinsic_dimension(np.array([100]), np.array([0.1]), 7) == 7
    assert intrinsic_dimension(np.array([50, 100]), np.array([0.0, 0.0]), 7) == 7
    # Edges that do not shrink: as many dimensions as there are.
    assert intrinsic_dimension(np.array([50, 100]), np.array([1.0, 1.0]), 7) == 7


def limit_of(X, y, seed=0):
    return cross_limit(SpanningForest(Points(X), y, n_trees=3, seed=seed), seed=seed)


def exact_rungs(agreement, lengths, chance=0.5, spread=1e-6):
    lengths = np.asarray(lengths, dtype=float)
    shares = chance * (1 - agreement(lengths))
    return Rungs(lengths, shares, spread * np.eye(len(lengths)), chance)


@pytest.mark.parametrize("place", range(len(EXPONENTS)))
def test_a_curve_of_the_model_is_followed_to_its_start(place):
    exponent = EXPONENTS[place]
    found = extrapolate(
        exact_rungs(lambda h: 0.8 * np.exp(-((h / 2) ** exponent)), [0.7, 1, 1.2, 1.5, 2])
    )
    assert found.values[place] == pytest.approx(0.5 * 0.2)
    assert (np.diff(found.values) > 0).all()  # sharper borders leave more to come
    assert found.value == pytest.approx(found.values.mean())
    assert found.error >= found.values.std()


def test_a_flat_curve_is_its_own_limit_and_no_surer_for_it():
    lengths = [1, 1.1, 1.2, 1.3]
    found = extrapolate(exact_rungs(lambda h: np.full_like(h, 0.6), lengths, spread=1e-5))
    assert found.value == pytest.approx(0.5 * 0.4, abs=1e-6)
    wide = extrapolate(exact_rungs(lambda h: np.full_like(h, 0.6), [1, 2, 4, 8], spread=1e-5))
    assert found.error > 3 * wide.error  # hardly any range of lengths: a long way to 0


def test_chance_is_refused():
    found = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        found.append(limit_of(random.normal(size=(300, 5)), random.integers(0, 2, 300)))
    assert np.mean([each.refused for each in found]) >= 0.9
    found = next(each for each in found if each.refused).if_known()
    assert np.isnan([found.value, found.error, *found.values, *found.errors]).all()
    assert found.random_share == pytest.approx(0.5, abs=0.02)


def test_separated_classes_have_the_limit_0():
    y = np.arange(150) % 3
    X = np.random.default_rng(1).normal(size=(150, 2)) + 100 * y[:, None]
    found = limit_of(X, y)
    assert not found.refused
    assert found.value == 0


@pytest.mark.parametrize(
    ("d", "separation", "truth"), [(2, 2.0, 0.2248), (10, 2.0, 0.2248), (10, 1.0, 0.398)]
)
def test_limits_of_normal_classes(d, separation, truth):
    values, errors = [], []
    for seed in range(6):
        found = limit_of(*two_gaussians(1000, d, separation, seed))
        values.append(found.value)
        errors.append(found.error)
    # The model averages over exponents, of which 2 is right here: too low rather than too high.
    assert truth - 2 * np.mean(errors) < np.mean(values) < truth + 0.03


def test_limit_of_a_checkerboard_is_below_what_its_trees_show():
    random = np.random.default_rng(2)
    X = random.uniform(0, 6, (1000, 2))
    y = np.floor(X).sum(axis=1).astype(int) % 2  # never wrong
    forest = SpanningForest(Points(X), y, n_trees=3, seed=0)
    first = forest.tree_edges()[0]
    share = np.mean(y[first[:, 0]] != y[first[:, 1]])
    found = cross_limit(forest)
    assert share > 0.12
    assert found.value < share / 2
    assert found.value - 1.5 * found.error <= 0


def test_connecting_edges_are_no_errors():
    y = np.repeat([0, 1, 2], 40)
    X = np.random.default_rng(3).normal(size=(120, 2)) + 50 * y[:, None]
    whole = SpanningForest(Points(X), y, n_trees=3, seed=0).whole()
    rungs = rungs_of(
        neighbor_labels(Points(X), y, 31), y, 3, trees_of_parts(Points(X), y, whole), whole
    )
    assert rungs.shares.max() == pytest.approx(0, abs=1e-12)
    assert rungs.lengths[0] < 1 < rungs.lengths[-1]


def test_the_standard_error_is_that_of_repetition():
    values, errors = [], []
    for seed in range(60):
        found = limit_of(*two_gaussians(500, 2, 1.5, seed))
        values.append(found.values[2])
        errors.append(found.errors[2])
    assert np.mean(errors) / np.std(values) == pytest.approx(1, abs=0.35)


def test_lengths_that_hardly_differ_leave_the_limit_unknown():
    # A line through them is so steep that its exponential would overflow.
    lengths, shares = 1 + np.array([0.0, 0.0005, 0.001]), np.array([0.05, 0.25, 0.45])
    found = extrapolate(Rungs(lengths, shares, 1e-4 * np.eye(3), 0.5))
    assert found.errors.tolist() == [0.5] * len(EXPONENTS)
    assert found.value == 0.0


def test_same_bits_for_any_number_of_threads():
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 700)
    X = random.normal(size=(700, 12)) + y[:, None]
    forest = SpanningForest(Points(X), y, n_trees=3, seed=0)
    one, two = (cross_limit(forest, n_jobs=jobs) for jobs in (1, 2))
    assert (one.value, one.error) == (two.value, two.error)


def test_equal_rows_show_the_limit():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(4000, 4)).astype(float)
    chance = np.where(X.sum(axis=1) % 2, 0.9, 0.2)
    y = (random.random(4000) < chance).astype(int)
    unknown = extrapolate(Rungs(np.ones(1), np.full(1, 0.5), np.eye(1), 0.5))
    found = limit_of_equal_rows(X, y, unknown)
    assert found.value == pytest.approx(0.25, abs=3 * found.error)  # the mean of 2p(1 - p)
    assert 0 < found.error < 0.02
    alone = np.vstack([X, 2.0 + np.arange(4000)[:, None] * np.ones(4)])
    half = limit_of_equal_rows(alone, np.r_[y, y], unknown)
    assert half.value == pytest.approx((found.value + 0.5) / 2)
    assert half.error > 0.1
