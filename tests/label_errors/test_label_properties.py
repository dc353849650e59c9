"""Ranking of labels on random probabilities: names of classes and the order of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from smartsvm import rank_label_errors

WORDS = np.array(["", "class 1", "class 10", "nan", "x=1"])
# Rates of wrong labels are learnt on parts of the rows, so that their order moves chances a little.
_MOVES = 0.15


@st.composite
def problems(draw):
    """Labels numbered from 0, all present, and probabilities of 2 to 5 classes."""
    n_classes, n = draw(st.integers(2, 5)), draw(st.integers(12, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n - n_classes)])
    shares = random.dirichlet(np.ones(n_classes) * draw(st.sampled_from([0.2, 1.0, 5.0])), n)
    return y, shares


@examples(40)
@given(problems())
def test_names_of_classes_change_no_chance(problem):
    y, shares = problem
    found = rank_label_errors(y, shares)
    order, chances = found.ranking, found.chance
    assert sorted(order) == list(range(len(y)))
    assert ((chances >= 0) & (chances <= 1)).all()
    named = rank_label_errors(WORDS[y], shares)
    np.testing.assert_array_equal(named.ranking, order)
    np.testing.assert_array_equal(named.chance, chances)


@examples(40)
@given(problems(), st.integers(0, 2**32 - 1))
def test_the_order_of_rows_hardly_moves_a_chance(problem, seed):
    y, shares = problem
    rows = np.random.default_rng(seed).permutation(len(y))
    expected = rank_label_errors(y, shares).chance
    moved = rank_label_errors(y[rows], shares[rows]).chance
    np.testing.assert_allclose(moved, expected[rows], atol=_MOVES)
