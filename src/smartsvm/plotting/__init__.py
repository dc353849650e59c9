"""Displays of errors and hierarchies; they import matplotlib when they draw.

axes, fonts (colours, names that fit) → pairwise, hierarchy (the displays)
"""

from smartsvm.plotting.hierarchy import HierarchyDisplay
from smartsvm.plotting.pairwise import PairwiseErrorDisplay

__all__ = ["HierarchyDisplay", "PairwiseErrorDisplay"]
