"""Reasons not to trust a report: a `Check` each (flag), all of them in the list of `registry`.

columns, rows, classes and errors hold the checks by what they look at.
"""

from smartsvm.report.flags.flag import Flag

__all__ = ["Flag"]
