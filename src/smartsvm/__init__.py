"""How hard is a classification problem, before anything is trained."""

from smartsvm._core.version import __version__ as __version__
from smartsvm.commands.start_up import quiet_imports

with quiet_imports():
    from smartsvm.classifier import SmartSVM, SmartSVMCV
    from smartsvm.comparison.representation_result import RepresentationComparison
    from smartsvm.comparison.representations import compare_representations
    from smartsvm.comparison.two_sample import two_sample_test
    from smartsvm.comparison.two_sample_result import TwoSampleTest
    from smartsvm.estimation.bayes_errors import bayes_error, ovr_bayes_error, pairwise_bayes_error
    from smartsvm.estimation.class_forest import ClassForest
    from smartsvm.estimation.confusion_rate import confusion_rate
    from smartsvm.estimation.number_of_trees import SmallClassWarning
    from smartsvm.estimation.results import ErrorEstimate, Interval
    from smartsvm.estimation.soft_labels import SoftLabelEstimate, soft_label_bayes_error
    from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy
    from smartsvm.label_errors.label_ranking import LabelErrorRanking, rank_label_errors
    from smartsvm.label_errors.sample_difficulty import sample_difficulty
    from smartsvm.plotting import HierarchyDisplay, PairwiseErrorDisplay
    from smartsvm.report import DifficultyReport, Headroom, difficulty_report
    from smartsvm.selection import (
        BayesErrorSelector,
        bayes_error_class_weight,
        bayes_error_scorer,
    )
    from smartsvm.tables.preparation import TablePreparation
    from smartsvm.tables.prepared import PreparedTable, prepare_table
    from smartsvm.trees.nearest_neighbors import nearest_neighbors
    from smartsvm.trees.results import Neighbors, SpanningTrees
    from smartsvm.trees.spanning_trees import euclidean_mst

__all__ = [
    "BayesErrorSelector",
    "ClassForest",
    "ClassHierarchy",
    "DifficultyReport",
    "ErrorEstimate",
    "Headroom",
    "HierarchyDisplay",
    "Interval",
    "LabelErrorRanking",
    "Neighbors",
    "PairwiseErrorDisplay",
    "PreparedTable",
    "RepresentationComparison",
    "SmallClassWarning",
    "SmartSVM",
    "SmartSVMCV",
    "SoftLabelEstimate",
    "SpanningTrees",
    "TablePreparation",
    "TwoSampleTest",
    "bayes_error",
    "bayes_error_class_weight",
    "bayes_error_scorer",
    "class_hierarchy",
    "compare_representations",
    "confusion_rate",
    "difficulty_report",
    "euclidean_mst",
    "nearest_neighbors",
    "ovr_bayes_error",
    "pairwise_bayes_error",
    "prepare_table",
    "rank_label_errors",
    "sample_difficulty",
    "soft_label_bayes_error",
    "two_sample_test",
]
