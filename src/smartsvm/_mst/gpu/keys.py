"""What a key says: tensors that kernels share, bounds of distances by keys (`rounded_points.py`).

Kernels take their tensors in groups: named tuples, which Triton unpacks.
"""

from __future__ import annotations

from typing import NamedTuple

import triton
import triton.language as tl

INFINITY = tl.constexpr(float("inf"))


class PointTensors(NamedTuple):
    """What kernels read of `RoundedPoints`."""

    fp16: tl.tensor  # the points, rounded
    half_square: tl.tensor  # ½N² of each, in float32
    reach: tl.tensor | None  # ½c² for the core distances c, in float32; None for plain distances
    norm: tl.tensor  # N
    delta: tl.tensor  # δ
    first: tl.tensor  # the first point of each chunk
    chunk_norm: tl.tensor  # the largest N of a chunk
    chunk_delta: tl.tensor  # the largest δ of a chunk
    slack: tl.tensor  # the factor of E, that by which limits are widened, and that of cores


class Entries(NamedTuple):
    """The table: the smallest key of every row and chunk, and its column."""

    keys: tl.tensor
    columns: tl.tensor | None


class RowLists(NamedTuple):
    """Rows by chunk: where those of a chunk start, and how many they are."""

    rows: tl.tensor
    starts: tl.tensor
    counts: tl.tensor


class UsedPairs(NamedTuple):
    """Pairs that earlier trees use: row * n + column, sorted."""

    pairs: tl.tensor
    size: tl.tensor  # how many, and the steps of a search among them


class PairList(NamedTuple):
    """Room for pairs of rows, and how many there are."""

    i: tl.tensor
    j: tl.tensor
    size: tl.tensor


@triton.jit
def ordered(key):
    """Floats as integers of the same order."""
    bits = key.to(tl.int32, bitcast=True)
    return tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


@triton.jit
def decoded(code):
    return tl.where(code < 0, code ^ 0x7FFFFFFF, code).to(tl.float32, bitcast=True)


@triton.jit
def error_bound(norm_i, norm_j, slack):
    """The bound E of the error of a key; see rounded_points.py."""
    near = norm_j * (tl.load(slack) * norm_i + norm_j * 2.384185791015625e-07)  # 2^-22
    return near + norm_i * norm_i * 9.094947017729282e-13  # 2^-40


@triton.jit
def key_limit(far, norm_r, norm_c, slack):
    """The largest key of a pair at a distance up to `far`, which has the roundings of both."""
    more = tl.load(slack + 2)
    half = (0.5 + more) * far * far - (0.5 - more) * norm_r * norm_r
    return half + error_bound(norm_r, norm_c, slack)


@triton.jit
def upper_bound(points, key, r, column, known):
    """Upper bounds of distances by their keys, as bits, which have the order of such floats."""
    norm_r = tl.load(points.norm + r, mask=known, other=0.0)
    norm_c = tl.load(points.norm + column, mask=known, other=0.0)
    far = tl.load(points.delta + r, mask=known, other=0.0)
    far += tl.load(points.delta + column, mask=known, other=0.0)
    own = norm_r * norm_r
    more = tl.load(points.slack + 2)
    square = own + 2 * (key.to(tl.float64) + error_bound(norm_r, norm_c, points.slack))
    square = (1 + more) * square + more * own
    upper = (tl.sqrt(tl.maximum(square, 0.0)) + far) * tl.load(points.slack + 1)
    return upper.to(tl.int64, bitcast=True)
