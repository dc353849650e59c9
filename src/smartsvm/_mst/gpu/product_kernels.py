"""Triton kernels of the table: the smallest keys of rows and chunks, by products of fp16 points.

Idea. For row i and column j the products give the key ½|x_j|² - x_i·x_j, where x are the centred,
scaled points rounded to fp16; the distance of i and j is √(|x_i|² + 2 key) up to rounding. A key
orders the columns of a row, and certifies which of them may be nearest (`points.py`). It decides
nothing: candidates are measured in float64 (`edge_kernels.py`), in the lanes of `edge_order.h`.

Table. `table` computes the smallest key for every row and chunk of columns. Each product serves
both of its points: a program multiplies a block of rows by a chunk, reduces along both sides and
joins the minima by integer atomics. Its cost is n²/2 products of d terms, half of all pairs.

Rounds. `visit` computes entries of the table again, without columns of the row's own component
or used by earlier trees; or it lists every column whose key is below a limit.

Keys are kept as integers in the order of the floats they encode (`_ordered`).
"""

from __future__ import annotations

import triton
import triton.language as tl

INFINITY = tl.constexpr(float("inf"))


@triton.jit
def _ordered(key):
    """Floats as integers of the same order."""
    bits = key.to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def decoded(code):
    return tl.where(code < 0, code ^ 0x7FFFFFFF, code).to(tl.float32, bitcast=True)


@triton.jit
def error_bound(norm_i, norm_j, slack):
    """The bound E of the error of a key; see points.py."""
    near = norm_j * (tl.load(slack) * norm_i + norm_j * 2.384185791015625e-07)  # 2^-22
    return near + norm_i * norm_i * 9.094947017729282e-13  # 2^-40


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
    X,
    half,
    T,
    block_first,
    block_chunk,
    chunk_first,
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
    rows = r < tl.load(chunk_first + own + 1)
    half_r = tl.load(half + r, mask=rows, other=INFINITY)
    best = tl.full((BM,), INFINITY, tl.float32)
    stop = tl.load(chunk_first + chunk + 1)
    for j in range(tl.load(chunk_first + chunk), stop, BN):
        cols = j + tl.arange(0, BN)
        columns = cols < stop
        total = _products(X, r, rows, cols, columns, D, BM, BN, BK)
        half_c = tl.load(half + cols, mask=columns, other=INFINITY)
        if own == chunk:
            total = tl.where(r[:, None] == cols[None, :], -INFINITY, total)
        best = tl.minimum(best, tl.min(half_c[None, :] - total, axis=1))
        least = tl.min(half_r[:, None] - total, axis=0)
        tl.atomic_min(T + own.to(tl.int64) * n + cols, _ordered(least), mask=columns, sem="relaxed")
    tl.atomic_min(T + chunk.to(tl.int64) * n + r, _ordered(best), mask=rows, sem="relaxed")


@triton.jit
def _key_limit(far, norm_r, norm_c, slack):
    """The largest key of a pair at a distance up to `far`, which has the roundings of both."""
    return (far * far - norm_r * norm_r) * 0.5 + error_bound(norm_r, norm_c, slack)


@triton.jit
def _upper(key, r, column, known, norm, delta, slack):
    """Upper bounds of distances by their keys, as bits, which have the order of such floats."""
    norm_r = tl.load(norm + r, mask=known, other=0.0)
    norm_c = tl.load(norm + column, mask=known, other=0.0)
    far = tl.load(delta + r, mask=known, other=0.0) + tl.load(delta + column, mask=known, other=0.0)
    square = norm_r * norm_r + 2 * (key.to(tl.float64) + error_bound(norm_r, norm_c, slack))
    upper = (tl.sqrt(tl.maximum(square, 0.0)) + far) * tl.load(slack + 1)
    return upper.to(tl.int64, bitcast=True)


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
def _used_columns(used, n_used, n_steps, r, start, stop, n):
    """Where the used columns of rows in a chunk are listed, and how many there are."""
    row = r.to(tl.int64) * n
    first = _search(used, n_used, n_steps, row + start)
    return first, _search(used, n_used, n_steps, row + stop) - first


@triton.jit
def _foreign_keys(
    X,
    half,
    component,
    r,
    rows,
    own,
    cols,
    columns,
    used,
    used_first,
    used_count,
    most_used,
    n,
    D,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Keys of rows and columns of different components, without the pairs that are used up."""
    total = _products(X, r, rows, cols, columns, D, BM, BN, BK)
    key = tl.load(half + cols, mask=columns, other=INFINITY)[None, :] - total
    other = tl.load(component + cols, mask=columns, other=-1)
    key = tl.where(own[:, None] == other[None, :], INFINITY, key)
    for k in range(most_used):
        listed = k < used_count
        gone = tl.load(used + used_first + k, mask=listed, other=0) - r.to(tl.int64) * n
        gone = tl.where(listed, gone, -1).to(tl.int32)
        key = tl.where(cols[None, :] == gone[:, None], INFINITY, key)
    return key


@triton.jit(do_not_specialize=["programs", "shares", "n", "n_used", "n_steps"])
def visit(
    X,
    half,
    component,
    gathered,
    starts,
    counts,
    chunk_first,
    used,
    n_used,
    n_steps,
    T,
    A,
    distances,
    norm,
    delta,
    chunk_norm,
    chunk_delta,
    slack,
    out_i,
    out_j,
    n_out,
    most,
    programs,
    shares,
    n,
    D,
    OWN: tl.constexpr,
    EMIT: tl.constexpr,
    LISTED: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    """Store the smallest foreign keys of the rows gathered for a chunk, and their columns.

    They lower the `distances`, the bits of bounds of components. With EMIT, list all columns within
    distances instead: those of components, or LISTED like the rows. `n_out` may exceed `most`, the
    room for pairs: then the list is not complete. A chunk has several programs for its blocks of
    rows, and with EMIT for its columns.
    """
    chunk = tl.program_id(0) // programs
    begin, count = tl.load(starts + chunk), tl.load(counts + chunk)
    start, stop = tl.load(chunk_first + chunk), tl.load(chunk_first + chunk + 1)
    for b in range(tl.program_id(0) % programs * BM, count, programs * BM):
        rows, place = b + tl.arange(0, BM) < count, begin + b + tl.arange(0, BM)
        r = tl.load(gathered + place, mask=rows, other=0)
        own = tl.load(component + r, mask=rows, other=-2)
        used_first, used_count = _used_columns(used, n_used, n_steps, r, start, stop, n)
        most_used = tl.max(used_count, axis=0)
        best, column = tl.full((BM,), INFINITY, tl.float32), tl.full((BM,), -1, tl.int32)
        if EMIT:
            far = tl.load(distances + (place if LISTED else own), mask=rows, other=0.0)
            far += tl.load(delta + r, mask=rows, other=0.0) + tl.load(chunk_delta + chunk)
            norm_r = tl.load(norm + r, mask=rows, other=0.0)
            # To the nearest float: no key, which is one, falls beyond the limit by this.
            limit = _key_limit(far, norm_r, tl.load(chunk_norm + chunk), slack).to(tl.float32)
        for j in range(start + tl.program_id(1) * BN, stop, shares * BN):
            cols = j + tl.arange(0, BN)
            key = _foreign_keys(
                X,
                half,
                component,
                r,
                rows,
                own,
                cols,
                cols < stop,
                used,
                used_first,
                used_count,
                most_used,
                n,
                D,
                BM,
                BN,
                BK,
            )
            if EMIT:
                hit = (key <= limit[:, None]) & (key < INFINITY) & rows[:, None]
                if tl.max(tl.max(hit.to(tl.int32), axis=1), axis=0) > 0:
                    one = hit.to(tl.int64)
                    at = tl.atomic_add(n_out + 0 * one, one, mask=hit, sem="relaxed")
                    fits = hit & (at < most)
                    tl.store(out_i + at, tl.broadcast_to(r[:, None], (BM, BN)), mask=fits)
                    tl.store(out_j + at, tl.broadcast_to(cols[None, :], (BM, BN)), mask=fits)
            else:
                low = tl.min(key, axis=1)
                better = low < best
                column = tl.where(better, j + tl.argmin(key, axis=1), column)
                best = tl.where(better, low, best)
        if not EMIT:
            entry = r + (0 if OWN else chunk.to(tl.int64) * n)
            tl.store(T + entry, _ordered(best), mask=rows)
            tl.store(A + entry, column, mask=rows)
            known = rows & (column >= 0)
            upper = _upper(best, r, column, known, norm, delta, slack)
            tl.atomic_min(distances + own, upper, mask=known, sem="relaxed")


@triton.jit(do_not_specialize=["n", "n_slots"])
def best_entries(
    T,
    A,
    component,
    largest,
    norm,
    delta,
    slack,
    bounds,
    first_open,
    n,
    n_slots,
    BR: tl.constexpr,
):
    """Bounds of components by the smallest fresh entries of rows; slots of smaller, open ones."""
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < n
    own = tl.load(component + r, mask=rows, other=-2)
    asks = rows & (own != tl.load(largest))
    best, column = tl.full((BR,), INFINITY, tl.float32), tl.full((BR,), -1, tl.int32)
    left, slot = tl.full((BR,), INFINITY, tl.float32), tl.full((BR,), -1, tl.int32)
    for s in range(n_slots):
        entry = tl.zeros((BR,), tl.int64) + s
        entry = entry * n + r
        key = decoded(tl.load(T + entry, mask=asks, other=0x7F800000))
        a = tl.load(A + entry, mask=asks, other=-1)
        known = a >= 0
        fresh = known & (tl.load(component + a, mask=known, other=-2) != own)
        better = fresh & (key < best)
        best, column = tl.where(better, key, best), tl.where(better, a, column)
        better = (fresh == 0) & (key < left)
        left, slot = tl.where(better, key, left), tl.where(better, s, slot)
    known = asks & (column >= 0)
    upper = _upper(best, r, column, known, norm, delta, slack)
    tl.atomic_min(bounds + own, upper, mask=known, sem="relaxed")
    tl.store(first_open + r, tl.where(left < best, slot, -1), mask=rows)


@triton.jit(do_not_specialize=["n", "start", "stop", "n_slots"])
def list_entries(
    T,
    A,
    component,
    largest,
    own_chunk,
    first_open,
    bounds,
    norm,
    delta,
    chunk_norm,
    chunk_delta,
    slack,
    gathered,
    starts,
    counts,
    n,
    start,
    stop,
    n_slots,
    FIRST: tl.constexpr,
    OPEN: tl.constexpr,
    OWN: tl.constexpr,
    BR: tl.constexpr,
):
    """Gather rows whose entry of a chunk may hold an edge within the bound of their component.

    With FIRST only those in `first_open`, with OPEN those that are unknown or stale.
    """
    r = start + tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < stop
    own = tl.load(component + r, mask=rows, other=-2)
    rows = rows & (own != tl.load(largest))
    norm_r = tl.load(norm + r, mask=rows, other=0.0)
    near = tl.load(bounds + own, mask=rows, other=0.0) + tl.load(delta + r, mask=rows, other=0.0)
    for s in range(tl.program_id(1), n_slots, tl.num_programs(1)):
        slot = tl.zeros((BR,), tl.int32) + s
        if FIRST:
            slot = tl.load(first_open + r, mask=rows, other=-1)
        hit = rows & (slot >= 0)
        entry = slot.to(tl.int64) * n + r
        key = decoded(tl.load(T + entry, mask=hit, other=0x7F800000))
        hit = hit & (key < INFINITY)
        chunk = slot
        if OWN:
            chunk = tl.load(own_chunk + r, mask=hit, other=0)
        far = near + tl.load(chunk_delta + chunk, mask=hit, other=0.0)
        norm_c = tl.load(chunk_norm + chunk, mask=hit, other=0.0)
        hit = hit & (key.to(tl.float64) <= _key_limit(far, norm_r, norm_c, slack))
        if OPEN:
            a = tl.load(A + entry, mask=hit, other=-1)
            known = hit & (a >= 0)
            hit = hit & (tl.load(component + a, mask=known, other=-2) == own) | (hit & (a < 0))
        one = hit.to(tl.int32)
        at = tl.atomic_add(counts + chunk, one, mask=hit, sem="relaxed")
        tl.store(gathered + tl.load(starts + chunk, mask=hit, other=0) + at, r, mask=hit)
