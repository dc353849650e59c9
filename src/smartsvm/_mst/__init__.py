"""Compiled kernels: points in, edges out. They know no labels and no scikit-learn."""
