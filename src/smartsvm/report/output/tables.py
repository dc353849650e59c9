"""The tables of a report, as all outputs show them."""

import math

from smartsvm.presentation.options import spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.output.blocks import FIXED, NUMBER, Cell, Table, TableFile
from smartsvm.report.output.headroom import AS_GIVEN, DOUBTFUL, ROW, headroom_rows
from smartsvm.report.output.rows import MOST_RANKED, class_rows, pair_rows
from smartsvm.report.output.sentences import (
    HELD_OUT,
    between,
    error_rows,
    row_name,
    shown_labels,
    span,
    stated,
)

_FIRST = 5  # rows of a table in a text
_MOST_PAIRS = 1000  # that a page lists: the browser has to sort them


def _estimate(value, low, high):
    """The cells of a percentage and its limits."""
    return Cell(percent(value), value, NUMBER), Cell(between(low, high), kind=FIXED)


def _interval_head(report):
    return f"{percent(report.settings.confidence)} interval"


def error_table(report):
    """Errors of the best possible classifier, of those that were tried, and of the baseline."""

    def rows(_):
        return [
            (
                Cell(remark if what in (HELD_OUT, AS_GIVEN) else what),
                Cell(stated(report, what, interval), interval.value, NUMBER),
                Cell(span(interval), kind=FIXED),
            )
            for what, interval, remark in error_rows(report)
        ]

    return Table(("Classifier", "error", _interval_head(report)), rows)


def pair_table(report):
    """Pairs of classes that are taken for each other, the hardest first."""

    def rows(most):
        return [
            (Cell(tuple(row["classes"])), *_estimate(row["confused"], row["low"], row["high"]))
            for row in pair_rows(report, most)
        ]

    return Table(
        ("Pair", "taken for each other", _interval_head(report)),
        rows,
        first=_FIRST,
        most=_MOST_PAIRS,
        total=math.comb(len(report.classes.names), 2),
    )


def class_table(report):
    """Recalls of the classes, the lowest first."""

    def rows(most):
        return [
            (
                Cell(str(row["class"])),
                *_estimate(row["recall"], row["low"], row["high"]),
                Cell(f"{row['n_samples']:,}", row["n_samples"], NUMBER),
                Cell("" if row["mistaken_for"] is None else str(row["mistaken_for"])),
            )
            for row in class_rows(report, most)
        ]

    n_classes = len(report.classes.names)
    return Table(
        ("Class", "recall", _interval_head(report), "samples", "most often taken for"),
        rows,
        first=_FIRST,
        more=f"These {_FIRST} of {n_classes} classes have the lowest recall.",
    )


def label_table(report):
    """Labels that may be wrong, or those that classifiers contradict most."""
    columns = {"posterior": "Probability of the label", "error_chance": "Chance that it is wrong"}
    if not len(report.suspects):
        del columns["error_chance"]  # wrong labels cannot be told from hard samples: that is no 0%

    def rows(most):
        by_name = {}
        for row in shown_labels(report):  # a row of a table of counts stands for many samples
            by_name.setdefault(row_name(row), row)
        return [
            (
                *(Cell(str(each)) for each in (name, row["label"], row["suggested"])),
                *(Cell(percent(row[column]), row[column], NUMBER) for column in columns),
            )
            for name, row in list(by_name.items())[:most]
        ]

    def file():
        every = shown_labels(report)
        return TableFile("label-errors.csv", f"All {len(every):,} as a CSV file", every)

    what = spelled("report.save('samples.csv')", "The option --suspects FILE")
    return Table(
        ("Sample", "Label", "Looks like", *columns.values()),
        rows,
        first=_FIRST,
        more=f"{what} writes more.",
        file=file if rows(1) else None,
    )


def headroom_table(report):
    """The rows on which models could do better; the file has classes and pairs, too."""

    def rows(most):
        parts = [row for row in headroom_rows(report) if row["part"] in (ROW, DOUBTFUL)]
        return [
            (
                *(
                    Cell(str(each))
                    for each in (row_name(row), row["model"], row["label"], row["predicted"])
                ),
                Cell(percent(row["posterior"]), row["posterior"], NUMBER),
                Cell("yes" if row["part"] == DOUBTFUL else ""),
            )
            for row in parts[: MOST_RANKED if most is None else most]
        ]

    what = spelled("report.to_frame('headroom')", "The option --headroom FILE")
    return Table(
        ("Sample", "Model", "Label", "Predicted", "Probability of the label", "Label doubtful"),
        rows,
        first=0,  # its rows are wide, and the sentences above name the first ones
        more=f"{what} lists where it is.",
        file=lambda: TableFile("headroom.csv", "Where it is, as a CSV file", headroom_rows(report)),
    )
