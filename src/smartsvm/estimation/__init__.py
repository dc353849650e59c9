"""From trees to errors: the paper's estimates of the Bayes error.

class_forest, tie_averaged_forest   trees of the classes
cross_edges                         edges between classes, counted
henze_penrose                       counts → divergence, bounds, Bayes error
extrapolation, signal_test          more samples than there are; is there any signal
bayes_error                         the public functions; results has what they return
"""
