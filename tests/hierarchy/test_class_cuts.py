"""Cuts of nested groups of classes are minimum cuts, also where none is searched for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from smartsvm import class_hierarchy
from smartsvm.hierarchy._minimum_cut import minimum_cut
from smartsvm.hierarchy.class_cuts import ClassCuts
from smartsvm.hierarchy.class_hierarchy import grow


def searched(weights):
    """The hierarchy by one search after another."""
    classes = np.arange(len(weights))
    return grow(classes, lambda inside: minimum_cut(weights[np.ix_(inside, inside)]))


@given(weights=graphs(least=32), exponent=st.integers(-300, 290))
def test_a_hierarchy_is_that_of_one_search_after_another(weights, exponent):
    weights *= 2.0**exponent
    tree, expected = class_hierarchy(weights), searched(weights)
    assert np.array_equal(tree.children, expected.children)
    assert tree.cut_weights == pytest.approx(expected.cut_weights, rel=1e-12)


@pytest.mark.parametrize("apart", [1e-3, 1e-7, 1e-12])
def test_weights_of_different_sizes_do_not_lose_digits(apart):
    # Once the tightly attached classes have left, degrees are a tiny part of what they were.
    random = np.random.default_rng(0)
    scales = np.where(np.arange(120) < 50, 1, apart)
    weights = random.random((120, 120)) * scales * scales[:, None]
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    assert np.array_equal(class_hierarchy(weights).children, searched(weights).children)


@pytest.mark.parametrize("kind", ["alike", "near"])
def test_cutting_off_the_loosest_classes_gives_the_tree_of_a_search(kind):
    random = np.random.default_rng(1)
    weights = random.random((150, 150))
    if kind == "near":
        points = random.normal(size=(150, 16))
        weights = np.exp(-((points[:, None] - points) ** 2).sum(axis=-1) / 8)
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    assert np.array_equal(class_hierarchy(weights).children, searched(weights).children)


def test_a_loose_class_beside_unjoined_groups_cuts_no_less():
    weights = np.kron(np.eye(2), np.full((20, 20), 0.1))
    weights[0, 1:] = weights[1:, 0] = 0  # cutting it off costs 0, as does parting the groups
    _, side = ClassCuts(weights)(np.arange(40))
    assert side.sum() == 20


def test_weights_are_not_written_to():
    weights = np.full((40, 40), 0.5)
    weights.setflags(write=False)
    class_hierarchy(weights)
    assert np.all(np.diag(weights) == 0.5)
