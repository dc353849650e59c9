"""The report as HTML: a fragment for notebooks and a document of its own."""

from __future__ import annotations

import io
import re
from html import escape

from smartsvm._core.display_names import shown
from smartsvm._core.wording import percent
from smartsvm.plotting.fonts import readers_fonts
from smartsvm.report.output.export import class_rows, pair_rows
from smartsvm.report.output.figure import alternative_text, draw
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import BAR, FIRST_ROWS, FIXED, NUMBER, Cell, csv_link, table
from smartsvm.report.output.text import (
    between,
    details,
    error_remarks,
    error_rows,
    headline,
    inseparable_sentence,
    more_rows_sentence,
    ranked_rows,
    recall_sentence,
    row_name,
    signal_sentence,
    size_of_problem,
    span,
    stated,
    suspects_sentence,
    target_line,
    trust_paragraphs,
)

_MOST_PAIRS = 1000  # that a page lists: the browser has to sort them
_VERDICT_SIGNS = {"reachable": "✓", "likely": "✓", "unlikely": "✗", "out of reach": "✗"}


def fragment(report):
    """What a notebook shows: no scripts, no links, its own styles only."""
    return f'<style>{STYLE}</style><div class="smartsvm">{_body(report, FIRST_ROWS)}</div>'


def document(report, title=None):
    """A whole page, with the figure if matplotlib is installed."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<title>How hard is this problem?</title>"
        f"<style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{_body(report, None)}{_picture(report)}</main>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _body(report, most):
    """The page with `most` rows in each table, or with all of them for the page's script."""
    parts = [
        "<h2>How hard is this problem?</h2>",
        f'<p class="small">{size_of_problem(report)}.</p>',
        f'<p class="lead">{escape(headline(report))}</p>',
    ]
    if report.verdict is not None:
        verdict = report.verdict
        parts.append(
            f'<div class="verdict"><b>{_VERDICT_SIGNS.get(verdict.answer, "?")} '
            f"{target_line(verdict)}.</b> {escape(verdict.reason)}</div>"
        )
    more_rows = more_rows_sentence(report)
    if more_rows is not None:
        parts.append(_paragraph(more_rows))
    parts += [_error_table(report), *map(_paragraph, error_remarks(report))]
    parts.append(_section("Is there any signal?", _paragraph(signal_sentence(report))))
    parts.append(_pair_table(report, most))
    advice = inseparable_sentence(report)
    if advice:
        parts.append(_paragraph(advice))
    recalls = _paragraph(recall_sentence(report)) + _class_table(report, most)
    parts.append(_section("Recall of each class", recalls))
    parts.append(_suspect_table(report, most))
    doubts = [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {escape(flag.message)}</div>'
        for flag in report.flags
    ] or ["<p>No warnings.</p>"]
    doubts += [f'<p class="small">{escape(each)}</p>' for each in trust_paragraphs(report)]
    parts.append(_section("Can this be trusted?", "".join(doubts)))
    parts.append(_section("Details", "".join(map(_paragraph, details(report)))))
    return "".join(parts)


def _paragraph(text):
    return f"<p>{escape(text)}</p>"


def _section(title, body):
    """A part of the page that folds."""
    return f"<details open><summary><h3>{escape(title)}</h3></summary>{body}</details>"


def _error_table(report):
    rows = [
        (
            Cell(what.capitalize(), kind=FIXED),
            Cell(stated(what, interval), interval.value, NUMBER),
            Cell(span(interval), kind=FIXED),
            Cell(remark),
        )
        for what, interval, remark in error_rows(report)
    ]
    return table(("Error", "", _interval_head(report), ""), rows)


def _estimate(value, low, high):
    """The cells of a percentage and its limits."""
    return Cell(percent(value), value, NUMBER), Cell(between(low, high), kind=FIXED)


def _interval_head(report):
    return f"{percent(report.confidence)} interval"


def _pair_table(report, most):
    rows = []
    for row in pair_rows(report, most or _MOST_PAIRS):
        pair, error = " and ".join(shown(label) for label in row["classes"]), row["confused"]
        limits = Cell(between(row["low"], row["high"]), kind=FIXED)
        rows.append((Cell(pair), Cell(percent(error), error, NUMBER), Cell("", error, BAR), limits))
    head = ("Pair", "confused", "", "Bayes error of the two")
    return _section("Hardest pairs of classes", table(head, rows, interactive=most is None))


def _class_table(report, most):
    rows = [
        (
            Cell(str(row["class"])),
            *_estimate(row["recall"], row["recall_low"], row["recall_high"]),
            Cell(f"{row['n_samples']:,}", row["n_samples"], NUMBER),
            Cell("" if row["mistaken_for"] is None else str(row["mistaken_for"])),
        )
        for row in class_rows(report, most)
    ]
    head = ("Class", "recall", _interval_head(report), "samples", "mostly taken for")
    return table(head, rows, interactive=most is None)


def _suspect_table(report, most):
    title, body = "Possible label errors", _paragraph(suspects_sentence(report))
    suspects, rows = ranked_rows(report, most), []
    if not suspects:
        return _section(title, body)
    for row in suspects:
        names = row_name(row), row["label"], row["suggested"]
        chances = (Cell(percent(row[name]), row[name], NUMBER) for name in ("posterior", "chance"))
        rows.append((*(Cell(str(name)) for name in names), *chances))
    head = ("Sample", "Label", "Looks like", "Probability of the label", "Chance that it is wrong")
    if most is None:
        link = csv_link(suspects, "label-errors.csv", f"All {len(suspects):,} as a CSV file")
        body += f"<p>{link}</p>"
    return _section(title, body + table(head, rows, interactive=most is None))


def _picture(report):
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Not a pyplot figure, which would appear among the user's open ones. Text stays text, so that
    # it can be searched, read aloud and enlarged.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "smartsvm", "font.family": "sans-serif"}
    with rc_context(settings), readers_fonts():
        figure = draw(report, Figure(figsize=(11, 8), layout="constrained"))
        data = io.StringIO()
        figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None})
    # Within a page the drawing needs neither a header nor XML namespaces.
    drawing = data.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(
        r"<metadata>.*?</metadata>| xmlns(:xlink)?=\"[^\"]*\"", "", drawing, flags=re.S
    )
    words = escape(alternative_text(report), quote=True)
    drawing = drawing.replace("<svg", f'<svg role="img" aria-label="{words}"', 1)
    return f"<figure>{drawing}</figure>"
