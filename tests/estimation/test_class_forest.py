"""One forest, many questions: the same answers as the functions give one by one."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

import smartsvm
from smartsvm import ClassForest, class_hierarchy

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
FIELDS = ("value", "lower", "upper", "cross_counts", "n_trees", "class_counts")


def same(first, second):
    return all(np.array_equal(getattr(first, f), getattr(second, f)) for f in FIELDS)


@pytest.mark.parametrize("correction", [True, False, "prior"])
def test_questions_in_any_order_get_the_same_answers(correction):
    options = {"bias_correction": correction, "normalize": True}
    expected = {
        "pairwise": smartsvm.pairwise_bayes_error(X, NAMES, **options),
        "one_vs_rest": smartsvm.ovr_bayes_error(X, NAMES, **options),
        "multiclass": smartsvm.bayes_error(X, NAMES, **options),
    }
    for order in (list(expected), list(expected)[::-1]):
        forest = ClassForest(X, NAMES)
        for question in order + order:
            assert same(getattr(forest, question)(**options), expected[question])


def test_split_is_the_problem_of_two_groups():
    forest = ClassForest(X, NAMES)
    grouped = smartsvm.bayes_error(X, NAMES == "virginica")
    found = forest.split(["setosa", "versicolor"], "virginica")
    assert (found.value, found.lower, found.upper) == (grouped.value, grouped.lower, grouped.upper)
    assert found.class_counts.tolist() == [50, 50, 50]
    rest = forest.one_vs_rest()
    assert found.cross_counts == rest.cross_counts[2]
    assert same(forest.split(["versicolor", "setosa"], ["virginica"]), found)  # now from pairs
    pair = forest.split("versicolor", "virginica", normalize=True)
    assert pair.value == pytest.approx(forest.pairwise(normalize=True).value[1, 2])
    assert pair.normalized


def test_every_node_of_a_hierarchy():
    points, digits = load_digits(return_X_y=True)
    points, digits = points[:400], digits[:400]
    forest = ClassForest(points, digits, n_trees=2)
    tree = class_hierarchy(forest.pairwise())
    for node in range(tree.n_nodes):
        left, right = tree.node_classes(node)
        pick = np.isin(digits, np.concatenate([left, right]))
        expected = smartsvm.bayes_error(points[pick], np.isin(digits[pick], right), n_trees=2)
        # The points have other row numbers in the subset, so only ties can differ.
        assert forest.split(left, right).cross_counts == pytest.approx(expected.cross_counts, abs=2)


def test_bad_splits_are_refused():
    forest = ClassForest(X, NAMES)
    with pytest.raises(ValueError, match=r"disjoint, got \['setosa'\] in both"):
        forest.split(["setosa"], ["setosa", "virginica"])
    with pytest.raises(ValueError, match=r"right must hold labels of y.*got \['rose'\]"):
        forest.split("setosa", ["rose"])
    with pytest.raises(ValueError, match="left must hold labels of y, at least one"):
        forest.split([], ["setosa"])


def test_pairs_never_raise_the_bounds_of_the_tree():
    points = np.array([[0, 1], [0, 0], [0, 0], [0, 0], [1, 0], [1, 0], [1, 1], [1, 1]], float)
    labels = np.array([2, 2, 0, 1, 3, 3, 1, 0])
    with pytest.warns(smartsvm.SmallClassWarning):
        tree, tightest = (
            ClassForest(points, labels, n_trees=1).multiclass(method=method, bias_correction=False)
            for method in ("tree", "tightest")
        )
    assert tree.lower <= tightest.lower <= tightest.upper <= tree.upper


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
@pytest.mark.parametrize("algorithm", ["auto", "prim", "kdtree", "products"])
def test_forests_can_be_copied_before_and_after_questions(again, algorithm):
    X, y = load_iris(return_X_y=True)
    forest = ClassForest(X, y, algorithm=algorithm)
    fresh = again(forest)
    expected = forest.pairwise().value, forest.multiclass().value
    for each in (fresh, again(forest)):
        assert np.array_equal(each.pairwise().value, expected[0])
        assert each.multiclass().value == expected[1]


def test_forests_on_blocks_say_why_they_cannot_be_copied():
    forest = ClassForest(*load_iris(return_X_y=True), memory_limit=210_000)
    with pytest.raises(TypeError, match="in blocks can neither be pickled nor copied"):
        pickle.dumps(forest)


@pytest.mark.parametrize(("n_features", "n_trees"), [(1, 3), (3, 3), (4, 1), (200, 1)])
def test_by_default_few_features_have_three_trees_and_others_one(n_features, n_trees):
    points = np.random.default_rng(0).normal(size=(60, n_features))
    assert ClassForest(points, np.arange(60) % 2).n_trees == n_trees


def test_other_names_for_the_number_of_trees_are_refused():
    with pytest.raises(ValueError, match=r"n_trees must be .auto. or an integer.*got 'all'"):
        ClassForest(X, Y, n_trees="all")
