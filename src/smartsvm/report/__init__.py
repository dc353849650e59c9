"""The difficulty report: what is computed, when not to believe it, and its outputs."""

from smartsvm.report.difficulty import DifficultyReport
from smartsvm.report.report import difficulty_report

__all__ = ["DifficultyReport", "difficulty_report"]
