"""Triton kernels of the trees on a GPU: products of fp16 points, and float64 distances.

Idea. For row i and column j the products give the key ½|x_j|² - x_i·x_j, where x are the centred,
scaled points rounded to fp16; the distance of i and j is √(|x_i|² + 2 key) up to rounding. A key
orders the columns of a row, and certifies which of them may be nearest (`points.py`). It decides
nothing: candidates are measured in float64 by `measure`, in the lanes of `edge_order.h`.

Table. `table` computes the smallest key for every row and chunk of columns. Each product serves
both of its points: a program multiplies a block of rows by a chunk, reduces along both sides and
joins the minima by integer atomics. Its cost is n²/2 products of d terms, half of all pairs.

Rounds. `least` computes entries of the table again, without columns of the row's own component
or used by earlier trees; `emit` lists every column whose key is below a limit.

Keys are kept as integers in the order of the floats they encode (`_ordered`).
"""

from __future__ import annotations

import triton
import triton.language as tl

_INFINITY = tl.constexpr(float("inf"))


@triton.jit
def _ordered(key):
    """Floats as integers of the same order."""
    bits = key.to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def _decoded(code):
    return tl.where(code < 0, code ^ 0x7FFFFFFF, code).to(tl.float32, bitcast=True)


@triton.jit
def _error(norm_i, norm_j, slack):
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
    X, half, T, block_first, block_chunk, chunk_first, blocks, chunks, n, D,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Minima of a block of rows against one chunk of columns, and of the columns against it."""
    block, chunk = tl.load(blocks + tl.program_id(0)), tl.load(chunks + tl.program_id(0))
    own = tl.load(block_chunk + block)
    r = tl.load(block_first + block) + tl.arange(0, BM)
    rows = r < tl.load(chunk_first + own + 1)
    half_r = tl.load(half + r, mask=rows, other=_INFINITY)
    best = tl.full((BM,), _INFINITY, tl.float32)
    stop = tl.load(chunk_first + chunk + 1)
    for j in range(tl.load(chunk_first + chunk), stop, BN):
        cols = j + tl.arange(0, BN)
        columns = cols < stop
        total = _products(X, r, rows, cols, columns, D, BM, BN, BK)
        half_c = tl.load(half + cols, mask=columns, other=_INFINITY)
        if own == chunk:
            total = tl.where(r[:, None] == cols[None, :], -_INFINITY, total)
        best = tl.minimum(best, tl.min(half_c[None, :] - total, axis=1))
        least = tl.min(half_r[:, None] - total, axis=0)
        tl.atomic_min(T + own.to(tl.int64) * n + cols, _ordered(least), mask=columns, sem="relaxed")
    tl.atomic_min(T + chunk.to(tl.int64) * n + r, _ordered(best), mask=rows, sem="relaxed")


@triton.jit
def _key_limit(far, norm_r, norm_c, slack):
    """The largest key of a pair at a distance up to `far`, which has the roundings of both."""
    return (far * far - norm_r * norm_r) * 0.5 + _error(norm_r, norm_c, slack)


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
    X, half, component, r, rows, own, cols, columns, used, used_first, used_count, most_used, n, D,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """Keys of rows and columns of different components, without the pairs that are used up."""
    total = _products(X, r, rows, cols, columns, D, BM, BN, BK)
    key = tl.load(half + cols, mask=columns, other=_INFINITY)[None, :] - total
    other = tl.load(component + cols, mask=columns, other=-1)
    key = tl.where(own[:, None] == other[None, :], _INFINITY, key)
    for k in range(most_used):
        listed = k < used_count
        gone = tl.load(used + used_first + k, mask=listed, other=0) - r.to(tl.int64) * n
        gone = tl.where(listed, gone, -1).to(tl.int32)
        key = tl.where(cols[None, :] == gone[:, None], _INFINITY, key)
    return key


@triton.jit(do_not_specialize=["n", "n_used", "n_steps"])
def least(
    X, half, component, gathered, slots, chunks, chunk_first, used, n_used, n_steps, T, A, n, D,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """The smallest foreign key, and its column, of a block of gathered rows (-1: none)."""
    pid = tl.program_id(0)
    chunk = tl.load(chunks + pid)
    r = tl.load(gathered + pid * BM + tl.arange(0, BM))
    rows = r >= 0
    own = tl.load(component + r, mask=rows, other=-2)
    start, stop = tl.load(chunk_first + chunk), tl.load(chunk_first + chunk + 1)
    used_first, used_count = _used_columns(used, n_used, n_steps, r, start, stop, n)
    most_used = tl.max(used_count, axis=0)
    best = tl.full((BM,), _INFINITY, tl.float32)
    column = tl.full((BM,), -1, tl.int32)
    for j in range(start, stop, BN):
        cols = j + tl.arange(0, BN)
        key = _foreign_keys(
            X, half, component, r, rows, own, cols, cols < stop, used, used_first, used_count,
            most_used, n, D, BM, BN, BK,
        )  # fmt: skip
        low = tl.min(key, axis=1)
        better = low < best
        column = tl.where(better, j + tl.argmin(key, axis=1), column)
        best = tl.where(better, low, best)
    entry = tl.load(slots + pid).to(tl.int64) * n + r
    tl.store(T + entry, _ordered(best), mask=rows)
    tl.store(A + entry, column, mask=rows)


@triton.jit(do_not_specialize=["shares", "n", "n_used", "n_steps"])
def emit(
    X, half, component, gathered, limits, chunks, chunk_first, used, n_used, n_steps, out_i, out_j,
    count, most, shares, n, D, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """List the foreign columns with keys up to the limits of a block of gathered rows.

    `count` may exceed `most`, the room for pairs: then the list is not complete.
    """
    pid = tl.program_id(0)
    chunk, place = tl.load(chunks + pid), pid * BM + tl.arange(0, BM)
    r = tl.load(gathered + place)
    rows = r >= 0
    limit = tl.load(limits + place)
    own = tl.load(component + r, mask=rows, other=-2)
    start, stop = tl.load(chunk_first + chunk), tl.load(chunk_first + chunk + 1)
    used_first, used_count = _used_columns(used, n_used, n_steps, r, start, stop, n)
    most_used = tl.max(used_count, axis=0)
    for j in range(start + tl.program_id(1) * BN, stop, shares * BN):
        cols = j + tl.arange(0, BN)
        columns = cols < stop
        key = _foreign_keys(
            X, half, component, r, rows, own, cols, columns, used, used_first, used_count,
            most_used, n, D, BM, BN, BK,
        )  # fmt: skip
        hit = (key <= limit[:, None]) & (key < _INFINITY) & rows[:, None]
        if tl.max(tl.max(hit.to(tl.int32), axis=1), axis=0) > 0:
            one = hit.to(tl.int32)
            at = tl.atomic_add(count + tl.zeros((BM, BN), tl.int32), one, mask=hit, sem="relaxed")
            fits = hit & (at < most)
            tl.store(out_i + at, tl.broadcast_to(r[:, None], (BM, BN)), mask=fits)
            tl.store(out_j + at, tl.broadcast_to(cols[None, :], (BM, BN)), mask=fits)


@triton.jit(do_not_specialize=["m"])
def count_rows(chunks, place, counts, m, B: tl.constexpr):
    """The place of each of m rows among those of its chunk, in any order, and how many it has."""
    e = tl.program_id(0) * B + tl.arange(0, B)
    exists = e < m
    chunk = tl.load(chunks + e, mask=exists, other=0)
    one = tl.full((B,), 1, tl.int32)
    at = tl.atomic_add(counts + chunk, one, mask=exists, sem="relaxed")
    tl.store(place + e, at, mask=exists)


@triton.jit(do_not_specialize=["m"])
def gather_rows(
    rows, chunks, place, first, gathered, distances, limits, norm, delta, chunk_norm, chunk_delta,
    slack, m, LIMITS: tl.constexpr, B: tl.constexpr,
):  # fmt: skip
    """Bring rows to their places in the blocks of chunks; with LIMITS, the limits of their keys."""
    e = tl.program_id(0) * B + tl.arange(0, B)
    exists = e < m
    r = tl.load(rows + e, mask=exists, other=0)
    chunk = tl.load(chunks + e, mask=exists, other=0)
    at = tl.load(first + chunk, mask=exists, other=0) + tl.load(place + e, mask=exists, other=0)
    tl.store(gathered + at, r.to(tl.int32), mask=exists)
    if LIMITS:
        far = tl.load(distances + e, mask=exists, other=0.0)
        far += tl.load(delta + r, mask=exists, other=0.0)
        far += tl.load(chunk_delta + chunk, mask=exists, other=0.0)
        norm_r = tl.load(norm + r, mask=exists, other=0.0)
        norm_c = tl.load(chunk_norm + chunk, mask=exists, other=0.0)
        # To the nearest float: no key, which is one, falls beyond the limit by this.
        limit = _key_limit(far, norm_r, norm_c, slack).to(tl.float32)
        tl.store(limits + at, limit, mask=exists)


@triton.jit(do_not_specialize=["n", "largest", "n_slots"])
def best_entries(
    T, A, component, largest, norm, delta, slack, bounds, first_open, n, n_slots, BR: tl.constexpr,
):  # fmt: skip
    """Bounds of components from the smallest fresh entries of their rows; smaller open ones.

    The bounds are the bits of floats that are not negative, which have the same order. `first_open`
    gets the slot of the smallest entry of a row if that is open.
    """
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < n
    own = tl.load(component + r, mask=rows, other=-2)
    asks = rows & (own != largest)
    best, column = tl.full((BR,), _INFINITY, tl.float32), tl.full((BR,), -1, tl.int32)
    left, slot = tl.full((BR,), _INFINITY, tl.float32), tl.full((BR,), -1, tl.int32)
    for s in range(n_slots):
        entry = tl.zeros((BR,), tl.int64) + s
        entry = entry * n + r
        key = _decoded(tl.load(T + entry, mask=asks, other=0x7F800000))
        a = tl.load(A + entry, mask=asks, other=-1)
        known = a >= 0
        fresh = known & (tl.load(component + a, mask=known, other=-2) != own)
        better = fresh & (key < best)
        best, column = tl.where(better, key, best), tl.where(better, a, column)
        better = (fresh == 0) & (key < left)
        left, slot = tl.where(better, key, left), tl.where(better, s, slot)
    known = asks & (column >= 0)
    norm_r = tl.load(norm + r, mask=known, other=0.0)
    norm_c = tl.load(norm + column, mask=known, other=0.0)
    far = tl.load(delta + r, mask=known, other=0.0) + tl.load(delta + column, mask=known, other=0.0)
    square = norm_r * norm_r + 2 * (best.to(tl.float64) + _error(norm_r, norm_c, slack))
    upper = (tl.sqrt(tl.maximum(square, 0.0)) + far) * tl.load(slack + 1)
    tl.atomic_min(bounds + own, upper.to(tl.int64, bitcast=True), mask=known, sem="relaxed")
    tl.store(first_open + r, tl.where(left < best, slot, -1), mask=rows)


@triton.jit(do_not_specialize=["n", "largest", "start", "stop", "n_slots"])
def list_entries(
    T, A, component, largest, own_chunk, first_open, bounds, norm, delta, chunk_norm, chunk_delta,
    slack, out_row, out_slot, count, n, start, stop, n_slots, FIRST: tl.constexpr,
    OPEN: tl.constexpr, OWN: tl.constexpr, BR: tl.constexpr,
):  # fmt: skip
    """List the entries that may hold an edge within the bound of the row's component.

    With FIRST only those in `first_open`, with OPEN those that are unknown or stale.
    """
    r = start + tl.program_id(0) * BR + tl.arange(0, BR)
    rows = r < stop
    own = tl.load(component + r, mask=rows, other=-2)
    rows = rows & (own != largest)
    norm_r = tl.load(norm + r, mask=rows, other=0.0)
    near = tl.load(bounds + own, mask=rows, other=0.0) + tl.load(delta + r, mask=rows, other=0.0)
    for s in range(n_slots):
        slot = tl.zeros((BR,), tl.int32) + s
        if FIRST:
            slot = tl.load(first_open + r, mask=rows, other=-1)
        hit = rows & (slot >= 0)
        entry = slot.to(tl.int64) * n + r
        key = _decoded(tl.load(T + entry, mask=hit, other=0x7F800000))
        hit = hit & (key < _INFINITY)
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
        at = tl.atomic_add(count + tl.zeros((BR,), tl.int32), one, mask=hit, sem="relaxed")
        tl.store(out_row + at, r, mask=hit)
        tl.store(out_slot + at, slot, mask=hit)


@triton.jit(do_not_specialize=["n", "n_classes", "n_groups"])
def near_classes(
    T, first, norm, delta, chunk_norm, chunk_delta, slack, limit, out_row, out_chunk, count, most,
    n, n_classes, n_groups, LIST: tl.constexpr, BC: tl.constexpr, BR: tl.constexpr,
):  # fmt: skip
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
    best = tl.full((BC,), _INFINITY, tl.float64)
    if LIST:
        best = tl.load(limit + place, mask=classes, other=-1.0)
    start, stop = tl.load(first + k), tl.load(first + k + 1)
    for j in range(start, stop, BR):
        r = j + tl.arange(0, BR)
        rows = (r < stop) & ((r - start) % n_groups == group)
        exists = classes[:, None] & rows[None, :]
        entry = c.to(tl.int64)[:, None] * n + r[None, :]
        key = _decoded(tl.load(T + entry, mask=exists, other=0x7F800000)).to(tl.float64)
        norm_r = tl.load(norm + r, mask=rows, other=0.0)[None, :]
        far = tl.load(delta + r, mask=rows, other=0.0)[None, :] + delta_c
        error = _error(norm_r, norm_c, slack)
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
            best = tl.minimum(best, tl.min(tl.where(exists, high, _INFINITY), axis=1))
    if not LIST:
        tl.store(limit + place, best, mask=classes)


@triton.jit(do_not_specialize=["n"])
def near_paths(
    T, first, order, gaps, classes, others, ends, bounds, norm, delta, chunk_norm, chunk_delta,
    slack, near, out_row, out_chunk, out_limit, count, most, n, LIST: tl.constexpr,
    BL: tl.constexpr,
):  # fmt: skip
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
            # `_decoded` and `_error`, written out: calls in a loop take the interpreter minutes.
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


@triton.jit(do_not_specialize=["m", "d"])
def measure(X, row_of, ends_i, ends_j, out, m, d, B: tl.constexpr):
    """Squared distances by the sum of `edge_order.h`; launch without fused multiply-add.

    Term k goes to lane k mod 8, and lanes are folded 8 -> 4 -> 2 -> 1: 0 and 4, 2 and 6, ...
    """
    e = tl.program_id(0) * B + tl.arange(0, B)
    exists = e < m
    i = tl.load(row_of + tl.load(ends_i + e, mask=exists, other=0), mask=exists, other=0)
    j = tl.load(row_of + tl.load(ends_j + e, mask=exists, other=0), mask=exists, other=0)
    lane = tl.arange(0, 8)
    x = X + i.to(tl.int64)[:, None] * d + lane[None, :]
    y = X + j.to(tl.int64)[:, None] * d + lane[None, :]
    lanes = tl.zeros((B, 8), tl.float64)
    for k in range(0, d, 8):
        term = exists[:, None] & (k + lane < d)[None, :]
        a = tl.load(x + k, mask=term, other=0.0).to(tl.float64)
        b = tl.load(y + k, mask=term, other=0.0).to(tl.float64)
        lanes += (a - b) * (a - b)
    four = tl.sum(tl.reshape(lanes, (B, 2, 4)), axis=1)
    two = tl.sum(tl.reshape(four, (B, 2, 2)), axis=1)
    tl.store(out + e, tl.sum(two, axis=1), mask=exists)
