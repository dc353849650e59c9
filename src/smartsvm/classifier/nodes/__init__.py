"""The binary problems of SmartSVM: one node for each split of the classes.

design (rows of all nodes) → solver (SVMs) → evidence (kinds, registry) → training → errors

svm_units         the units of features in linear SVMs; quadratic_map: the columns of quadratic ones
evidence_weights  how much each kind of evidence counts at a node
estimators        nodes made of any scikit-learn classifier

A new kind of evidence is one entry of `evidence.KINDS`, a new mode one of `evidence.NODES`,
a new solver one of `solver.SOLVERS`.
"""
