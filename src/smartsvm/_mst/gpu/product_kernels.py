"""Triton kernels of the table: the smallest keys of rows and chunks, by products of fp16 points.

Idea. For row i and column j the products give the key ½|x_j|² - x_i·x_j, where x are the centred,
scaled points rounded to fp16; the distance of i and j is √(|x_i|² + 2 key) up to rounding. A key
orders the columns of a row, and certifies which of them may be nearest (`rounded_points.py`). It
decides nothing: candidates are measured in float64 (`edge_kernels.py`), in the lanes of
`edge_order.h`.
By mutual reachability a key is at least ½c² - ½|x_i|² for the core distances c of i and j.

Table. `table` computes the smallest key for every row and chunk of columns. Each product counts
for both of its points: a program multiplies a block of rows by a chunk, reduces along both sides
and joins the minima by integer atomics. Its cost is n²/2 products of d terms, half of all pairs.

Rounds. `refresh` computes entries of the table again, without columns of the row's own component
or used by earlier trees; `emit` lists every column of these whose key is below a limit.

Keys are kept as integers in the order of the floats they encode (`ordered`).
"""

from __future__ import annotations

import triton
import triton.language as tl

from smartsvm._mst.gpu.keys import INFINITY, key_limit, ordered, upper_bound


@triton.jit
def _products(X, r, rows, cols, columns, D, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Products of some rows and columns of X; `rows` and `columns` say which exist."""
    k = tl.arange(0, BK)
    a = X + r[:, None].to(tl.int64) * D + k[None, :]
    b = X + cols[None, :].to(tl.int64) * D + k[:, None]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, D, BK):
        left = tl.load(a, mask=rows[:, None], other=0.0)
        right = tl.load(b, mask=columns[None, :], other=0.0)
        total = tl.dot(left, right, total)
        a += BK
        b += BK
    return total


@triton.jit(do_not_specialize=["n"])
def table(
    points,
    T,
    block_first,
    block_chunk,
    blocks,
    chunks,
    n,
    D,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Minima of a block of rows against one chunk of columns, and of the columns against it."""
    block, chunk = tl.load(blocks + tl.program_id(0)), tl.load(chunks + tl.program_id(0))
    own = tl.load(block_chunk + block)
    r = tl.load(block_first + block) + tl.arange(0, BM)
    rows = r < tl.load(points.first + own + 1)
    half_r = tl.load(points.half_square + r, mask=rows, other=INFINITY)
    best = tl.full((BM,), INFINITY, tl.float32)
    stop = tl.load(points.first + chunk + 1)
    for j in range(tl.load(points.first + chunk), stop, BN):
        cols = j + tl.arange(0, BN)
        columns = cols < stop
        total = _products(points.fp16, r, rows, cols, columns, D, BM, BN, BK)
        half_c = tl.load(points.half_square + cols, mask=columns, other=INFINITY)
        if own == chunk:
            total = tl.where(r[:, None] == cols[None, :], -INFINITY, total)
        if points.reach is None:
            best = tl.minimum(best, tl.min(half_c[None, :] - total, axis=1))
            least = tl.min(half_r[:, None] - total, axis=0)
        else:
            # Half the squares, at least those of the cores; below, less half of the own norm.
            reach_r = tl.load(points.reach + r, mask=rows, other=INFINITY)
            reach_c = tl.load(points.reach + cols, mask=columns, other=INFINITY)
            square = (half_c[None, :] - total) + half_r[:, None]
            square = tl.maximum(tl.maximum(square, reach_c[None, :]), reach_r[:, None])
            best = tl.minimum(best, tl.min(square, axis=1))
            least = tl.min(square, axis=0) - tl.where(columns, half_c, 0.0)
        tl.atomic_min(T + own.to(tl.int64) * n + cols, ordered(least), mask=columns, sem="relaxed")
    if points.reach is not None:
        best -= tl.where(rows, half_r, 0.0)
    tl.atomic_min(T + chunk.to(tl.int64) * n + r, ordered(best), mask=rows, sem="relaxed")


@triton.jit
def _search(values, n_values, n_steps, wanted):
    """The first places of a sorted list with values that are not less than those wanted."""
    low = tl.zeros_like(wanted)
    high = low + n_values
    for _ in range(n_steps):
        middle = (low + high) // 2
        is_open = low < high
        less = is_open & (tl.load(values + middle, mask=is_open, other=0) < wanted)
        high = tl.where(is_open & (less == 0), middle, high)
        low = tl.where(less, middle + 1, low)
    return low


@triton.jit
def _used_columns(used, r, start, stop, n):
    """Where the used columns of rows in a chunk are listed, and how many there are."""
    n_used = tl.load(used.size)
    n_steps = tl.load(used.size + 1)
    row = r.to(tl.int64) * n
    first = _search(used.pairs, n_used, n_steps, row + start)
    return first, _search(used.pairs, n_used, n_steps, row + stop) - first


@triton.jit
def _foreign_keys(
    points,
    component,
    used,
    r,
    rows,
    own,
    cols,
    columns,
    used_first,
    used_count,
    n,
    D,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Keys of rows and columns of different components, without the pairs that are used up."""
    total = _products(points.fp16, r, rows, cols, columns, D, BM, BN, BK)
    key = tl.load(points.half_square + cols, mask=columns, other=INFINITY)[None, :] - total
    if points.reach is not None:
        half_r = tl.load(points.half_square + r, mask=rows, other=0.0)
        reach_r = tl.load(points.reach + r, mask=rows, other=0.0)
        reach_c = tl.load(points.reach + cols, mask=columns, other=0.0)
        reach = tl.maximum(reach_r[:, None], reach_c[None, :])
        key = tl.maximum(key, reach - half_r[:, None])
    other = tl.load(component + cols, mask=columns, other=-1)
    key = tl.where(own[:, None] == other[None, :], INFINITY, key)
    for k in range(tl.max(used_count, axis=0)):
        listed = k < used_count
        gone = tl.load(used.pairs + used_first + k, mask=listed, other=0) - r.to(tl.int64) * n
        gone = tl.where(listed, gone, -1).to(tl.int32)
        key = tl.where(cols[None, :] == gone[:, None], INFINITY, key)
    return key


@triton.jit(do_not_specialize=["programs", "stride", "n"])
def refresh(
    points,
    table,
    lists,
    component,
    used,
    bounds,
    programs,
    stride,
    n,
    D,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Store the smallest foreign keys of the rows listed for a chunk, and their columns.

    They lower the `bounds` of components, which are the bits of distances. A chunk has several
    programs for its blocks of rows; its entries begin at chunk * `stride`.
    """
    chunk = tl.program_id(0) // programs
    begin, count = tl.load(lists.starts + chunk), tl.load(lists.counts + chunk)
    start = tl.load(points.first + chunk)
    stop = tl.load(points.first + chunk + 1)
    for b in range(tl.program_id(0) % programs * BM, count, programs * BM):
        rows = b + tl.arange(0, BM) < count
        r = tl.load(lists.rows + begin + b + tl.arange(0, BM), mask=rows, other=0)
        own = tl.load(component + r, mask=rows, other=-2)
        used_first, used_count = _used_columns(used, r, start, stop, n)
        best = tl.full((BM,), INFINITY, tl.float32)
        column = tl.full((BM,), -1, tl.int32)
        for j in range(start, stop, BN):
            cols = j + tl.arange(0, BN)
            key = _foreign_keys(
                points,
                component,
                used,
                r,
                rows,
                own,
                cols,
                cols < stop,
                used_first,
                used_count,
                n,
                D,
                BM,
                BN,
                BK,
            )
            low = tl.min(key, axis=1)
            better = low < best
            column = tl.where(better, j + tl.argmin(key, axis=1), column)
            best = tl.where(better, low, best)
        entry = chunk.to(tl.int64) * stride + r
        tl.store(table.keys + entry, ordered(best), mask=rows)
        tl.store(table.columns + entry, column, mask=rows)
        known = rows & (column >= 0)
        upper = upper_bound(points, best, r, column, known)
        tl.atomic_min(bounds + own, upper, mask=known, sem="relaxed")


@triton.jit(do_not_specialize=["most", "programs", "shares", "listed", "n"])
def emit(
    points,
    lists,
    component,
    used,
    limits,
    found,
    most,
    programs,
    shares,
    listed,
    n,
    D,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """List the foreign columns of a chunk within limits, for the rows listed for it.

    Limits are scaled distances: of components, or with `listed` in the order of the rows.
    `found.size` may exceed `most`, the room for pairs: then the list is not complete. A chunk has
    several programs for its blocks of rows, and for its columns.
    """
    chunk = tl.program_id(0) // programs
    begin, count = tl.load(lists.starts + chunk), tl.load(lists.counts + chunk)
    start = tl.load(points.first + chunk)
    stop = tl.load(points.first + chunk + 1)
    for b in range(tl.program_id(0) % programs * BM, count, programs * BM):
        rows = b + tl.arange(0, BM) < count
        place = begin + b + tl.arange(0, BM)
        r = tl.load(lists.rows + place, mask=rows, other=0)
        own = tl.load(component + r, mask=rows, other=-2)
        used_first, used_count = _used_columns(used, r, start, stop, n)
        far = tl.load(limits + tl.where(listed != 0, place, own), mask=rows, other=0.0)
        far += tl.load(points.delta + r, mask=rows, other=0.0)
        far += tl.load(points.chunk_delta + chunk)
        norm_r, norm_c = (
            tl.load(points.norm + r, mask=rows, other=0.0),
            tl.load(points.chunk_norm + chunk),
        )
        # To the nearest float: no key, which is one, falls beyond the limit by this.
        limit = key_limit(far, norm_r, norm_c, points.slack).to(tl.float32)
        for j in range(start + tl.program_id(1) * BN, stop, shares * BN):
            cols = j + tl.arange(0, BN)
            key = _foreign_keys(
                points,
                component,
                used,
                r,
                rows,
                own,
                cols,
                cols < stop,
                used_first,
                used_count,
                n,
                D,
                BM,
                BN,
                BK,
            )
            hit = (key <= limit[:, None]) & (key < INFINITY) & rows[:, None]
            if tl.max(tl.max(hit.to(tl.int32), axis=1), axis=0) > 0:
                one = hit.to(tl.int64)
                at = tl.atomic_add(found.size + 0 * one, one, mask=hit, sem="relaxed")
                fits = hit & (at < most)
                tl.store(found.i + at, tl.broadcast_to(r[:, None], (BM, BN)), mask=fits)
                tl.store(found.j + at, tl.broadcast_to(cols[None, :], (BM, BN)), mask=fits)
