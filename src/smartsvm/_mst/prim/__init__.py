"""Prim's algorithm.

prim, fringe      a tree grows from the first point, along edges of its fringe
pairs             all pairs of small sets in one call
nearest           nearest neighbours by the same loops
"""
