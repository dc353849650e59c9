"""``smartsvm report``: the difficulty report of a file."""

from __future__ import annotations

import sys
from pathlib import Path

from smartsvm._display_names import one_line
from smartsvm.commands.tables import CATEGORICAL, MISSING, SCALES, read_table
from smartsvm.report.report import difficulty_report

EXIT_CODES = (
    "exit codes: 0 the report was made, whatever it says; 1 the file cannot be used, or a result "
    "cannot be written; 2 the command line is wrong; 130 interrupted"
)


def add_report(commands):
    """Add the command to a set of argparse subcommands."""
    parser = commands.add_parser(
        "report",
        help="how hard is the classification problem in a file, before anything is trained",
        epilog=EXIT_CODES,
    )
    parser.add_argument("file", help=".csv, .tsv or .txt with a header, .parquet, or .npz")
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="column (or npz array) with the labels"
    )
    parser.add_argument(
        "--target-accuracy", type=float, metavar="SHARE", help="accuracy to judge, such as 0.95"
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to leave out; may be given several times",
    )
    parser.add_argument("--scale", choices=SCALES, default="standard", help="(%(default)s)")
    parser.add_argument(
        "--categorical", choices=CATEGORICAL, default="refuse",
        help="what to do with columns of text (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--missing", choices=MISSING, default="refuse",
        help="what to do with samples that lack a value (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--confidence", type=float, default=0.95, metavar="SHARE", help="of intervals (%(default)s)"
    )
    parser.add_argument(
        "--trees", default="auto", metavar="NUMBER", help="spanning trees (%(default)s)"
    )
    parser.add_argument(
        "--subsample", type=int, metavar="NUMBER", help="look only at so many samples"
    )
    parser.add_argument("--jobs", type=int, metavar="NUMBER", help="threads (1)")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="(%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the page")
    parser.add_argument("--html", metavar="FILE", help="write the report as a web page, too")
    parser.add_argument("--figure", metavar="FILE", help="draw the report, too (.png, .pdf, .svg)")
    progress = parser.add_mutually_exclusive_group()
    progress.add_argument(
        "--verbose", action="store_true", help="show progress (on by default in a terminal)"
    )
    progress.add_argument("--quiet", action="store_true", help="show no progress")


def run_report(options):
    """Read, measure, print and write; errors are left to the caller.

    Parameters
    ----------
    options : argparse.Namespace
        The parsed command line.
    """
    table = read_table(
        options.file, options.target, drop=options.drop, categorical=options.categorical,
        missing=options.missing, scale=options.scale,
    )  # fmt: skip
    for note in table.notes:
        print(f"smartsvm: {one_line(note)}", file=sys.stderr)
    watched = options.verbose or (sys.stderr.isatty() and not options.quiet)
    report = difficulty_report(
        table.X,
        table.y,
        n_trees=int(options.trees) if options.trees.isdecimal() else options.trees,
        target_accuracy=options.target_accuracy,
        confidence=options.confidence,
        subsample=options.subsample,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=int(watched),
        feature_names=table.columns,
        row_names=table.row_names,
    )
    print(report.to_json() if options.json else report)
    if options.html:
        Path(options.html).write_text(report.to_html(), encoding="utf-8")
    if options.figure:
        report.plot().savefig(options.figure, dpi=110)
