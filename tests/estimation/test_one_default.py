"""The same question gets the same number, whichever function, method or report is asked."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, point_sets

from smartsvm import (
    ClassForest,
    SmallClassWarning,
    bayes_error,
    difficulty_report,
    ovr_bayes_error,
    pairwise_bayes_error,
    sample_difficulty,
    two_sample_test,
)

CONTINUOUS = ("normal",)
TIED = ("lattice", "duplicated", "onehot")
FIELDS = ("value", "lower", "upper", "cross_counts", "divergence")
# Every function and method takes these, and without them all have the same defaults.
OPTIONS = st.sampled_from(
    [
        {},
        {"bias_correction": False},
        {"bias_correction": True},
        {"normalize": True},
    ]
)
SCALES = st.sampled_from(["none", "auto", "standard", "robust", "ranks", "minmax"])
# 3 is the paper's number, also where "auto" takes one tree.
N_TREES = st.sampled_from(["auto", 3])


@st.composite
def problems(draw, kinds=CONTINUOUS + TIED, least_classes=2):
    X = draw(point_sets(least=40, most=70, most_features=6, kinds=kinds))
    n_classes = draw(st.integers(least_classes, 4))
    random = np.random.default_rng(draw(st.integers(0, 999)))
    return X, random.permutation(np.arange(len(X)) % n_classes)


def differences(first, second):
    """The fields in which two estimates differ by more than rounding."""
    pairs = {name: [np.asarray(getattr(each, name)) for each in (first, second)] for name in FIELDS}
    return [
        name
        for name, (one, other) in pairs.items()
        if one.shape != other.shape or not np.allclose(one, other, rtol=0, atol=1e-12)
    ]


@pytest.fixture(autouse=True)
def _small_classes_are_fine():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)  # tied points can run out of trees
        yield


@given(problem=problems(), options=OPTIONS, n_trees=N_TREES, scale=SCALES)
@examples(40)
def test_a_forest_answers_as_the_functions_do(problem, options, n_trees, scale):
    forest = ClassForest(*problem, n_trees=n_trees, scale=scale)
    for method, function in (
        (forest.multiclass, bayes_error),
        (forest.pairwise, pairwise_bayes_error),
        (forest.one_vs_rest, ovr_bayes_error),
    ):
        alone = function(*problem, n_trees=n_trees, scale=scale, **options)
        assert differences(method(**options), alone) == []


@given(problem=problems(), options=OPTIONS, n_trees=N_TREES, scale=SCALES)
@examples(40)
def test_two_classes_are_a_pair_and_the_whole_problem(problem, options, n_trees, scale):
    X, y = problem
    y = y % 2
    forest = ClassForest(X, y, n_trees=n_trees, scale=scale)
    options_of_trees = {"n_trees": n_trees, "scale": scale}
    expected = bayes_error(X, y, **options, **options_of_trees)
    assert differences(forest.split([0], [1], **options), expected) == []
    pair = pairwise_bayes_error(X, y, **options, **options_of_trees)
    rest = ovr_bayes_error(X, y, **options, **options_of_trees)
    for field in FIELDS:
        number = getattr(expected, field)
        assert getattr(pair, field)[0, 1] == pytest.approx(number, abs=1e-12)
        assert getattr(rest, field) == pytest.approx([number, number], abs=1e-12)


@given(problem=problems(least_classes=3), options=OPTIONS)
@examples(25)
def test_a_class_against_the_rest_is_a_problem_of_two_classes(problem, options):
    X, y = problem
    rest = ovr_bayes_error(X, y, **options)
    forest = ClassForest(X, y)
    for k in rest.classes:
        alone = bayes_error(X, y == k, **options)
        of_forest = forest.split(np.setdiff1d(rest.classes, k), [k], **options)
        assert differences(of_forest, alone) == []
        for field in ("value", "lower", "cross_counts"):  # the upper bound sums over pairs
            expected = getattr(alone, field)
            assert getattr(rest, field)[k] == pytest.approx(expected, abs=1e-12)


@given(problem=problems(kinds=CONTINUOUS, least_classes=3), options=OPTIONS)
@examples(25)
def test_a_pair_is_a_problem_of_its_own(problem, options):
    X, y = problem
    pairs = pairwise_bayes_error(X, y, **options)
    forest = ClassForest(X, y)
    rows = y < 2
    alone = bayes_error(X[rows], y[rows], **options)
    assert differences(forest.split([0], [1], **options), alone) == []
    for field in FIELDS:
        expected = getattr(alone, field)
        assert getattr(pairs, field)[0, 1] == pytest.approx(expected, abs=1e-12)


@given(problem=problems(least_classes=3), options=OPTIONS)
@examples(25)
def test_a_pair_is_a_split_also_where_distances_tie(problem, options):
    forest = ClassForest(*problem)
    pairs = forest.pairwise(**options)
    split = forest.split([0], [1], **options)
    for field in FIELDS:
        expected = getattr(split, field)
        assert getattr(pairs, field)[0, 1] == pytest.approx(expected, abs=1e-12)


@given(problem=problems(), n_trees=st.sampled_from(["auto", 2]), scale=SCALES)
@examples(20)
def test_the_trees_of_a_report_answer_as_the_functions_do(problem, n_trees, scale):
    report = difficulty_report(*problem, scale=scale, n_trees=n_trees, classifiers=())
    same = {"n_trees": n_trees, "scale": scale}
    expected = bayes_error(*problem, **same)
    found = [report.trees.lower.value, report.trees.upper.value, report.trees.cross_share.value]
    edges = expected.cross_counts / len(problem[1])
    assert found == pytest.approx([expected.lower, expected.upper, edges], abs=1e-12)
    pairs = pairwise_bayes_error(*problem, **same, normalize=True)
    assert differences(report.pairs.bounds, pairs) == []
    assert differences(report.classes.bounds, ovr_bayes_error(*problem, **same)) == []
    assert report.settings.scale == ClassForest(*problem, scale=scale).scale


@given(problem=problems(kinds=CONTINUOUS), scale=SCALES.filter(lambda scale: scale != "auto"))
@examples(20)
def test_a_test_of_samples_has_the_divergence_of_the_classes(problem, scale):
    X, y = problem
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    samples = [X[y == k] for k in np.unique(y)]
    test = two_sample_test(*samples, scale=scale, n_permutations=19)
    expected = bayes_error(X, y, scale=scale).divergence
    assert test.divergence.value == pytest.approx(expected, abs=1e-12)


@given(problem=problems(kinds=CONTINUOUS), scale=SCALES)
@examples(12)
def test_a_report_agrees_with_the_functions_on_samples(problem, scale):
    report = difficulty_report(*problem, scale=scale, classifiers=())
    expected = sample_difficulty(*problem, scale=scale)
    assert report.trees.sample_difficulty == pytest.approx(expected, abs=1e-12)
