"""Triton kernels that compare classes by the table of keys (`product_kernels.py`): which rows of a
class may be near another one.
"""

from __future__ import annotations

import triton
import triton.language as tl

from smartsvm._mst.gpu.product_kernels import INFINITY, decoded, error_bound


@triton.jit(do_not_specialize=["n", "n_classes", "n_groups"])
def near_classes(
    T,
    first,
    norm,
    delta,
    chunk_norm,
    chunk_delta,
    slack,
    limit,
    out_row,
    out_chunk,
    count,
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
    pairs of classes instead.
    """
    k, group = tl.program_id(0), tl.program_id(2)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    classes = (c > k) & (c < n_classes)
    norm_c = tl.load(chunk_norm + c, mask=classes, other=0.0)[:, None]
    delta_c = tl.load(chunk_delta + c, mask=classes, other=0.0)[:, None]
    place = (k * n_classes + c) * n_groups + group
    best = tl.full((BC,), INFINITY, tl.float64)
    if LIST:
        best = tl.load(limit + place, mask=classes, other=-1.0)
    start, stop = tl.load(first + k), tl.load(first + k + 1)
    for j in range(start, stop, BR):
        r = j + tl.arange(0, BR)
        rows = (r < stop) & ((r - start) % n_groups == group)
        exists = classes[:, None] & rows[None, :]
        entry = c.to(tl.int64)[:, None] * n + r[None, :]
        key = decoded(tl.load(T + entry, mask=exists, other=0x7F800000)).to(tl.float64)
        norm_r = tl.load(norm + r, mask=rows, other=0.0)[None, :]
        far = tl.load(delta + r, mask=rows, other=0.0)[None, :] + delta_c
        error = error_bound(norm_r, norm_c, slack)
        if LIST:
            low = tl.sqrt(tl.maximum(norm_r * norm_r + 2 * (key - error), 0.0)) - far
            hit = exists & (low <= best[:, None])
            at = tl.atomic_add(
                count + tl.zeros((BC, BR), tl.int32), hit.to(tl.int32), mask=hit, sem="relaxed"
            )
            fits = hit & (at < most)
            tl.store(out_row + at, tl.broadcast_to(r[None, :], (BC, BR)), mask=fits)
            tl.store(out_chunk + at, tl.broadcast_to(c[:, None], (BC, BR)), mask=fits)
        else:
            high = tl.sqrt(tl.maximum(norm_r * norm_r + 2 * (key + error), 0.0)) + far
            best = tl.minimum(best, tl.min(tl.where(exists, high, INFINITY), axis=1))
    if not LIST:
        tl.store(limit + place, best, mask=classes)


@triton.jit(do_not_specialize=["n"])
def near_paths(
    T,
    first,
    order,
    gaps,
    classes,
    others,
    ends,
    bounds,
    norm,
    delta,
    chunk_norm,
    chunk_delta,
    slack,
    near,
    out_row,
    out_chunk,
    out_limit,
    count,
    most,
    n,
    LIST: tl.constexpr,
    BL: tl.constexpr,
):
    """Rows of a class that may be nearer to others than the longest edge on a path, or a bound.

    Program: a class and some others (-1: none). The paths lead to a place of the line (`line_up`)
    for each of the others. Sets `near` for those that have such a row; with LIST, lists the rows.
    """
    pid = tl.program_id(0)
    k, lane = tl.load(classes + pid), pid * BL + tl.arange(0, BL)
    c = tl.load(others + lane)
    exists = c >= 0
    end = tl.load(ends + lane, mask=exists, other=0)
    bound = tl.load(bounds + lane, mask=exists, other=-1.0)
    norm_c = tl.load(chunk_norm + c, mask=exists, other=0.0)
    delta_c = tl.load(chunk_delta + c, mask=exists, other=0.0)
    gamma = tl.load(slack)
    start, stop = tl.load(first + k), tl.load(first + k + 1)
    found = tl.zeros((BL,), tl.int32)
    longest = tl.zeros((BL,), tl.float64)
    for side in tl.static_range(2):  # to the right of the ends, then to the left
        for step in range(stop - start):
            if side == 0:
                p = start + step
                gap = tl.load(gaps + p)
                longest = tl.where(p > end, tl.maximum(longest, gap), 0.0)
                here = exists & (p >= end)
            else:
                p = stop - 1 - step
                gap = tl.load(gaps + tl.minimum(p + 1, stop - 1))
                longest = tl.where(p < end, tl.maximum(longest, gap), 0.0)
                here = exists & (p < end)
            r = tl.load(order + p)
            norm_r = tl.load(norm + r)
            entry = c.to(tl.int64) * n + r
            # `decoded` and `error_bound` written out: calls in a loop take the interpreter minutes.
            code = tl.load(T + entry, mask=here, other=0x7F800000)
            key = tl.where(code < 0, code ^ 0x7FFFFFFF, code).to(tl.float32, bitcast=True)
            error = norm_c * (gamma * norm_r + norm_c * 2.384185791015625e-07)
            error += norm_r * norm_r * 9.094947017729282e-13
            square = norm_r * norm_r + 2 * (key.to(tl.float64) - error)
            low = tl.sqrt(tl.maximum(square, 0.0)) - tl.load(delta + r) - delta_c
            limit = tl.maximum(longest, bound)
            hit = here & (low <= limit)
            found = found | hit.to(tl.int32)
            if LIST:
                at = tl.atomic_add(
                    count + tl.zeros((BL,), tl.int32), hit.to(tl.int32), mask=hit, sem="relaxed"
                )
                fits = hit & (at < most)
                tl.store(out_row + at, tl.zeros((BL,), tl.int32) + r, mask=fits)
                tl.store(out_chunk + at, c, mask=fits)
                tl.store(out_limit + at, limit, mask=fits)
    tl.store(near + lane, found, mask=exists)
