"""Hierarchies from centroids, nested lists and estimates."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits

from smartsvm import ClassForest, ClassHierarchy, SmartSVM, class_hierarchy
from smartsvm.classifier.hierarchy_search import centroid_hierarchy


def test_centroids_that_lie_together_stay_together():
    random = np.random.default_rng(0)
    means = np.array([[0, 0], [100, 0], [1, 0.5], [101, 0], [50, 90.0]])
    tree = centroid_hierarchy(means, np.eye(2), np.array(list("abcde")))
    assert {tuple(sorted(side)) for node in range(4) for side in tree.node_classes(node)} >= {
        ("a", "c"),
        ("b", "d"),
    }
    # Whitening: divided by its small deviation, the second feature counts.
    stretched = centroid_hierarchy(
        np.array([[0, 0], [10, 0], [0, 1], [10, 1.0]]), np.diag([100.0, 1e-4]), np.arange(4)
    )
    assert stretched.node_classes(0)[0].tolist() == [0, 1]
    same = centroid_hierarchy(np.zeros((4, 3)), np.eye(3), np.arange(4))
    assert same.n_nodes == 3
    many = centroid_hierarchy(random.normal(size=(64, 5)), np.ones(5), np.arange(64))
    assert many.depth < 16


def test_nested_lists():
    tree = ClassHierarchy.from_nested([["b", ["d", "a"]], "c"])
    assert tree.to_text() == (
        "a b d | c\n├── a d | b\n│   ├── a | d\n│   │   ├── a\n│   │   └── d\n│   └── b\n└── c"
    )
    assert tree == ClassHierarchy.from_nested(["c", (["a", "d"], "b")])
    assert np.isnan(tree.cut_weights).all()
    smaller = tree.restrict(["d", "b", "c"])
    assert smaller == ClassHierarchy.from_nested([["b", "d"], "c"])
    assert tree.restrict(["a", "b", "c", "d"]) is tree
    deep = 0
    for label in range(1, 1500):
        deep = [deep, label]
    assert ClassHierarchy.from_nested(deep).depth == 1499
    for bad, message in [
        (["a", "b", "c"], "made of lists of two"),
        (["a"], "made of lists of two"),
        ("a", "must be a list of two"),
        (["a", ["b", "a"]], r"each label once, got \['a'\] twice"),
    ]:
        with pytest.raises(ValueError, match=message):
            ClassHierarchy.from_nested(bad)
    for bad in (["a", "x"], ["a"]):
        with pytest.raises(ValueError, match="at least two labels of the hierarchy"):
            tree.restrict(bad)


def test_the_default_cuts_the_errors_of_one_tree():
    X, y = load_digits(return_X_y=True)
    model = SmartSVM(nodes="linear").fit(X, y)
    forest = ClassForest(X, y, n_trees=1)
    errors = forest.pairwise_in_tree(bias_correction=True, normalize=True)
    assert np.array_equal(model.pairwise_error_, errors)
    assert model.hierarchy_ == class_hierarchy(errors)
    few = SmartSVM(nodes="linear").fit(np.tile(X, (2, 1)), np.tile(y, 2))  # a subsample
    assert few.hierarchy_.n_classes == 10
    assert not np.array_equal(few.pairwise_error_, errors)


def test_where_the_default_uses_no_estimates():
    X, y = load_digits(return_X_y=True)
    X /= 16  # LibLinear converges
    many = np.arange(len(y)) % 201
    for points, labels in ((csr_matrix(X), y), (X, many), (X, y % 2)):
        default, centroids = (
            SmartSVM(hierarchy=each, nodes="linear", solver="liblinear").fit(points, labels)
            for each in ("auto", "centroids")
        )
        assert default.hierarchy_ == centroids.hierarchy_
        assert not hasattr(default, "pairwise_error_")


def test_small_classes_are_designed_without_a_warning():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(60), [12, 3, 15] * 20)
    X = random.normal(size=(len(y), 3))
    tree = SmartSVM(nodes="linear").fit(X, y).hierarchy_
    forest = ClassForest(X, y, n_trees=1)
    errors = forest.pairwise_in_tree(bias_correction=True, normalize=True)
    assert tree == class_hierarchy(errors)


def test_text_stays_within_88_columns():
    X, y = load_digits(return_X_y=True)
    words = ["zero", "one", "two", "three", "four", "five", "six", "seven"]
    names = np.array([f"the digit {word}" for word in words])
    model = SmartSVM().fit(X[y < 8], names[y[y < 8]])
    lines = model.to_text().splitlines()
    assert max(map(len, lines)) <= 88
    assert "samples)" in model.to_text().replace("\n", " ")
    assert [line for line in lines if line.endswith("── the digit zero")]
    deep = class_hierarchy(1 / (1 + np.add.outer(np.arange(40), np.arange(40))))
    assert deep.depth == 39
    lines = deep.to_text(["a note that is quite long " * 2] * 39).splitlines()
    assert max(map(len, lines)) <= 88
