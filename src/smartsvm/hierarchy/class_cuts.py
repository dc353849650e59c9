"""Minimum cuts of nested groups of classes.

Often the minimum cut separates the most loosely attached class from all others, and most of these
cuts need no search, because no larger side can be as light: what attaches s classes to the rest is
the sum of their degrees less the weights among them, each at most its s - 1 largest weights.
"""

import numpy as np

from smartsvm.hierarchy._minimum_cut import minimum_cut

# Sums that differ by less than this fraction may be equal: rounding of K terms.
_ROUNDING = 1e-9
# Classes below which a search takes no longer than the bounds that would save it.
_FEWEST = 32
# Sum the largest weights again when a group has shrunk to this fraction of its classes: the bounds
# of the larger group are then too loose to save searches.
_STALE = 0.95


class ClassCuts:
    """Minimum cuts under symmetric (K, K) weights; each group is a side of an earlier cut."""

    def __init__(self, weights):
        n_classes = len(weights)
        self._weights = weights.copy()
        np.fill_diagonal(self._weights, 0)
        self._degrees = np.zeros(n_classes)  # in the smallest group so far that holds the class
        # Column j: the sum of the 2^(j+1) - 2 largest weights of a class. The sums of a larger
        # group are upper bounds for a smaller one.
        self._largest = np.zeros((n_classes, n_classes.bit_length()))
        # Size and largest degree of the group that `_sum` saw last.
        self._summed = np.full((n_classes, 2), np.inf)

    def __call__(self, inside):
        """The weight of the minimum cut of these classes, and the mask of one side."""
        loosest = self._loosest(inside) if len(inside) >= _FEWEST else None
        if loosest is None:
            weights = self._between(inside)
            weight, side = minimum_cut(weights)
            self._degrees[inside] -= np.where(side, weights @ ~side, weights @ side)
            return weight, side
        row = self._weights[inside[loosest], inside]
        self._degrees[inside] -= row
        return row.sum(), np.arange(len(inside)) == loosest

    def _loosest(self, inside):
        """The class that the minimum cut separates from all others, or None if it is unclear."""
        size, largest_degree = self._summed[inside[0]]
        # Degrees lose digits as classes leave.
        if np.isinf(size) or self._degrees[inside].max() < 1e-3 * largest_degree:
            self._sum(inside)
        loosest = self._loosest_by_sums(inside)
        if loosest is None and len(inside) < _STALE * self._summed[inside[0], 0]:
            self._sum(inside)
            loosest = self._loosest_by_sums(inside)
        return loosest

    def _loosest_by_sums(self, inside):
        degrees = self._degrees[inside]
        slack = _ROUNDING * degrees.max()
        lightest, next_lightest = np.partition(degrees, 1)[:2]
        if not next_lightest > lightest + slack:
            return None
        for step in range(1, (len(inside) // 2).bit_length()):  # sides of 2^step classes or more
            least_cuts = degrees - self._largest[inside, step] - slack
            least = np.partition(least_cuts, 2**step - 1)[: 2**step]
            if least.min() < 0 or not least.sum() > lightest + slack:
                return None
        return int(np.argmin(degrees))

    def _sum(self, inside):
        weights = self._between(inside)
        self._degrees[inside] = weights.sum(axis=1)
        sums = np.cumsum(-np.sort(-weights, axis=1), axis=1)
        most = len(inside) // 2 - 1  # other classes on the smaller side
        for step in range(1, (len(inside) // 2).bit_length()):
            self._largest[inside, step] = sums[:, min(2 ** (step + 1) - 2, most) - 1]
        self._summed[inside] = len(inside), self._degrees[inside].max()

    def _between(self, inside):
        return self._weights.take(inside, axis=0).take(inside, axis=1)
