"""The hierarchy of classes: minimum cuts of the graph of pairwise errors, again and again.

errors of pairs → class_cuts (_minimum_cut) → class_hierarchy (ClassHierarchy)
"""
