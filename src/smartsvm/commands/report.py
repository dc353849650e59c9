"""``smartsvm report``: the difficulty report of a file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from smartsvm._core.display_names import one_line
from smartsvm._core.progress import is_watched, say
from smartsvm._core.validation import MOST_SEED
from smartsvm.commands.tables import CATEGORICAL, DECIMALS, MISSING, SCALES, read_table
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.report.measure import MOST_SAMPLES, difficulty_report

HOW_TO_NAME_A_FILE = (
    ".csv, .tsv or .txt with a header, .parquet or .npz, perhaps with .gz behind; - reads CSV, "
    "perhaps packed by gzip, from standard input"
)
EXIT_CODES = (
    "exit codes: 0 the report was made, whatever it says; 1 the file cannot be used, or a result "
    "cannot be written; 2 the command line is wrong; 130 interrupted; 141 the output was closed"
)
_MOST_TREES = 1000


def add_report(commands):
    """Add the command to a set of argparse subcommands."""
    parser = commands.add_parser(
        "report",
        help="how hard is the classification problem in a file, before a model is built for it",
        epilog=EXIT_CODES,
    )
    parser.add_argument("file", help=HOW_TO_NAME_A_FILE)
    add_reading(parser)
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of the page")
    parser.add_argument("--html", metavar="FILE", help="write the report as a web page, too")
    parser.add_argument("--figure", metavar="FILE", help="draw the report, too (.png, .pdf, .svg)")


def add_reading(parser):
    """Options that say how a file becomes points and labels."""
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="column (or npz array) with the labels"
    )
    parser.add_argument(
        "--groups",
        metavar="NAME",
        help="column of patients, devices or the like: samples of one are not independent",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to leave out; may be given several times",
    )
    parser.add_argument(
        "--scale", choices=SCALES, default="standard", help="how to scale the columns (%(default)s)"
    )
    parser.add_argument(
        "--categorical", choices=CATEGORICAL, default="refuse",
        help="what to do with columns of text (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--missing", choices=MISSING, default="refuse",
        help="what to do with samples that lack a value (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--encoding", default="utf-8", metavar="NAME",
        help="how a text file is written, such as latin-1 (%(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--decimal", choices=DECIMALS, default=".",
        help="what stands before the decimals of a number (%(default)s)",
    )  # fmt: skip


def add_settings(parser):
    """Options that say how it is measured, and what is shown meanwhile."""
    parser.add_argument(
        "--target-accuracy", type=_share, metavar="SHARE", help="accuracy to judge, such as 0.95"
    )
    parser.add_argument(
        "--confidence",
        type=_share_inside,
        default=0.95,
        metavar="SHARE",
        help="of intervals (%(default)s)",
    )
    parser.add_argument(
        "--trees",
        type=_trees,
        default="auto",
        metavar="NUMBER",
        help="spanning trees (%(default)s)",
    )
    parser.add_argument(
        "--subsample", type=_part, default="auto", metavar="NUMBER",
        help=f"look only at this many samples, or at all of them (auto: {MOST_SAMPLES:,} where "
        "there are more)",
    )  # fmt: skip
    parser.add_argument(
        "--classifier", action="append", choices=CLASSIFIERS, metavar="NAME",
        help=f"a classifier to try on held-out samples: {', '.join(CLASSIFIERS)}; may be given "
        "several times (all)",
    )  # fmt: skip
    parser.add_argument("--jobs", type=_jobs, metavar="NUMBER", help="threads (1)")
    parser.add_argument("--seed", type=_seed, default=0, metavar="NUMBER", help="(%(default)s)")
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
    for place in (options.html, options.figure):
        if place is not None:
            _check_place(Path(place))
    if options.figure is not None:
        _check_format(options.figure)
    report = make_report(options.file, options)
    put(report.to_json() if options.json else str(report), is_json=options.json)
    if options.html is not None:
        Path(options.html).write_text(report.to_html(), encoding="utf-8")
    if options.figure is not None:
        report.plot().savefig(options.figure, dpi=110)


def put(text, *, is_json=False):
    """Print a result; letters that standard output cannot encode are escaped.

    Parameters
    ----------
    text : str
        The result.
    is_json : bool, default=False
        Whether escapes must be those of JSON.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        escaped = text.encode(encoding, "backslashreplace").decode(encoding)
        text = json.dumps(json.loads(text), indent=2) if is_json else escaped
    print(text)


def make_report(file, options):
    """The report on a file; remarks about it go to standard error.

    Parameters
    ----------
    file : str
        Where the samples are.
    options : argparse.Namespace
        The parsed command line.

    Returns
    -------
    DifficultyReport
        The report.
    """
    table = read_table(
        file, options.target, groups=options.groups, drop=options.drop,
        categorical=options.categorical, missing=options.missing, scale=options.scale,
        encoding=options.encoding, decimal=options.decimal,
    )  # fmt: skip
    for note in table.notes:
        say(f"smartsvm: {one_line(note)}")
    watched = options.verbose or (is_watched() and not options.quiet)
    return difficulty_report(
        table.X,
        table.y,
        n_trees=options.trees,
        target_accuracy=options.target_accuracy,
        confidence=options.confidence,
        subsample=options.subsample,
        classifiers=options.classifier or CLASSIFIERS,
        n_jobs=options.jobs,
        random_state=options.seed,
        verbose=int(watched),
        feature_names=table.columns,
        row_names=table.row_names,
        groups=table.groups,
    )


def _check_place(path):
    """Raise before the work if a result cannot be written to a path after it."""
    folder = path.parent
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: the name of a file is needed.")
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {folder}.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise PermissionError(f"{path}: no permission to write there.")


def _check_format(place):
    """Raise before the work if a picture cannot be drawn in the format that its name asks for."""
    from matplotlib.backend_bases import FigureCanvasBase

    legal = FigureCanvasBase.get_supported_filetypes()
    if Path(place).suffix.lower().removeprefix(".") not in legal:
        raise ValueError(f"--figure must end in .png, .pdf, .svg or the like, got {place!r}.")


def _share(text, *, ends=True):
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (0 <= value <= 1 if ends else 0 < value < 1):
        legal = "from 0 to 1" if ends else "between 0 and 1, both excluded"
        raise argparse.ArgumentTypeError(f"must be a number {legal}, got {text!r}")
    return value


def _share_inside(text):
    return _share(text, ends=False)


def _whole(text, legal, is_legal):
    # Longer ones count nothing real, and Python refuses to read some of them.
    value = int(text) if text.removeprefix("-").isdecimal() and len(text) < 19 else None
    if value is None or not is_legal(value):
        shown = text if len(text) < 30 else text[:27] + "..."
        raise argparse.ArgumentTypeError(f"must be {legal}, got {shown!r}")
    return value


def _part(text):
    if text in ("auto", "all"):
        return text if text == "auto" else None
    return _whole(text, "auto, all or a whole number of at least 1", lambda value: value >= 1)


def _jobs(text):
    return _whole(text, "a whole number other than 0, -1 for all cores", lambda value: value != 0)


def _seed(text):
    legal = f"a whole number from 0 to {MOST_SEED}"
    return _whole(text, legal, lambda value: 0 <= value <= MOST_SEED)


def _trees(text):
    legal = f"auto or a whole number from 1 to {_MOST_TREES}"
    return text if text == "auto" else _whole(text, legal, lambda n: 1 <= n <= _MOST_TREES)
