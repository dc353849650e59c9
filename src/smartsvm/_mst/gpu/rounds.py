"""Borůvka's rounds on a table of minima: only entries that went stale are computed again.

Invariant. An entry of the table (a row and a chunk of columns) holds a lower bound of the keys of
the row's foreign columns in that chunk: those of other components whose edge to the row no earlier
tree has used. It is *fresh* if its column is known and foreign: then it is the minimum itself.
Components only grow, so bounds stay bounds; an entry turns stale once its column has joined the
row's component.

A round. The best fresh entry of a component gives an upper bound of its shortest edge. Open entries
(unknown or stale) below that bound are computed again, which lowers it; then every column within
the slack of the bound is listed, measured in float64, and the least edge is taken under the order
of `edge_order.h`. The largest component does not ask: the others find its edges.

Orthogonal trees. Each begins with the clean table of all pairs, every entry unknown, and leaves out
the columns that earlier trees have used up.

Cost: the table is n²/2 products for all trees together. A round computes one or two entries for
each row that asks, n · chunk products; there are about log n rounds a tree.
"""

from typing import NamedTuple

import numpy as np
import torch

from smartsvm._mst.gpu import kernels

_UNKNOWN, _INFINITE = -2, 0x7F800000
_LAST, _SIGN = 2**63 - 1, np.uint64(1 << 63)  # of keys: the largest, and the bit that is turned
_SCANNED = 128  # rows of a program that reads the table
_MEASURED = 64  # pairs of a program that measures
_LISTED = 1 << 24  # entries of a scan
_ROOM = 1 << 24  # candidates at a time,
_MOST_CANDIDATES = 1 << 28  # of a round,
_MOST_TIED = 1 << 26  # and of these that tie
_SHARES, _BUSY = 16, 1024  # programs for a chunk; programs that keep a device busy
_LAUNCHED = 1 << 46  # terms of a launch: a fraction of a second, since an interrupt waits for it


class Tiles(NamedTuple):
    """Sizes of the blocks that a program multiplies."""

    rows: int = 256
    columns: int = 128
    warps: int = 8
    stages: int = 3
    gathered: int = 64  # rows and columns of the rounds
    scanned: int = 128


class TooManyCandidates(Exception):
    """The slack of fp16 cannot tell the points apart."""


class Table:
    """The table of some `Points`; with `own`, of every row the entry of its own chunk only."""

    def __init__(self, points, tiles=None, own=False):
        self.points, self.own, self.tiles = points, own, tiles or Tiles()
        self.n_slots = 1 if own else points.n_chunks
        n, device = points.n, points.device
        self.keys = torch.full((self.n_slots, n), _INFINITE, dtype=torch.int32, device=device)
        self.columns = None
        self._count = torch.zeros(1, dtype=torch.int32, device=device)
        # row * n + column of used edges, sorted; a list of none has one, too, for the kernels
        self._used, self._n_used = torch.zeros(1, dtype=torch.int64, device=device), 0
        self._widest = int(points.first.diff().max())

    def fill(self):
        """Compute all entries, each pair of chunks once."""
        p, tiles = self.points, self.tiles
        sizes = p.first.diff()
        blocks_of = (sizes + tiles.rows - 1) // tiles.rows
        ends = torch.cumsum(blocks_of, 0)
        block_chunk = torch.repeat_interleave(_numbers(p.n_chunks, p.device), blocks_of)
        within = _numbers(len(block_chunk), p.device) - (ends - blocks_of)[block_chunk]
        block_first = (p.first[:-1][block_chunk] + within * tiles.rows).int()
        # Programs of one pair of chunks follow each other: their columns are in the cache.
        a, b = torch.triu_indices(p.n_chunks, p.n_chunks, device=p.device)
        programs = blocks_of[a]
        ends_of = torch.cumsum(programs, 0)
        step = max(1, _LAUNCHED // (self._widest * tiles.rows * p.width))
        for start in range(0, int(ends_of[-1]), step):
            at = torch.arange(start, min(start + step, int(ends_of[-1])), device=p.device)
            pair = torch.searchsorted(ends_of, at, right=True)
            block = (ends - blocks_of)[a[pair]] + at - (ends_of - programs)[pair]
            kernels.table[(len(at),)](
                p.half, p.half_norm, self.keys, block_first, block_chunk.int(), p.first,
                block.int(), b[pair].int(), p.n, p.width, tiles.rows, tiles.columns, p.step,
                num_warps=tiles.warps, num_stages=tiles.stages, enable_fp_fusion=False,
            )  # fmt: skip
            _wait(p.device)

    def use(self, u, v):
        """Leave out the edges between some nodes from now on."""
        n = self.points.n
        u, v = (torch.as_tensor(x, device=self.points.device).long() for x in (u, v))
        known = self._used[: self._n_used]
        self._used = torch.sort(torch.cat([known, u * n + v, v * n + u])).values
        self._n_used = len(self._used)

    def forest(self, nodes, clean):
        """One spanning forest: pairs of nodes, squared distances and keys.

        `clean` is whether the table is needed as it is for another one.
        """
        n, device = self.points.n, self.points.device
        kept = self.keys.clone() if clean else None
        self.columns = torch.full_like(self.keys, _UNKNOWN)
        component, n_left, largest, edges = _numbers(n, device), n, -1, []
        sizes = torch.ones(n, dtype=torch.int64, device=device)
        ranks = None if nodes.collapsed else _on(nodes.ranks.astype(np.int64), device)
        while n_left > 1:
            u, v, squared = self._shortest(component, n_left, -1 if self.own else largest)
            if len(u) == 0:
                break
            ends = torch.stack([u, v])
            if ranks is None:
                keys = _on((nodes.keys(*ends.cpu().numpy()) ^ _SIGN).view(np.int64), device)
            else:
                keys = _tie_keys(*ranks[ends])
            chosen, labels = _join_least(*component[ends].long(), keys, n_left)
            edges.append((*ends[:, chosen], squared[chosen], keys[chosen]))
            component, n_left = labels[component].int(), n_left - len(chosen)
            sizes = sizes.new_zeros(n_left).index_add_(0, labels, sizes)
            largest = int(sizes.argmax())
        self.columns = None
        if clean:
            self.keys = kept
        if not edges:
            return tuple(np.empty(0, dtype) for dtype in ("i4", "i4", "f8", "u8"))
        u, v, squared, keys = (torch.cat(each).cpu().numpy() for each in zip(*edges, strict=True))
        return u, v, squared, keys.view(np.uint64) ^ _SIGN

    def _shortest(self, component, n_components, largest):
        """Candidates that tie for the shortest edge of their component, and squared lengths."""
        p, asking = self.points, (component, n_components, largest)
        bounds, first_open = self._bounds(*asking)
        # The smallest open entries first, which lower the bounds; then all that are below them.
        if self._compute(component, self.entries(component, bounds, largest, first_open)):
            bounds, _ = self._bounds(*asking)
            if self._compute(component, self.entries(component, bounds, largest, only_open=True)):
                bounds, _ = self._bounds(*asking)
        best = torch.full((n_components,), float("inf"), dtype=torch.float64, device=p.device)
        tied, n_candidates = [], 0
        for rows, slots in self.entries(component, bounds, largest):
            limit = bounds[component[rows]]
            for u, v in self.pairs_within(component, rows, self._chunk(rows, slots), limit):
                n_candidates += len(u)
                if n_candidates > _MOST_CANDIDATES:
                    raise TooManyCandidates
                squared, own = self.measure(u, v), component[u].long()
                best.scatter_reduce_(0, own, squared, "amin")
                near = torch.nonzero(squared == best[own]).flatten()
                tied.append((u[near], v[near], squared[near]))
                if sum(len(u) for u, _, _ in tied) > _MOST_TIED:
                    raise TooManyCandidates
        if not tied:
            return component[:0], component[:0], best[:0]
        u, v, squared = map(torch.cat, zip(*tied, strict=True))
        if len(tied) > 1:
            least = squared == best[component[u]]
            u, v, squared = u[least], v[least], squared[least]
        return u, v, squared

    def _bounds(self, component, n_components, largest):
        """Upper bounds of the shortest edges of components; slots where rows have smaller keys."""
        p = self.points
        bounds = torch.full((n_components,), float("inf"), dtype=torch.float64, device=p.device)
        first_open = torch.empty(p.n, dtype=torch.int32, device=p.device)
        kernels.best_entries[(-(-p.n // _SCANNED),)](
            self.keys, self.columns, component, largest, p.norm, p.delta, p.slack,
            bounds.view(torch.int64), first_open, p.n, self.n_slots, _SCANNED,
            enable_fp_fusion=False,
        )  # fmt: skip
        return bounds, first_open

    def _chunk(self, rows, slots):
        return self.points.chunk_of[rows] if self.own else slots

    def entries(self, component, bounds, largest=-1, first_open=None, only_open=False):
        """(rows, slots) of the entries that may hold edges within the bounds, in parts."""
        p, is_first = self.points, first_open is not None
        columns = self.columns if only_open else self.keys  # which are not read
        n_slots = 1 if is_first else self.n_slots
        step = max(_SCANNED, _LISTED // n_slots)
        for start in range(0, p.n, step):
            stop = min(start + step, p.n)
            found = torch.empty(2, (stop - start) * n_slots, dtype=torch.int32, device=p.device)
            self._count.zero_()
            kernels.list_entries[(-(-(stop - start) // _SCANNED),)](
                self.keys, columns, component, largest, p.chunk_of,
                first_open if is_first else p.chunk_of, bounds, p.norm, p.delta, p.chunk_norm,
                p.chunk_delta, p.slack, found[0], found[1], self._count, p.n, start, stop, n_slots,
                is_first, only_open, self.own, _SCANNED, enable_fp_fusion=False,
            )  # fmt: skip
            count = int(self._count)
            if count:
                yield found[0, :count], found[1, :count]

    def _compute(self, component, entries):
        """Compute some entries again; whether there are any."""
        p, tiles, some = self.points, self.tiles, False
        for rows, slots in entries:
            gathered, chunks, _ = self._pack(rows, self._chunk(rows, slots))
            slots, some = torch.zeros_like(chunks) if self.own else chunks, True
            kernels.least[(len(chunks),)](
                p.half, p.half_norm, component, gathered, slots, chunks, p.first, self._used,
                self._n_used, self._n_used.bit_length(), self.keys, self.columns, p.n, p.width,
                tiles.gathered, tiles.scanned, p.step, num_warps=4, num_stages=3,
                enable_fp_fusion=False,
            )  # fmt: skip
        return some

    def pairs_within(self, component, rows, chunks, limit):
        """Yield (u, v): foreign columns of some chunks within the scaled distances of rows."""
        p, tiles = self.points, self.tiles
        at_once = max(tiles.gathered, (1 << 30) // self._widest)
        waiting = [slice(k, k + at_once) for k in range(0, len(rows), at_once)]
        found = torch.empty(2, _ROOM, dtype=torch.int32, device=p.device)
        while waiting:
            part = waiting.pop()
            gathered, of_block, limits = self._pack(rows[part], chunks[part], limit[part])
            self._count.zero_()
            # Few blocks leave most of the device idle: several programs share a chunk.
            shares = max(1, min(_SHARES, _BUSY // len(of_block)))
            kernels.emit[(len(of_block), shares)](
                p.half, p.half_norm, component, gathered, limits, of_block, p.first, self._used,
                self._n_used, self._n_used.bit_length(), found[0], found[1], self._count, _ROOM,
                shares, p.n, p.width, tiles.gathered, tiles.scanned, p.step, num_warps=4,
                num_stages=3, enable_fp_fusion=False,
            )  # fmt: skip
            count = int(self._count)
            if count <= _ROOM:
                u, v = found[:, :count].clone()
                yield u, v
                continue
            middle = (part.start + min(part.stop, len(rows))) // 2
            waiting += [slice(part.start, middle), slice(middle, part.stop)]

    def measure(self, u, v):
        """Squared distances of pairs of nodes, in the units of X."""
        p, squared = self.points, torch.empty(len(u), dtype=torch.float64, device=u.device)
        if len(u):
            kernels.measure[(-(-len(u) // _MEASURED),)](
                p.X, p.rows, u, v, squared, len(u), p.X.shape[1], _MEASURED, enable_fp_fusion=False
            )
        return squared

    def _pack(self, rows, chunks, distances=None):
        """Rows in blocks of one chunk each, filled up with -1; chunks of blocks; limits of keys."""
        p, size, m = self.points, self.tiles.gathered, len(rows)
        grid, place = (-(-m // _SCANNED),), torch.empty(m, dtype=torch.int32, device=p.device)
        counts = torch.zeros(p.n_chunks, dtype=torch.int32, device=p.device)
        kernels.count_rows[grid](chunks, place, counts, m, _SCANNED)
        blocks = -(-counts.cpu().numpy() // size)
        first, of_block = (
            (np.cumsum(blocks) - blocks) * size,
            np.repeat(np.arange(p.n_chunks), blocks),
        )
        sent = torch.as_tensor(np.concatenate([first, of_block]).astype(np.int32)).to(p.device)
        first, of_block = sent[: p.n_chunks], sent[p.n_chunks :]
        gathered = torch.full((len(of_block) * size,), -1, dtype=torch.int32, device=p.device)
        limits = torch.full_like(gathered, -float("inf"), dtype=torch.float32)
        has_limits = distances is not None
        kernels.gather_rows[grid](
            rows, chunks, place, first, gathered, distances if has_limits else limits, limits,
            p.norm, p.delta, p.chunk_norm, p.chunk_delta, p.slack, m, has_limits, _SCANNED,
            enable_fp_fusion=False,
        )  # fmt: skip
        return gathered, of_block, limits


def in_order(groups, squared, a, b):
    """The order of edges: by group, squared length, and tie key of the ranks of both ends."""
    order = torch.argsort(_tie_keys(a, b))
    for values in (squared, groups):
        order = order[torch.argsort(values[order], stable=True)]
    return order


def _tie_keys(a, b):
    """The tie keys of edges between points of these ranks, with the sign bit turned: int64."""
    return (((a - b).abs() - (1 << 31)) << 32) + torch.minimum(a, b)


def _join_least(own, other, keys, n):
    """Join each of n components by its smallest key: the chosen candidates, and new components.

    Candidate e joins component `own[e]`, which proposes it, to `other[e]`. Keys are distinct for
    distinct edges, so the only cycles are edges that both ends propose.
    """
    most, itself = len(own), torch.arange(n, device=own.device)
    least = keys.new_full((n,), _LAST).scatter_reduce_(0, own, keys, "amin")
    number = torch.arange(most, device=own.device).masked_fill_(keys != least[own], most)
    best = itself.new_full((n,), most).scatter_reduce_(0, own, number, "amin")
    joined = torch.where(best < most, other[best.clamp_max(most - 1)], itself)
    joined = torch.where((joined[joined] == itself) & (itself < joined), itself, joined)
    is_root = joined == itself
    for _ in range(n.bit_length()):
        joined = joined[joined]
    return best[~is_root], (torch.cumsum(is_root, 0) - 1)[joined]


def _on(array, device):
    return torch.as_tensor(array).to(device)


def _numbers(n, device):
    return torch.arange(n, dtype=torch.int32, device=device)


def _wait(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
