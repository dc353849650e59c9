"""The hierarchy of classes: recursive minimum cuts of the graph of pairwise errors.

pairwise errors → class_cuts (_minimum_cut) → class_hierarchy (ClassHierarchy)
"""
