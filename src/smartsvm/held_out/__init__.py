"""Classifiers that judge every sample without its own label, in closed form or out of bag.

    points, classes → a classifier of the registry → mistakes → posterior

registry               the classifiers of a report: an entry each, and a module for each kind
trials                 runs them on one data set, in `folds` if rows belong together
standardised_columns   the columns as LDA, QDA and kernel ridge take them; principal_components:
                       as QDA and SmartSVM do; scale_choice: the scale of all points
decision_trees         single trees of extra_trees
short_trial            whether boosting or the network is worth its time

SmartSVM uses linear, gaussians and extra_trees in its nodes.
"""
