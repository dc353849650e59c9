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
from smartsvm._mst.gpu import kernels
from smartsvm._mst.gpu.joining import Nodes, line_up
from smartsvm._mst.gpu.points import Points
from smartsvm._mst.gpu.rounds import Table, TooManyCandidates

_CLASSES, _ROWS = 32, 64  # of a program that reads the table


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
            # By length in each class: `peel` sorts lists of sorted ones fast.
            owner = np.searchsorted(self.first, u, "right") - 1
            order = np.lexsort((squared, owner))
            u, v, squared = u[order], v[order], squared[order]
            starts = np.searchsorted(owner[order], np.arange(self.n_classes + 1))
            self.forests.append((np.stack([u, v], axis=1), squared, starts))
            self.lines.append(self._line(*line_up(u, v, np.sqrt(squared), self.first)))

    def _line(self, order, gaps):
        """Rows on a line, the place of each, and the gaps before them, scaled and rounded up."""
        places = np.empty(len(order), dtype=np.intp)
        places[order] = np.arange(len(order))
        gaps *= self.points.scale * (1 + 4 * self.points.rounding)
        device = self.points.device
        order = torch.as_tensor(order.astype(np.int32), device=device)
        return order, places, torch.as_tensor(gaps, device=device)

    def result(self):
        pairs = np.stack(np.triu_indices(self.n_classes, 1), axis=1)
        closest, squared = self._closest(pairs)
        needs = self._needs_trees(pairs, closest) | (closest[:, -1, 0] < 0)
        within = [(self.rows[edges], lengths) for edges, lengths, _ in self.forests]
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
        u, v, squared = self._measured(rows, chunks, limits)
        n_pairs, codes = len(pairs), self.codes.cpu().numpy().astype(np.int64)
        k, m = codes[u], codes[v]
        pair = k * (2 * K - k - 1) // 2 + m - k - 1
        order = np.lexsort((self.nodes.keys(u, v), squared, pair))
        place = np.searchsorted(pair[order], np.arange(n_pairs))[:, None] + np.arange(t)
        exists = place < np.searchsorted(pair[order], np.arange(n_pairs), "right")[:, None]
        chosen = order[np.minimum(place, len(order) - 1)]
        closest = np.where(exists[..., None], np.stack([u, v], axis=1)[chosen], -1)
        return closest, np.where(exists, squared[chosen], np.inf)

    def _near_classes(self, bounds, most=None):
        """Fill in bounds, or list the rows within them, and the classes; how many there are."""
        p, lists, most = self.points, most is not None, most or 0
        found = torch.empty(2, max(1, most), dtype=torch.int32, device=p.device)
        count = torch.zeros(1, dtype=torch.int32, device=p.device)
        grid = self.n_classes, -(-self.n_classes // _CLASSES), bounds.shape[2]
        kernels.near_classes[grid](
            self.table.keys, p.first, p.norm, p.delta, p.chunk_norm, p.chunk_delta, p.gamma, bounds,
            found[0], found[1], count, most, p.n, self.n_classes, bounds.shape[2], lists, _CLASSES,
            _ROWS, enable_fp_fusion=False,
        )  # fmt: skip
        return found[:, :most].long(), int(count)

    def _measured(self, rows, chunks, limits):
        """Cross edges within the limits of rows, with squared lengths, as arrays."""
        found = [
            (u, v, self.table.measure(u, v))
            for u, v in self.table.pairs_within(self.codes, rows, chunks, limits)
        ]
        return [torch.cat(part).cpu().numpy() for part in zip(*found, strict=True)]

    def _needs_trees(self, pairs, closest):
        """Whether the table leaves open that the trees of a pair have one cross edge each."""
        return self._near_paths(pairs, closest, np.full(len(pairs), -1.0), False)

    def _near_paths(self, pairs, closest, bounds, lists):
        """The pairs with a row nearer than the longest edge on its path, or than the bound.

        With `lists`, these rows, the classes that they are near, and the limits.
        """
        p, device = self.points, self.points.device
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
        near, found = torch.zeros(n_lanes, dtype=torch.int32, device=device), []
        count = torch.zeros(1, dtype=torch.int32, device=device)
        for nodes, places, gaps in self.lines:
            at = spread(places[ends].astype(np.int32), 0)
            most, hit = 0, torch.empty_like(near)
            for _ in range(1 + lists):  # to count, then to list
                rows, chunks = torch.empty(2, max(1, most), dtype=torch.int32, device=device)
                limits = torch.empty(max(1, most), dtype=torch.float64, device=device)
                count.zero_()
                kernels.near_paths[(len(classes),)](
                    self.table.keys, p.first, nodes, gaps, classes, others, at, most_of, p.norm,
                    p.delta, p.chunk_norm, p.chunk_delta, p.gamma, hit, rows, chunks, limits, count,
                    most, p.n, lists, _CLASSES, enable_fp_fusion=False,
                )  # fmt: skip
                most = int(count)
            near |= hit
            found.append((rows[:most].long(), chunks[:most].long(), limits[:most]))
        if lists:
            return [torch.cat(part) for part in zip(*found, strict=True)]
        is_near = np.empty(len(order), dtype=bool)
        is_near[order] = near.cpu().numpy()[lane] > 0
        return is_near[: len(pairs)] | is_near[len(pairs) :]

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
        u, v, lengths = self._measured(*self._near_paths(pairs, closest, bounds, True))
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
