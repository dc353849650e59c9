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
   are that near to the other's box. The forests of these points (`near`).
2. Longer edges: from points whose reach is above t, to whatever is within it (`rest`). Here w is in
   the largest core of the first block. A sample of all blocks makes reaches finite from the start.
   Pairs of blocks go in the order of their distance, because the forests of near ones shorten the
   reaches for those farther apart.

Where that is about all points of two blocks, the task is the forests of both (`full`). Pairs with
no such point are skipped. Distances of boxes are lower bounds (partition.py).
"""

import numpy as np

from smartsvm._mst.edges.bottleneck import Linkage
from smartsvm.trees.in_memory.forests import Forests
from smartsvm.trees.out_of_core.partition import box_distances, share_near
from smartsvm.trees.out_of_core.tasks import full, near, rest

# If more than half of the points of two blocks may matter, all are compared: picking them out would
# cost more.
_MOST_NEAR = 0.5


class Join:
    """The edges between some blocks, in steps; `forests` gets forests that hold them."""

    def __init__(self, name, parts, withins, trees, pairs, known, kernel, n_rows):
        self.forests, self._n_edges = [], 0
        self._many = 2 * kernel.n_trees * sum(part.size for part in parts)
        self.n_pairs = len(pairs)
        self._looked = np.zeros(len(pairs), dtype=bool)
        self._name, self._parts, self._withins = name, parts, withins
        self._trees, self._kernel, self._known = trees, kernel, known
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
                for forests in self._known + self.forests:
                    self._graph.add(forests)
            tasks = self._rest_tasks()
        return tasks

    def take(self, forests, peel):
        """The result of one of the tasks; what was found is peeled when it takes much memory."""
        self.forests.append(forests)
        self._n_edges += len(forests.squared)
        if self._graph is not None:
            self._graph.add(forests)
        if self._n_edges > self._many:  # forests of it are as good as all of it (peel.pyx)
            self.forests = [peel(self.forests)]
            self._n_edges = len(self.forests[0].squared)

    def _near_tasks(self):
        tasks = []
        for k in np.flatnonzero(self._apart <= self._covered).tolist():
            sizes = [self._parts[p].size for p in self._pairs[k]]
            if self._are_most(k, sizes, [self._covered[k]] * 2):
                tasks.append(self._full_task(k))
            else:
                tasks.append(self._task(k, near))
        return tasks

    def _are_most(self, k, counts, reaches):
        """Whether most points matter, from how many of each block may and how far they reach."""
        box_a, box_b = self._boxes(k)
        n_near = counts[0] * share_near(*box_a, *box_b, np.sqrt(reaches[0]))
        n_near += counts[1] * share_near(*box_b, *box_a, np.sqrt(reaches[1]))
        return n_near > _MOST_NEAR * sum(self._parts[p].size for p in self._pairs[k])

    def _task(self, k, function, *arguments):
        """A task for the points of two blocks that matter."""
        self._looked[k] = True
        a, b = self._pairs[k]
        given = (*self._refs(k), *arguments, self._boxes(k), self._covered[k], self._kernel)
        return f"{self._name}{function.__name__}-{a}-{b}", function, given

    def _full_task(self, k):
        self._looked[k] = self._done[k] = True
        a, b = self._pairs[k]
        trees = self._trees[a], self._trees[b]
        arguments = (*self._refs(k), *trees, self._covered[k], self._kernel)
        return f"{self._name}full-{a}-{b}", full, arguments

    def _boxes(self, k):
        return [(self._parts[p].low, self._parts[p].high) for p in self._pairs[k]]

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
            limits = self._limits(k)
            counts = [len(rows) for rows, _ in limits]
            if self._are_most(k, counts, [reaches.max(initial=0) for _, reaches in limits]):
                tasks.append(self._full_task(k))
            elif any(counts):
                tasks.append(self._task(k, rest, limits))
        return tasks

    def _limits(self, k):
        """Rows of each of two blocks whose reach is long enough, and their reaches."""
        least = max(self._covered[k], self._apart[k])
        from_hub = self._graph.reaches(self._graph.hubs[self._pairs[k][0]])
        limits = []
        for p in self._pairs[k]:
            reaches = self._graph.of_part(from_hub, p)[self._withins[p].cores]
            rows = np.flatnonzero((reaches >= least) & (reaches > self._covered[k]))
            limits.append((rows, reaches[rows]))
        return limits


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
        # The largest core of each block, and the largest of all.
        firsts = self._first[:-1].tolist()
        self.hubs = [first + int(own.argmax()) for first, own in zip(firsts, sizes, strict=True)]
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
