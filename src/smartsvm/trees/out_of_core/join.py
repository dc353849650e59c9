"""Joining blocks: which edges between them can matter, and the tasks that find these.

The trees of a union of blocks are among the forests of any family of sets of points that
holds every edge of them (`peel`). The forests within the blocks hold the edges within.
For the edges between blocks this module chooses sets of points, as few as it can.

**What is left out, and why that is right.** Write T_1, ..., T_m for the forests of all points and
T_r(P) for those of a subset P. Points that edges up to a length t connect in T_r(P) are connected
by edges up to t in T_r as well (the proof that peeling sparsifies shows just that, forest by
forest). So put the edges of T_r(P) for all sets P looked at so far into one graph Q_r, and let
b_r(u, v) be the longest edge on the best path from u to v in Q_r. An edge uv longer than all of
b_1(u, v), ..., b_m(u, v) would be the largest edge of a cycle in every forest: it is in none of
them. Only strictly longer edges are left out, so the order among equal edges plays no part.

Any point w gives b_r(u, v) <= max(b_r(u, w), b_r(v, w)). An edge between blocks a and b
therefore matters only if it is not longer than the *reach* of one of its ends,
max over r of b_r(., w), where w may be chosen for each pair of blocks.

**Cores.** Points of a block that edges up to a length t connect in all of its forests act
as one: the graphs Q_r have cores as nodes, and are small. What that hides
are edges up to t between the blocks; those are covered by the first step.

1. Every edge between a and b of at most t, the larger of the two blocks' lengths: both ends
   are that near to the other's box. The forests of these points (`near`), or if
   that is about all of them, of both blocks (`full`).
2. Longer edges, asked for by `Probe`s: between large cores of the two blocks, by the boxes of
   these; and from points of small cores whose reach is above t, to whatever is within it (`rest`).
   A sample of all blocks makes reaches finite from the start. Pairs of blocks go in the order of
   their distance, because the forests of near ones shorten the reaches for those farther apart.

Pairs with no such point are skipped. Distances of boxes are lower bounds (partition.py).
"""

import numpy as np

from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.out_of_core.partition import box_distances, share_near
from smartsvm.trees.out_of_core.tasks import Probe, full, near, rest

# If more than half of the points of two blocks are near the other block, all are compared: picking
# them out would cost more.
_MOST_NEAR = 0.5


class Join:
    """The edges between some blocks, found in steps; `found` gets forests that hold them."""

    def __init__(self, name, parts, withins, pairs, known, kernel, n_rows):
        self.found, self._n_found = [], 0
        self._many = 2 * kernel.n_trees * sum(part.size for part in parts)
        self.n_pairs = len(pairs)
        self._looked = np.zeros(len(pairs), dtype=bool)
        self._name, self._parts, self._withins = name, parts, withins
        self._kernel, self._known = kernel, known
        self._pairs = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        boxes = box_distances(
            np.array([part.low for part in parts]), np.array([part.high for part in parts])
        )
        self._apart = boxes[self._pairs[:, 0], self._pairs[:, 1]]
        reach = np.array([float(each.reach) for each in withins])
        self._covered = reach[self._pairs].max(axis=1, initial=0)
        self._done = np.zeros(len(pairs), dtype=bool)
        self._n_rows = n_rows
        self._graph = None
        self._started = False

    @property
    def n_looked(self):
        return int(self._looked.sum())

    def tasks(self):
        """Tasks of the next step, empty when nothing is left to be found."""
        tasks = []
        if not self._started:
            self._started = True
            tasks = self._near_tasks()
        while not tasks and not self._done.all():
            if self._graph is None:
                self._graph = _CoreGraph(self._parts, self._withins, self._n_rows, self._kernel)
                for forests in self._known + self.found:
                    self._graph.add(forests)
            tasks = self._rest_tasks()
        return tasks

    def take(self, forests, peel):
        """The result of one of the tasks; what was found is peeled when it takes much memory."""
        self.found.append(forests)
        self._n_found += len(forests.squared)
        if self._graph is not None:
            self._graph.add(forests)
        if self._n_found > self._many:  # forests of it are as good as all of it (peel.pyx)
            self.found = [peel(self.found)]
            self._n_found = len(self.found[0].squared)

    def _near_tasks(self):
        tasks = []
        for k in np.flatnonzero(self._apart <= self._covered).tolist():
            a, b = self._pairs[k]
            reach = np.sqrt(self._covered[k])
            boxes = [(self._parts[p].low, self._parts[p].high) for p in (a, b)]
            sizes = self._parts[a].size, self._parts[b].size
            n_near = sizes[0] * share_near(*boxes[0], *boxes[1], reach)
            n_near += sizes[1] * share_near(*boxes[1], *boxes[0], reach)
            if n_near > _MOST_NEAR * sum(sizes):
                tasks.append(self._full_task(k))
            else:
                self._looked[k] = True
                arguments = (boxes, self._covered[k], self._kernel)
                tasks.append((f"{self._name}near-{a}-{b}", near, (*self._refs(k), *arguments)))
        return tasks

    def _full_task(self, k):
        self._looked[k] = self._done[k] = True
        a, b = self._pairs[k]
        # Each array on its own: a cluster is sent the same one only once.
        given = (
            each for p in (a, b) for each in (self._withins[p].edges, self._withins[p].squared)
        )
        arguments = (*self._refs(k), *given, self._covered[k], self._kernel)
        return f"{self._name}full-{a}-{b}", full, arguments

    def _refs(self, k):
        return (self._parts[p].ref for p in self._pairs[k])

    def _rest_tasks(self):
        """Tasks for the pairs that come next; those that cannot matter are done."""
        graph = self._graph
        everywhere = graph.reaches(graph.largest)
        farthest = graph.most_of_parts(everywhere)
        reach = farthest[self._pairs].max(axis=1, initial=0)
        # Nothing between them is both long enough to be new and short enough to matter.
        self._done |= (reach < self._apart) | (reach <= self._covered)
        left = np.flatnonzero(~self._done)
        if not len(left):
            return []
        # Up to twice the distance of the nearest pairs: their results serve the others.
        nearest = max(self._apart[left].min(), self._covered[left].min())
        tasks = []
        for k in left[self._apart[left] <= 4 * nearest].tolist():
            self._done[k] = True
            probes = self._probes(k)
            if probes:
                self._looked[k] = True
                a, b = self._pairs[k]
                arguments = (*self._refs(k), probes, self._covered[k], self._kernel)
                tasks.append((f"{self._name}rest-{a}-{b}", rest, arguments))
        return tasks

    def _probes(self, k):
        """Probes of a pair of blocks: between large cores, large and small, and small ones."""
        a, b = self._pairs[k]
        covered, graph = self._covered[k], self._graph
        in_a, in_b = self._withins[a], self._withins[b]
        box_a, box_b = ((self._parts[p].low, self._parts[p].high) for p in (a, b))
        small_a, small_b = self._small_rows(in_a), self._small_rows(in_b)
        nowhere = np.float64(0)  # the reach of points that only serve as the other end
        probes = []
        apart = box_distances(
            np.concatenate([in_a.large_low, in_b.large_low]),
            np.concatenate([in_a.large_high, in_b.large_high]),
        )[: len(in_a.large), len(in_a.large) :]
        boxes_a = list(zip(in_a.large_low, in_a.large_high, strict=True))
        boxes_b = list(zip(in_b.large_low, in_b.large_high, strict=True))
        for i, core in enumerate(in_a.large.tolist()):
            to_b = graph.of_part(graph.reaches(graph.node(a, core)), b)
            for j, reach in enumerate(to_b[in_b.large].tolist()):
                if reach > covered and apart[i, j] <= reach:
                    reach = np.float64(reach)
                    probes.append(Probe(None, reach, boxes_a[i], None, reach, boxes_b[j]))
            loose = small_b[to_b[in_b.cores[small_b]] > covered]
            reaches = to_b[in_b.cores[loose]]
            probes.append(Probe(None, nowhere, boxes_a[i], loose, reaches, box_b))
        for j, core in enumerate(in_b.large.tolist()):
            to_a = graph.of_part(graph.reaches(graph.node(b, core)), a)
            loose = small_a[to_a[in_a.cores[small_a]] > covered]
            reaches = to_a[in_a.cores[loose]]
            probes.append(Probe(loose, reaches, box_a, None, nowhere, boxes_b[j]))
        from_largest = graph.reaches(graph.node(a, in_a.large[0]))
        reach_a = graph.of_part(from_largest, a)[in_a.cores[small_a]]
        reach_b = graph.of_part(from_largest, b)[in_b.cores[small_b]]
        if max(reach_a.max(initial=0), reach_b.max(initial=0)) > covered:
            probes.append(Probe(small_a, reach_a, box_a, small_b, reach_b, box_b))
        return [probe for probe in probes if not probe.is_empty()]

    def _small_rows(self, block):
        return np.flatnonzero(~np.isin(block.cores, block.large))


class _CoreGraph:
    """The graphs Q_r between cores."""

    def __init__(self, parts, withins, n_rows, kernel):
        counts = [int(each.cores.max()) + 1 for each in withins]
        self._first = np.cumsum([0, *counts])
        self._links = [[] for _ in range(kernel.n_trees)]
        self._cached = {}
        self._linkages = None
        self._node_of_row = np.empty(n_rows, dtype=np.uint32)
        # A path through a core may use all of its edges: to enter it costs as much.
        self._toll = np.repeat([float(each.reach) for each in withins], counts)
        sizes = []
        for p, each in enumerate(withins):
            nodes = (each.cores + self._first[p]).astype(np.uint32)
            self._node_of_row[each.ids] = nodes
            sizes.append(np.bincount(each.cores, minlength=counts[p]))
            self._add(nodes[each.edges], each.squared, each.sizes)
        self.largest = int(np.concatenate(sizes).argmax())
        ids = np.concatenate([each.ids[each.sampled] for each in withins])
        points = np.concatenate([each.points for each in withins])
        edges, squared, sizes = kernel.forests(points, ids)
        self.add(Forests(ids[edges], squared, sizes))

    def add(self, forests):
        """Edges of the forests of some points join their cores."""
        self._add(self._node_of_row[forests.edges], forests.squared, forests.sizes)

    def _add(self, nodes, squared, sizes):
        stops = np.cumsum(sizes)
        for links, stop, size in zip(self._links, stops.tolist(), sizes.tolist(), strict=True):
            tree = slice(stop - size, stop)
            joins = nodes[tree, 0] != nodes[tree, 1]
            ends = nodes[tree][joins]
            links.append((ends, np.maximum(squared[tree][joins], self._toll[ends].max(axis=1))))
        self._cached.clear()
        self._linkages = None

    def reaches(self, start):
        """The longest edge from a core to each core, the longest of all forests."""
        if self._linkages is None:
            self._linkages = []
            for links in self._links:
                edges = np.ascontiguousarray(np.concatenate([edges for edges, _ in links]))
                squared = np.concatenate([squared for _, squared in links])
                self._linkages.append(Linkage(edges, squared, int(self._first[-1])))
                links[:] = [(edges, squared)]
        if start not in self._cached:
            lengths = [linkage.distances(start) for linkage in self._linkages]
            self._cached[start] = np.max(lengths, axis=0)
        return self._cached[start]

    def of_part(self, values, p):
        return values[self._first[p] : self._first[p + 1]]

    def most_of_parts(self, values):
        return np.maximum.reduceat(values, self._first[:-1])

    def node(self, p, core):
        """The node of a core of a block."""
        return int(self._first[p] + core)
