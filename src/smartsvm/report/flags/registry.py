"""All checks, in the order in which the report shows their flags."""

from smartsvm.report.flags.classes import LooksLikeRegression, SimilarLabels, TinyClasses
from smartsvm.report.flags.columns import (
    ConstantColumns,
    FarValues,
    FewErrors,
    LabelColumns,
    NumberingColumns,
    TellingGaps,
)
from smartsvm.report.flags.errors import Drift, FlatAtChance, NotHeldOut
from smartsvm.report.flags.rows import (
    Copies,
    DependentRows,
    FewBetweenGroups,
    RepeatedRows,
    RowsLeftOut,
)

# Those that change the errors themselves come first.
CHECKS = (
    RowsLeftOut(),
    DependentRows(),
    NotHeldOut(),
    Drift(),
    Copies(),
    FewBetweenGroups(),
    FlatAtChance(),
    RepeatedRows(),
    LabelColumns(),
    TellingGaps(),
    FewErrors(),
    NumberingColumns(),
    FarValues(),
    SimilarLabels(),
    TinyClasses(),
    ConstantColumns(),
    LooksLikeRegression(),
)


def find_flags(report, problem):
    """The flags of all checks on a report that has none yet, and on the samples behind it."""
    return tuple(flag for check in CHECKS for flag in check.flags(report, problem))
