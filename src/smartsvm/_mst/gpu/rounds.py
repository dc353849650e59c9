"""Borůvka's rounds on a table of minima: only entries that went stale are computed again.

Invariant. An entry of the table (a row and a chunk of columns) holds a lower bound of the keys of
the row's foreign columns in that chunk: those of other components whose edge to the row no earlier
tree has used. It is *fresh* if its column is known and foreign: then it is the minimum itself.
Components only grow, so bounds stay bounds; an entry turns stale once its column has joined the
row's component.

A round. The best fresh entry of a component gives an upper bound of its shortest edge. Open entries
(unknown or stale) below that bound are computed again, which lowers it; then every column within
the slack of the bound is listed, measured in float64, and the least edge is taken under the order
of `edge_order.h`. The largest component does not search: the others find its edges.

Orthogonal trees. Each begins with the clean table of all pairs and leaves out the columns that
earlier trees have used up. Columns are unknown at first; an entry that an earlier tree has computed
and found equal to the clean one keeps its column, unless that is used up.

Mutual reachability. If the points have core distances, keys, bounds and lengths are those of mutual
reachability; candidates of one length are compared by their distance before their tie keys.

Cost: the table is n²/2 products for all trees together. A round computes one or two entries for
each row that searches, n · chunk products; there are about log n rounds a tree. The host waits
twice in a round, for the numbers of candidates and of components: between, it only queues kernels.
"""

from typing import NamedTuple

import numpy as np
import torch

from smartsvm._mst.gpu import edge_kernels, entry_kernels, product_kernels
from smartsvm._mst.gpu.keys import Entries, PairList, RowLists, UsedPairs

# The column of an entry that is not computed yet, and the key of an entry without columns: the bits
# of the float infinity.
_UNKNOWN = -2
_INFINITE = 0x7F800000
# The largest tie key as int64, and the bit that is flipped to order uint64 keys as int64.
_LAST = 2**63 - 1
SIGN = np.uint64(1 << 63)
# Rows that a program reads of the table; programs that share the slots of these rows.
_SCANNED = 128
_SCANS = 8
# Pairs that a program measures.
_MEASURED = 64
# Entries of the table that are scanned at once.
_LISTED = 1 << 25
# Candidates that are listed at once, those of a whole round, and those of a round that are kept.
# With more than these, fp16 cannot tell the points apart.
_ROOM = 1 << 24
_MOST_CANDIDATES = 1 << 28
_MOST_TIED = 1 << 26
# Programs of `refresh` and `emit`: at most 16 share the columns of a chunk and at most 64 its rows;
# 1,024 in all keep a device busy.
_SHARES = 16
_PROGRAMS = 64
_BUSY = 1024
# Components that a program joins, and the bits of a step: each follows 2^5 pointers.
_JOINED = 1024
_STEP_BITS = 5
# Multiplications of a launch: they take a fraction of a second, for which an interrupt has to wait.
_LAUNCHED = 1 << 46


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
    """The table of `RoundedPoints`; with `own`, a row has the entry of its own chunk only."""

    def __init__(self, points, tiles=None, own=False):
        self.points = points
        self.own = own
        self.tiles = tiles or Tiles()
        self.n_slots = 1 if own else points.n_chunks
        n, device = points.n, points.device
        self.keys = torch.full((self.n_slots, n), _INFINITE, dtype=torch.int32, device=device)
        self.columns = None
        self._count = torch.zeros(1, dtype=torch.int64, device=device)
        self.nobody = torch.full_like(self._count, -1)  # as the largest component
        # Ranges of rows that are listed at once, and where those of each chunk begin in the list.
        step = min(n, max(_SCANNED, _LISTED // self.n_slots))
        self._ranges = [(start, min(start + step, n)) for start in range(0, n, step)]
        first = points.tensors.first
        self._starts = first if own else _numbers(points.n_chunks, device) * step
        self._widest = int(first.diff().max())
        self._set_used(self._count[:0])

    def fill(self):
        """Compute all entries, each pair of chunks once."""
        p, tiles = self.points, self.tiles
        first = p.tensors.first
        sizes = first.diff()
        blocks_of = (sizes + tiles.rows - 1) // tiles.rows
        ends = torch.cumsum(blocks_of, 0)
        block_chunk = torch.repeat_interleave(_numbers(p.n_chunks, p.device), blocks_of)
        within = _numbers(len(block_chunk), p.device) - (ends - blocks_of)[block_chunk]
        block_first = (first[:-1][block_chunk] + within * tiles.rows).int()
        # Programs of one pair of chunks follow each other: their columns are in the cache.
        a, b = torch.triu_indices(p.n_chunks, p.n_chunks, device=p.device)
        programs = blocks_of[a]
        ends_of = torch.cumsum(programs, 0)
        step = max(1, _LAUNCHED // (self._widest * tiles.rows * p.width))
        for start in range(0, int(ends_of[-1]), step):
            at = torch.arange(start, min(start + step, int(ends_of[-1])), device=p.device)
            pair = torch.searchsorted(ends_of, at, right=True)
            block = (ends - blocks_of)[a[pair]] + at - (ends_of - programs)[pair]
            product_kernels.table[(len(at),)](
                p.tensors,
                self.keys,
                block_first,
                block_chunk.int(),
                block.int(),
                b[pair].int(),
                p.n,
                p.width,
                tiles.rows,
                tiles.columns,
                p.step,
                num_warps=tiles.warps,
                num_stages=tiles.stages,
                enable_fp_fusion=False,
            )
            if p.device.type == "cuda":
                torch.cuda.synchronize(p.device)

    def use(self, gone):
        """Leave out some `ends` of the last forest from now on, all for a full slice."""
        n = self.points.n
        ends = self.ends[:, gone].long()
        row, column = torch.cat([ends, ends.flip(0)], dim=1)
        self._set_used(torch.cat([self._used_pairs, row * n + column]))
        if self.columns is not None:
            entry = row if self.own else self.points.chunk_of[column].long() * n + row
            entries = self.columns.view(-1)
            # Several edges may have the same entry: the least value is that of the one it names.
            new = torch.where(entries[entry] == column, _UNKNOWN, n).int()
            entries.scatter_reduce_(0, entry, new, "amin")

    def _set_used(self, pairs):
        """Note row * n + column of the pairs that later forests leave out."""
        self._used_pairs = torch.sort(pairs).values
        count = torch.tensor([len(pairs), len(pairs).bit_length()], dtype=torch.int32)
        # Kernels need an address of an empty list, too.
        listed = self._used_pairs if len(pairs) else self._count
        self._used = UsedPairs(listed, count.to(pairs.device))

    def forest(self, nodes, clean, ranks):
        """One spanning forest, in the order of lengths, by its `ends`, which are pairs of nodes.

        Returns squared lengths, squared distances and tie keys. `clean` is whether the table is
        needed as it is for another one; `ranks` are those of nodes that are not collapsed.
        """
        n, device = self.points.n, self.points.device
        kept = self.keys.clone() if clean else self.keys
        if self.columns is None:
            self.columns = torch.full_like(self.keys, _UNKNOWN)
        component = _numbers(n, device)
        n_left = n
        largest = self.nobody
        sizes = torch.ones(n, dtype=torch.int64, device=device)
        edges = [(component.new_empty((2, 0)), sizes.new_empty((self._n_picks - 1, 0)))]
        while n_left > 1:
            ends, squared, picks = self._shortest(component, n_left, largest)
            if len(squared) == 0:
                break
            keys = ranks
            if nodes.collapsed:
                keys = (nodes.keys(*ends.cpu().numpy()) ^ SIGN).view(np.int64)
                keys = torch.as_tensor(keys, device=device)
            for last in (False, True):
                edge_kernels.choose[(-(-len(squared) // _JOINED),)](
                    *ends,
                    component,
                    squared,
                    keys,
                    *picks[-3:],
                    len(squared),
                    last,
                    not nodes.collapsed,
                    _JOINED,
                )
            picked, labels = _join(ends, component, picks)
            edges.append((ends[:, picked[-1]], picked[:-1]))
            component, n_left = labels[component], n_left - picked.shape[1]
            sizes = sizes.new_zeros(n_left).index_add_(0, labels, sizes)
            largest = self.nobody if self.own else sizes.argmax()
        if clean:
            self.columns.sub_(_UNKNOWN).mul_(self.keys.eq_(kept)).add_(_UNKNOWN)
        self.keys, self.columns = kept, self.columns if clean else None
        ends, picked = (torch.cat(each, dim=1) for each in zip(*edges, strict=True))
        order = torch.argsort(picked[0])  # what is sorted later is nearly so already
        self.ends, picked = ends[:, order], picked[:, order]
        return picked[0].view(torch.float64), picked[-2].view(torch.float64), picked[-1]

    @property
    def _n_picks(self):
        """The least length of a component, its distance if that differs, tie key and number."""
        return 3 if self.points.core is None else 4

    def _shortest(self, component, n_components, largest):
        """Candidates for the shortest edges of components, squared distances, and `picks`."""
        p = self.points
        # The smallest open entries first, which lower the bounds; then all that are below them.
        bounds, first_open = self._bounds(component, n_components, largest)
        self._compute(component, bounds, largest, first_open)
        self._compute(component, bounds, largest, only_open=True)
        shape = self._n_picks, n_components
        picks = torch.full(shape, _LAST, dtype=torch.int64, device=p.device)
        found = []
        n_candidates = 0
        n_kept = 0
        for ends in self.candidates(component, bounds, largest):
            squared, lengths = self.lengths(*ends, component, picks[0])
            n_candidates += len(squared)
            if n_candidates > 2 * p.n:  # too many to keep
                near = lengths.view(torch.int64) == picks[0, component[ends[0]]]
                ends, squared, lengths = ends[:, near], squared[near], lengths[near]
            found.append((ends, squared, lengths))
            n_kept += len(squared)
            if n_candidates > _MOST_CANDIDATES or n_kept > _MOST_TIED:
                raise TooManyCandidates
        if len(found) > 1:
            found = [[torch.cat(each, dim=-1) for each in zip(*found, strict=True)]]
        ends, squared, lengths = found[0]
        if p.core is not None:
            own = component[ends[0]].long()
            longer = lengths.view(torch.int64) != picks[0, own]
            squared = squared.masked_fill(longer, float("inf"))
            picks[1].scatter_reduce_(0, own, squared.view(torch.int64), "amin")
        return ends, squared, picks

    def _bounds(self, component, n_components, largest):
        """Upper bounds of the shortest edges of components; slots where rows have smaller keys."""
        p = self.points
        bounds = torch.full((n_components,), float("inf"), dtype=torch.float64, device=p.device)
        first_open = torch.empty(p.n, dtype=torch.int32, device=p.device)
        entry_kernels.best_entries[(-(-p.n // _SCANNED),)](
            p.tensors,
            Entries(self.keys, self.columns),
            component,
            largest,
            bounds.view(torch.int64),
            first_open,
            p.n,
            self.n_slots,
            _SCANNED,
            enable_fp_fusion=False,
        )
        return bounds, first_open

    def _listed(self, start, stop, component, bounds, largest, first_open=None, only_open=False):
        """Some rows by the chunks where they may have edges within the bounds."""
        p = self.points
        room = p.n if self.own else self.n_slots * self._ranges[0][1]
        lists = RowLists(
            torch.empty(room, dtype=torch.int32, device=p.device),
            self._starts,
            torch.zeros(p.n_chunks, dtype=torch.int32, device=p.device),
        )
        n_slots = self.n_slots if first_open is None else 1
        entry_kernels.list_entries[(-(-(stop - start) // _SCANNED), min(n_slots, _SCANS))](
            p.tensors,
            Entries(self.keys, self.columns if only_open else None),
            lists,
            component,
            largest,
            p.chunk_of,
            first_open,
            bounds,
            p.n,
            start,
            stop,
            n_slots,
            self.own,
            _SCANNED,
            enable_fp_fusion=False,
        )
        return lists

    def _compute(self, component, bounds, *querying, **which):
        """Compute the entries again that `_listed` finds."""
        p, tiles = self.points, self.tiles
        programs = min(_PROGRAMS, -(-p.n // tiles.gathered))
        for rows in self._ranges:
            product_kernels.refresh[(p.n_chunks * programs,)](
                p.tensors,
                Entries(self.keys, self.columns),
                self._listed(*rows, component, bounds, *querying, **which),
                component,
                self._used,
                bounds.view(torch.int64),
                programs,
                0 if self.own else p.n,
                p.n,
                p.width,
                tiles.gathered,
                tiles.scanned,
                p.step,
                num_warps=4,
                num_stages=3,
                enable_fp_fusion=False,
            )

    def candidates(self, component, bounds, largest):
        """Yield (u, v): foreign columns within the bounds of u's component, all of a u at once."""

        def found(start, stop):
            lists = self._listed(start, stop, component, bounds, largest)
            return self._emitted(component, lists, bounds, len(bounds), False)

        return _in_halves([*self._ranges], found)

    def pairs_within(self, component, rows, chunks, limit):
        """Yield (u, v): foreign columns of some chunks within the scaled distances of rows."""
        order = torch.argsort(chunks)
        rows, chunks, limit = rows[order].int(), chunks[order], limit[order]

        def found(start, stop):
            counts = torch.bincount(chunks[start:stop], minlength=self.points.n_chunks).int()
            starts = torch.cumsum(counts, 0, dtype=torch.int32) - counts
            lists = RowLists(rows[start:stop], starts, counts)
            return self._emitted(component, lists, limit[start:stop], stop - start, True)

        return _in_halves([(0, len(rows))], found)

    def _emitted(self, component, lists, limit, n_rows, listed):
        """Pairs (u, v) of some rows and columns of their chunks; None if there are too many."""
        p, tiles = self.points, self.tiles
        found = torch.empty(2, _ROOM, dtype=torch.int32, device=p.device)
        self._count.zero_()
        # Few blocks leave most of the device idle: several programs share the columns of a chunk.
        blocks = 1 + n_rows // tiles.gathered
        shares = max(1, min(_SHARES, _BUSY // blocks))
        programs = min(_PROGRAMS // shares, blocks)
        product_kernels.emit[(p.n_chunks * programs, shares)](
            p.tensors,
            lists,
            component,
            self._used,
            limit,
            PairList(*found, self._count),
            _ROOM,
            programs,
            shares,
            int(listed),
            p.n,
            p.width,
            tiles.gathered,
            tiles.scanned,
            p.step,
            num_warps=4,
            num_stages=3,
            enable_fp_fusion=False,
        )
        count = int(self._count)
        return found[:, :count].clone() if count <= _ROOM else None

    def measure(self, u, v):
        """Squared distances of pairs of nodes, in the units of X."""
        return self._measured(u, v, None, None, None)[0]

    def lengths(self, u, v, component, least):
        """Squared distances and lengths of pairs of nodes; sets the `least` of components."""
        return self._measured(u, v, self.points.core, component, least)

    def _measured(self, u, v, core, component, least):
        p = self.points
        squared = torch.empty(len(u), dtype=torch.float64, device=u.device)
        lengths = squared if core is None else torch.empty_like(squared)
        d = p.X.shape[1]
        if len(u):
            edge_kernels.measure[(-(-len(u) // _MEASURED),)](
                p.X,
                p.rows,
                u,
                v,
                squared,
                core,
                lengths,
                component,
                least,
                len(u),
                d,
                8 if d >= 64 else 1,
                _MEASURED,
                enable_fp_fusion=False,
            )
        return squared, lengths


def in_order(groups, squared, a, b):
    """The order of edges: by group, squared length, and tie key of the ranks of both ends."""
    order = torch.argsort(_tie_keys(a, b))
    for values in (squared, groups):
        order = order[torch.argsort(values[order], stable=True)]
    return order


def _tie_keys(a, b):
    """The tie keys of edges between points of these ranks, with the sign bit turned: int64."""
    return (((a - b).abs() - (1 << 31)) << 32) + torch.minimum(a, b)


def _in_halves(waiting, found):
    """Yield what is found in ranges; in halves of those where it is None."""
    while waiting:
        start, stop = waiting.pop()
        result = found(start, stop)
        if result is not None:
            yield result
        elif stop - start == 1:
            raise TooManyCandidates
        else:
            middle = (start + stop) // 2
            waiting += [(start, middle), (middle, stop)]


def _join(ends, component, picks):
    """Join each component by what it picks: those picks, each edge once, and new components.

    Keys are distinct for distinct edges, so the only cycles are edges that both ends propose.
    """
    n = picks.shape[1]
    grid = (-(-n // _JOINED),)
    joined = torch.empty(n, dtype=torch.int64, device=picks.device)
    edge_kernels.join[grid](picks[-1], ends[1], component, joined, n, ends.shape[1], _JOINED)
    for _ in range(-(-n.bit_length() // _STEP_BITS)):
        edge_kernels.follow[grid](joined, n, (1 << _STEP_BITS) - 1, _JOINED)
    numbers = _numbers(n, joined.device)
    moves = joined != numbers
    return picks[:, moves], (numbers - torch.cumsum(moves, 0, dtype=torch.int32))[joined]


def _numbers(n, device):
    return torch.arange(n, dtype=torch.int32, device=device)
