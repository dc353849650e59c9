"""The nearest neighbours of all samples, searched once, and the copies among them."""

from typing import NamedTuple

import numpy as np

from smartsvm.estimation.friedman_rafsky import LOCAL_NEIGHBORS
from smartsvm.held_out.mistakes import Mistakes
from smartsvm.held_out.neighbors import (
    labels_of,
    ladder_for,
    n_outside,
    nearest_rows,
    neighbor_mistakes,
)
from smartsvm.report.copies import COPY_NEIGHBORS, find_copies, one_of_each
from smartsvm.report.equal_rows import split_by_categories


class Neighborhood(NamedTuple):
    """Nearest neighbours of all samples."""

    labels: np.ndarray  # their classes, shape (k, n_samples)
    votes: Mistakes
    disagreement: np.ndarray  # fraction of the neighbours with another class
    copies: float  # fraction of the samples that have a near copy
    equal: np.ndarray  # whether a sample's nearest neighbour is equal
    distinct: np.ndarray | None  # one row of each case, if rows are repeated
    places_of_cases: np.ndarray | None  # for every sample, its place among these


def find_neighbors(problem):
    """Search the nearest neighbours once, for all that uses them."""
    points, codes, groups = problem.points.values, problem.codes, problem.groups
    n, n_jobs = len(codes), problem.n_jobs
    most = n - 1 if groups is None else n_outside(groups)
    ladder = ladder_for(n, groups)
    k = max(int(ladder[-1]), LOCAL_NEIGHBORS)
    # Copies are looked for among more neighbours.
    longest = max(k, min(COPY_NEIGHBORS, most))
    more = nearest_rows(problem.points, longest, groups=groups, **problem.threads)
    nearest = np.ascontiguousarray(more[:, :k])
    labels = labels_of(nearest, codes)
    copies, cases = find_copies(points, more, codes, groups, n_jobs)
    distinct = places_of_cases = None
    if problem.folds is None and cases is not None:
        categories = problem.categories
        whole = points if categories is None else np.hstack([points, categories.values])
        cases = split_by_categories(cases, categories)
        distinct, places_of_cases = one_of_each(whole, codes, cases, problem.sources)
    return Neighborhood(
        labels=labels,
        votes=neighbor_mistakes(points, codes, len(problem.classes), nearest, ladder, n_jobs),
        disagreement=1 - (labels[: ladder[-1]] == codes).sum(axis=0) / float(ladder[-1]),
        copies=copies,
        equal=_equal_to_nearest(points, nearest[:, 0]),
        distinct=distinct,
        places_of_cases=places_of_cases,
    )


def _equal_to_nearest(points, nearest):
    """Whether each point equals its nearest neighbour."""
    equal = np.zeros(len(points), dtype=bool)
    same = np.flatnonzero(points[nearest, 0] == points[:, 0])  # few, in most data sets
    equal[same] = (points[nearest[same]] == points[same]).all(axis=1)
    return equal
