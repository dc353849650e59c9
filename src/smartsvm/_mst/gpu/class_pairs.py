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
   and those of the classes. They are right if every tree has a cross edge with v(f) <= V; else the
   pair is computed from its points.

On the line of `line_up` the longest edge on a path is the largest gap between its ends, so the
paths from one row to all others are two running maxima. Cost: n²/2 products, and n K comparisons
for each tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch

from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm._mst.edges.peel import peel
from smartsvm._mst.gpu.joining import Nodes, line_up
from smartsvm._mst.gpu.points import Points
from smartsvm._mst.gpu.rounds import Table, TooManyCandidates


class ClassPairs(NamedTuple):
    """What the table tells about the pairs of classes."""

    within: list  # tree -> edges between rows of one class, and squared lengths
    apart: np.ndarray  # pairs of classes whose trees have one cross edge each,
    crossing: np.ndarray  # and these edges, (pairs, trees, 2)
    joined: list  # (pair, edges, squared lengths, sizes) of the others; None for edges unknown

    def batches(self):
        """The forests of the others as `PairForests` has them."""
        for pair, edges, squared, sizes in self.joined:
            yield np.array([pair]), edges.astype(np.uint32), squared, sizes[None]


def class_pairs(X, rows, counts, ids, seed, n_trees, *, memory_limit=None, tiles=None):
    """The pairs of the classes of a tensor; `rows` are grouped by class, `counts` of each.

    None if fp16 cannot help, or the table does not fit the memory.
    """
    n, d = X.shape
    needed = n * (8 * d + 100) + 12 * n * len(counts)
    if memory_limit is not None and needed > memory_limit:
        return None
    try:
        return _Pairs(X, rows, counts, ids, seed, n_trees, tiles).result()
    except TooManyCandidates:
        return None


class _Pairs:
    def __init__(self, X, rows, counts, ids, seed, n_trees, tiles):
        self.n_trees, self.seed, self.ids, self.rows = n_trees, seed, ids[rows], rows
        self.first = np.concatenate([[0], np.cumsum(counts)])
        self.counts, self.n_classes = counts, len(counts)
        cells = torch.as_tensor(counts, device=X.device)
        self.points = Points(X, rows, None, cells)
        self.table = Table(self.points, tiles)
        self.table.fill()
        self.nodes = Nodes(self.ids, seed, n_trees)
        self.codes = self.points.chunk_of
        self._grow(tiles)

    def _grow(self, tiles):
        """The trees of every class, and the lines of their rows."""
        keys = self.table.keys
        own = Table(self.points, tiles, own=True)
        own.keys = keys.gather(0, self.codes.long()[None])
        self.forests, self.lines = [], []
        for tree in range(self.n_trees):
            u, v, squared, _ = own.forest(self.nodes, tree + 1 < self.n_trees)
            own.use(u, v)
            by_row = np.argsort(u)
            u, v, squared = u[by_row], v[by_row], squared[by_row]
            starts = np.searchsorted(u, self.first)
            self.forests.append((np.stack([u, v], axis=1), squared, starts))
            order, gaps = line_up(u, v, np.sqrt(squared), self.first)
            line = torch.as_tensor(order.astype(np.int64)), torch.as_tensor(gaps)
            self.lines.append(tuple(x.to(self.points.device) for x in line))

    def result(self):
        pairs = np.stack(np.triu_indices(self.n_classes, 1), axis=1)
        closest, squared = self._closest(pairs)
        needs = self._needs_trees(closest) | (closest[:, -1, 0] < 0)
        within = [(self.rows[edges], lengths) for edges, lengths, _ in self.forests]
        joined = self._joined(pairs[needs], closest[needs], squared[needs])
        return ClassPairs(within, pairs[~needs], self.rows[closest[~needs]], joined)

    def _part(self, k):
        return slice(int(self.first[k]), int(self.first[k + 1]))

    def _keys(self, k, others):
        """Keys of the rows of a class in those of others, (others, rows)."""
        code = self.table.keys[others, self._part(k)]
        return torch.where(code < 0, code ^ 0x7FFFFFFF, code).view(torch.float32)

    def _range(self, k):
        return torch.arange(int(self.first[k]), int(self.first[k + 1]), device=self.points.device)

    def _closest(self, pairs):
        """The shortest cross edges of every pair, as many as trees: (pairs, trees, 2), squared.

        -1 where a pair has fewer.
        """
        p, t = self.points, self.n_trees
        rows, chunks, limits = [], [], []
        for k in range(self.n_classes - 1):
            others = torch.arange(k + 1, self.n_classes, device=p.device)
            key, row = self._keys(k, slice(k + 1, None)), self._range(k)
            # As many rows as trees have a column within the bound; small classes take all.
            bound = p.upper(row, key, chunk=others[:, None])
            limit = torch.full_like(bound[:, 0], float("inf"))
            if len(row) >= t:
                limit = bound.amin(dim=1) if t == 1 else bound.kthvalue(t, dim=1).values
            hit = torch.nonzero(p.lower(row, key, others[:, None]) <= limit[:, None])
            rows.append(row[hit[:, 1]])
            chunks.append(others[hit[:, 0]])
            limits.append(limit[hit[:, 0]])
        rows, chunks, limits = map(torch.cat, (rows, chunks, limits))
        u, v, squared = self._measured(rows, chunks, limits)
        n_pairs, K = len(pairs), self.n_classes
        k, m = (
            self.codes[torch.as_tensor(x, device=p.device).long()].cpu().numpy() for x in (u, v)
        )
        pair = k.astype(np.int64) * (2 * K - k - 1) // 2 + m - k - 1
        order = np.lexsort((self.nodes.keys(u, v), squared, pair))
        place = np.searchsorted(pair[order], np.arange(n_pairs))[:, None] + np.arange(t)
        exists = place < np.searchsorted(pair[order], np.arange(n_pairs), "right")[:, None]
        chosen = order[np.minimum(place, len(order) - 1)]
        closest = np.where(exists[..., None], np.stack([u, v], axis=1)[chosen], -1)
        return closest, np.where(exists, squared[chosen], np.inf)

    def _measured(self, rows, chunks, limits):
        """Cross edges within the limits of rows, with squared lengths, as arrays."""
        found = [
            (u, v, self.table.measure(u, v))
            for u, v in self.table.pairs_within(self.codes, rows, chunks, limits)
        ]
        return [torch.cat(part).cpu().numpy() for part in zip(*found, strict=True)]

    def _paths(self, k, ends):
        """g of the rows of a class for paths to some of its rows, (ends, rows), scaled."""
        part, longest = self._part(k), None
        for order, gaps in self.lines:
            place = torch.empty(part.stop - part.start, dtype=torch.long, device=order.device)
            position = torch.arange(len(place), device=order.device)
            place[order[part] - part.start] = position
            at, gap = place[ends - part.start][:, None], gaps[part].expand(len(ends), -1)
            none = -float("inf")
            right = gap.masked_fill(position <= at, none).cummax(dim=1).values
            left = gap.masked_fill(position > at, none).flip(1).cummax(dim=1).values.flip(1)
            left = torch.nn.functional.pad(left[:, 1:], (0, 1), value=none)
            line = torch.where(position > at, right, torch.where(position < at, left, 0.0))
            line = line[:, place]
            longest = line if longest is None else torch.maximum(longest, line)
        return longest * (self.points.scale * (1 + self.points.rounding))

    def _ends(self, closest):
        """The first cross edge's end in class k of its pair with m, (K, K)."""
        ends = np.zeros((self.n_classes, self.n_classes), dtype=np.int64)
        k, m = np.triu_indices(self.n_classes, 1)
        ends[k, m], ends[m, k] = closest[:, 0, 0], closest[:, 0, 1]
        np.fill_diagonal(ends, self.first[:-1])
        return torch.as_tensor(ends, device=self.points.device)

    def _needs_trees(self, closest):
        """Whether the table leaves open that the trees of a pair have one cross edge each."""
        ends, shorter = self._ends(closest), []
        others = torch.arange(self.n_classes, device=ends.device)
        for k in range(self.n_classes):
            low = self.points.lower(self._range(k), self._keys(k, slice(None)), others[:, None])
            shorter.append((low <= self._paths(k, ends[k])).any(dim=1))
        shorter = torch.stack(shorter).cpu().numpy()
        return (shorter | shorter.T)[np.triu_indices(self.n_classes, 1)]

    def _joined(self, pairs, closest, squared):
        """The forests of pairs whose trees may have several cross edges each."""
        if len(pairs) == 0:
            return []
        linkages, bounds, paths = {}, np.full(len(pairs), np.inf), []
        for e, (pair, edges) in enumerate(zip(pairs.tolist(), closest, strict=True)):
            g = [self._paths_to(linkages, k, end) for k, end in zip(pair, edges[0], strict=True)]
            paths.append(g)
            if edges[-1, 0] >= 0:
                near = [g[s][edges[:, s] - self.first[pair[s]]].max() for s in (0, 1)]
                bounds[e] = max(*near, np.sqrt(squared[e]).max())
        u, v, lengths = self._cross_edges(pairs, closest, bounds)
        codes = self.codes.cpu().numpy()
        number = np.empty((self.n_classes, self.n_classes), dtype=np.intp)
        number[pairs[:, 0], pairs[:, 1]] = number[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
        number = number[codes[u], codes[v]]
        order = np.argsort(number, kind="stable")
        cross = np.sort(np.stack([u, v], axis=1)[order], axis=1)
        found = np.split(cross, np.searchsorted(number[order], np.arange(1, len(pairs))))
        lengths = np.split(lengths[order], np.cumsum([len(part) for part in found])[:-1])
        return [
            self._peeled(*each)
            for each in zip(pairs.tolist(), found, lengths, bounds, paths, strict=True)
        ]

    def _paths_to(self, linkages, k, end):
        """g of the rows of a class for paths to one of them, in the units of X."""
        longest = np.zeros(self.counts[k])
        for tree in range(self.n_trees):
            if (k, tree) not in linkages:
                linkages[k, tree] = Linkage(*self._forest_of(tree, k), len(longest))
            squared = linkages[k, tree].distances(int(end - self.first[k]))
            np.maximum(longest, np.sqrt(squared), out=longest)
        return longest * (1 + self.points.rounding)

    def _forest_of(self, tree, k):
        """Edges of a tree of a class, as places in it, and squared lengths."""
        edges, squared, starts = self.forests[tree]
        part = slice(*starts[k : k + 2])
        return (edges[part] - self.first[k]).astype(np.uint32), squared[part]

    def _cross_edges(self, pairs, closest, bounds):
        """Cross edges of some pairs up to g of one of their ends or the bound of the pair."""
        rows, chunks, limits = [], [], []
        for side in (0, 1):
            for k in np.unique(pairs[:, side]).tolist():
                of_class = np.flatnonzero(pairs[:, side] == k)
                others = torch.as_tensor(pairs[of_class, 1 - side], device=self.points.device)
                ends = torch.as_tensor(closest[of_class, 0, side], device=others.device).long()
                most = torch.as_tensor(bounds[of_class], device=others.device) * self.points.scale
                limit = torch.maximum(self._paths(k, ends), most[:, None])
                limit *= 1 + self.points.rounding
                low = self.points.lower(self._range(k), self._keys(k, others), others[:, None])
                hit = torch.nonzero(low <= limit)
                rows.append(self._range(k)[hit[:, 1]])
                chunks.append(others[hit[:, 0]])
                limits.append(limit[hit[:, 0], hit[:, 1]])
        return self._measured(*map(torch.cat, (rows, chunks, limits)))

    def _peeled(self, pair, cross, lengths, bound, paths):
        """(pair, edges, squared lengths, sizes) of two classes; None for edges not certain."""
        offset = np.array([0, self.counts[pair[0]]])
        parts = [self._forest_of(tree, k) for tree in range(self.n_trees) for k in pair]
        edges = [part + offset[i % 2] for i, (part, _) in enumerate(parts)]
        edges.append(cross - self.first[pair] + offset)
        rows = np.concatenate([np.arange(*self.first[[k, k + 1]]) for k in pair])
        found, squared, sizes = peel(
            np.concatenate(edges).astype(np.uint32),
            np.concatenate([part for _, part in parts] + [lengths]),
            self.ids[rows], self.seed, self.n_trees,
        )  # fmt: skip
        if np.isfinite(bound):
            tree = np.repeat(np.arange(self.n_trees), sizes)
            ends = np.sort(found.astype(np.intp), axis=1)
            between = (ends[:, 0] < offset[1]) & (ends[:, 1] >= offset[1])
            ends, tree = ends[between], tree[between]
            v = np.maximum(paths[0][ends[:, 0]], paths[1][ends[:, 1] - offset[1]])
            v = np.maximum(v, np.sqrt(squared[between]))
            if len(np.unique(tree[v <= bound])) < self.n_trees:
                return pair, None, None, None
        return pair, self.rows[rows[found]], squared, sizes
