"""The difficulty report as an object: results of the stages, grouped as people ask."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal

import numpy as np

from smartsvm._core.types import Integers
from smartsvm._core.validation import check_accuracy, check_choice
from smartsvm.estimation.results import Interval
from smartsvm.report.classes import ClassResults
from smartsvm.report.confusions import MergeAdvice, merge_advice
from smartsvm.report.data import DataResults, ReportSettings
from smartsvm.report.errors import ErrorResults
from smartsvm.report.flags import Flag
from smartsvm.report.headroom import Headroom
from smartsvm.report.labels import LabelResults
from smartsvm.report.outputs import Outputs
from smartsvm.report.pairs import PairResults
from smartsvm.report.rows_needed import RowsNeeded, rows_needed
from smartsvm.report.trees import TreeResults
from smartsvm.report.verdict import METRICS, Verdict, grounds_of, judge

Metric = Literal["accuracy", "balanced_accuracy"]


@dataclass(frozen=True, eq=False, repr=False)
class DifficultyReport(Outputs):
    """The result of `difficulty_report`; immutable.

    Errors are fractions between 0 and 1. An `Interval` has ``value``, ``low`` and ``high``.

    Attributes
    ----------
    bayes_error : Interval
        The error of the best possible classifier: a confidence interval for the truth. Not the
        estimate of the function `bayes_error`, which is from trees alone (``trees``).
    verdict : Verdict or None
        Answer about the target accuracy, if one was given.
    errors : ErrorResults
        Held-out errors of classifiers, the baseline, and errors with more samples.
    classes : ClassResults
        Names, sizes, recalls and confusions of the classes.
    pairs : PairResults
        How often every two classes are confused, and whether anything separates them.
    labels : LabelResults
        Given and suggested labels, and how suspicious each is.
    trees : TreeResults
        The spanning trees' bounds and their limit, and the difficulty of every sample.
    data : DataResults
        Size and signal of the data, repeated and dependent rows, preparation.
    models : dict of Headroom
        The error and the headroom of each model that was passed, by name.
    flags : tuple of Flag
        Reasons not to trust the report.
    settings : ReportSettings
        Confidence, scale of the columns and seed.
    """

    bayes_error: Interval
    verdict: Verdict | None
    errors: ErrorResults
    classes: ClassResults
    pairs: PairResults
    labels: LabelResults
    trees: TreeResults
    data: DataResults
    models: dict[str, Headroom]
    flags: tuple[Flag, ...]
    settings: ReportSettings

    def __post_init__(self) -> None:
        _freeze(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickled arrays come back writable

    @property
    def suspects(self) -> Integers:
        """Positions of the labels that may be wrong, the most suspicious first."""
        return self.labels.ranking[: self.labels.n_suspects]

    def judge(self, target_accuracy: float | str, target_metric: Metric = "accuracy") -> Verdict:
        """Judge whether another target accuracy is realistic.

        Parameters
        ----------
        target_accuracy : float or str
            A fraction from 0 to 1, or a percentage: 0.95, 95 and "95%" mean the same.
        target_metric : {"accuracy", "balanced_accuracy"}, default="accuracy"
            What the target is, as in `difficulty_report`.

        Returns
        -------
        Verdict
            The answer, as ``verdict`` has it for the target of the report.
        """
        target_accuracy = check_accuracy(target_accuracy, "target_accuracy")
        check_choice(target_metric, "target_metric", METRICS)
        return judge(target_accuracy, grounds_of(self, target_metric))

    def chance(self, target_accuracy: float | str, target_metric: Metric = "accuracy") -> float:
        """The chance that some classifier reaches a target accuracy.

        Parameters
        ----------
        target_accuracy, target_metric : object
            As in `judge`.

        Returns
        -------
        float
            The ``chance`` of `judge`.
        """
        return self.judge(target_accuracy, target_metric).chance

    def rows_needed(self, target_accuracy: float | str, model: str | None = None) -> RowsNeeded:
        """How many rows it takes to reach a target accuracy.

        Parameters
        ----------
        target_accuracy : float or str
            A fraction from 0 to 1, or a percentage: 0.95, 95 and "95%" mean the same.
        model : str or None, default=None
            A name in the `models` of `difficulty_report`; None for the best classifier of a report
            on as many rows.

        Returns
        -------
        RowsNeeded
            ``value`` with ``low`` and ``high``, the ``chance`` that any number suffices, and a
            `sentence`. A number is infinite where no number of rows may suffice, and the
            ``present`` one where these rows suffice.

        Notes
        -----
        The error now, with twice and ten times the rows, and with ever more of them, the Bayes
        error, each have a distribution. Quantiles of one level make a curve, linear in 1 / √rows
        between these. What a model errs more than the best classifier now is partly its own limit,
        which stays, and partly a lack of rows; which part is which is unknown, and the interval
        has both.

        Examples
        --------
        >>> import numpy as np
        >>> from smartsvm import difficulty_report
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(300, 6))
        >>> y = np.sign(X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=300))
        >>> needed = difficulty_report(X, y).rows_needed(0.9)
        >>> needed.low < needed.value < needed.high
        True
        """
        target_accuracy = check_accuracy(target_accuracy, "target_accuracy")
        return rows_needed(self, target_accuracy, None if model is None else self.headroom(model))

    def headroom(self, model: str) -> Headroom:
        """How much of a model's error can be gained, and where.

        Parameters
        ----------
        model : str
            A name in the `models` of `difficulty_report`.

        Returns
        -------
        Headroom
            The model's error, its ``gain`` with an interval, and the rows to look at.
        """
        if not self.models:
            raise ValueError(
                "The report has no models: pass models={'mine': model} to difficulty_report."
            )
        check_choice(model, "model", tuple(self.models))
        return self.models[model]

    def hardest_pairs(self, most: int | None = 10) -> list[tuple[Any, Any]]:
        """Pairs of labels that are confused most often, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many pairs to return; None for all.

        Returns
        -------
        list of tuple
            Pairs of labels, by the fraction of their samples that are taken for each other.
        """
        return list(map(tuple, self.classes.names[self.pairs.hardest()[:most]].tolist()))

    def hardest_classes(self, most: int | None = 10) -> list[Any]:
        """Labels with the lowest recall, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many labels to return; None for all.

        Returns
        -------
        list
            Labels.
        """
        return self.classes.names[self.classes.hardest()[:most]].tolist()

    def inseparable_pairs(self) -> list[tuple[Any, Any]]:
        """Pairs of labels that nothing separates: candidates for merging.

        Returns
        -------
        list of tuple
            Pairs of labels whose signal test is not significant at 5% and that no classifier
            clearly tells apart, not even one of these two alone, without those that are too small
            for any test.
        """
        places = np.argwhere(np.triu(self.pairs.alike(), 1))
        order = np.argsort(-self.pairs.scores[tuple(places.T)], kind="stable")
        return list(map(tuple, self.classes.names[places[order]].tolist()))

    def merge_advice(self) -> MergeAdvice:
        """Groups of classes to merge, and the held-out accuracy before and after that."""
        return merge_advice(self.pairs, self.classes, significant=self.data.signal.significant)

    def __repr__(self) -> str:
        return (
            f"DifficultyReport(n_samples={self.data.n_samples}, "
            f"n_classes={len(self.classes.names)}, "
            f"bayes_error={self.bayes_error.value:.3g} ({self.bayes_error.low:.3g} to "
            f"{self.bayes_error.high:.3g}))"
        )


def _freeze(value: object) -> None:
    """Make every array in a result read-only."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif is_dataclass(value):
        for each in fields(value):
            _freeze(getattr(value, each.name))
    elif isinstance(value, tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            _freeze(part)
