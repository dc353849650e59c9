"""The compiled descent: what it adds up, and that no false state reaches it."""

import pickle

import numpy as np
import pytest

from smartsvm import ClassHierarchy
from smartsvm.classifier._descent import Descent
from smartsvm.classifier.routing import margin_descent

TREE = ClassHierarchy.from_nested([[0, [3, 4]], [[1, 5], 2]])
RANDOM = np.random.default_rng(0)


def descent(**changes):
    arrays = {
        "children": TREE.children,
        "weights": np.ones((5, 3)),
        "intercepts": np.zeros(5),
        "links": np.tile([1.0, 0.0], (5, 1)),
        "limit": 3.0,
    }
    return Descent(*(arrays | changes).values())


def test_soft_routing_takes_the_largest_product():
    margins = RANDOM.normal(size=(300, 5))
    probabilities = np.empty((300, 6))
    codes = np.empty(300, dtype=np.intp)
    margin_descent(TREE).log_probabilities(margins, probabilities, True)
    margin_descent(TREE).soft(margins, codes)
    np.testing.assert_array_equal(codes, probabilities.argmax(axis=1))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    for k in range(6):
        wanted = np.ones(300)
        for node in np.flatnonzero(TREE.sides[:, k]):
            wanted /= 1 + np.exp(-margins[:, node] * TREE.sides[node, k])
        np.testing.assert_allclose(probabilities[:, k], wanted)


def test_margins_are_linked_to_log_odds():
    rows = 10 * RANDOM.normal(size=(50, 3))
    weights = RANDOM.normal(size=(5, 3))
    intercepts = RANDOM.normal(size=5)
    links = np.column_stack([np.arange(5) / 2, RANDOM.normal(size=5)])
    found, plain = np.empty((50, 6)), np.empty((50, 6))
    descent(weights=weights, intercepts=intercepts, links=links).log_probabilities(
        rows, found, False
    )
    odds = links[:, 0] * np.clip(rows @ weights.T + intercepts, -3, 3) + links[:, 1]
    margin_descent(TREE).log_probabilities(odds, plain, False)
    np.testing.assert_allclose(found, plain, rtol=1e-9)


@pytest.mark.parametrize(
    "children",
    [
        [[1, 7], [2, -2], [-3, -4], [-5, -6], [-1, -1]],  # beyond the nodes
        [[1, 0], [2, -2], [-3, -4], [3, 4], [-5, -6]],  # a cycle
        [[1, 2], [-1, 3], [-2, -3], [-4, -5]],  # too short
        [[1, -1], [1, -2], [3, -3], [4, -4], [-5, -6]],  # a node twice
        [[-1, -7], [2, -2], [3, -3], [4, -4], [-5, -6]],  # no such leaf
        np.full((5, 2), np.nan),
        np.empty((0, 2), dtype=int),
        [[1, 2, 3]] * 5,
    ],
)
def test_children_that_are_no_tree_are_refused(children):
    with pytest.raises(ValueError, match=r"children must|must have shape"):
        descent(children=children)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": np.ones((4, 3))}, "weights of the nodes must have shape"),
        ({"weights": np.full((5, 3), np.nan)}, "weights of the nodes must be finite"),
        ({"intercepts": np.zeros(4)}, "intercepts of the nodes must have shape"),
        ({"intercepts": np.full(5, np.inf)}, "intercepts of the nodes must be finite"),
        ({"links": np.zeros((5, 3))}, "links of the nodes must have shape"),
        ({"links": np.tile([-1.0, 0.0], (5, 1))}, "slopes of at least 0"),
        ({"limit": 0.0}, "limit must be positive"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        descent(**changes)


def test_rows_that_do_not_fit_are_refused():
    whole = descent()
    codes = np.empty(4, dtype=np.intp)
    for ask in (whole.hard, whole.soft):
        for shape in ((4, 2), (4, 5), (3, 3)):
            with pytest.raises(ValueError, match=r"rows must have shape \(4, 3\)"):
                ask(np.zeros(shape), codes)
    rows = np.zeros((4, 3))
    with pytest.raises(ValueError, match="must have 5 columns, got 4"):
        whole.margins(rows, np.empty((4, 4)))
    with pytest.raises(ValueError, match="must have 6 columns, got 5"):
        whole.log_probabilities(rows, np.empty((4, 5)), True)


def test_a_descent_copies_its_arrays_and_is_checked_on_load():
    weights = np.ones((5, 3))
    found = descent(weights=weights)
    weights[:] = np.nan
    rows = RANDOM.normal(size=(9, 3))
    codes = np.empty(9, np.intp)
    again = np.empty(9, np.intp)
    found.soft(rows, codes)
    pickle.loads(pickle.dumps(found)).soft(rows, again)
    np.testing.assert_array_equal(codes, again)
    make, arrays = found.__reduce__()
    with pytest.raises(ValueError, match="children must"):
        make(arrays[0][::-1], *arrays[1:])
