"""Classifiers that judge every sample without its own label, in closed form or out of bag.

    points, classes → neighbors, linear, gaussians, kernel, extra_trees, boosting → mistakes

`registry` lists those of the report; SmartSVM uses gaussians and extra_trees in its nodes.
"""
