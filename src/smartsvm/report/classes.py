"""The classes of a report: how large they are and how well each is recognised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from smartsvm._core.types import Integers, Labels
from smartsvm.estimation.results import ErrorEstimate
from smartsvm.report.confusions import class_recalls
from smartsvm.report.found_classes import FoundClass, find_classes
from smartsvm.report.intervals import Intervals


@dataclass(frozen=True, eq=False)
class ClassResults:
    """Every class by itself: `DifficultyReport.classes`.

    Attributes
    ----------
    names : ndarray of shape (K,)
        Labels, in the order of all arrays about classes.
    counts : ndarray of shape (K,)
        Samples of each class.
    confusion : ndarray of shape (K, K)
        Samples of each class by the answer of all classifiers combined, on the diagonal the right
        ones. Together the others are the held-out error of "combined".
    recall : Intervals
        Recall of each class by all classifiers combined: arrays ``value``, ``low``, ``high``.
    bounds : ErrorEstimate
        The trees' error of each class against the rest.
    found : tuple of FoundClass
        How well the smaller one of two classes, or each of up to three classes with at most 10% of
        the samples, is found: AUC, precision at some recalls, the best threshold.
    """

    names: Labels
    counts: Integers
    confusion: Integers
    recall: Intervals
    bounds: ErrorEstimate
    found: tuple[FoundClass, ...] = ()

    @classmethod
    def of(cls, problem, neighborhood, held_out, forest):
        """The classes as the combined classifiers and the trees see them."""
        return cls(
            names=problem.classes,
            counts=problem.class_counts,
            confusion=held_out.confusions.answers,
            recall=class_recalls(held_out.confusions, problem.z),
            bounds=forest.one_vs_rest(),
            found=find_classes(problem, neighborhood, held_out.posterior),
        )

    def hardest(self):
        """Positions of the classes, the lowest recall first."""
        return np.lexsort((-self.bounds.value, self.recall.value))
