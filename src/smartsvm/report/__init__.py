"""The difficulty report: what is computed, when not to believe it, and its outputs."""

from smartsvm.report.measure import difficulty_report
from smartsvm.report.result import DifficultyReport

__all__ = ["DifficultyReport", "difficulty_report"]
