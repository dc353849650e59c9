"""The example at the head of `smartsvm._mst`: every kernel returns the trees that it shows."""

import re

import numpy as np
import oracle
import pytest

from smartsvm import _mst
from smartsvm._mst.choice import KERNELS

ROWS = np.array([[0, 0], [1, 0], [0, 1], [1, 1], [1, 1]], dtype=float)
IDS = np.arange(len(ROWS), dtype=np.uint32)


def shown(begin):
    """The edges in a line of the example, with their tie keys where it has them."""
    line = re.search(rf"^ +{begin} +(\d-\d.*)$", _mst.__doc__, re.MULTILINE)[1].split("   ")
    return re.findall(r"(\d)-(\d)", line[0] if begin.startswith("tree") else "   ".join(line))


def edges_of(numbers):
    return [tuple(map(int, pair)) for pair in numbers]


def test_the_order_is_that_of_all_edges():
    in_order = [(i, j) for _, _, i, j in oracle.sorted_edges(ROWS, 0)]
    assert [pair for squared in "012" for pair in edges_of(shown(squared))] == in_order


def test_ranks_and_keys_are_rounded_to_two_digits():
    ranks = [oracle.tie_rank(i, 0) / 2**32 for i in range(len(ROWS))]
    assert " ".join(f"{rank:.2f}"[1:] for rank in ranks) in re.sub(" +", " ", _mst.__doc__)
    for _, (key, _), i, j in oracle.sorted_edges(ROWS, 0):
        assert f"{i}-{j} {key / 2**32:.2f}".replace(" 0", " ") in _mst.__doc__


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_the_trees_are_those_of_every_kernel(kernel):
    edges, _, sizes = kernel.forests(kernel.index(ROWS, IDS, 1), 0, 2, 1)
    for tree, found in enumerate(np.split(edges, np.cumsum(sizes)[:-1]), 1):
        expected = edges_of(shown(f"tree {tree}"))
        assert sorted(map(tuple, np.sort(found).tolist())) == sorted(expected)
