"""Displays of errors and hierarchies; matplotlib is imported only when something is drawn."""

from smartsvm.plotting.classes import ClassErrorDisplay
from smartsvm.plotting.hierarchy import HierarchyDisplay
from smartsvm.plotting.pairwise import PairwiseErrorDisplay

__all__ = ["ClassErrorDisplay", "HierarchyDisplay", "PairwiseErrorDisplay"]
