"""What nodes add up: sums over the sides of nodes, clipped values, products as they are."""

import numpy as np
import pytest
from scipy.special import logsumexp

from smartsvm import ClassHierarchy
from smartsvm.classifier.nodes._evidence import (
    add_clipped,
    quadratic_margins,
    quadratic_terms,
    sum_sides,
)
from smartsvm.classifier.nodes.evidence import class_odds, vote_odds
from smartsvm.classifier.nodes.quadratic_map import QuadraticMap
from smartsvm.held_out.extra_trees import OUT_OF_BAG
from smartsvm.held_out.principal_components import Directions

TREE = ClassHierarchy.from_nested([[0, [3, 4]], [[1, 5], 2]])
RANDOM = np.random.default_rng(0)


def test_log_odds_of_sides_from_densities():
    scores = RANDOM.normal(size=(6, 20)) * 100
    scores[2, 0] = -np.inf  # the only sample of its class, held out
    found = class_odds(TREE.children, scores)
    for node, side in enumerate(TREE.sides):
        wanted = logsumexp(scores[side > 0], axis=0) - logsumexp(scores[side < 0], axis=0)
        np.testing.assert_allclose(found[node], wanted, rtol=1e-12, atol=1e-12)


def test_sides_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="matching shapes"):
        sum_sides(TREE.children, np.zeros((5, 3)), np.empty((5, 3)))
    for wrong in (-7, 5, 0):
        children = TREE.children.copy()
        children[4, 1] = wrong
        with pytest.raises(ValueError, match="nodes after their parent"):
            sum_sides(children, np.zeros((6, 3)), np.empty((5, 3)))


def test_log_odds_of_sides_from_votes():
    votes = RANDOM.dirichlet(np.ones(6), size=20).T
    votes[3] = 0
    found = vote_odds(TREE.children, votes, 8)
    least = 0.5 / (8 * OUT_OF_BAG)
    for node, side in enumerate(TREE.sides):
        sums = [votes[side == sign].sum(axis=0) + least for sign in (1, -1)]
        np.testing.assert_allclose(found[node], np.log(sums[0] / sums[1]), atol=1e-12)


def test_clipped_sums():
    values = RANDOM.normal(size=(2, 7)) * 3
    out = np.ones((4, 7))
    add_clipped(values, np.array([3, 1]), np.array([2.0, 0.5]), 1.5, out)
    np.testing.assert_allclose(out[3], 1 + 2 * np.clip(values[0], -1.5, 1.5))
    np.testing.assert_allclose(out[1], 1 + 0.5 * np.clip(values[1], -1.5, 1.5))
    assert (out[[0, 2]] == 1).all()
    with pytest.raises(ValueError, match="nodes must be from 0 to 3, got 4"):
        add_clipped(values, np.array([4, 1]), np.ones(2), 1.0, out)
    with pytest.raises(ValueError, match="matching shapes"):
        add_clipped(values, np.array([1]), np.ones(2), 1.0, out)


def test_products_that_do_not_fit_are_refused():
    values = RANDOM.normal(size=(7, 2))
    with pytest.raises(ValueError, match="n_factors must be from 0 to 2, got 3"):
        quadratic_terms(values, 3, np.zeros(8), np.ones(8), np.empty((7, 8)))
    with pytest.raises(ValueError, match="must have 5 columns"):
        quadratic_terms(values, 2, np.zeros(5), np.ones(5), np.empty((7, 4)))
    with pytest.raises(ValueError, match="n_factors must be from 0 to 2, got 3"):
        quadratic_margins(values, 3, np.ones(2), np.empty((1, 9)), np.empty((1, 7)))
    with pytest.raises(ValueError, match="matching shapes"):
        quadratic_margins(values, 2, np.ones(2), np.empty((1, 5)), np.empty((1, 7)))
    with pytest.raises(ValueError, match="matching shapes"):
        quadratic_margins(values, 2, np.ones(3), np.empty((1, 6)), np.empty((1, 7)))


# Weights so large that single precision could not decide are taken in double precision.
@pytest.mark.parametrize(("size", "dtype"), [(1.0, np.float32), (1e4, np.float64)])
@pytest.mark.parametrize("d", [4, 25, 50])
def test_svms_decide_alike_on_plain_columns(d, size, dtype):
    X = RANDOM.normal(size=(300, d))
    X[:, 0] = X[:, 0] > 0  # equal to its own square
    directions = Directions(X)
    inside = directions(X)
    columns = QuadraticMap(directions, inside)
    weights = size * RANDOM.normal(size=(3, columns.n_columns + 1))
    standardised = columns.columns(inside)
    np.testing.assert_allclose(standardised.mean(axis=0), 0, atol=1e-12)
    assert np.isin(standardised.var(axis=0).round(9), (0, 1)).all()  # a constant one is 0
    wanted = standardised @ weights[:, :-1].T + weights[:, -1]
    plain = columns.plain_weights(weights)
    assert plain.dtype == dtype
    found = columns.plain_margins(inside, plain)
    # What is rounded are the terms of the sums.
    terms = columns.plain_margins(np.abs(inside), np.abs(plain))
    rounding = 2 * np.sqrt(plain.shape[1]) * np.finfo(dtype).eps * terms
    assert (np.abs(found - wanted.T) <= rounding).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_margins_of_a_row_do_not_depend_on_the_rows_beside_it(dtype):
    X = np.random.default_rng(0).normal(size=(300, 6))
    weights = np.random.default_rng(1).normal(size=(9, 6 + 21 + 1)).astype(dtype)
    together = np.empty((9, 300))
    quadratic_margins(X, 6, np.ones(6), weights, together)
    for first, last in ((0, 1), (299, 300), (17, 30), (100, 292)):
        alone = np.empty((9, last - first))
        quadratic_margins(X[first:last], 6, np.ones(6), weights, alone)
        np.testing.assert_array_equal(alone, together[:, first:last])
