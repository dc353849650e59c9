"""Points on a device: centred, scaled, ordered by locality, rounded to fp16, with error bounds.

The slack. Let μ be any vector, s a power of two, z_i = s (x_i - μ), and x̂_i = z_i rounded to fp16;
δ_i bounds |z_i - x̂_i| and N_i = |x̂_i|. By the triangle inequality s|x_i - x_j| differs from
|x̂_i - x̂_j| by at most δ_i + δ_j. The computed key k of (i, j) differs from ½|x̂_j|² - x̂_i·x̂_j by
at most

    E_ij = N_j ((d + 9) 2⁻²² N_i + 2⁻²² N_j) + 2⁻⁴⁰ N_i²:

products of fp16 numbers are exact in fp32, and their sum is at most N_i N_j in magnitude, also
termwise (Cauchy-Schwarz). Tensor cores add 16 products and the sum so far at once, aligned to the
largest and cut off at 2⁻²³ of it: an error of 17 · 2⁻²³ N_i N_j for every 16 terms, which is below
d 2⁻²² N_i N_j in total, as is that of any order of roundings. The rest covers the roundings of
½N_j², of the difference, and of N_i² in float64. Hence

    √(N_i² + 2 (k - E)) - δ_i - δ_j  <=  s|x_i - x_j|  <=  √(N_i² + 2 (k + E)) + δ_i + δ_j.

`upper` is the right side. `key_limit` (keys.py) is the largest key of a pair within some distance,
with the largest N_j and δ_j of a chunk. Distances are compared as `edge_order.h` computes them,
with a relative error of less than (d + 16) 2⁻⁵², by which limits are widened.

Mutual reachability. Let c_i be the core distance of i times s, and m_ij = max(s|x_i - x_j|, c_i,
c_j). The key of (i, j) is max(k, g) with g = ½max(c_i, c_j)² - ½N_i², computed in float32 from
float32 halves, or max(k + ½N_i², ½max(c_i, c_j)²) - ½N_i². Beside E, the error is at most
ε (m² + N_i²) with ε < 2⁻²³: three roundings of terms up to ½m² and ½N_i². So both sides of the
inequality above hold for m_ij if E grows by ε' (m² + N_i²) with ε' = 2⁻²²: `key_limit` does that.
The upper bound R of m² grows by ε' (R + N_i²) likewise.
"""

import numpy as np
import torch

from smartsvm._mst.gpu.keys import PointTensors

# Numbers that are converted to float64 at a time.
_AT_ONCE = 1 << 23
# The rough k-means that orders points: points of its sample per cell, and passes over them.
_SAMPLED_PER_CELL = 40
_PASSES = 4
# 2^64 / golden ratio as int64: a product with it spreads the bits of a number (Fibonacci hashing).
_MIXER = 0x9E3779B97F4A7C15 - (1 << 64)
# ε' above.
_CORE_SLACK = 2.0**-22


class RoundedPoints:
    """The points of the nodes `rows` of X, in an order in which near ones are close.

    `cells` are the sizes of chunks if they are given; otherwise chunks have `chunk` columns each
    and `order` holds the nodes in their new order. If they are `mixed`, that is a random one, and
    near points are in different chunks.
    """

    def __init__(self, X, rows, chunk, cells=None, mixed=False):
        self.X = X
        self.device = X.device
        n = len(rows)
        d = X.shape[1]
        rows = torch.as_tensor(rows, device=self.device)
        centre, self.scale = _centre_and_scale(X)
        self.step = min(64, max(16, 1 << (d - 1).bit_length()))
        self.width = -(-d // self.step) * self.step
        half = torch.zeros((n, self.width), dtype=torch.float16, device=self.device)
        delta = torch.empty(n, dtype=torch.float64, device=self.device)
        norm = torch.empty_like(delta)
        # Covers the roundings of sums of d terms and of the differences from the centre.
        self.rounding = (d + 16) * 2.0**-50
        for part in parts(n, d):
            z = (X[rows[part]].double() - centre) * self.scale
            half[part, :d] = z.half()
            rounded = half[part, :d].double()
            norm[part] = rounded.norm(dim=1)
            delta[part] = (z - rounded).norm(dim=1) * (1 + self.rounding) + 2.0**-52 * z.norm(dim=1)
        if cells is None:
            n_chunks = -(-n // chunk)
            self.order = _at_random(n, self.device) if mixed else _by_locality(half, n_chunks)
            first = torch.arange(n_chunks + 1, device=self.device) * chunk
            first[-1] = n
            rows, delta, norm = rows[self.order], delta[self.order], norm[self.order]
            half = half[self.order]
        else:
            first = torch.cat([cells.new_zeros(1), torch.cumsum(cells, 0)])
        self.n = n
        self.n_chunks = len(first) - 1
        self.rows = rows.int()
        self.chunk_of = torch.repeat_interleave(
            torch.arange(self.n_chunks, device=self.device, dtype=torch.int32), first.diff()
        )
        slack = (self.width + 9) * 2.0**-22, 1 + self.rounding, 0.0
        self.tensors = PointTensors(
            half,
            (norm * norm / 2).float(),
            None,
            norm,
            delta,
            first.int(),
            self._largest(norm),
            self._largest(delta),
            torch.tensor(slack, dtype=torch.float64).to(self.device),
        )
        self.core = None

    def set_cores(self, core):
        """Let distances be mutual reachability, by squared core distances in the units of X."""
        self.core = core
        slack = self.tensors.slack.clone()
        slack[2] = _CORE_SLACK
        reach = ((core.sqrt() * self.scale) ** 2 / 2).float()
        self.tensors = self.tensors._replace(reach=reach, slack=slack)

    def _largest(self, values):
        largest = values.new_zeros(self.n_chunks)
        return largest.scatter_reduce_(0, self.chunk_of.long(), values, "amax")

    def upper(self, i, key, chunk):
        """An upper bound of the scaled distances of rows i and some columns of a chunk."""
        p = self.tensors
        norm, other = p.norm[i], p.chunk_norm[chunk]
        error = other * (p.slack[0] * norm + 2.0**-22 * other) + 2.0**-40 * norm * norm
        bound = (norm**2 + 2 * (key.double() + error)).clamp_min(0).sqrt()
        return (bound + p.delta[i] + p.chunk_delta[chunk]) * p.slack[1]


def equal_rows(X):
    """Groups of two or more equal rows: their starts in a list of rows, and that list."""
    n, d = X.shape
    random = np.random.default_rng(0)
    weights = torch.as_tensor(random.integers(-(2**62), 2**62, d) | 1, device=X.device)
    hashes = torch.empty(n, dtype=torch.int64, device=X.device)
    for part in parts(n, d):
        bits = (X[part].double() + 0.0).view(torch.int64)  # -0 becomes 0
        bits = (bits ^ (bits >> 32)) * _MIXER  # small integers have high bits only
        hashes[part] = ((bits ^ (bits >> 29)) * weights).sum(dim=1)
    ranked, order = torch.sort(hashes, stable=True)
    same = ranked[1:] == ranked[:-1]
    if not bool(same.any()):
        return np.zeros(1, dtype=np.intp), np.empty(0, dtype=np.intp)
    # Rows of one hash are compared; rows that differ split their group, which loses no edge.
    for part in parts(n - 1, d):
        same[part] &= (X[order[1:][part]] == X[order[:-1][part]]).all(dim=1)
    same = np.concatenate([[False], same.cpu().numpy(), [False]])
    member = same[1:] | same[:-1]
    return np.flatnonzero(np.append(~same[:-1][member], True)), order.cpu().numpy()[member]


def _centre_and_scale(X):
    """A vector near the mean, and the power of two that brings all differences to fp16's range."""
    n, d = X.shape
    total = torch.zeros(d, dtype=torch.float64, device=X.device)
    low = torch.full_like(total, float("inf"))
    high = torch.full_like(total, -float("inf"))
    for part in parts(n, d):
        values = X[part].double()
        total += values.sum(dim=0) / n
        low = torch.minimum(low, values.amin(dim=0))
        high = torch.maximum(high, values.amax(dim=0))
    centre = torch.clamp(total, low, high)
    spread = float(torch.maximum(high - centre, centre - low).max())
    exponent = int(np.frexp(spread)[1])  # spread < 2^exponent
    return centre, 2.0 ** (14 - exponent) if spread > 0 else 1.0  # fp16 ends at 65504


def parts(n, d):
    """Slices of n rows of d numbers, which are few enough to convert at a time."""
    step = max(1, _AT_ONCE // d)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def _at_random(n, device):
    generator = torch.Generator(device=device).manual_seed(0)
    return torch.randperm(n, generator=generator, device=device)


def _by_locality(points, n_cells):
    """Rows by the cells of a rough k-means, one cell after its nearest one.

    In bfloat16 where it is fast: sums of fp16 products may exceed its range.
    """
    n = len(points)
    device = points.device
    if n_cells == 1:
        return torch.arange(n, device=device)
    kind = torch.bfloat16 if device.type == "cuda" else torch.float32
    generator = torch.Generator(device=device).manual_seed(0)
    chosen = torch.randint(
        n, (min(n, _SAMPLED_PER_CELL * n_cells),), generator=generator, device=device
    )
    sample = points[chosen].to(kind)
    cells = sample[:n_cells].clone()

    def nearest(rows):
        return (rows.to(kind) @ cells.T).float().sub_((cells.float() ** 2).sum(1) / 2).argmax(1)

    for _ in range(_PASSES):
        cell = nearest(sample)
        sums = torch.zeros(cells.shape, device=device).index_add_(0, cell, sample.float())
        counts = torch.bincount(cell, minlength=n_cells)
        cells = torch.where(counts[:, None] > 0, sums / counts.clamp_min(1)[:, None], cells.float())
        cells = cells.to(kind)
    cell = torch.cat([nearest(points[part]) for part in parts(n, max(points.shape[1], n_cells))])
    apart = torch.cdist(cells.float(), cells.float()).cpu().numpy()
    place = np.empty(n_cells, dtype=np.intp)
    at = 0
    for k in range(n_cells):
        place[at] = k
        apart[:, at] = np.inf
        at = apart[at].argmin()
    return torch.argsort(torch.as_tensor(place, device=device)[cell], stable=True)
