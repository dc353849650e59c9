"""The Bayes error of equal rows: their labels need no model.

A cell is a set of equal rows. Where it has many, its labels show its error up to chance, and no
column can lower that. So the error of large cells is estimated by itself, and only that of all
other rows by the fitted model. Small cells prove less: rows that are outvoted by equal ones.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from smartsvm.estimation.cells import table_of_cells

# Rows from which on a cell counts as large: its own labels then show its error.
_LARGE = 10
# With this fraction of equal rows, X is a table of cells: their labels show the limit of the
# errors, and rows that are alike are counts of one cell.
MANY_EQUAL = 0.5
# Width of a 95% confidence interval / standard error.
_95_PERCENT = 2 * 1.96


class EqualRows(NamedTuple):
    """Rows that equal others. All are fractions of the samples."""

    in_large_cells: float
    large_error: float  # samples of large cells that any function of the columns gets wrong
    large_error_deviation: float  # its standard error
    large_baseline: float  # samples of large cells outside the largest class of all
    in_small_cells: float  # with two rows or more
    outvoted: float  # by equal rows, in all cells


def split_by_categories(numbers, categories):
    """Cells or cases of rows, numbered anew so that rows of one also agree in `Categories`."""
    if categories is None:
        return numbers
    keys = np.column_stack([numbers, categories.values])
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()


def equal_rows(forest, distinct=None, categories=None):
    """Describe the equal rows of a forest's points, or of one row of each case."""
    edges, squared, sizes = forest.whole()
    n = len(forest.codes)
    same = edges[: sizes[0]][squared[: sizes[0]] == 0]  # equal points are joined first
    if not len(same):
        return EqualRows(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    graph = coo_matrix((np.ones(len(same), dtype=bool), same.T), (n, n))
    cells = connected_components(graph, directed=False)[1]
    cells = split_by_categories(cells, categories)
    rows = np.arange(n) if distinct is None else distinct
    cells, codes = np.unique(cells[rows], return_inverse=True)[1], forest.codes[rows]
    sizes = np.bincount(cells)
    largest = np.zeros(len(sizes), dtype=np.intp)
    pairs, counts = np.unique(cells * forest.n_classes + codes, return_counts=True)
    np.maximum.at(largest, pairs // forest.n_classes, counts)
    n, large = len(rows), (sizes >= _LARGE)[cells]
    share, error, deviation = float(large.mean()), 0.0, 0.0
    if large.any():
        inside = np.unique(cells[large], return_inverse=True)[1]
        within = table_of_cells(inside, codes[large])
        error, deviation = share * within.value, share * (within.high - within.low) / _95_PERCENT
    return EqualRows(
        in_large_cells=share,
        large_error=error,
        large_error_deviation=deviation,
        large_baseline=float((codes[large] != np.bincount(forest.codes).argmax()).sum() / n),
        in_small_cells=float(((sizes > 1) & (sizes < _LARGE))[cells].mean()),
        outvoted=float((sizes - largest).sum() / n),
    )
