"""Decisions by Bayes error before training: features, transformations, weights of classes.

selector (BayesErrorSelector) → feature_search → search_criteria, held_out_error
scorer          how well the classes can be told apart after a transformation
class_weights   weights of hard classes
"""

from smartsvm.selection.class_weights import bayes_error_class_weight
from smartsvm.selection.scorer import bayes_error_scorer
from smartsvm.selection.selector import BayesErrorSelector

__all__ = [
    "BayesErrorSelector",
    "bayes_error_class_weight",
    "bayes_error_scorer",
]
