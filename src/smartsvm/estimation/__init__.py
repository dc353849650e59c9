"""From trees to errors: the paper's estimates of the Bayes error.

trees of the classes → cross_edges (counts) → henze_penrose (divergence, bounds, Bayes error)

class_forest     trees and every error computed from them
forest_counts    what is counted in them, over several tie_orders of tied edges
extrapolation    the limit of the counts with more samples (extrapolated_errors: of a split)
friedman_rafsky  is there any signal: a test on the trees
combined_test    the same with edge_count_test and energy_features, over random label_orders
number_of_trees  how many orthogonal trees to compute, and how many of them to count in
cells            the Bayes error of few distinct rows; confusion_rate of a trained classifier
soft_labels      the Bayes error where several annotators labelled each sample
bayes_errors     the public functions; results: what they return
"""
