"""The binary problems of SmartSVM: one node for each split of classes.

design (features of a node) → solver (linear SVM) → evidence, evidence_weights → training
errors      which nodes are worth more than a linear SVM
estimators  nodes made of any scikit-learn classifier
"""
