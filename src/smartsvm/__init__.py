"""How hard is a classification problem, before anything is trained."""

from smartsvm.bayes_error import (
    DivergenceEstimate,
    ErrorEstimate,
    bayes_error,
    hp_divergence,
    multiclass_bayes_error,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm.class_problem import SmallClassWarning
from smartsvm.metrics import confusion_rate
from smartsvm.spanning_trees import SpanningTrees, euclidean_mst

__version__ = "2.0.0.dev0"

__all__ = [
    "DivergenceEstimate",
    "ErrorEstimate",
    "SmallClassWarning",
    "SpanningTrees",
    "bayes_error",
    "confusion_rate",
    "euclidean_mst",
    "hp_divergence",
    "multiclass_bayes_error",
    "ovr_bayes_error",
    "pairwise_bayes_error",
]
