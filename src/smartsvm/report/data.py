"""The data of a report: its size, its signal, and what is unusual about rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from smartsvm._core.types import Integers, Labels
from smartsvm.estimation.friedman_rafsky import SignalTest
from smartsvm.report.dependence import Dependence
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.ranked_columns import ColumnRanking
from smartsvm.report.repeated_rows import RepeatedRows
from smartsvm.report.repeats import Repeats
from smartsvm.report.signal_columns import SignalColumns
from smartsvm.report.splits import SplitsNote
from smartsvm.tables.records import Note, RowsLeftOut


class Subsample(NamedTuple):
    """The error that is added by using only some of the samples."""

    n_given: int  # samples that were passed
    added_error: float  # standard error of the fraction of cross edges that this adds


def subsample_cost(problem, variance):
    """The `Subsample` if the number of cross edges has this variance."""
    n = len(problem.codes)
    added = float(np.sqrt(variance * (1 - n / problem.n_given)) / n)
    return Subsample(problem.n_given, added)


@dataclass(frozen=True, eq=False)
class DataResults:
    """The samples and columns: `DifficultyReport.data`.

    Attributes
    ----------
    n_samples : int
        Samples that were used.
    n_features : int
        Columns.
    rows : ndarray of shape (n_samples,)
        Row of X behind each sample; differs from the position only after subsampling.
    row_names : ndarray of shape (n_samples,)
        Name of each sample: as passed, the index of a data frame, or `rows`.
    signal : SignalTest
        Whether the labels depend on the columns at all.
    signal_columns : SignalColumns or None
        A few columns with which held-out errors are as small as with all, or the best five; None
        without signal or for more than 30 classes.
    equal_rows : EqualRows
        Rows that equal others, and what their labels prove.
    repeats : Repeats or None
        Rows that equal earlier ones, if they are more than 1%, and the error under the other
        reading of them.
    repeated_rows : RepeatedRows
        Samples with a near copy, and how many cases classifiers see.
    dependence : Dependence or None
        Rows of a unit, or consecutive ones, that are alike, with the error on new units.
    doubtful_columns : tuple of DoubtfulColumn
        Columns that may not be known when one predicts, with the error with and without each.
    ranking : ColumnRanking or None
        Columns by what a quick classifier loses where each is shuffled, with type, gaps and a small
        distribution; None where no classifier can be fitted.
    rows_left_out : RowsLeftOut or None
        How many rows of a table lack a label, if any.
    subsample : Subsample or None
        What subsampling costs, if not all samples were used.
    splits : SplitsNote or None
        How `cv` held out the samples, and how many it never did, if it was given.
    preparation : tuple of Note
        What `prepare_table` did to the columns, if they were read from a table: texts with a
        ``kind`` and the ``columns`` that each is about.
    """

    n_samples: int
    n_features: int
    rows: Integers
    row_names: Labels
    signal: SignalTest
    signal_columns: SignalColumns | None
    equal_rows: EqualRows
    repeats: Repeats | None
    repeated_rows: RepeatedRows
    dependence: Dependence | None
    doubtful_columns: tuple[Any, ...]  # `DoubtfulColumn`
    ranking: ColumnRanking | None
    rows_left_out: RowsLeftOut | None
    subsample: Subsample | None
    splits: SplitsNote | None
    preparation: tuple[Note, ...]


@dataclass(frozen=True)
class ReportSettings:
    """How the report was computed: `DifficultyReport.settings`.

    Attributes
    ----------
    confidence : float
        Level of the confidence intervals.
    scale : str
        Scale of the columns: "none", "standard", "robust", "ranks" or "minmax".
    random_state : int
        Seed of all that is random; passed again it gives the same report.
    priors : dict or None
        Shares of the classes at deployment, by label, if they were given.
    """

    confidence: float
    scale: str
    random_state: int
    priors: dict[Any, float] | None = None
