"""``smartsvm report``: the difficulty report on a file."""

import argparse
import json
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from smartsvm._core.column_scales import SCALES
from smartsvm._core.validation import MOST_SEED, check_accuracy
from smartsvm.commands.gate import add_report_gate, check_report_gate, failure_of_report
from smartsvm.commands.model_columns import add_model, columns_of_model, models_of
from smartsvm.commands.start_up import raise_on_sigterm
from smartsvm.held_out.registry import CLASSIFIERS
from smartsvm.label_errors.overlap import NAMES as OVERLAPS
from smartsvm.presentation.display_names import one_line
from smartsvm.presentation.output_files import (
    check_no_data,
    check_outputs,
    figure_content,
    write_file,
)
from smartsvm.presentation.progress import say
from smartsvm.presentation.wording import counted
from smartsvm.report.measure import difficulty_report
from smartsvm.report.output.formats import DRAWN, FORMATS, check_format
from smartsvm.report.output.headroom import headroom_rows
from smartsvm.report.output.label_sentences import listed_labels, shown_labels
from smartsvm.report.output.page_tables import rows_as_csv
from smartsvm.report.output.sentences import ON_TOP
from smartsvm.report.samples import MOST_SAMPLES
from smartsvm.report.verdict import METRICS
from smartsvm.tables.input_file import UNPACK_LIMIT, in_units
from smartsvm.tables.prepared import MISSING
from smartsvm.tables.reading import read_with_columns
from smartsvm.tables.walk import CATEGORICAL, DECIMALS

HOW_TO_NAME_A_FILE = (
    "a .csv, .tsv or .txt file with a header, .xlsx, .json or .jsonl, .parquet, .feather or .npz, "
    "each also compressed (.gz, .bz2, .xz, .zip); - reads CSV, compressed or not, from standard "
    "input"
)
EXIT_CODES = (
    "exit codes: 0 the report was made, whatever it says; 1 the file cannot be used, or a result "
    "cannot be written; 2 the command line is wrong; 3 a condition of --fail-unless, --fail-on or "
    "--fail-if does not hold; 130 interrupted; 141 the output was closed"
)
OUTPUTS = ("html", "figure", "suspects", "headroom")  # options that name a file to write
_MOST_TREES = 1000


def add_report(commands):
    """Add the command to a set of argparse subcommands."""
    parser = commands.add_parser(
        "report",
        help="report how hard the classification problem in a file is",
        epilog=EXIT_CODES,
    )
    parser.add_argument("file", help=HOW_TO_NAME_A_FILE)
    add_reading(parser)
    add_model(parser)
    add_settings(parser)
    add_outputs(parser, "the report")
    parser.add_argument("--figure", metavar="FILE", help="also draw the report (.png, .pdf, .svg)")
    parser.add_argument(
        "--suspects",
        metavar="FILE",
        help="also write the labels to look at to a CSV file, the most suspicious first",
    )
    parser.add_argument(
        "--headroom",
        metavar="FILE",
        help="also write where the model of --predicted or --probabilities could do better to a "
        "CSV file: classes, pairs and samples",
    )
    add_report_gate(parser)


def add_outputs(parser, what):
    """Add the options for printing a result, and for writing it to files."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=f"also write {what} to a file whose name says how ({', '.join(FORMATS)}); repeat for "
        "more",
    )
    parser.add_argument("--html", metavar="FILE", help=f"also write {what} as a web page")


def check_places(options, names, inputs):
    """Raise before the work if --output or one of the options `names` cannot be written."""
    places = {f"--{name}": getattr(options, name) for name in names}
    for number, path in enumerate(options.output, start=1):
        check_format(path, "--output")
        check_no_data(path)
        if Path(path).suffix.lower() in DRAWN:
            _check_format(path, "--output")
        places[f"--output {number}" if len(options.output) > 1 else "--output"] = path
    check_outputs(places, inputs)


def add_reading(parser):
    """Add the options for reading a file."""
    parser.add_argument(
        "--target", required=True, metavar="NAME", help="the column (or npz array) of labels"
    )
    parser.add_argument(
        "--groups",
        metavar="NAME",
        help="the column of patients, devices or the like, whose samples are not independent",
    )
    parser.add_argument(
        "--time",
        metavar="NAME",
        help="the column of dates, or of numbers that order the samples in time: does the error "
        "hold for later samples? (the date that says when a row happened, or the year)",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to leave out; repeat for more",
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="NAME",
        help="a column to keep that would be left out; repeat for more",
    )
    parser.add_argument(
        "--counts",
        metavar="NAME",
        help="the column with the number of samples of each row (one named like counts, in a table "
        "with a row for each combination of values)",
    )
    parser.add_argument(
        "--scale",
        choices=("auto", *SCALES),
        default="auto",
        help="how to scale columns; auto (the default) takes the scale on which nearest neighbours "
        "err least",
    )
    parser.add_argument(
        "--categorical",
        choices=CATEGORICAL,
        default="onehot",
        help="what to do with text columns (%(default)s, without names and other mostly distinct "
        "texts)",
    )
    parser.add_argument(
        "--missing",
        choices=MISSING,
        default="auto",
        help="what to do with missing values: auto (the default) leaves out columns that are more "
        "than half empty and fills in the median or the most frequent value, marked in a further "
        "column; drop leaves out samples; refuse stops",
    )
    parser.add_argument(
        "--encoding",
        default="auto",
        metavar="NAME",
        help="the encoding of a text file, such as latin-1 (auto: UTF-8, UTF-16 or cp1252 where it "
        "looks like it, or mac_roman with few odd letters)",
    )
    parser.add_argument(
        "--decimal",
        choices=DECIMALS,
        default="auto",
        help="the decimal mark of a text file (%(default)s)",
    )
    parser.add_argument(
        "--unpack-limit",
        type=_gigabytes,
        default=UNPACK_LIMIT,
        metavar="GB",
        help=f"refuse compressed files that unpack to more ({UNPACK_LIMIT / 1e9:g}, and at most "
        "the free disk space); none lifts both limits",
    )


def add_settings(parser):
    """Add the options for the report and its progress."""
    parser.add_argument(
        "--target-accuracy",
        type=_accuracy,
        metavar="SHARE",
        help="an accuracy to judge: 0.95, 95 and 95%% mean the same",
    )
    parser.add_argument(
        "--target-metric",
        choices=METRICS,
        default=METRICS[0],
        help="what the target is; the balanced one is the mean of the recalls (%(default)s)",
    )
    parser.add_argument(
        "--priors",
        type=_priors,
        metavar="SHARES",
        help="shares of the classes where a model will be used, for a sample that was balanced by "
        "design: yes=0.02,no=0.98 (those of the file)",
    )
    parser.add_argument(
        "--overlap",
        type=_overlap,
        default="unknown",
        metavar="HOW",
        help="what is known of the overlap of the classes, which looks like wrong labels: rare "
        "(for photographs and the like), the fraction of samples on which two experts would "
        "disagree, or all (for facts of record such as bought, left or died) (%(default)s)",
    )
    parser.add_argument(
        "--confidence",
        type=_confidence,
        default=0.95,
        metavar="SHARE",
        help="the confidence of intervals (%(default)s)",
    )
    parser.add_argument(
        "--trees",
        type=_trees,
        default="auto",
        metavar="NUMBER",
        help="the number of spanning trees (%(default)s)",
    )
    parser.add_argument(
        "--subsample",
        type=_part,
        default="auto",
        metavar="NUMBER",
        help=f"use this many samples, or all (auto: at most {MOST_SAMPLES:,})",
    )
    parser.add_argument(
        "--classifier",
        action="append",
        choices=CLASSIFIERS,
        metavar="NAME",
        help=f"a classifier to try on held-out samples: {', '.join(CLASSIFIERS)}; repeat for more "
        "(all)",
    )
    parser.add_argument(
        "--jobs", type=_jobs, metavar="NUMBER", help="threads; -1 for one per core (1)"
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="where to compute neighbours and trees: cpu, cuda or cuda:1 (cpu)",
    )
    parser.add_argument(
        "--seed", type=_seed, default=0, metavar="NUMBER", help="random seed (%(default)s)"
    )
    progress = parser.add_mutually_exclusive_group()
    progress.add_argument(
        "--verbose",
        action="store_true",
        help="show progress within each stage, too (on by default in a terminal)",
    )
    progress.add_argument("--quiet", action="store_true", help="show no progress")


def run_report(options):
    """Read a file, print its report and write the other outputs; return why a condition fails."""
    check_report_gate(options)
    check_places(options, OUTPUTS, {"the file of the data": options.file})
    if options.figure is not None:
        _check_format(options.figure, "--figure")
    choose = columns_of_model(options)
    if options.headroom is not None and choose is None:
        raise ValueError("--headroom needs a model: --predicted or --probabilities.")
    report = make_report(options.file, options, choose)
    # Standard error has the notes already; what was left out or counted belongs to the page.
    notes = [note for note in report.data.preparation if note.kind in ON_TOP]
    text = str(replace(report, data=replace(report.data, preparation=tuple(notes))))
    put(report.to_json() if options.json else text, is_json=options.json)
    with raise_on_sigterm():  # so that no temporary file is left
        _write(report, options)
    return failure_of_report(report, options)


def _write(report, options):
    for path in options.output:
        report.save(path, title=Path(options.file).name)
    if options.html is not None:
        write_file(options.html, report.to_html(title=Path(options.file).name))
    if options.figure is not None:
        write_file(options.figure, figure_content(report.plot(), options.figure, dpi=110))
    if options.headroom is not None:
        write_file(options.headroom, rows_as_csv(headroom_rows(report)))
    if options.suspects is not None:
        rows = shown_labels(report)
        write_file(options.suspects, rows_as_csv(rows))
        words = "None is listed: the classifiers contradict these most."
        if report.suspects.size:
            words = listed_labels(report)
        place = one_line(options.suspects)
        say(f"smartsvm: wrote {counted(len(rows), 'label')} to {place}. {words}")


def put(text, *, is_json=False):
    """Print a result; escape letters that standard output cannot encode."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        escaped = text.encode(encoding, "backslashreplace").decode(encoding)
        text = json.dumps(json.loads(text), indent=2) if is_json else escaped
    print(text)


def read_file(file, options, *, groups, drop, **others):
    """The prepared table of a file."""
    return _read_file(file, options, groups=groups, drop=drop, **others)[0]


def _read_file(file, options, *, groups, drop, **others):
    """The prepared table of a file, and the columns that `choose` names."""
    return read_with_columns(
        file,
        options.target,
        groups=groups,
        time=options.time,
        drop=drop,
        keep=options.keep,
        counts=options.counts,
        categorical=options.categorical,
        missing=options.missing,
        encoding=options.encoding,
        decimal=options.decimal,
        unpack_limit=options.unpack_limit,
        **others,
    )


def say_notes(file, table):
    """Write how a file was read to standard error."""
    if table.notes:
        lines = [f"{file}, as it was read:", *table.notes]
        say("smartsvm: " + "\n  ".join(map(one_line, lines)))


def settings_of(options):
    """The settings that reports and comparisons share, as keywords."""
    return {
        "scale": options.scale,
        "classifiers": options.classifier or CLASSIFIERS,
        "confidence": options.confidence,
        "n_jobs": options.jobs,
        "random_state": options.seed,
        "device": options.device,
        "verbose": 0 if options.quiet else 1 + options.verbose,
    }


def make_report(file, options, choose=None):
    """The report on a file; notes on reading it go to standard error."""
    columns = {"groups": options.groups, "drop": options.drop, "choose": choose}
    table, beside = _read_file(file, options, **columns)
    say_notes(file, table)
    models, sources = {}, {}
    if choose is not None:
        models, sources = models_of(options, beside, table.y)
    try:
        return difficulty_report(
            table,
            n_trees=options.trees,
            target_accuracy=options.target_accuracy,
            target_metric=options.target_metric,
            overlap=options.overlap,
            priors=options.priors,
            subsample=options.subsample,
            models=models or None,
            **settings_of(options),
        )
    except ValueError as error:
        words = str(error)
        for name, option in sources.items():
            words = words.replace(f"models[{name!r}]", option)
        raise ValueError(f"{file}: {words}") from error
    except MemoryError as error:
        n_samples, n_columns = table.X.shape
        raise MemoryError(
            f"{file}: not enough memory for a report on {n_samples:,} samples and {n_columns:,} "
            f"columns ({in_units(8 * table.X.size)}). Use fewer samples with --subsample. {error}"
        ) from error


def _check_format(place, option):
    """Raise before the work if matplotlib cannot write this kind of file."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError as error:
        raise ImportError(f"{option} needs matplotlib: pip install 'smartsvm2[plot]'.") from error
    legal = FigureCanvasBase.get_supported_filetypes()
    if Path(place).suffix.lower().removeprefix(".") not in legal:
        raise ValueError(f"{option} must end in .png, .pdf, .svg or the like, got {place!r}.")


def _number(text, legal, is_legal, read=float):
    """The number that an option stands for, or an error that says what is legal."""
    try:
        value = read(text)
    except ValueError:
        value = None
    if value is None or not is_legal(value):
        shown = text if len(text) < 30 else text[:27] + "..."
        raise argparse.ArgumentTypeError(f"must be {legal}, got {shown!r}")
    return value


def _accuracy(text):
    try:
        return check_accuracy(text, "it")
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("it ").rstrip(".")) from None


def _whole(text, legal, is_legal):
    def whole(text):
        # Python refuses to parse very long numbers.
        return int(text) if text.removeprefix("-").isdecimal() and len(text) < 19 else None

    return _number(text, legal, is_legal, whole)


def _part(text):
    if text in ("auto", "all"):
        return text if text == "auto" else None
    return _whole(text, "auto, all or a whole number of at least 1", lambda value: value >= 1)


def _gigabytes(text):
    number = "inf" if text == "none" else text
    value = _number(number, "a number above 0 or none", lambda value: value > 0)
    return None if value == float("inf") else 1e9 * value


def _trees(text):
    legal = f"auto or a whole number from 1 to {_MOST_TREES}"
    return text if text == "auto" else _whole(text, legal, lambda n: 1 <= n <= _MOST_TREES)


def _priors(text):
    parts = [part.rpartition("=") for part in text.split(",")]
    try:
        shares = {name: float(share) for name, _, share in parts}
    except ValueError:
        shares = {"": 0.0}
    if "" in shares or len(shares) < len(parts):
        raise argparse.ArgumentTypeError(f"must be like yes=0.02,no=0.98, got {text!r}")
    return shares


def _overlap(text):
    legal = f"{', '.join(OVERLAPS)} or a number from 0 to 1"
    return text if text in OVERLAPS else _number(text, legal, lambda value: 0 <= value <= 1)


_confidence = partial(
    _number, legal="a number between 0 and 1, both excluded", is_legal=lambda value: 0 < value < 1
)
_jobs = partial(
    _whole, legal="a whole number other than 0, -1 for all cores", is_legal=lambda value: value != 0
)
_seed = partial(
    _whole, legal=f"a whole number from 0 to {MOST_SEED}", is_legal=lambda n: 0 <= n <= MOST_SEED
)
