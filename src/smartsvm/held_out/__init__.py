"""Classifiers that judge every sample without its own label, in closed form or out of bag.

    points and classes → neighbors, linear, gaussians, kernel, forest_votes → errors (per sample)

`registry` names them and runs those that a report uses; SmartSVM uses some of them in its nodes.
"""
