"""Exact moments against enumeration, the test, and the variance of counts."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import point_sets

from smartsvm import euclidean_mst
from smartsvm.estimation.class_forest import ClassForest
from smartsvm.estimation.forest_counts import WeightedEdges
from smartsvm.estimation.friedman_rafsky import (
    INSEPARABLE,
    SignalTest,
    count_variance,
    equal_label_shares,
    local_shares,
    null_moments,
    pairwise_tests,
    signal_on_trees,
)


def every_assignment(sizes):
    """All distinct label orders with the given class sizes."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.array(sorted(set(permutations(labels.tolist()))))


def moments_by_enumeration(edges, sizes):
    labels = every_assignment(sizes)
    counts = (labels[:, edges[:, 0]] != labels[:, edges[:, 1]]).sum(axis=1)
    return counts.mean(), counts.var()


def adjacent_pairs(edges, n):
    degrees = np.bincount(edges.ravel(), minlength=n)
    return (degrees * (degrees - 1)).sum() / 2


@pytest.mark.parametrize(
    "sizes", [(2, 2), (1, 3), (3, 4), (2, 2, 2), (1, 1, 5), (4, 4), (3, 3, 2), (2, 2, 2, 2)]
)
@pytest.mark.parametrize("n_trees", [1, 2, 3])
def test_null_moments_match_enumeration(sizes, n_trees):
    n = sum(sizes)
    X = np.random.default_rng(n).normal(size=(n, 6))
    while n_trees > 1:  # not every small set holds so many trees
        try:
            trees = euclidean_mst(X, n_trees=n_trees)
            break
        except ValueError:
            n_trees -= 1
    else:
        trees = euclidean_mst(X)
    edges = trees.edges.reshape(-1, 2)
    mean, variance = null_moments(len(edges), adjacent_pairs(edges, n), sizes)
    expected = moments_by_enumeration(edges, sizes)
    assert mean == pytest.approx(expected[0], abs=1e-9)
    assert variance == pytest.approx(expected[1], abs=1e-9)


@given(st.integers(4, 7), st.data())
def test_null_moments_of_any_simple_graph(n, data):
    pairs = [(i, j) for i in range(n) for j in range(i)]
    edges = np.array(data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True)))
    cut = data.draw(st.integers(1, n - 1))
    sizes = (cut, n - cut)
    mean, variance = null_moments(len(edges), adjacent_pairs(edges, n), sizes)
    expected = moments_by_enumeration(edges, sizes)
    assert mean == pytest.approx(expected[0], abs=1e-9)
    assert variance == pytest.approx(expected[1], abs=1e-9)


def signal_of(X, y, n_trees=10, n_permutations=999, seed=0):
    """The `SignalTest` of points and labels."""
    trees = list(euclidean_mst(X, n_trees=n_trees).edges)
    return signal_on_trees(trees, np.unique(y, return_inverse=True)[1], n_permutations, seed=seed)


def test_the_test_has_the_enumerated_moments():
    X = np.random.default_rng(3).normal(size=(8, 6))
    y = np.array(list("aabbbccc"))
    found = signal_of(X, y, n_trees=2, n_permutations=0)
    assert isinstance(found, SignalTest)
    assert found.p_permutation is None
    edges = euclidean_mst(X, n_trees=found.n_trees).edges.reshape(-1, 2)
    mean, variance = moments_by_enumeration(edges, (2, 3, 3))
    assert found.expected == pytest.approx(mean / found.n_trees, abs=1e-9)
    assert found.variance == pytest.approx(variance / found.n_trees**2, abs=1e-9)
    assert found.z == pytest.approx((found.statistic - found.expected) / found.variance**0.5)


def test_permutation_p_value_agrees_with_enumeration():
    X = np.random.default_rng(5).normal(size=(8, 2))
    y = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    edges = euclidean_mst(X).edges[0]
    labels = every_assignment((3, 5))
    counts = (labels[:, edges[:, 0]] != labels[:, edges[:, 1]]).sum(axis=1)
    observed = (y[edges[:, 0]] != y[edges[:, 1]]).sum()
    exact = (counts <= observed).mean()
    found = signal_of(X, y, n_trees=1, n_permutations=4000)
    assert found.p_permutation == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000))


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_signal_is_found_and_noise_is_not(n_classes):
    random = np.random.default_rng(n_classes)
    X = random.normal(size=(600, 4))
    y = np.arange(600) % n_classes
    nothing = signal_of(X, y, n_permutations=199)
    assert nothing.p_value > 0.01
    assert abs(nothing.p_value - nothing.p_permutation) < 0.15
    something = signal_of(X + y[:, None], y, n_permutations=199)
    assert something.p_value < 1e-6
    assert something.z < -5
    assert something.p_permutation == pytest.approx(1 / 200)


def test_classes_kept_apart_by_design_are_not_called_signal():
    # Alternating labels on a line cross more often than chance: the other tail.
    found = signal_of(np.arange(40.0).reshape(-1, 1), np.arange(40) % 2, n_trees=1)
    assert found.z > 5
    assert found.p_value > 0.999
    assert found.p_permutation > 0.99


def test_a_count_that_cannot_vary_has_score_zero():
    # Four points in a star: every label of the centre gives the same count by symmetry of sizes.
    trees = [np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])]  # all pairs
    found = signal_on_trees(trees, np.array([0, 0, 1, 1]), 0)
    assert found.variance == pytest.approx(0, abs=1e-12)
    assert found.z == 0
    with pytest.raises(ValueError, match="X must have at least 4 rows for a test, got 3"):
        signal_on_trees([trees[0][:2]], np.array([0, 1, 1]), 0)


def test_same_seed_same_result():
    X = np.random.default_rng(0).integers(0, 3, size=(60, 2))
    y = np.arange(60) % 3
    first, second = (signal_of(X, y, seed=7) for _ in range(2))
    assert (first.statistic, first.p_permutation) == (second.statistic, second.p_permutation)


@given(point_sets(least=8, most=30), st.integers(2, 3))
def test_pairwise_scores_are_those_of_the_pairs(X, n_classes):
    y = np.arange(len(X)) % n_classes
    forest = ClassForest(X, y, n_trees=1)
    scores = pairwise_tests(forest._counts)
    assert np.isnan(scores.diagonal()).all()
    for k, m, (edges, _, _) in forest._counts.forest.pairs():
        inside = np.flatnonzero((y == k) | (y == m))
        place = np.full(len(X), -1)
        place[inside] = np.arange(len(inside))
        alone = signal_on_trees([place[edges]], (y[inside] == m).astype(int), 0)
        least = (1 - alone.expected) / np.sqrt(alone.variance) if alone.variance > 0 else 0.0
        expected = alone.z if least <= INSEPARABLE else np.nan
        assert scores[k, m] == pytest.approx(expected, abs=1e-9, nan_ok=True)
        assert scores[m, k] == pytest.approx(scores[k, m], abs=0, nan_ok=True)


def test_shares_are_those_of_draws_without_replacement():
    labels = [0, 0, 0, 1, 1, 2]
    orders = np.array(list(permutations(labels, 4)))
    same = orders[:, :, None] == orders[:, None, :]
    s2, s3, s4 = equal_label_shares([3, 2, 1])
    assert s2 == pytest.approx(same[:, 0, 1].mean())
    assert s3 == pytest.approx((same[:, 0, 1] & same[:, 0, 2]).mean())
    assert s4 == pytest.approx((same[:, 0, 1] & same[:, 2, 3]).mean())


def test_local_shares_count_the_sample_and_four_neighbours():
    labels = np.array([[0, 1], [0, 1], [1, 1], [1, 1], [1, 0]])  # the fifth is not used
    codes = np.array([0, 1])
    s2, s3, s4 = local_shares(labels, codes)
    expected = equal_label_shares([3, 2])
    assert (s2[0], s3[0], s4[0]) == pytest.approx(expected)
    assert (s2[1], s3[1], s4[1]) == (1, 1, 1)


def test_local_shares_are_those_of_the_counts_of_all_classes():
    random = np.random.default_rng(0)
    labels = random.integers(0, 6, (4, 300))
    codes = random.integers(0, 6, 300)
    group = np.vstack([labels, codes])
    expected = equal_label_shares([(group == k).sum(axis=0) for k in range(6)])
    np.testing.assert_array_equal(local_shares(labels, codes), expected)


def test_variance_given_the_points_matches_redrawn_labels():
    random = np.random.default_rng(0)
    edges = euclidean_mst(random.normal(size=(300, 2)), n_trees=3).edges.reshape(-1, 2)
    posterior = np.array([0.5, 0.3, 0.2])
    shares = (
        np.full(300, (posterior**2).sum()),
        np.full(300, (posterior**3).sum()),
        np.full(300, (posterior**2).sum() ** 2),
    )
    found = count_variance(WeightedEdges(edges, np.full(len(edges), 1 / 3)), shares)
    y = random.choice(3, size=(4000, 300), p=posterior)
    counts = (y[:, edges[:, 0]] != y[:, edges[:, 1]]).sum(axis=1) / 3
    assert found.labels == pytest.approx(counts.var(), rel=4 * np.sqrt(2 / 4000))
    assert found.places == pytest.approx(0, abs=1e-9)
    assert count_variance(WeightedEdges(edges, np.ones(len(edges))), shares, 2.0).total == (
        pytest.approx(9 * found.labels + 2.0)
    )


def test_places_add_the_variance_of_a_mixture_of_places():
    # Half of the places are certain, half are a fair coin: Var(1 - s2) = 1/16.
    certain, fair = (1.0, 1.0, 1.0), (0.5, 0.25, 0.25)
    shares = [np.array([a, b] * 50) for a, b in zip(certain, fair, strict=True)]
    edges = WeightedEdges(np.array([[0, 2]]), np.array([1.0]))
    assert count_variance(edges, shares).places == pytest.approx(100 / 16)


def test_permutations_decide_where_there_are_any():
    test = SignalTest(10.0, 20.0, 4.0, -2.0, 0.02, 0.06, 999, 3)
    assert not test.significant
    assert replace(test, p_permutation=None).significant


def test_the_p_value_of_few_samples_keeps_its_level():
    rejected = []
    for seed in range(150):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 5))
        y = random.permutation(60) % 2
        test = signal_of(X, y, n_permutations=199, seed=seed)
        rejected.append(test.p_permutation <= 0.05)
    assert np.mean(rejected) <= 0.1  # 0.05 and 2.8 standard errors


def test_report_combines_edges_with_distances():
    # Wider in 100 columns: neighbours hardly show it.
    random = np.random.default_rng(1)
    X = random.normal(size=(400, 100)) * np.repeat([1, 1.06], 200)[:, None]
    codes = np.repeat([0, 1], 200)
    trees = list(euclidean_mst(X, n_trees=10).edges)
    plain = signal_on_trees(trees, codes, 199)
    combined = signal_on_trees(trees, codes, 199, points=X)
    assert plain.p_combined is None
    assert plain.best_p_value == plain.p_permutation
    assert not combined.shared_by_neighbors
    assert combined.significant
    assert combined.best_p_value == combined.p_combined
    assert combined.z == pytest.approx(plain.z)


def test_many_classes_or_rows_use_the_edges_alone():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    codes = np.arange(60) % 12
    trees = [euclidean_mst(X).edges[0]]
    assert signal_on_trees(trees, codes, 19, points=X).p_combined is None
