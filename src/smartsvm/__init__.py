"""How hard is a classification problem, before anything is trained."""

from smartsvm.bayes_error import (
    bayes_error,
    hp_divergence,
    multiclass_bayes_error,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm.class_forest import ClassForest, SmallClassWarning
from smartsvm.classifier import SmartSVM
from smartsvm.estimates import DivergenceEstimate, ErrorEstimate
from smartsvm.hierarchy import ClassHierarchy, class_hierarchy
from smartsvm.metrics import confusion_rate
from smartsvm.plotting import ClassErrorDisplay, HierarchyDisplay, PairwiseErrorDisplay
from smartsvm.spanning_trees import SpanningTrees, euclidean_mst

__version__ = "2.0.0.dev0"

__all__ = [
    "ClassErrorDisplay",
    "ClassForest",
    "ClassHierarchy",
    "DivergenceEstimate",
    "ErrorEstimate",
    "HierarchyDisplay",
    "PairwiseErrorDisplay",
    "SmallClassWarning",
    "SmartSVM",
    "SpanningTrees",
    "bayes_error",
    "class_hierarchy",
    "confusion_rate",
    "euclidean_mst",
    "hp_divergence",
    "multiclass_bayes_error",
    "ovr_bayes_error",
    "pairwise_bayes_error",
]
