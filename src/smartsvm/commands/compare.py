"""``smartsvm compare``: versions of a data set, by the same rows where they match.

Where the rows of all files match, by position or by ``--id``, the comparison is paired. Otherwise
the reports on two files are put side by side, as those on independent samples.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from smartsvm.commands.gate import add_comparison_gate
from smartsvm.commands.report import (
    HOW_TO_NAME_A_FILE,
    add_outputs,
    add_reading,
    add_settings,
    check_places,
    make_report,
    put,
    read_file,
    say_notes,
    settings_of,
)
from smartsvm.comparison.entries import check_same_ids
from smartsvm.comparison.representations import compare_representations
from smartsvm.estimation.results import Interval
from smartsvm.presentation.display_names import (
    display_width,
    json_escaped,
    padded,
    shorten_distinct,
    wrap,
)
from smartsvm.presentation.output_files import write_file
from smartsvm.presentation.wording import listed, percent, points
from smartsvm.report.verdict import METRICS
from smartsvm.tables.hints import TableError
from smartsvm.tables.label_columns import IDS
from smartsvm.tables.prepared import PreparedTable

_MOST_PAIRS = 5  # pairs of classes that changed most
_WIDTH = 88  # letters of a line
_INDEPENDENT = (
    "The rows of the two files do not match by position: these intervals take the versions for "
    "independent samples. Where both hold the same samples, name their column of ids with --id: "
    "the differences are then more certain."
)
_LONGEST_NAME = 24
_POINT_ZERO = re.compile(r"\.0+$")
_ERRORS = ("best possible error", "held-out error")  # of `differences`


def add_compare(commands):
    """Add the command to a set of argparse subcommands."""
    parser = commands.add_parser(
        "compare",
        help="compare versions of a data set, such as embeddings: which one is best",
    )
    parser.add_argument("first", help=f"the version before: {HOW_TO_NAME_A_FILE}")
    parser.add_argument("second", help="the version after")
    parser.add_argument("more", nargs="*", help="further versions, with the same rows")
    parser.add_argument(
        "--id",
        metavar="NAME",
        help="the column of ids, by which the rows of all files are matched (by position, if all "
        "files have the same labels in the same order)",
    )
    add_reading(parser)
    add_settings(parser)
    add_comparison_gate(parser)
    add_outputs(parser, "a paired comparison")


def run_compare(options):
    """Print a comparison of files, paired where their rows match; return why a condition fails."""
    files = [options.first, options.second, *options.more]
    if files.count("-") > 1:
        raise ValueError(
            "first and second must not both be -, since standard input can be read only once: "
            "name a file for one of them."
        )
    if "-" in files and options.id is not None:
        raise ValueError(
            "--id needs files: - is standard input, which can be read only once, and ids are read "
            "first."
        )
    check_places(options, ["html"], {f"the file {file}": file for file in files})
    if "-" in files and options.id is None and not options.more:
        tables = None  # standard input is read once, by the report
    else:
        tables = {
            name: _read(file, options) for name, file in zip(_names(files), files, strict=True)
        }
    matched = None if tables is None else _matched(tables, options)
    if matched is not None:
        for file, each in zip(files, tables.values(), strict=True):
            say_notes(file, each.table)
        _put_paired(matched, options)
        return _failure(_paired_differences(matched), options)
    if options.more:
        sizes = ", ".join(f"{name} ({len(each.table.y):,})" for name, each in tables.items())
        raise ValueError(
            "first, second and more must have the same rows with the same labels in the same "
            f"order, got {sizes}: name their column of ids with --id, or compare two files "
            "at a time."
        )
    for option, value in (("--html", options.html), ("--output", options.output)):
        if value:
            raise ValueError(
                f"{option} needs files whose rows match: name their column of ids with --id."
            )
    reports = [make_report(file, options) for file in files]
    if options.json:
        as_dicts = [report.to_dict(samples=False) for report in reports]
        named = dict(zip(("first", "second"), as_dicts, strict=True))
        changes = differences(*reports).items()
        named["difference"] = {what: change._asdict() for what, change in changes}
        text = json_escaped(json.dumps(named, indent=2, ensure_ascii=False, default=str))
        put(text, is_json=True)
    else:
        put(comparison(*reports, names=[Path(file).name for file in files]))
    return _failure(_words_of_differences(*reports), options)


def _failure(differing, options):
    """Why versions fail the condition, in one line; None if they meet it."""
    return "; ".join(differing) if options.fail_if and differing else None


def _paired_differences(paired):
    """Which versions with the same rows differ by more than chance, in words."""
    different = np.abs(paired.differences) > paired.half_widths
    return [
        f"the {'error' if metric == 0 else 'log loss'} of {paired.names[first]} and "
        f"{paired.names[second]} differs"
        for metric, first, second in zip(*np.nonzero(np.triu(different, 1)), strict=True)
    ]


def _words_of_differences(first, second):
    """Which errors of two reports differ by more than chance, in words."""
    return [
        f"the {name} of the two versions differs"
        for name, (_, low, high) in zip(_ERRORS, differences(first, second).values(), strict=True)
        if not low <= 0 <= high
    ]


def _names(files):
    """Names of the files that differ: without their folders, if that suffices."""
    short = [Path(file).name for file in files]
    return short if len(set(short)) == len(files) else [f"{k}: {f}" for k, f in enumerate(files, 1)]


class _Read(NamedTuple):
    """A file as `compare` needs it."""

    table: PreparedTable
    ids: list | None


def _read(file, options):
    """The prepared table and the ids of a file."""
    ids = None
    if options.id is not None:
        # Ids are read as groups are: a column that is no feature.
        as_ids = {"groups": options.id, "purpose_of_groups": IDS}
        ids = _plain_ids(read_file(file, options, drop=options.drop, **as_ids).groups)
        first, count = Counter(ids).most_common(1)[0]
        if count > 1:
            raise TableError(
                f"{file}: column {options.id!r} must differ in every row to match rows by, got "
                f"{first!r} in {count} rows."
            )
    table = read_file(file, options, groups=options.groups, drop=_dropped(options))
    return _Read(table, ids)


def _plain_ids(ids):
    """Ids as text, whole numbers without a point: files of several formats write 7, 7.0 or "7"."""
    words = [str(value).strip() for value in ids.tolist()]
    whole = [_POINT_ZERO.sub("", word) for word in words]
    return whole if len(set(whole)) == len(set(words)) else words


def _dropped(options):
    return [*options.drop, *([options.id] if options.id not in (None, *options.drop) else [])]


def _matched(tables, options):
    """The paired comparison, or None where rows do not match by position."""
    first, *others = (file.table for file in tables.values())
    labels = first.y
    if options.id is not None:
        labels = {name: file.table.y for name, file in tables.items()}
    elif any(not np.array_equal(table.y, first.y) for table in others):
        return None
    _check_paired(options)
    ids = None
    if options.id is not None:
        ids = {name: file.ids for name, file in tables.items()}
        check_same_ids(ids, f"--id {options.id}")
    return compare_representations(
        {name: file.table for name, file in tables.items()},
        labels,
        ids=ids,
        groups=first.groups,
        **settings_of(options),
    )


def _check_paired(options):
    """Raise if an option is given that a paired comparison does not have."""
    is_used = {
        "--target-accuracy": options.target_accuracy is not None,
        "--target-metric": options.target_metric != METRICS[0],
        "--trees": options.trees != "auto",
        "--subsample": options.subsample not in ("auto", None),
        "--time": options.time is not None,
    }
    unused = [name for name, used in is_used.items() if used]
    if unused:
        raise ValueError(
            f"{listed(unused)} must be left out, because the rows of the files match: a paired "
            "comparison takes all rows and has no trees, no target and no time."
        )


def _put_paired(paired, options):
    if options.json:
        put(paired.to_json(), is_json=True)
    else:
        put(str(paired))
    if options.html is not None:
        write_file(options.html, paired.to_html())
    for path in options.output:
        paired.save(path)


def comparison(first, second, names=("first", "second")):
    """Two reports side by side, as text."""
    names = shorten_distinct(names, _LONGEST_NAME, dots="...")
    rows = [("", *names)]
    rows += [(what, *map(read, (first, second))) for what, read in _LINES.items()]
    if first.verdict is not None:
        target = f"target {percent(first.verdict.target_accuracy)}"
        rows.append((target, first.verdict.answer, second.verdict.answer))
    widths = [max(display_width(row[place]) for row in rows) for place in range(3)]
    lines = ["TWO VERSIONS OF A DATA SET", ""]
    lines += [
        "  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", _judgement(first, second), *_pairs(first, second)])


def _interval(interval):
    return f"{percent(interval.value)} ({percent(interval.low)} to {percent(interval.high)})"


_LINES = {
    "samples": lambda report: f"{report.data.n_samples:,}",
    "columns": lambda report: f"{report.data.n_features}",
    "classes": lambda report: f"{len(report.classes.names)}",
    "best possible error": lambda report: _interval(report.bayes_error),
    "held-out error": lambda report: _interval(report.errors.held_out.best),
    "baseline": lambda report: percent(report.errors.baseline.value),
    "trees, lower bound": lambda report: _interval(report.trees.lower),
    "trees, upper bound": lambda report: _interval(report.trees.upper),
    "samples to look at": lambda report: (
        f"{len(report.suspects):,} ({percent(len(report.suspects) / report.data.n_samples)})"
    ),
    "reasons for doubt": lambda report: f"{len(report.flags)}",
}


def difference(before, after):
    """How much larger the second of two independent errors is (Zou and Donner 2008)."""
    value = after.value - before.value
    below = np.hypot(after.value - after.low, before.high - before.value)
    above = np.hypot(after.high - after.value, before.value - before.low)
    return Interval(value, float(value - below), float(value + above))


def differences(first, second):
    """The differences of the errors of two reports."""
    return {
        "bayes_error": difference(first.bayes_error, second.bayes_error),
        "held_out_error": difference(first.errors.held_out.best, second.errors.held_out.best),
    }


def _judgement(first, second):
    """Sentences on the differences of the errors."""
    lines = []
    for what, (value, low, high) in zip(_ERRORS, differences(first, second).values(), strict=True):
        sure = not low <= 0 <= high
        smaller, larger = sorted((low, high), key=abs)
        limits = (
            f"{_points(smaller)} to {_points(larger)} {_direction(larger)}"
            if sure
            else f"{_points(low)} lower to {_points(high)} higher"
        )
        lines += wrap(
            f"The {what} of the second is {_points(value)} points {_direction(value)} "
            f"({percent(first.settings.confidence)} interval: {limits}): "
            + ("more than chance explains." if sure else "this may be chance."),
            _WIDTH,
        )
    return "\n".join([*lines, *wrap(_INDEPENDENT, _WIDTH)])


def _points(change):
    return points(abs(change))


def _direction(change):
    return "lower" if change < 0 else "higher"


def _pairs(first, second):
    """Lines on the common pairs of classes whose error changed most."""
    labels = [report.classes.names.tolist() for report in (first, second)]
    common = [label for label in labels[0] if label in labels[1]]
    if len(common) < 2:
        return ["", "The two versions have fewer than two classes in common."]
    errors = []
    for report, own in zip((first, second), labels, strict=True):
        places = [own.index(label) for label in common]
        errors.append(report.pairs.bounds.value[np.ix_(places, places)])
    change = np.triu(errors[1] - errors[0], 1)
    order = np.argsort(-np.abs(change), axis=None, kind="stable")[:_MOST_PAIRS]
    lines = ["", "Pairs that changed most (0 = separable, 1 = chance)"]
    names = shorten_distinct(common, _LONGEST_NAME, dots="...")
    for k, m in zip(*np.unravel_index(order, change.shape), strict=True):
        if change[k, m]:
            pair = f"{names[k]} and {names[m]}"
            lines.append(f"  {pair}: {errors[0][k, m]:.3f} to {errors[1][k, m]:.3f}")
    return lines if len(lines) > 2 else [*lines, "  none"]
