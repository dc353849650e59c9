"""Measurements behind feature selection, transformations and weights."""
