"""Trees of all pairs of classes, from a table whose chunks are the classes.

Idea. The table holds, for every row a and class, a lower bound of the distance to the nearest row
there. Let F_1, F_2, ... be the orthogonal trees of class A, M_s(a, x) the longest edge on the path
from a to x in F_s, and T_1, T_2, ... the trees of A and B together. An edge of T_s within A is in
F_1, ..., F_s, so F_s has lost no edge to the trees before T_s. Let x, y be the ends of the shortest
edge between A and B, g(a) = max_s M_s(a, x) in A, and g(b) = max_s M_s(b, y) in B.

1. For a cross edge f = (p, q) let v(f) = max(|f|, g(p), g(q)). A longer one (a, b) is not in T_s if
   f is left for T_s and |ab| > max(g(a), g(b), v(f)): a - x - p - q - y - b is a path of shorter
   edges that are left.
2. So if no cross edge (a, b) is shorter than g(a) or g(b), then T_s has the s-th shortest one and
   no other. The table shows that for nearly all pairs of classes.
3. For the others, list the cross edges up to g(a), g(b) or a bound V, and peel their trees off them
   and those of the classes. They are right if every tree has a cross edge with v(f) <= V, or if all
   trees span and have no edge above V: peeling takes edges in their order.
4. Else list all cross edges up to W, the longest edge of any F_s of A and B. T_s needs none above W
   if a cross edge up to W is left for it, and then its trees span. In the rare other cases, list
   all cross edges.

On the line of `line_up` the longest edge on a path is the largest gap between its ends, so the
paths from one row to all others are two running maxima. Cost: n²/2 products, n K comparisons for
each tree, and the products of pairs in step 4 once more.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch

from smartsvm._core.threads import ThreadedMap
from smartsvm._mst.edges.class_peel import join_classes, line_up, longest_on_paths
from smartsvm._mst.gpu import class_kernels
from smartsvm._mst.gpu.joining import Nodes
from smartsvm._mst.gpu.keys import PairList
from smartsvm._mst.gpu.rounded_points import RoundedPoints
from smartsvm._mst.gpu.rounds import Table, TooManyCandidates, in_order

# Sizes of a program: the classes and rows of the table that it reads at once, and the places of a
# line (`line_up`). Powers of two, as Triton needs.
_CLASSES = 32
_ROWS = 64
_PLACES = 16
# Pairs of classes whose forests are built at once.
_JOINED = 256
# Cross edges that are listed at once; classes with more of them are computed from their points.
_MOST_CROSS = 1 << 24


class ClassPairs(NamedTuple):
    """Trees of the classes, pairs of classes that are apart, and the forests of the others."""

    within: list  # tree -> edges between rows of one class
    apart: np.ndarray  # pairs of classes whose trees have one cross edge each
    crossing: np.ndarray  # these edges, (pairs, trees, 2)
    # (union) -> the forests of the others, in batches as `PairForests` has them; union(pair)
    # computes those of a pair of large classes from its points
    joined: Callable


def class_pairs(X, rows, counts, ids, seed, n_trees, *, n_threads=1, memory_limit=None, tiles=None):
    """The pairs of the classes of a tensor; `rows` are grouped by class, `counts` of each.

    Trees are peeled by `n_threads` threads of the processor. None if fp16 cannot help, or the table
    does not fit the memory.
    """
    n, d = X.shape
    needed = n * (8 * d + 100) + 12 * n * len(counts)
    if memory_limit is not None and needed > memory_limit:
        return None
    try:
        return _Pairs(X, rows, counts, ids, seed, n_trees, n_threads, tiles).result()
    except TooManyCandidates:
        return None


class _Pairs:
    def __init__(self, X, rows, counts, ids, seed, n_trees, n_threads, tiles):
        self.n_trees = n_trees
        self.rows = rows
        self.n_classes = len(counts)
        self.n_threads = n_threads
        self.first = np.concatenate([[0], np.cumsum(counts)])
        cells = torch.as_tensor(counts, device=X.device)
        self.points = RoundedPoints(X, rows, None, cells)
        self.table = Table(self.points, tiles)
        self.table.fill()
        self.nodes = Nodes(ids[rows], seed, n_trees)
        self.ranks = torch.as_tensor(self.nodes.ranks.astype(np.int64), device=X.device)
        self.codes = self.points.chunk_of
        self._grow(tiles)

    def _grow(self, tiles):
        """The trees of every class, and the lines of their rows."""
        keys = self.table.keys
        own = Table(self.points, tiles, own=True)
        own.keys = keys.gather(0, self.codes.long()[None])
        self.forests = []
        gaps = np.empty((self.n_trees, len(self.rows)))
        orders = []
        self.places = np.empty(gaps.shape, dtype=np.int32)
        for tree in range(self.n_trees):
            squared, *_ = own.forest(self.nodes, tree + 1 < self.n_trees, self.ranks)
            (u, v), squared = own.ends.cpu().numpy(), squared.cpu().numpy()
            own.use(slice(None))
            order, gaps[tree] = line_up(u, v, np.sqrt(squared), self.first)
            self.places[tree, order] = np.arange(len(order))
            self.forests.append((u, v, squared))
            orders.append(order.astype(np.int32))
        self.gaps = gaps * (1 + self.points.rounding)
        device = self.points.device
        scaled = self.gaps * (self.points.scale * (1 + 4 * self.points.rounding))
        self.lines = [torch.as_tensor(part).to(device) for part in (np.stack(orders), scaled)]

    def result(self):
        pairs = np.stack(np.triu_indices(self.n_classes, 1), axis=1).astype(np.int32)
        closest, squared = self._closest(pairs)
        # Pairs whose trees may have several cross edges each, as far as the table shows.
        needs = self._near_paths(pairs, closest, np.full(len(pairs), -1.0), False)
        needs |= closest[:, -1, 0] < 0
        within = [self.rows[np.stack(forest[:2], axis=1)] for forest in self.forests]
        joined = self._joined(pairs[needs], closest[needs], squared[needs])
        return ClassPairs(within, pairs[~needs], self.rows[closest[~needs]], joined)

    def _closest(self, pairs):
        """The shortest cross edges of every pair, as many as trees: (pairs, trees, 2), squared.

        -1 where a pair has fewer.
        """
        K, t = self.n_classes, self.n_trees
        # Rows in as many groups as trees: each has a row within its bound. Empty groups have none.
        bounds = torch.full((K, K, t), float("inf"), dtype=torch.float64, device=self.codes.device)
        self._near_classes(bounds)
        bounds = bounds.amax(dim=2, keepdim=True) * (1 + 4 * self.points.rounding)
        _, count = self._near_classes(bounds, 0)
        (rows, chunks), _ = self._near_classes(bounds, count)
        limits = bounds.flatten()[self.codes[rows].long() * K + chunks]
        u, v, squared, starts = self._measured(rows, chunks, limits, pairs)
        place = starts[:-1, None] + np.arange(t)
        exists = place < starts[1:, None]
        chosen = np.minimum(place, len(u) - 1)
        closest = np.where(exists[..., None], np.stack([u, v], axis=1)[chosen], np.int32(-1))
        return closest, np.where(exists, squared[chosen], np.inf)

    def _near_classes(self, bounds, most=None):
        """Fill in bounds, or list the rows within them, and the classes; how many there are."""
        p, lists, most = self.points, most is not None, most or 0
        found = _room_for_pairs(most, p.device)
        grid = self.n_classes, -(-self.n_classes // _CLASSES), bounds.shape[2]
        class_kernels.near_classes[grid](
            p.tensors,
            self.table.keys,
            bounds,
            found,
            most,
            p.n,
            self.n_classes,
            bounds.shape[2],
            lists,
            _CLASSES,
            _ROWS,
            enable_fp_fusion=False,
        )
        return (found.i[:most].long(), found.j[:most].long()), int(found.size)

    def _measured(self, rows, chunks, limits, pairs):
        """Cross edges within the limits of rows, in order; squared lengths; starts of pairs."""
        n = self.points.n
        found = []
        for u, v in self.table.pairs_within(self.codes, rows, chunks, limits):
            found.append(torch.unique(torch.minimum(u, v).long() * n + torch.maximum(u, v)))
        found = torch.unique(torch.cat(found))
        u = (found // n).int()
        v = (found % n).int()
        squared = self.table.measure(u, v)
        ranks = self.ranks
        number = np.empty((self.n_classes, self.n_classes), dtype=np.int64)
        number[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
        number = torch.as_tensor(number, device=u.device)
        pair = number[self.codes[u].long(), self.codes[v].long()]
        order = in_order(pair, squared, ranks[u], ranks[v])
        counts = torch.bincount(pair, minlength=len(pairs))
        starts = np.append(0, torch.cumsum(counts, 0).cpu().numpy())
        return *(part[order].cpu().numpy() for part in (u, v, squared)), starts

    def _near_paths(self, pairs, closest, bounds, lists):
        """The pairs with a row nearer than the longest edge on its path, or than the bound.

        With `lists`, these rows, the classes that they are near, and the limits.
        """
        p = self.points
        device = self.points.device
        class_of, other = np.concatenate([pairs, pairs[:, ::-1]]).T
        ends = np.concatenate([closest[:, 0, 0], closest[:, 0, 1]])
        order = np.argsort(class_of, kind="stable")
        sizes = np.bincount(class_of, minlength=self.n_classes)
        blocks = -(-sizes // _CLASSES)
        skipped = np.cumsum(blocks) * _CLASSES - blocks * _CLASSES - (np.cumsum(sizes) - sizes)
        lane = skipped[class_of[order]] + np.arange(len(order))
        n_lanes = int(blocks.sum()) * _CLASSES

        def spread(values, empty):
            out = np.full(n_lanes, empty, dtype=values.dtype)
            out[lane] = values[order]
            return torch.as_tensor(out, device=device)

        classes = torch.as_tensor(np.repeat(np.arange(self.n_classes), blocks), device=device).int()
        others = spread(other.astype(np.int32), -1)
        widened = np.concatenate([bounds, bounds]) * (p.scale * (1 + 4 * p.rounding))
        most_of = spread(widened, -1.0)
        near = torch.zeros(n_lanes, dtype=torch.int32, device=device)
        found = []
        for nodes, gaps, places in zip(*self.lines, self.places, strict=True):
            at = spread(places[ends], 0)
            most = 0
            hit = torch.empty_like(near)
            for _ in range(1 + lists):  # to count, then to list
                listed = _room_for_pairs(most, device)
                limits = torch.empty(max(1, most), dtype=torch.float64, device=device)
                class_kernels.near_paths[(len(classes),)](
                    p.tensors,
                    self.table.keys,
                    nodes,
                    gaps,
                    classes,
                    others,
                    at,
                    most_of,
                    hit,
                    listed,
                    limits,
                    most,
                    p.n,
                    _PLACES,
                    _CLASSES,
                    enable_fp_fusion=False,
                )
                most = int(listed.size)
            near |= hit
            if lists:
                rows, chunks = (each[:most].long() for each in listed[:2])
                found.append((rows, chunks, limits[:most]))
        if lists:
            return [torch.cat(part) for part in zip(*found, strict=True)]
        is_near = np.empty(len(order), dtype=bool)
        is_near[order] = near.cpu().numpy()[lane] > 0
        return is_near[: len(pairs)] | is_near[len(pairs) :]

    def _joined(self, pairs, closest, squared):
        """`ClassPairs.joined` of pairs whose trees may have several cross edges each."""
        if len(pairs) == 0:
            return lambda union: ()
        bounds = np.sqrt(squared).max(axis=1)  # infinite where there are too few edges
        for side in (0, 1):
            to = np.repeat(closest[:, :1, side], self.n_trees, axis=1).ravel()
            ends = np.where(closest[..., side] < 0, closest[:, :1, side], closest[..., side])
            paths = longest_on_paths(ends.ravel(), to, self.places, self.gaps)
            bounds = np.maximum(bounds, paths.reshape(ends.shape).max(axis=1))
        self._list_inside()
        cross = self._measured(*self._near_paths(pairs, closest, bounds, True), pairs)
        return lambda union: self._batches(pairs, closest[:, 0].copy(), bounds, cross, union)

    def _list_inside(self):
        """Edges of all trees of each class, in order, where those of a class start, the longest."""
        inside = [np.concatenate(parts) for parts in zip(*self.forests, strict=True)]
        owner, u, v, squared = (
            torch.as_tensor(part, device=self.points.device)
            for part in (np.searchsorted(self.first, inside[0], "right") - 1, *inside)
        )
        order = in_order(owner, squared, self.ranks[u], self.ranks[v])
        counts = torch.bincount(owner, minlength=self.n_classes).cpu().numpy()
        self.inside = [part[order].cpu().numpy() for part in (u, v, squared)]
        self.inside_first = np.append(0, np.cumsum(counts))
        # A class whose trees do not all span needs edges of any length.
        self.longest = np.full(self.n_classes, np.inf)
        spans = (counts == self.n_trees * (np.diff(self.first) - 1)) & (counts > 0)
        self.longest[spans] = np.sqrt(self.inside[2][self.inside_first[1:][spans] - 1])

    def _batches(self, pairs, ends, bounds, cross, union):
        """The forests of some pairs, given their cross edges up to bounds; uncertain ones last."""
        unknown = yield from self._peeled(pairs, ends, bounds, cross)
        n_cross = np.diff(self.first)[pairs].prod(axis=1)
        for pair in pairs[unknown & (n_cross > _MOST_CROSS)].tolist():
            edges, squared, sizes = union(pair)
            yield np.array([pair]), edges, squared, sizes[None]
        rest = np.flatnonzero(unknown & (n_cross <= _MOST_CROSS))
        for limits in (
            np.maximum(bounds, self.longest[pairs].max(axis=1)),
            np.full_like(bounds, np.inf),
        ):
            left = [rest[:0]]
            for part in _parts(rest, n_cross[rest]):
                given = pairs[part], ends[part], limits[part]
                cross = self._measured(*self._up_to(pairs[part], limits[part]), pairs[part])
                unknown = yield from self._peeled(*given, cross)
                left.append(part[unknown])
            rest = np.concatenate(left)

    def _up_to(self, pairs, limits):
        """The rows of the first class of each pair, the other class, and the scaled limit."""
        sizes = np.diff(self.first)[pairs[:, 0]]
        starts = np.cumsum(sizes) - sizes
        rows = np.repeat(self.first[pairs[:, 0]] - starts, sizes) + np.arange(sizes.sum())
        limits = limits * (self.points.scale * (1 + 4 * self.points.rounding))
        listed = rows, np.repeat(pairs[:, 1], sizes).astype(np.int64), np.repeat(limits, sizes)
        return [torch.as_tensor(part, device=self.points.device) for part in listed]

    def _peeled(self, pairs, ends, bounds, cross):
        """Yield the forests of pairs that are certain, in batches; return which ones are not."""
        *cross, starts = cross
        u, v, squared = (np.concatenate(each) for each in zip(self.inside, cross, strict=True))
        edges, starts = np.stack([u, v], axis=1), starts + len(self.inside[0])
        rows = self.rows.astype(np.uint32)

        def join(lo):
            part = slice(lo, lo + _JOINED)
            found, lengths, sizes, certain = join_classes(
                pairs[part],
                edges,
                squared,
                self.inside_first,
                starts[lo : lo + _JOINED + 1],
                self.first,
                self.nodes.ranks,
                self.n_trees,
                bounds[part],
                ends[part],
                self.places,
                self.gaps,
            )
            return certain, (pairs[part][certain], rows[found], lengths, sizes[certain])

        unknown = []
        parts = zip(range(0, len(pairs), _JOINED))
        with ThreadedMap(join, parts, self.n_threads) as results:
            for certain, forests in results:
                unknown.append(~certain)
                yield forests
        return np.concatenate(unknown)


def _room_for_pairs(n, device):
    """A tensor for each end: in halves of one, kernels for other alignments would be compiled."""
    i, j = (torch.empty(max(1, n), dtype=torch.int32, device=device) for _ in range(2))
    return PairList(i, j, torch.zeros(1, dtype=torch.int64, device=device))


def _parts(pairs, n_cross):
    """Pairs in parts that have at most `_MOST_CROSS` cross edges together."""
    total = np.cumsum(n_cross)
    start = 0
    while start < len(pairs):
        stop = np.searchsorted(total, total[start] - n_cross[start] + _MOST_CROSS, "right")
        yield pairs[start:stop]
        start = stop
