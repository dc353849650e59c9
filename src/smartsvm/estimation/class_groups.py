"""Groups of classes, and the Bayes error of splitting a group in two."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.cross_edges import mean_over_trees
from smartsvm.estimation.henze_penrose import bayes_error_bounds
from smartsvm.estimation.number_of_trees import trees_to_count


class ClassGroup(NamedTuple):
    """A group of classes, with the edges between them in the trees of their union."""

    counts: np.ndarray  # samples per class
    by_class: np.ndarray  # edges between every two classes, shape (n_trees, k, k)
    spanning: int  # how many of the trees span the union

    @property
    def cross(self):
        """Edges between different classes, summed over all trees: a graph to cut."""
        total = self.by_class.sum(axis=0).astype(float)
        np.fill_diagonal(total, 0)
        return total

    def split_error(self, right):
        """Exact HP-estimates of splits; `right` marks the classes of one side."""
        sides = np.atleast_2d(right).astype(float)
        edges = ((sides @ self.by_class) * (1 - sides)).sum(axis=-1)  # (n_trees, n_splits)
        n = self.counts.sum()
        n_right = sides @ self.counts
        smaller = np.minimum(n_right, n - n_right)
        n_counted = trees_to_count(smaller.astype(np.intp), self.spanning)
        value, _, _ = bayes_error_bounds(
            mean_over_trees(edges, n_counted), n, smaller / n, bias_correction="prior"
        )
        return value.reshape(np.shape(right)[:-1])


def joined_forests(forest, children, nodes):
    """Yield (node, classes, forests) for some nodes, joining forests from the leaves up."""
    is_needed = np.isin(np.arange(len(children)), list(nodes))
    for node, pair in enumerate(children.tolist()):  # parents first
        for child in pair:
            if child >= 0 and is_needed[node]:
                is_needed[child] = True
    joined = {}  # node -> (its classes, (its rows, its forests))
    for node in range(len(children) - 1, -1, -1):
        if not is_needed[node]:
            continue
        sides = [
            joined.pop(child) if child >= 0 else ([~child], forest.of_class(~child))
            for child in children[node].tolist()
        ]
        codes = sorted(sides[0][0] + sides[1][0])
        rows, forests = forest.join(sides[0][1], sides[1][1])
        joined[node] = codes, (rows, forests)
        if node in nodes:
            yield node, np.array(codes), forests
