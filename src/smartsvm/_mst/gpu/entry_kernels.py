"""Triton kernels that read the table: bounds of components, and the entries within them."""

from __future__ import annotations

import triton
import triton.language as tl

from smartsvm._mst.gpu.keys import INFINITY, decoded, key_limit, upper_bound


@triton.jit(do_not_specialize=["n", "n_slots"])
def best_entries(
    points, table, component, largest, bounds, first_open, n, n_slots, BR: tl.constexpr
):
    """Bounds of components by the smallest fresh entries of rows; slots of smaller, open ones."""
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < n
    own = tl.load(component + r, mask=rows, other=-2)
    searches = rows & (own != tl.load(largest))
    best = tl.full((BR,), INFINITY, tl.float32)
    column = tl.full((BR,), -1, tl.int32)
    left = tl.full((BR,), INFINITY, tl.float32)
    slot = tl.full((BR,), -1, tl.int32)
    for s in range(n_slots):
        entry = tl.zeros((BR,), tl.int64) + s
        entry = entry * n + r
        key = decoded(tl.load(table.keys + entry, mask=searches, other=0x7F800000))
        a = tl.load(table.columns + entry, mask=searches, other=-1)
        known = a >= 0
        fresh = known & (tl.load(component + a, mask=known, other=-2) != own)
        better = fresh & (key < best)
        best, column = tl.where(better, key, best), tl.where(better, a, column)
        better = (fresh == 0) & (key < left)
        left, slot = tl.where(better, key, left), tl.where(better, s, slot)
    known = searches & (column >= 0)
    upper = upper_bound(points, best, r, column, known)
    tl.atomic_min(bounds + own, upper, mask=known, sem="relaxed")
    tl.store(first_open + r, tl.where(left < best, slot, -1), mask=rows)


@triton.jit(do_not_specialize=["n", "start", "stop", "n_slots"])
def list_entries(
    points,
    table,
    lists,
    component,
    largest,
    own_chunk,
    first_open,
    bounds,
    n,
    start,
    stop,
    n_slots,
    OWN: tl.constexpr,
    BR: tl.constexpr,
):
    """List rows whose entry of a chunk may hold an edge within the bound of their component.

    With `first_open` only those entries; with columns only those that are unknown or stale.
    """
    r = start + tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < stop
    own = tl.load(component + r, mask=rows, other=-2)
    rows = rows & (own != tl.load(largest))
    norm_r = tl.load(points.norm + r, mask=rows, other=0.0)
    near = tl.load(bounds + own, mask=rows, other=0.0)
    near += tl.load(points.delta + r, mask=rows, other=0.0)
    for s in range(tl.program_id(1), n_slots, tl.num_programs(1)):
        slot = tl.zeros((BR,), tl.int32) + s
        if first_open is not None:
            slot = tl.load(first_open + r, mask=rows, other=-1)
        hit = rows & (slot >= 0)
        entry = slot.to(tl.int64) * n + r
        key = decoded(tl.load(table.keys + entry, mask=hit, other=0x7F800000))
        hit = hit & (key < INFINITY)
        chunk = slot
        if OWN:
            chunk = tl.load(own_chunk + r, mask=hit, other=0)
        far = near + tl.load(points.chunk_delta + chunk, mask=hit, other=0.0)
        norm_c = tl.load(points.chunk_norm + chunk, mask=hit, other=0.0)
        hit = hit & (key.to(tl.float64) <= key_limit(far, norm_r, norm_c, points.slack))
        if table.columns is not None:
            a = tl.load(table.columns + entry, mask=hit, other=-1)
            known = hit & (a >= 0)
            hit = hit & (tl.load(component + a, mask=known, other=-2) == own) | (hit & (a < 0))
        one = hit.to(tl.int32)
        at = tl.atomic_add(lists.counts + chunk, one, mask=hit, sem="relaxed")
        begin = tl.load(lists.starts + chunk, mask=hit, other=0)
        tl.store(lists.rows + begin + at, r, mask=hit)
