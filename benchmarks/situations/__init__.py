"""Estimators of the Bayes error on the scenarios of Wheat et al. (2025)."""
