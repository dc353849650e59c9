"""Triton kernels of candidates for edges: float64 distances, the choice of each component, and the
joining of components.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["ends_j", "m", "d"])
def measure(
    X,
    row_of,
    ends_i,
    ends_j,
    out,
    core,
    lengths,
    component,
    least,
    m,
    d,
    STEPS: tl.constexpr,
    B: tl.constexpr,
):
    """Squared distances by the sum of `edge_order.h`; launch without fused multiply-add.

    Term k goes to lane k mod 8, and lanes are folded 8 -> 4 -> 2 -> 1: 0 and 4, 2 and 6, ... The
    loads of several STEPS are under way at once: waiting for them takes most of the time. With
    `core`, squared core distances, `lengths` gets the squares of mutual reachability. `least`, if
    given, gets the least length of each component, as bits.
    """
    e = tl.program_id(0) * B + tl.arange(0, B)
    exists = e < m
    u = tl.load(ends_i + e, mask=exists, other=0)
    v = tl.load(ends_j + e, mask=exists, other=0)
    i = tl.load(row_of + u, mask=exists, other=0)
    j = tl.load(row_of + v, mask=exists, other=0)
    lane = tl.arange(0, 8)
    x = X + i.to(tl.int64)[:, None] * d + lane[None, :]
    y = X + j.to(tl.int64)[:, None] * d + lane[None, :]
    lanes = tl.zeros((B, 8), tl.float64)
    for first in range(0, d, 8 * STEPS):
        for step in tl.static_range(STEPS):
            k = first + 8 * step
            term = exists[:, None] & (k + lane < d)[None, :]
            a = tl.load(x + k, mask=term, other=0.0).to(tl.float64)
            b = tl.load(y + k, mask=term, other=0.0).to(tl.float64)
            lanes += (a - b) * (a - b)
    four = tl.sum(tl.reshape(lanes, (B, 2, 4)), axis=1)
    two = tl.sum(tl.reshape(four, (B, 2, 2)), axis=1)
    square = tl.sum(two, axis=1)
    tl.store(out + e, square, mask=exists)
    length = square
    if core is not None:
        length = tl.maximum(length, tl.load(core + u, mask=exists, other=0.0))
        length = tl.maximum(length, tl.load(core + v, mask=exists, other=0.0))
        tl.store(lengths + e, length, mask=exists)
    if least is not None:
        own = tl.load(component + u, mask=exists, other=0)
        tl.atomic_min(least + own, length.to(tl.int64, bitcast=True), mask=exists, sem="relaxed")


@triton.jit(do_not_specialize=["ends_j", "least", "least_key", "choice", "m"])
def choose(
    ends_i,
    ends_j,
    component,
    squared,
    keys,
    least,
    least_key,
    choice,
    m,
    LAST: tl.constexpr,
    RANKED: tl.constexpr,
    B: tl.constexpr,
):
    """Find the least tie key of a component's shortest candidates; with LAST, its candidate.

    With RANKED, keys are computed from the ranks of the ends.
    """
    e = tl.program_id(0).to(tl.int64) * B + tl.arange(0, B)
    exists = e < m
    i, j = tl.load(ends_i + e, mask=exists, other=0), tl.load(ends_j + e, mask=exists, other=0)
    own = tl.load(component + i, mask=exists, other=0)
    square = tl.load(squared + e, mask=exists, other=0.0).to(tl.int64, bitcast=True)
    tied = exists & (tl.load(least + own, mask=exists, other=-1) == square)
    if RANKED:
        a, b = tl.load(keys + i, mask=tied, other=0), tl.load(keys + j, mask=tied, other=0)
        key = ((tl.abs(a - b) - 2147483648) << 32) + tl.minimum(a, b)  # as `_tie_keys`
    else:
        key = tl.load(keys + e, mask=tied, other=0)
    if LAST:
        tied = tied & (tl.load(least_key + own, mask=tied, other=0) == key)
        tl.atomic_min(choice + own, e, mask=tied, sem="relaxed")
    else:
        tl.atomic_min(least_key + own, key, mask=tied, sem="relaxed")


@triton.jit
def _other(c, exists, choice, ends_j, component, m):
    """The components that some others choose; themselves if they choose none."""
    e = tl.load(choice + c, mask=exists, other=m)
    chosen = exists & (e < m)
    j = tl.load(ends_j + e, mask=chosen, other=0)
    return tl.where(chosen, tl.load(component + j, mask=chosen, other=0), c)


@triton.jit(do_not_specialize=["choice", "ends_j", "n", "m"])
def join(choice, ends_j, component, joined, n, m, B: tl.constexpr):
    """Point each component to the one it chooses; of two that choose each other, one only."""
    c = tl.program_id(0) * B + tl.arange(0, B)
    exists = c < n
    other = _other(c, exists, choice, ends_j, component, m)
    back = _other(other, exists, choice, ends_j, component, m)
    tl.store(joined + c, tl.where((back == c) & (c < other), c, other), mask=exists)


@triton.jit(do_not_specialize=["n"])
def follow(joined, n, STEPS: tl.constexpr, B: tl.constexpr):
    """Follow pointers: k launches move each by (STEPS + 1)^k or more, as others move, too."""
    c = tl.program_id(0) * B + tl.arange(0, B)
    exists = c < n
    at = tl.load(joined + c, mask=exists, other=0)
    for _ in range(STEPS):
        at = tl.load(joined + at, mask=exists, other=0)
    tl.store(joined + c, at, mask=exists)
