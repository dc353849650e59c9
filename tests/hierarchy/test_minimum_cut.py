"""Minimum cuts against networkx and against the algorithm as it is printed."""

import networkx
import numpy as np
import pytest
from hypothesis import example, given
from strategies import graphs

from smartsvm.hierarchy._minimum_cut import minimum_cut


def plain_minimum_cut(weights):
    """Stoer and Wagner without any shortcut: every phase from the first vertex on."""
    n = len(weights)
    merged = weights - np.diag(np.diag(weights))
    groups = np.eye(n, dtype=bool)
    best = np.inf, 0, None
    while len(merged) > 1:
        attachment = merged[0].copy()
        attachment[0] = -np.inf
        taken = [0]
        while len(taken) < len(merged):
            taken.append(int(attachment.argmax()))
            weight = float(attachment[taken[-1]])
            attachment += merged[taken[-1]]
            attachment[taken[-1]] = -np.inf
        previous, last = taken[-2:]
        balance = min(groups[last].sum(), n - groups[last].sum())
        if weight < best[0] or (weight == best[0] and balance > best[1]):
            best = weight, balance, groups[last].copy()
        merged[previous] += merged[last]
        merged[:, previous] = merged[previous]
        merged[previous, previous] = 0
        groups[previous] |= groups[last]
        keep = np.arange(len(merged)) != last
        merged, groups = merged[np.ix_(keep, keep)], groups[keep]
    return best[0], best[2]


@given(weights=graphs())
@example(weights=np.zeros((2, 2)))
@example(weights=np.zeros((200, 200)))
def test_it_is_as_light_as_the_cut_of_the_printed_algorithm(weights):
    weight, side = minimum_cut(weights)
    assert weight == pytest.approx(plain_minimum_cut(weights)[0], rel=1e-12)
    between = (weights * np.not_equal.outer(side, side)).sum() / 2
    assert weight == pytest.approx(between, rel=1e-12)
    assert 0 < side.sum() < len(side)


@pytest.mark.parametrize("n", [3, 8, 30, 150, 240])
@pytest.mark.parametrize("together", [False, True])
def test_a_unique_cut_is_that_of_the_printed_algorithm(n, together):
    weights = np.random.default_rng(n).random((n, n))
    if together:
        # Two tight groups: the minimum cut parts them and cuts off no single vertex.
        weights *= np.where(np.equal.outer(np.arange(n) % 2, np.arange(n) % 2), 1, 0.001)
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    weight, side = minimum_cut(weights)
    expected, expected_side = plain_minimum_cut(weights)
    assert weight == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(side, expected_side) or np.array_equal(side, ~expected_side)


@pytest.mark.parametrize("kind", ["counts", "constant", "apart"])
def test_large_tied_graphs_have_a_cut_of_the_least_weight(kind):
    n = 150
    random = np.random.default_rng(3)
    weights = random.integers(0, 3, (n, n)).astype(float)
    if kind == "constant":
        weights = np.full((n, n), 0.1)
    elif kind == "apart":
        weights *= np.equal.outer(np.arange(n) % 3, np.arange(n) % 3)
    weights = np.triu(weights, 1) + np.triu(weights, 1).T
    weight, side = minimum_cut(weights)
    assert 0 < side.sum() < n
    assert weight == pytest.approx(plain_minimum_cut(weights)[0], rel=1e-12)
    assert weight == pytest.approx(weights[np.ix_(side, ~side)].sum(), rel=1e-12)


@given(weights=graphs(most=12))
def test_it_equals_networkx(weights):
    weight, side = minimum_cut(weights)
    graph = networkx.complete_graph(len(weights))
    for i, j in graph.edges:
        graph.edges[i, j]["weight"] = weights[i, j]
    assert weight == pytest.approx(networkx.stoer_wagner(graph)[0])
    assert weight == pytest.approx(weights[np.ix_(side, ~side)].sum())
    assert 0 < side.sum() < len(side)


def test_the_diagonal_does_not_count_and_nothing_is_written_to():
    weights = np.array([[9.0, 1.0, 2.0], [1.0, 9.0, 4.0], [2.0, 4.0, 9.0]])
    weights.setflags(write=False)
    weight, side = minimum_cut(weights)
    assert weight == 3
    assert side.tolist() in ([True, False, False], [False, True, True])
    assert minimum_cut(weights.T)[0] == 3


@pytest.mark.parametrize("shape", [(1, 1), (0, 0), (2, 3)])
def test_it_refuses_what_has_no_cut(shape):
    with pytest.raises(ValueError, match="square matrix of at least two"):
        minimum_cut(np.zeros(shape))
