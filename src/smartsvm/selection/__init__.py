"""Decisions by Bayes error before training: features, transformations, weights of classes."""

from smartsvm.selection.class_weights import bayes_error_class_weight, bayes_error_sample_weight
from smartsvm.selection.display import SelectionPathDisplay
from smartsvm.selection.pair_classifier import PairwiseTransformerClassifier
from smartsvm.selection.selector import BayesErrorSelector
from smartsvm.selection.transformations import rank_transformers
from smartsvm.selection.transformed_error import bayes_error_scorer
from smartsvm.selection.transformer_ranking import TransformerRanking
from smartsvm.selection.transformer_search import BayesErrorTransformerSearch

__all__ = [
    "BayesErrorSelector",
    "BayesErrorTransformerSearch",
    "PairwiseTransformerClassifier",
    "SelectionPathDisplay",
    "TransformerRanking",
    "bayes_error_class_weight",
    "bayes_error_sample_weight",
    "bayes_error_scorer",
    "rank_transformers",
]
