"""The hierarchy of classes: recursive minimum cuts of the graph of pairwise errors.

pairwise errors → class_cuts (_minimum_cut) → class_hierarchy (ClassHierarchy)

preorder has the arrays of a binary tree, tree_text the tree as text.
"""
