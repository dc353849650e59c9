"""The canonical order of edges is numpy's lexsort by (weight, i, j)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from smartsvm._mst.edges.canonical import canonical

WEIGHTS = {
    "smooth": lambda r, n: np.sqrt(r.exponential(size=n)),
    "equal": lambda r, n: np.full(n, 0.1),
    "zero": lambda r, n: np.zeros(n),
    "signed zeros": lambda r, n: r.choice([0.0, -0.0, 1.0], n),
    "zero or one": lambda r, n: r.integers(0, 2, n).astype(float),
    "many ties": lambda r, n: r.integers(0, max(1, n // 50), n).astype(float),
    "denormal": lambda r, n: r.integers(0, 1000, n) * 5e-324,
    "huge spread": lambda r, n: np.ldexp(r.random(n), r.integers(-1074, 1024, n)),
    "powers": lambda r, n: np.ldexp(1.0, r.integers(-1074, 1024, n)),
    "one outlier": lambda r, n: np.where(np.arange(n) == n // 2, 1e300, 1 + 1e-12 * r.random(n)),
    "neighbouring floats": lambda r, n: 1.0 + np.spacing(1.0) * r.integers(0, 9, n),
    "largest": lambda r, n: np.full(n, np.finfo(float).max) * r.choice([0.5, 1.0], n),
    "sorted": lambda r, n: np.sort(r.random(n)),
    "reversed": lambda r, n: np.sort(r.random(n))[::-1].copy(),
    # A cell that many share, inside a cell that many share, and so on.
    "nested": lambda r, n: 1 + 2.0 ** -r.integers(0, 53, n) * r.integers(0, 2, n),
}


def ordered(edges, weights, n_threads=1):
    """What the kernel writes; it must leave what it reads alone."""
    found = np.full((len(edges), 2), -1, dtype=np.intp), np.full(len(edges), np.nan)
    before = edges.copy(), weights.copy()
    canonical(edges, weights, *found, n_threads)
    np.testing.assert_array_equal(edges, before[0])
    np.testing.assert_array_equal(weights, before[1])
    return found


def lexsorted(edges, weights):
    ends = np.sort(edges, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0], weights))
    return ends[order], weights[order]


@given(
    st.sampled_from(sorted(WEIGHTS)),
    st.one_of(st.sampled_from([0, 1, 2, 3, 16, 17]), st.integers(0, 6000)),
    st.sampled_from([2, 40, 10**6, 2**32 - 1]),
    st.integers(0, 2**32 - 1),
)
@examples(300)
def test_the_order_is_that_of_lexsort(kind, n, n_points, seed):
    r = np.random.default_rng(seed)
    edges = r.integers(0, n_points, (n, 2), dtype=np.uint32)
    weights = WEIGHTS[kind](r, n)
    found, expected = ordered(edges, weights), lexsorted(edges, weights)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])


@pytest.mark.parametrize("kind", sorted(WEIGHTS))
def test_many_edges(kind):
    r = np.random.default_rng(3)
    n = 150_001
    edges = r.integers(0, n, (n, 2), dtype=np.uint32)
    weights = WEIGHTS[kind](r, n)
    expected = lexsorted(edges, weights)
    for n_threads in (1, 2, 16):
        found = ordered(edges, weights, n_threads)
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1])


def test_the_sign_of_zero_is_no_part_of_the_order():
    edges = np.array([[5, 6], [0, 1], [3, 2]], dtype=np.uint32)
    out = np.empty((3, 2), dtype=np.intp), np.empty(3)
    canonical(edges, np.array([-0.0, 0.0, -0.0]), *out)
    assert out[0].tolist() == [[0, 1], [2, 3], [5, 6]]
