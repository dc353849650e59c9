"""What a report reads off its trees: bounds, test, difficulty of samples."""

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_digits, load_iris, load_wine

import smartsvm
from smartsvm import ClassForest, difficulty_report, sample_difficulty
from smartsvm.estimation.friedman_rafsky import signal_on_trees
from smartsvm.estimation.number_of_trees import trees_for_report


def codes_of(report):
    return {flag.code for flag in report.flags}


def test_the_truth_lies_between_the_bounds():
    report = difficulty_report(*two_gaussians(1500, 2, 2.0))  # Bayes error .1587
    assert report.trees.lower.value < 0.1587 < report.trees.upper.value
    assert report.bayes_error.value == pytest.approx(0.1587, abs=0.02)
    assert report.bayes_error.low < 0.1587 < report.bayes_error.high
    assert report.bayes_error.high - report.bayes_error.low < 0.1
    for interval in (
        report.trees.lower,
        report.trees.upper,
        report.trees.cross_share,
        report.bayes_error,
        report.errors.baseline,
        *(each.error for each in report.errors.held_out.classifiers),
    ):
        assert interval.low < interval.value < interval.high
    assert report.data.signal.p_value < 1e-6
    assert not report.flags
    assert report.verdict is None


def test_numbers_are_those_of_the_single_estimates():
    X, y = two_gaussians(300, 2, 1.5)
    report = difficulty_report(X, y, n_trees=2)
    whole = smartsvm.bayes_error(X, y, n_trees=2)
    assert (report.trees.lower.value, report.trees.upper.value) == (whole.lower, whole.upper)
    assert report.trees.cross_share.value == pytest.approx(whole.cross_counts / 300)
    pairs = smartsvm.pairwise_bayes_error(X, y, n_trees=2, normalize=True)
    assert np.array_equal(report.pairs.bounds.value, pairs.value)
    test = signal_on_trees(ClassForest(X, y, n_trees=2).tree_edges(), y, 0)
    assert report.data.signal.statistic == test.statistic
    assert report.data.signal.z == test.z
    assert np.array_equal(report.trees.sample_difficulty, sample_difficulty(X, y, n_trees=2))


@pytest.mark.parametrize("load", [load_digits, load_iris, load_wine])  # many ties, some, none
def test_one_number_for_one_question(load):
    X, y = load(return_X_y=True)
    report = difficulty_report(X, y, classifiers=(), scale="none")
    whole = smartsvm.bayes_error(X, y)
    assert (report.trees.lower.value, report.trees.upper.value) == (whole.lower, whole.upper)
    assert report.trees.cross_share.value == whole.cross_counts / len(y)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_pairs_and_classes_are_those_of_the_functions(load):
    X, y = load(return_X_y=True)
    report = difficulty_report(X, y, scale="none")
    for found, expected in (
        (smartsvm.pairwise_bayes_error(X, y, normalize=True), report.pairs.bounds),
        (smartsvm.ovr_bayes_error(X, y), report.classes.bounds),
    ):
        for what in ("value", "lower", "upper"):
            np.testing.assert_array_equal(getattr(found, what), getattr(expected, what))


def test_small_samples_get_ten_trees():
    X, y = two_gaussians(300, 20, 0.8)
    report = difficulty_report(X, y, classifiers=())
    test = signal_on_trees(ClassForest(X, y, n_trees=10).tree_edges(), y, 0)
    assert report.data.signal.n_trees == test.n_trees == 10
    assert report.data.signal.z == test.z
    assert np.array_equal(report.trees.sample_difficulty, sample_difficulty(X, y))
    large = difficulty_report(*two_gaussians(5001, 2, 2.0), classifiers=())
    assert (large.data.signal.n_trees, large.trees.n_trees) == (3, 3)


def test_one_tree_is_counted_from_four_columns_on():
    for d, counted in ((3, 3), (4, 1)):
        X, y = two_gaussians(200, d, 2.0)
        report = difficulty_report(X, y)
        assert (report.data.signal.n_trees, report.trees.n_trees) == (10, counted)
        whole = smartsvm.bayes_error(X, y, n_trees=counted, bias_correction=False)
        assert report.trees.cross_share.value == pytest.approx(whole.cross_counts / 200)
    assert difficulty_report(X, y, n_trees=2).trees.n_trees == 2


def test_intervals_grow_with_the_level_and_shrink_with_data():
    def width(report):
        return report.trees.cross_share.high - report.trees.cross_share.low

    X, y = two_gaussians(1600, 2, 1.5)
    middle = difficulty_report(X, y)
    assert width(difficulty_report(X, y, confidence=0.99)) > width(middle)
    assert 1.6 < width(difficulty_report(X[:400], y[:400])) / width(middle) < 2.5


@pytest.mark.parametrize("d", [2, 5])
def test_pure_label_noise_is_the_lower_bound(d):
    X, y = two_gaussians(2000, d, 40.0)
    random = np.random.default_rng(1)
    flip = random.permutation(2000) < 200
    report = difficulty_report(X, np.where(flip, 1 - y, y))
    assert report.trees.lower.value == pytest.approx(0.10, abs=0.01)
    assert report.bayes_error.value == pytest.approx(0.10, abs=0.01)
    assert report.bayes_error.low < 0.1 < report.bayes_error.high


def test_a_classifier_refutes_a_lower_bound_of_the_trees():
    X, y = two_gaussians(1000, 100, 2.5)
    report = difficulty_report(X, y, target_accuracy=0.9)  # Bayes error .1056
    assert report.bayes_error.high < report.trees.lower.low
    assert report.bayes_error.low < 0.1056 < report.bayes_error.high
    assert report.verdict.answer in ("likely", "unclear", "unlikely")
    assert "with many columns both are too high" in " ".join(str(report).split())


def test_ties_are_averaged_and_enter_the_interval():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 600)
    X = np.eye(6)[np.where(random.random(600) < 0.5, y, random.integers(0, 6, 600))]
    report = difficulty_report(X, y)
    assert report.trees.n_tie_orders > 1
    assert "duplicates" in codes_of(report)
    shuffled = random.permutation(600)
    again = difficulty_report(X[shuffled], y[shuffled])
    tolerance = 2 * (report.trees.cross_share.high - report.trees.cross_share.value)
    assert abs(report.trees.cross_share.value - again.trees.cross_share.value) < tolerance
    assert difficulty_report(*two_gaussians(200, 2, 1.0)).trees.n_tie_orders == 1


def test_wide_tables_of_many_rows_get_one_tree():
    assert trees_for_report("auto", 20_000, 50)[:3] == (3, 1, 3)
    assert trees_for_report("auto", 20_001, 50)[:3] == (1, 1, 1)
    assert trees_for_report("auto", 20_001, 3)[:3] == (3, 3, 3)
    assert trees_for_report(2, 20_001, 50)[:3] == (2, 2, 2)
