"""A hierarchy is a binary tree of minimum cuts, and a value."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartsvm import ClassHierarchy, class_hierarchy, pairwise_bayes_error
from smartsvm.hierarchy._minimum_cut import minimum_cut


@st.composite
def error_matrices(draw, least=2, most=10):
    k = draw(st.integers(least, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = draw(
        st.sampled_from([random.random((k, k)), random.integers(0, 3, (k, k)).astype(float)])
    )
    return np.triu(weights, 1) + np.triu(weights, 1).T


@given(weights=error_matrices())
def test_hierarchy_is_a_binary_tree_of_minimum_cuts(weights):
    given_weights = weights.copy()
    tree = class_hierarchy(weights)
    assert np.array_equal(weights, given_weights)
    k = len(weights)
    assert tree.n_nodes == k - 1
    assert sorted(tree.leaf_order().tolist()) == list(range(k))
    assert np.all(tree.sides[0] != 0)
    for node, (left, right) in enumerate(tree.children.tolist()):
        sets = [np.flatnonzero(tree.sides[node] == sign) for sign in (-1, 1)]
        for child, inside in zip((left, right), sets, strict=True):
            below = np.flatnonzero(tree.sides[child]) if child >= 0 else [~child]
            assert inside.tolist() == list(below)
            assert child < 0 or child > node  # preorder
        assert sets[0].min() < sets[1].min()
        together = np.sort(np.concatenate(sets))
        weight, _ = minimum_cut(weights[np.ix_(together, together)])
        assert tree.cut_weights[node] == pytest.approx(weight)
        assert tree.cut_weights[node] == pytest.approx(weights[np.ix_(*sets)].sum())
    assert tree.depth == tree.class_depths.max() == tree.node_depths.max() + 1
    assert class_hierarchy(weights) == tree


def test_equal_errors_are_cut_in_halves():
    assert class_hierarchy(np.zeros((16, 16))).depth == 4


def test_paper_figure_groups_the_confused_classes():
    errors = np.full((4, 4), 0.01)
    errors[0, 2] = errors[2, 0] = 0.4
    errors[1, 3] = errors[3, 1] = 0.3
    tree = class_hierarchy(errors, classes=["w", "x", "y", "z"])
    left, right = tree.node_classes(0)
    assert (left.tolist(), right.tolist()) == (["w", "y"], ["x", "z"])
    assert tree.to_text() == (
        "w y | x z   (cut 0.04)\n"
        "├── w | y   (cut 0.4)\n"
        "│   ├── w\n"
        "│   └── y\n"
        "└── x | z   (cut 0.3)\n"
        "    ├── x\n"
        "    └── z"
    )
    assert str(tree) == tree.to_text()
    assert repr(tree) == "ClassHierarchy(n_classes=4, depth=2)"


def test_it_is_an_immutable_value():
    errors = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0.0]])
    tree = class_hierarchy(errors)
    for array in (tree.children, tree.sides, tree.cut_weights, tree.classes):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    with pytest.raises(AttributeError):
        tree.children = None
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert tree != class_hierarchy(errors, classes=["a", "b", "c"])
    assert tree != "tree"


def test_it_takes_an_estimate_with_its_labels():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = np.repeat(["a", "b", "c"], 20)
    tree = class_hierarchy(pairwise_bayes_error(X, y))
    assert isinstance(tree, ClassHierarchy)
    assert tree.classes.tolist() == ["a", "b", "c"]


def test_long_lists_of_classes_are_shortened():
    text = class_hierarchy(np.zeros((40, 40))).to_text()
    assert "... (20 classes)" in text.splitlines()[0]


def test_long_names_of_classes_keep_within_the_width():
    names = [f"class {i} of a catalogue with long, long, long, very long names" for i in range(12)]
    lines = class_hierarchy(np.zeros((12, 12)), classes=names).to_text().splitlines()
    assert max(map(len, lines)) <= 88
    leaves = [line for line in lines if " | " not in line and "(cut" not in line]
    assert len({*leaves}) == 12
    assert any(line.endswith(names[0]) for line in leaves)


def test_a_thousand_levels_need_no_recursion():
    k = 1200
    children = [[~i, i + 1] for i in range(k - 2)] + [[~(k - 2), ~(k - 1)]]
    tree = ClassHierarchy.from_children(children, np.zeros(k - 1), np.arange(k))
    assert tree.depth == k - 1
    ends = [line.lstrip("│├└─ ") for line in tree.to_text().splitlines()]
    assert sorted(int(end) for end in ends if end.isdigit()) == list(range(k))
    assert sum(" | " in end for end in ends) == k - 1
    assert tree.leaf_order().tolist() == list(range(k))


def test_labels_in_any_order_name_the_same_groups():
    errors = np.array([[0, 0.4, 0.01], [0.4, 0, 0.01], [0.01, 0.01, 0]])
    tree = class_hierarchy(errors, classes=[2, 0, 1])  # 2 and 0 stay together
    assert tree.restrict([0, 1, 2]) == ClassHierarchy.from_children(
        [[1, ~1], [~0, ~2]], tree.cut_weights, [0, 1, 2]
    )
    wide = class_hierarchy(np.pad(errors, (0, 1)), classes=[2, 0, 1, -5])
    assert wide.restrict([2, 0, 1]).node_classes(0)[1].tolist() == [1]


@pytest.mark.parametrize(
    ("children", "cut_weights", "classes", "message"),
    [
        ([[0, ~1]], [0.0], [1, 2], "children must hold each node"),  # a cycle
        ([[~0, ~5]], [0.0], [1, 2], "children must hold each node"),
        ([[~0, ~0]], [0.0], [1, 2], "children must hold each node"),
        ([["a", "b"]], [0.0], [1, 2], "children must hold each node"),
        ([[2, ~0], [~1, ~2], [1, ~3]], [0.0] * 3, [1, 2, 3, 4], "after its parent"),
        ([[~0, ~1]], [0.0], [1, 2, 3], r"children must have shape \(2, 2\)"),
        ([[~0, ~1]], [0.0, 1.0], [1, 2], r"cut_weights must have shape \(1,\)"),
        ([[~0, ~1]], [0.0], [2, 2], "classes must hold each label once"),
        ([], [], [2], "classes must be at least two"),
    ],
)
def test_no_hierarchy_is_made_of_what_is_no_tree(children, cut_weights, classes, message):
    with pytest.raises(ValueError, match=message):
        ClassHierarchy.from_children(children, cut_weights, classes)
    with pytest.raises(ValueError, match=message):
        ClassHierarchy(classes, children, cut_weights)


def test_sides_follow_from_the_children():
    tree = class_hierarchy(1 - np.eye(4))
    assert ClassHierarchy(tree.classes, tree.children, tree.cut_weights, tree.sides) == tree
    with pytest.raises(ValueError, match="sides must follow from children"):
        ClassHierarchy(tree.classes, tree.children, tree.cut_weights, -tree.sides)
    with pytest.raises(ValueError, match="children must hold each node"):
        dataclasses.replace(tree, children=np.zeros((3, 2), dtype=int), sides=None)


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_copies_are_read_only(again):
    tree = again(class_hierarchy(1 - np.eye(4)))
    for name in ("classes", "children", "cut_weights", "sides"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[:] = 0


def test_an_array_that_was_given_stays_the_callers():
    children = np.array([[1, -3], [-1, -2]])
    tree = ClassHierarchy(np.arange(3), children, np.zeros(2))
    children[0] = 99
    assert tree.children[0].tolist() == [1, -3]


def test_labels_must_differ_and_be_of_one_type():
    with pytest.raises(ValueError, match=r"classes must hold each label once, got \['a'\] twice"):
        class_hierarchy(np.zeros((2, 2)), classes=["a", "a"])
    with pytest.raises(TypeError, match=r"one sortable type, got 2 \(int\) and 'a' \(str\)"):
        ClassHierarchy.from_nested([[1, "a"], 2])


def test_lists_that_contain_themselves_are_refused():
    itself = ["a"]
    itself.append(itself)
    twice = ["a", "b"]
    for _ in range(60):
        twice = [twice, twice]
    inner = ["a", "b"]
    inner[1] = ("b", ["c", inner])
    for nested in (itself, twice, inner):
        with pytest.raises(ValueError, match="must hold each list once"):
            ClassHierarchy.from_nested(nested)
