"""The difficulty report.

difficulty_report (measure) → stages → DifficultyReport (result) → output/
stages use copies, held_out_errors, intervals, flags, verdict
"""

from smartsvm.report.headroom import Headroom
from smartsvm.report.measure import difficulty_report
from smartsvm.report.result import DifficultyReport

__all__ = ["DifficultyReport", "Headroom", "difficulty_report"]
