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
    class_hierarchy,
    difficulty_report,
    friedman_rafsky_test,
    hp_divergence,
    multiclass_bayes_error,
    ovr_bayes_error,
    pairwise_bayes_error,
    sample_difficulty,
    two_sample_bayes_error,
    two_sample_divergence,
    two_sample_test,
)

CONTINUOUS = ("normal",)
TIED = ("lattice", "duplicated", "onehot")
FIELDS = ("value", "lower", "upper", "cross_counts")
# Every function and method takes these, and without them all have the same defaults.
OPTIONS = st.sampled_from(
    [
        {},
        {"bias_correction": False},
        {"bias_correction": True},
        {"normalize": True},
        {"connectivity_offset": True},
    ]
)
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


@given(problem=problems(), options=OPTIONS, n_trees=N_TREES)
@examples(25)
def test_a_forest_answers_as_the_functions_do(problem, options, n_trees):
    forest = ClassForest(*problem, n_trees=n_trees)
    own, options = options, options | {"n_trees": n_trees}
    for method, function in (
        (forest.multiclass, multiclass_bayes_error),
        (forest.pairwise, pairwise_bayes_error),
        (forest.one_vs_rest, ovr_bayes_error),
    ):
        assert differences(method(**own), function(*problem, **options)) == []


@given(problem=problems(), options=OPTIONS, n_trees=N_TREES)
@examples(25)
def test_two_classes_are_a_pair_and_the_whole_problem(problem, options, n_trees):
    X, y = problem
    y = y % 2
    forest = ClassForest(X, y, n_trees=n_trees)
    own, options = options, options | {"n_trees": n_trees}
    expected = bayes_error(X, y, **options)
    assert differences(multiclass_bayes_error(X, y, **options), expected) == []
    assert differences(forest.split([0], [1], **own), expected) == []
    pair, rest = pairwise_bayes_error(X, y, **options), ovr_bayes_error(X, y, **options)
    for field in FIELDS:
        assert getattr(pair, field)[0, 1] == pytest.approx(getattr(expected, field), abs=1e-12)
        both = [getattr(expected, field)] * 2
        assert getattr(rest, field) == pytest.approx(both, abs=1e-12)
    offset = options.get("connectivity_offset", False)
    divergence = hp_divergence(X, y, n_trees=n_trees, connectivity_offset=offset)
    assert divergence.cross_counts == pytest.approx(expected.cross_counts)


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


@given(problem=problems(least_classes=3))
@examples(25)
def test_a_node_of_a_hierarchy_is_a_split(problem):
    forest = ClassForest(*problem)
    tree = class_hierarchy(forest.pairwise())
    splits = [forest.split(*tree.node_classes(node)).value for node in range(tree.n_nodes)]
    assert forest.node_errors(tree) == pytest.approx(splits, abs=1e-12)


@given(problem=problems(), n_trees=st.sampled_from(["auto", 2]))
@examples(12)
def test_the_trees_of_a_report_answer_as_the_functions_do(problem, n_trees):
    report = difficulty_report(*problem, scale="none", n_trees=n_trees, classifiers=())
    expected = multiclass_bayes_error(*problem, n_trees=n_trees)
    found = [report.trees.lower.value, report.trees.upper.value, report.trees.cross_share.value]
    edges = expected.cross_counts / len(problem[1])
    assert found == pytest.approx([expected.lower, expected.upper, edges], abs=1e-12)
    pairs = pairwise_bayes_error(*problem, n_trees=n_trees, normalize=True)
    assert differences(report.pairs.bounds, pairs) == []
    rest = ovr_bayes_error(*problem, n_trees=n_trees)
    assert differences(report.classes.bounds, rest) == []


@given(problem=problems(), options=OPTIONS, n_trees=N_TREES)
@examples(25)
def test_two_samples_are_two_classes(problem, options, n_trees):
    X, y = problem
    order = np.argsort(y % 2, kind="stable")  # ties depend on the rows' places
    X, y = X[order], y[order] % 2
    options = options | {"n_trees": n_trees}
    samples = X[y == 0], X[y == 1]
    of_samples = two_sample_bayes_error(*samples, **options)
    assert differences(of_samples, bayes_error(X, y, **options)) == []
    offset = options.get("connectivity_offset", False)
    divergences = [
        two_sample_divergence(*samples, n_trees=n_trees, connectivity_offset=offset).raw,
        hp_divergence(X, y, n_trees=n_trees, connectivity_offset=offset).raw,
    ]
    assert divergences[0] == pytest.approx(divergences[1], abs=1e-12)


@given(problem=problems(kinds=CONTINUOUS))
@examples(12)
def test_a_test_of_samples_has_their_divergence(problem):
    X, y = problem
    samples = X[y % 2 == 0], X[y % 2 == 1]
    test = two_sample_test(*samples, scale="none", n_permutations=19)
    expected = two_sample_divergence(*samples).value
    assert test.divergence.value == pytest.approx(expected, abs=1e-12)


@given(problem=problems(), options=OPTIONS)
@examples(12)
def test_extrapolated_errors_of_two_classes_agree(problem, options):
    X, y = problem
    y = y % 2
    options = options | {"extrapolate": True}
    whole = multiclass_bayes_error(X, y, **options)
    assert differences(bayes_error(X, y, **options), whole) == []
    pair, rest = pairwise_bayes_error(X, y, **options), ovr_bayes_error(X, y, **options)
    assert pair.cross_limit[0, 1] == pytest.approx(whole.cross_limit, abs=1e-12, nan_ok=True)
    assert rest.cross_limit == pytest.approx([whole.cross_limit] * 2, abs=1e-12, nan_ok=True)
    if not np.isnan(pair.value[0, 1]):  # a limit that is known badly has no value for a pair
        for field in ("value", "lower"):
            expected = getattr(whole, field)
            assert getattr(pair, field)[0, 1] == pytest.approx(expected, abs=1e-12)
            assert getattr(rest, field) == pytest.approx([expected] * 2, abs=1e-12)


@given(problem=problems(kinds=CONTINUOUS))
@examples(8)
def test_a_report_agrees_with_the_functions_on_signal(problem):
    report = difficulty_report(*problem, scale="none", classifiers=())
    expected = sample_difficulty(*problem)
    assert report.trees.sample_difficulty == pytest.approx(expected, abs=1e-12)
    test = friedman_rafsky_test(*problem)
    for field in ("statistic", "expected", "variance", "z"):
        of_report = getattr(report.data.signal, field)
        assert of_report == pytest.approx(getattr(test, field), abs=1e-9)
