"""Classifiers that judge every sample without its own label, in closed form or out of bag.

    points, classes → neighbors, linear, gaussians, kernel_ridge, extra_trees, boosting, categories
                    → mistakes → posterior

`registry` lists those of the report, and `trials` runs them on one data set. SmartSVM uses linear,
gaussians and extra_trees in its nodes.
"""
