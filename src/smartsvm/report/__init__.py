"""The difficulty report.

    measure        `difficulty_report` checks its parameters and memory_needed
    samples        what the user passes, opened once; splits and models what is given beside it
    problem        the rows that are used, scaled, with all that the stages share
    stages         run one after the other, and each gives a part of the report: neighborhood,
                   held_out_stage, tree_stage, conclusions, judged_models and the rest
    result         the `DifficultyReport`, which holds one object for each question, in a file of
                   that name: errors, classes, pairs, labels, trees, data
    outputs        and which output/ shows

The stages use what lives beside them: copies, coincidence, repeats, repeated_rows, equal_rows,
confusions, pair_separation, dependence, forward_in_time, signal_columns, ranked_columns,
doubtful_columns, found_classes, suspect_rows, intervals, held_out_errors. From their numbers,
conclusions draws the bayes_error, within its limits, and the learning_curve, by statistics and
fitted_model; verdict judges a target, and rows_needed says how many rows it takes; avoidable_error
and headroom say what a model could gain; at_priors gives the errors where classes have other
shares, the priors. flags/ has the reasons not to trust any of it.
"""

from smartsvm.estimation.friedman_rafsky import SignalTest
from smartsvm.report.classes import ClassResults
from smartsvm.report.data import DataResults, ReportSettings
from smartsvm.report.errors import ErrorResults
from smartsvm.report.headroom import Headroom
from smartsvm.report.labels import LabelResults
from smartsvm.report.measure import difficulty_report
from smartsvm.report.pairs import PairResults
from smartsvm.report.result import DifficultyReport
from smartsvm.report.trees import TreeResults

__all__ = [
    "ClassResults",
    "DataResults",
    "DifficultyReport",
    "ErrorResults",
    "Headroom",
    "LabelResults",
    "PairResults",
    "ReportSettings",
    "SignalTest",
    "TreeResults",
    "difficulty_report",
]
