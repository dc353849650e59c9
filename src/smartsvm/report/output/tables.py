"""The tables of a report, as all outputs show them."""

import math

from smartsvm.presentation.display_names import shorten
from smartsvm.presentation.options import spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.output.blocks import FIXED, NUMBER, Cell, Table, TableFile
from smartsvm.report.output.headroom import AS_GIVEN, DOUBTFUL, ROW, headroom_rows
from smartsvm.report.output.label_sentences import row_name, shown_labels
from smartsvm.report.output.rows import MOST_RANKED, class_rows, pair_rows
from smartsvm.report.output.sentences import (
    HELD_OUT,
    between,
    error_rows,
    is_clear_loss,
    short_classes,
    span,
    stated,
)

_LONGEST_NAME = 40  # characters of a column in a table
_FIRST_COLUMNS = 8  # of the ranking in a text
_FEWEST_COLUMNS = 3  # and at least, where fewer matter
_LONGEST_VALUE = 12  # characters of a value
_BARS = "▁▂▃▄▅▆▇█"
_RARE = 0.1  # a class with at most this fraction of the samples
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


def doubtful_table(report):
    """Columns that may not be known when one predicts, with the error with each."""
    found = report.data.doubtful_columns
    is_rare = min(report.classes.counts) <= _RARE * report.data.n_samples
    show_recalls = found[0].recall_with is not None and is_rare
    head = ("Column", "why", "error with it")
    if show_recalls:
        rare = str(report.classes.names[report.classes.counts.argmin()])
        head += (f"{shorten(rare, 20)} found with it", "without")

    def rows(_):
        return [
            (
                Cell(shorten(each.name, _LONGEST_NAME), kind=FIXED),
                Cell(each.why if each.is_used else f"left out: {each.why}", kind=FIXED),
                *(
                    Cell(percent(share), share, NUMBER)
                    for share in (
                        (each.error_with,)
                        + ((each.recall_with, each.recall_without) if show_recalls else ())
                    )
                ),
            )
            for each in found
        ]

    return Table(head, rows)


def recall_table(report, found):
    """What it takes to find some of a class."""

    def rows(_):
        return [
            (
                Cell(f"{each.recall:.0%} ({each.n_found:,})", each.recall, FIXED),
                Cell(f"{each.n_false:,}", each.n_false, NUMBER),
                Cell(percent(each.precision), each.precision, NUMBER),
            )
            for each in found.at_recalls
        ]

    return Table(("Found", "false alarms", "precision"), rows)


def column_table(report):
    """Columns by what is lost without them."""
    ranking = report.data.ranking
    # Those whose loss may be chance stand below, in the same order.
    ordered = sorted(ranking.columns, key=lambda each: not is_clear_loss(report, each))
    n_clear = sum(is_clear_loss(report, each) for each in ordered)
    first = min(max(n_clear, _FEWEST_COLUMNS), _FIRST_COLUMNS)
    gaps = any(each.n_gaps for each in ordered)

    def rows(most):
        return [
            (
                Cell(each.name),
                Cell(each.kind, kind=FIXED),
                *((Cell(f"{each.n_gaps:,}" if each.n_gaps else "", each.n_gaps, NUMBER),) * gaps),
                Cell(_small_distribution(each), kind=FIXED),
                Cell(percent(each.loss) if is_clear_loss(report, each) else "–", each.loss, NUMBER),
            )
            for each in ordered[:most]
        ]

    return Table(
        ("Column", "type", *(("gaps",) * gaps), "distribution", "lost without it"),
        rows,
        first=first,
        more=f"These {first} of {ranking.n_columns:,} columns lose most.",
    )


def _small_distribution(column):
    if column.low is None:
        return ", ".join(
            f"{shorten(word, _LONGEST_VALUE)} {share:.0%}"
            for word, share in column.distribution[:2]
        )
    most = max(column.distribution)
    return "".join(_BARS[min(int(share / most * 7.99), 7)] for share in column.distribution)


def suspect_table(report, found):
    """A suspect with what its columns say against the label, and similar rows."""
    short = short_classes(report)
    names, labels = report.data.row_names, report.labels
    given, suggested = labels.given[found.position], labels.suggested[found.position]

    def row(name, values):
        return (Cell(name), *(Cell(_value(each), kind=FIXED) for each in values))

    def rows(_):
        lines = [
            row(f"{_row_called(names[found.position])}", [each.value for each in found.against]),
            row(f"usual {short(given)}", [each.usual_given for each in found.against]),
            row(f"usual {short(suggested)}", [each.usual_suggested for each in found.against]),
        ]
        for position, values in found.similar:
            lines.append(row(f"{_row_called(names[position])}: {short(suggested)}", values))
        return lines

    columns = [shorten(each.column, _LONGEST_VALUE + 8) for each in found.against]
    return Table(("", *columns), rows)


def _row_called(name):
    return row_name({"name": name.item() if hasattr(name, "item") else name})


def _value(value):
    return shorten(value, _LONGEST_VALUE) if isinstance(value, str) else f"{value:.4g}"


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
