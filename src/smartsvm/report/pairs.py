"""The pairs of classes of a report: how often they are confused, and whether anything separates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsvm._core.clearly import CLEAR
from smartsvm._core.types import Floats
from smartsvm.estimation.friedman_rafsky import INSEPARABLE, pairwise_tests
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy
from smartsvm.report.confusions import pair_errors
from smartsvm.report.intervals import Intervals
from smartsvm.report.pair_separation import pair_separation


@dataclass(frozen=True, eq=False)
class PairResults:
    """Every two classes: `DifficultyReport.pairs`. All arrays have shape (K, K).

    Attributes
    ----------
    confused : Intervals
        Fraction of the samples of two classes that are taken for the other one, by all classifiers
        combined: arrays ``value``, ``low``, ``high``, NaN on the diagonal.
    bounds : ErrorEstimate
        The trees' errors, divided by the error of chance; in many columns they are too high.
    scores : ndarray
        Scores z of the signal test; near 0 if nothing separates the two, NaN if they have too few
        samples.
    separation : ndarray
        Standard errors by which held-out scores of only these two classes separate them, for pairs
        that the trees do not separate; infinite for others.
    """

    confused: Intervals
    bounds: ErrorEstimate
    scores: Floats
    separation: Floats

    @classmethod
    def of(cls, problem, held_out, counts, forest):
        """The pairs of classes as the combined classifiers and the trees see them."""
        scores = pairwise_tests(counts)
        return cls(
            confused=pair_errors(held_out.confusions, problem.z),
            bounds=forest.pairwise(normalize=True),
            scores=scores,
            separation=pair_separation(
                problem.points.values,
                problem.codes,
                scores,
                held_out.posterior,
                problem.folds,
                **problem.threads,
            ),
        )

    @property
    def hierarchy(self) -> ClassHierarchy:
        """The classes grouped by how hard they are to separate, as a `ClassHierarchy`."""
        return class_hierarchy(self.bounds)

    def hardest(self):
        """Numbers of both classes of each pair, the most confused first."""
        rows, columns = np.triu_indices(len(self.scores), 1)
        # The trees rank pairs that no classifier confuses.
        keys = (-each[rows, columns] for each in (self.bounds.value, self.confused.value))
        order = np.lexsort(tuple(keys))
        return np.stack([rows[order], columns[order]], axis=1)

    def alike(self):
        """Mask of the pairs that nothing separates."""
        return (self.scores > INSEPARABLE) & (self.separation < CLEAR)
