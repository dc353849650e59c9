"""Spanning forests as they are handed on, and the forests of a union of edges."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from smartsvm._mst.edges.peel import peel

# Peel a union once it has this many times the edges of its result.
_MOST_WAITING = 3


class Forests(NamedTuple):
    """Orthogonal spanning forests, their edges listed one forest after the other."""

    edges: np.ndarray  # pairs of rows of the whole data set
    squared: np.ndarray  # squared distances, in the units of the scaled points
    sizes: np.ndarray  # edges of each forest; n - 1 if it spans n points


class PairForests(NamedTuple):
    """Orthogonal spanning forests of some pairs of classes, pair after pair."""

    pairs: np.ndarray  # the classes of each pair
    edges: np.ndarray  # as in `Forests`
    squared: np.ndarray  # as in `Forests`
    sizes: np.ndarray  # edges of each forest of each pair

    def split(self):
        """(k, l, forests) for each of the pairs."""
        lo = 0
        for (k, m), sizes in zip(self.pairs.tolist(), self.sizes, strict=True):
            hi = lo + sum(sizes.tolist())  # faster than numpy for a few numbers
            yield k, m, Forests(self.edges[lo:hi], self.squared[lo:hi], sizes)
            lo = hi


class SeparatedPairs(NamedTuple):
    """Pairs of classes whose trees have one cross edge each, and the forests of the others."""

    within: list  # tree -> edges between rows of one class
    apart: np.ndarray  # pairs of classes whose trees have one cross edge each
    crossing: np.ndarray  # the cross edges of these pairs, (pairs, trees, 2)
    joined: Iterator  # `PairForests` of the others


def most_trees(n_points, n_trees):
    """How many of `n_trees` trees there can be: n(n - 1)/2 edges make at most n/2."""
    return min(n_trees, max(1, n_points // 2))


class ForestUnion:
    """Forests of a growing union of graphs, in a few times the memory of the result."""

    def __init__(self, ids, seed, n_trees):
        self._ids, self._seed, self._n_trees = ids, seed, n_trees
        self._parts, self._n_edges = [], 0

    def add(self, edges, squared):
        self._parts.append((edges, squared))
        self._n_edges += len(edges)
        # Peeling early is exact: an edge dropped here would be dropped at the end.
        if self._n_edges > _MOST_WAITING * self._n_trees * len(self._ids):
            forests = self.peel()
            self._parts, self._n_edges = [(forests.edges, forests.squared)], len(forests.edges)

    def peel(self):
        """The forests of all edges added; start again with none."""
        edges, squared = map(np.concatenate, zip(*self._parts, strict=True))
        self._parts, self._n_edges = [], 0
        return Forests(*peel(edges, squared, self._ids, self._seed, self._n_trees))
