"""Samples with a near copy, and how many cases classifiers see."""

from typing import NamedTuple


class RepeatedRows(NamedTuple):
    """Samples that nearly equal others; `Repeats` has those that are equal."""

    copies: float  # fraction of the samples with a near copy
    n_cases: int  # samples that classifiers see: one of each case, or all


def repeated_rows(problem, neighborhood):
    """Describe the near copies of a problem."""
    n_cases = len(problem.codes) if neighborhood.distinct is None else len(neighborhood.distinct)
    return RepeatedRows(copies=neighborhood.copies, n_cases=n_cases)
