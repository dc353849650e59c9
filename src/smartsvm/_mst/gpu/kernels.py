"""Triton kernels of the trees on a GPU: products of fp16 points, and float64 distances.

Idea. For row i and column j the products give the key ½|x_j|² - x_i·x_j, where x are the centred,
scaled points rounded to fp16; the distance of i and j is √(|x_i|² + 2 key) up to rounding. A key
orders the columns of a row, and certifies which of them may be nearest (`points.py`). It decides
nothing: candidates are measured in float64 by `measure`, in the lanes of `edge_order.h`.

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
def _upper(key, r, column, known, norm, delta, slack):
    """Upper bounds of distances by their keys, as bits, which have the order of such floats."""
    norm_r = tl.load(norm + r, mask=known, other=0.0)
    norm_c = tl.load(norm + column, mask=known, other=0.0)
    far = tl.load(delta + r, mask=known, other=0.0) + tl.load(delta + column, mask=known, other=0.0)
    square = norm_r * norm_r + 2 * (key.to(tl.float64) + _error(norm_r, norm_c, slack))
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
    key = tl.load(half + cols, mask=columns, other=_INFINITY)[None, :] - total
    other = tl.load(component + cols, mask=columns, other=-1)
    key = tl.where(own[:, None] == other[None, :], _INFINITY, key)
    for k in range(most_used):
        listed = k < used_count
        gone = tl.load(used + used_first + k, mask=listed, other=0) - r.to(tl.int64) * n
        gone = tl.where(listed, gone, -1).to(tl.int32)
        key = tl.where(cols[None, :] == gone[:, None], _INFINITY, key)
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
        best, column = tl.full((BM,), _INFINITY, tl.float32), tl.full((BM,), -1, tl.int32)
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
                hit = (key <= limit[:, None]) & (key < _INFINITY) & rows[:, None]
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
        at = tl.atomic_add(counts + chunk, one, mask=hit, sem="relaxed")
        tl.store(gathered + tl.load(starts + chunk, mask=hit, other=0) + at, r, mask=hit)


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


@triton.jit(do_not_specialize=["ends_j", "m", "d"])
def measure(
    X,
    row_of,
    ends_i,
    ends_j,
    out,
    component,
    least,
    m,
    d,
    STEPS: tl.constexpr,
    B: tl.constexpr,
):
    """Squared distances by the sum of `edge_order.h`; launch without fused multiply-add.

    Term k goes to lane k mod 8, and lanes are folded 8 -> 4 -> 2 -> 1: 0 and 4, 2 and 6, ... The
    loads of several STEPS are under way at once: waiting for them takes most of the time. `least`,
    if given, gets the least of each component, as bits.
    """
    e = tl.program_id(0) * B + tl.arange(0, B)
    exists = e < m
    u = tl.load(ends_i + e, mask=exists, other=0)
    i = tl.load(row_of + u, mask=exists, other=0)
    j = tl.load(row_of + tl.load(ends_j + e, mask=exists, other=0), mask=exists, other=0)
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
    if least is not None:
        own = tl.load(component + u, mask=exists, other=0)
        tl.atomic_min(least + own, square.to(tl.int64, bitcast=True), mask=exists, sem="relaxed")


@triton.jit(do_not_specialize=["ends_j", "least_key", "choice", "m"])
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
    """The least key (RANKED: of ranks) of a component's shortest candidates; LAST: its number."""
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
    """Move pointers on, in k launches by (STEPS + 1)^k or more: others may have moved before."""
    c = tl.program_id(0) * B + tl.arange(0, B)
    exists = c < n
    at = tl.load(joined + c, mask=exists, other=0)
    for _ in range(STEPS):
        at = tl.load(joined + at, mask=exists, other=0)
    tl.store(joined + c, at, mask=exists)
