"""The data of a report: its size, its signal, and what is unusual about rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from smartsvm._core.types import Integers, Labels
from smartsvm.estimation.friedman_rafsky import SignalTest
from smartsvm.report.dependence import Dependence
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.repeated_rows import RepeatedRows
from smartsvm.report.signal_columns import SignalColumns
from smartsvm.report.splits import SplitsNote
from smartsvm.tables.records import Note


class Subsample(NamedTuple):
    """What it costs to use only some of the samples."""

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
    repeated_rows : RepeatedRows
        How many rows occur more than once or nearly so, and the error of k nearest neighbours with
        and without them.
    dependence : Dependence or None
        Rows of a unit, or consecutive ones, that are alike, with the error on new units.
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
    repeated_rows: RepeatedRows
    dependence: Dependence | None
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
    """

    confidence: float
    scale: str
    random_state: int
