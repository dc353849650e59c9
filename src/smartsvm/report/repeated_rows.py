"""Rows that occur more than once: how many there are, and what they do to nearest neighbours."""

from typing import NamedTuple

import numpy as np

# Fraction of the samples in cells of ten equal rows or more that makes X a table of cells.
_MOSTLY_CELLS = 0.5


class RepeatedRows(NamedTuple):
    """Rows that equal others, or nearly do. Shares are fractions of the samples."""

    share: float  # that equal another one, less one of each; equal in all texts of a table, too
    are_cells: bool  # whether X is a table of cells: few combinations of values, many rows of each
    copies: float  # with a near copy
    n_cases: int  # samples that classifiers see: one of each case, or all
    are_copies: bool  # whether repeated rows are read as copies of one case
    error_of_rows: float  # of k nearest neighbours, if each row is a case of its own
    error_of_cases: float  # the same on one row of each case, or on rows that equal no other


def repeated_rows(problem, near, counts, held_out, equal):
    """Describe the repeated rows of a problem."""
    share, are_cells = counts.duplicate_share, equal.in_large_cells >= _MOSTLY_CELLS
    if share and not are_cells:
        share *= _equal_in_texts(problem, near.equal)
    of_rows = float(near.votes.errors.min())
    if near.distinct is not None:
        of_cases = float(held_out.neighbors.errors.min())
    else:
        others = near.votes.wrong[:, ~near.equal]
        of_cases = float(others.mean(axis=1, dtype=float).min()) if others.size else of_rows
    return RepeatedRows(
        share=share,
        are_cells=are_cells,
        copies=near.copies,
        n_cases=len(problem.codes) if near.distinct is None else len(near.distinct),
        are_copies=near.distinct is not None,
        error_of_rows=of_rows,
        error_of_cases=of_cases,
    )


def _equal_in_texts(problem, equal):
    """The fraction of equal rows that are equal in all texts, too, such as names left out."""
    if not problem.units or not equal.any():
        return 1.0
    rows = np.flatnonzero(equal)
    columns = [np.unique(problem.X[rows], axis=0, return_inverse=True)[1].ravel()]
    columns += [each.codes[rows] for each in problem.units]
    keys = np.stack(columns, axis=1)
    _, places, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return float((counts[places.ravel()] > 1).mean())
