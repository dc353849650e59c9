"""Classifiers that judge every sample without its own label, in closed form or out of bag.

    points, classes → neighbors, linear, gaussians, kernel_ridge, extra_trees, boosting, categories
                    → mistakes → posterior

registry               those of the report, an entry each
trials                 runs them on one data set, in `folds` if rows belong together
standardised_columns   the columns as LDA, QDA and kernel ridge take them; principal_components:
                       as QDA and SmartSVM do; scale_choice: the scale of all points
decision_trees         single trees of extra_trees; short_trial: whether boosting is worth its time
network                a small network

SmartSVM uses linear, gaussians and extra_trees in its nodes.
"""
