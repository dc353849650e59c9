"""Triton kernels that compare classes by the table of keys (`product_kernels.py`): which rows of a
class may be near another one.
"""

from __future__ import annotations

import triton
import triton.language as tl

from smartsvm._mst.gpu.keys import INFINITY, decoded, error_bound


@triton.jit(do_not_specialize=["most", "n", "n_classes", "n_groups"])
def near_classes(
    points,
    T,
    limit,
    found,
    most,
    n,
    n_classes,
    n_groups,
    LIST: tl.constexpr,
    BC: tl.constexpr,
    BR: tl.constexpr,
):
    """For a class, some later ones and a group of rows: the least upper bound of a distance.

    Rows belong to groups in turn. With LIST, list the rows that may be within the limits of the
    pairs of classes instead, and the classes.
    """
    k, group = tl.program_id(0), tl.program_id(2)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    classes = (c > k) & (c < n_classes)
    norm_c = tl.load(points.chunk_norm + c, mask=classes, other=0.0)[:, None]
    delta_c = tl.load(points.chunk_delta + c, mask=classes, other=0.0)[:, None]
    place = (k * n_classes + c) * n_groups + group
    best = tl.full((BC,), INFINITY, tl.float64)
    if LIST:
        best = tl.load(limit + place, mask=classes, other=-1.0)
    start = tl.load(points.first + k)
    stop = tl.load(points.first + k + 1)
    for j in range(start, stop, BR):
        r = j + tl.arange(0, BR)
        rows = (r < stop) & ((r - start) % n_groups == group)
        exists = classes[:, None] & rows[None, :]
        entry = c.to(tl.int64)[:, None] * n + r[None, :]
        key = decoded(tl.load(T + entry, mask=exists, other=0x7F800000)).to(tl.float64)
        norm_r = tl.load(points.norm + r, mask=rows, other=0.0)[None, :]
        far = tl.load(points.delta + r, mask=rows, other=0.0)[None, :] + delta_c
        error = error_bound(norm_r, norm_c, points.slack)
        if LIST:
            low = tl.sqrt(tl.maximum(norm_r * norm_r + 2 * (key - error), 0.0)) - far
            hit = exists & (low <= best[:, None])
            one = hit.to(tl.int64)
            at = tl.atomic_add(found.size + 0 * one, one, mask=hit, sem="relaxed")
            fits = hit & (at < most)
            tl.store(found.i + at, tl.broadcast_to(r[None, :], (BC, BR)), mask=fits)
            tl.store(found.j + at, tl.broadcast_to(c[:, None], (BC, BR)), mask=fits)
        else:
            high = tl.sqrt(tl.maximum(norm_r * norm_r + 2 * (key + error), 0.0)) + far
            best = tl.minimum(best, tl.min(tl.where(exists, high, INFINITY), axis=1))
    if not LIST:
        tl.store(limit + place, best, mask=classes)


@triton.jit(do_not_specialize=["order", "gaps", "most", "n"])
def near_paths(
    points,
    T,
    order,
    gaps,
    classes,
    others,
    ends,
    bounds,
    near,
    found,
    found_limit,
    most,
    n,
    BR: tl.constexpr,
    BL: tl.constexpr,
):
    """Rows of a class that may be nearer to others than the longest edge on a path, or a bound.

    Program: a class and some others (-1: none). The paths lead to a place of the line (`line_up`)
    for each of the others. Sets `near` for those that have such a row, and lists the rows.
    """
    pid = tl.program_id(0)
    k = tl.load(classes + pid)
    lane = pid * BL + tl.arange(0, BL)
    c = tl.load(others + lane)
    exists = c >= 0
    end = tl.load(ends + lane, mask=exists, other=0)
    bound = tl.load(bounds + lane, mask=exists, other=-1.0)
    norm_c = tl.load(points.chunk_norm + c, mask=exists, other=0.0)[None, :]
    delta_c = tl.load(points.chunk_delta + c, mask=exists, other=0.0)[None, :]
    start = tl.load(points.first + k)
    stop = tl.load(points.first + k + 1)
    is_near = tl.zeros((BL,), tl.int32)
    up_to = (tl.arange(0, BR)[None, :] <= tl.arange(0, BR)[:, None])[:, :, None]
    for side in range(2):  # to the right of the ends, then to the left
        longest_before = tl.zeros((BL,), tl.float64)
        for step in range(start, stop, BR):
            p = step + tl.arange(0, BR)
            rows = p < stop
            p = tl.where(side == 0, p, start + stop - 1 - p)
            gap = tl.load(gaps + tl.minimum(p + side, stop - 1), mask=rows, other=0.0)
            past = p[:, None] - end[None, :]
            beyond = tl.where(side == 0, past, -past) > 0
            here = rows[:, None] & exists[None, :] & (beyond | ((past == 0) & (side == 0)))
            # The longest gap between the end and each place: those of this block up to the place,
            # and those before.
            between = tl.where(beyond & rows[:, None], gap[:, None], 0.0)
            longest = tl.max(tl.where(up_to, between[None, :, :], 0.0), axis=1)
            longest = tl.maximum(longest, longest_before[None, :])
            longest_before = tl.max(longest, axis=0)
            r = tl.load(order + p, mask=rows, other=0)
            norm_r = tl.load(points.norm + r, mask=rows, other=0.0)[:, None]
            delta_r = tl.load(points.delta + r, mask=rows, other=0.0)[:, None]
            entry = c.to(tl.int64)[None, :] * n + r[:, None]
            key = decoded(tl.load(T + entry, mask=here, other=0x7F800000)).to(tl.float64)
            error = error_bound(norm_r, norm_c, points.slack)
            low = tl.sqrt(tl.maximum(norm_r * norm_r + 2 * (key - error), 0.0)) - delta_r - delta_c
            limit = tl.maximum(longest, bound[None, :])
            hit = here & (low <= limit)
            is_near = is_near | tl.max(hit.to(tl.int32), axis=0)
            one = hit.to(tl.int64)
            at = tl.atomic_add(found.size + 0 * one, one, mask=hit, sem="relaxed")
            fits = hit & (at < most)
            tl.store(found.i + at, tl.broadcast_to(r[:, None], (BR, BL)), mask=fits)
            tl.store(found.j + at, tl.broadcast_to(c[None, :], (BR, BL)), mask=fits)
            tl.store(found_limit + at, limit, mask=fits)
    tl.store(near + lane, is_near, mask=exists)
