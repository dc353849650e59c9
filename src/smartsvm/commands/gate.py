"""Gates for pipelines: conditions on a result that end the command with exit code 3."""

import argparse

from smartsvm.presentation.wording import percent
from smartsvm.report.flags.registry import CHECKS
from smartsvm.report.verdict import LIKELY, REACHABLE

FAILED = 3  # the exit code where a condition fails
_ENOUGH = {REACHABLE: (REACHABLE,), LIKELY: (REACHABLE, LIKELY)}
_CODES = tuple(check.code for check in CHECKS)


def add_report_gate(parser):
    """Add the conditions on a report to its parser."""
    parser.add_argument(
        "--fail-unless",
        choices=tuple(_ENOUGH),
        help="exit with 3 unless --target-accuracy is reachable, or at least likely",
    )
    parser.add_argument(
        "--fail-on",
        type=_codes,
        action="extend",
        default=[],
        metavar="CODE[,CODE]",
        help=f"exit with 3 if the report has one of these warnings: {', '.join(_CODES)}",
    )


def add_comparison_gate(parser):
    """Add the condition on a comparison to its parser."""
    parser.add_argument(
        "--fail-if",
        choices=("different",),
        help="exit with 3 if the error of two versions differs by more than chance explains",
    )


def check_report_gate(options):
    """Raise if the conditions lack what they judge."""
    if options.fail_unless is not None and options.target_accuracy is None:
        raise ValueError("--fail-unless needs --target-accuracy, the accuracy to judge.")


def failure_of_report(report, options):
    """Why a report fails its conditions, in one line; None if it meets them."""
    reasons, verdict = [], report.verdict
    if options.fail_unless is not None and verdict.answer not in _ENOUGH[options.fail_unless]:
        target = f"the target accuracy of {percent(verdict.target_accuracy)}"
        chance = f"(chance {percent(verdict.chance)})"
        reasons.append(f"{target} is {verdict.answer} {chance}, not {options.fail_unless}")
    raised = {flag.code for flag in report.flags}
    found = [code for code in _CODES if code in raised.intersection(options.fail_on)]
    if found:
        reasons.append(f"the report warns of {', '.join(found)}")
    return "; ".join(reasons) or None


def _codes(text):
    codes = text.split(",")
    for code in codes:
        if code not in _CODES:
            legal = ", ".join(_CODES)
            raise argparse.ArgumentTypeError(f"must be codes out of {legal}, got {code!r}")
    return codes
