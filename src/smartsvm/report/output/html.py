"""The report as HTML: a fragment for notebooks and a document of its own."""

from __future__ import annotations

import io
import re
from html import escape

from smartsvm._core.display_names import shown
from smartsvm._core.wording import counted, percent
from smartsvm.plotting.fonts import readers_fonts
from smartsvm.report.output.export import class_rows, pair_rows, suspect_rows
from smartsvm.report.output.figure import alternative_text, draw
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import (
    FIRST_ROWS,
    bar,
    csv_link,
    fixed,
    name,
    number,
    prose,
    table,
)
from smartsvm.report.output.text import (
    WHAT_INTERVALS_COVER,
    error_remarks,
    error_rows,
    headline,
    inseparable_sentence,
    recall_rows,
    recall_sentence,
    row_name,
    signal_sentence,
    span,
    subsample_sentence,
    suspects_sentence,
    tried,
)

_MOST_PAIRS = 1000  # that a page of its own lists; the browser has to sort them
_VERDICT_SIGNS = {"reachable": "✓", "out of reach": "✗", "cannot tell": "?"}


def fragment(report):
    """What a notebook shows: no scripts, no links, styles only for itself."""
    return f'<style>{STYLE}</style><div class="smartsvm">{_body(report, FIRST_ROWS)}</div>'


def document(report):
    """A whole page, with the figure if matplotlib is there."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<title>How hard is this problem?</title>"
        f"<style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{_body(report, None)}{_picture(report)}</main>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _body(report, most):
    """The page; `most` rows of each table, or all of them for the page's script."""
    parts = [
        "<h2>How hard is this problem?</h2>",
        f'<p class="small">{report.n_samples:,} samples, {counted(report.n_features, "column")}, '
        f"{len(report.classes)} classes; {tried(report)}.</p>",
        f'<p class="lead">{prose(headline(report))}</p>',
    ]
    if report.verdict is not None:
        verdict = report.verdict
        parts.append(
            f'<div class="verdict"><b>{_VERDICT_SIGNS[verdict.answer]} Target accuracy '
            f"{prose(percent(verdict.target_accuracy))}: {verdict.answer}.</b> "
            f"{prose(verdict.reason)}</div>"
        )
    parts += [_error_table(report)]
    parts += [f"<p>{prose(remark)}</p>" for remark in error_remarks(report)]
    signal = f"<p>{prose(signal_sentence(report))}</p>"
    parts.append(_section("Do the columns say anything about the classes?", signal))
    parts += ['<div class="columns">', _pair_table(report, most)]
    if len(report.classes) > 2:
        parts.append(_class_table(report, most))
    parts.append("</div>")
    hint = inseparable_sentence(report)
    if hint:
        parts.append(f"<p>{prose(hint)}</p>")
    parts += [_recall_table(report, most), _suspect_table(report, most)]
    doubts = [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {prose(flag.message)}</div>'
        for flag in report.flags
    ] or ["<p>No reason for doubt was found.</p>"]
    note = subsample_sentence(report)
    if note:
        doubts.append(f"<p>{prose(note)}</p>")
    cover = WHAT_INTERVALS_COVER.format(confidence=percent(report.confidence))
    doubts.append(f'<p class="small">{prose(cover)}</p>')
    parts.append(_section("Can this be trusted?", "".join(doubts)))
    return "".join(parts)


def _section(title, body):
    """A part of the page that folds."""
    return f"<details open><summary><h3>{escape(title)}</h3></summary>{body}</details>"


def _error_table(report):
    rows = [
        (
            fixed(what.capitalize()),
            number(percent(value), value),
            fixed(span(interval)),
            name(remark),
        )
        for what, value, interval, remark in error_rows(report)
    ]
    return table(("Error", "", f"{percent(report.confidence)} interval", ""), rows)


def _pair_table(report, most):
    rows = [
        (
            name(" and ".join(shown(label) for label in row["classes"])),
            number(f"{row['error']:.3f}", row["error"]),
            bar(row["error"]),
        )
        for row in pair_rows(report, most or _MOST_PAIRS)
    ]
    head = ("Pair", "0 = easy, 1 = guessing", "")
    return _section("Hardest pairs of classes", table(head, rows, interactive=most is None))


def _class_table(report, most):
    rows = [
        (
            name(row["class"]),
            number(percent(row["error"]), row["error"]),
            fixed(f"{percent(row['low'])} to {percent(row['high'])}"),
            number(f"{row['n_samples']:,}", row["n_samples"]),
        )
        for row in class_rows(report, most)
    ]
    head = ("Class", "error", f"{percent(report.confidence)} interval", "samples")
    title = "Hardest classes, each against all others"
    return _section(title, table(head, rows, interactive=most is None))


def _recall_table(report, most):
    rows = [
        (
            name(row["class"]),
            number(percent(row["recall"]), row["recall"]),
            fixed(f"{percent(row['recall_low'])} to {percent(row['recall_high'])}"),
            number(f"{row['n_samples']:,}", row["n_samples"]),
        )
        for row in recall_rows(report, most)
    ]
    head = ("Class", "found", f"{percent(report.confidence)} interval", "samples")
    body = f"<p>{prose(recall_sentence(report))}</p>" + table(head, rows, interactive=most is None)
    return _section("How much of each class is found?", body)


def _suspect_table(report, most):
    title = "Samples to look at: the label may be wrong"
    body = f"<p>{prose(suspects_sentence(report))}</p>"
    if not len(report.suspects):
        return _section(title, body)
    found = suspect_rows(report, most)
    rows = [
        (
            name(row_name(row)),
            name(row["label"]),
            name(row["suggested"]),
            number(percent(row["disagreement"]), row["disagreement"]),
        )
        for row in found
    ]
    head = ("Sample", "Label", "Looks like", "Neighbours of other classes")
    if most is None:
        link = csv_link(found, "samples-to-look-at.csv", f"All {len(found):,} as a CSV file")
        body += f"<p>{link}</p>"
    return _section(title, body + table(head, rows, interactive=most is None))


def _picture(report):
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # A figure of its own: the page must not appear among the user's open figures. Text stays
    # text, so that it can be searched, read aloud and enlarged.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "smartsvm", "font.family": "sans-serif"}
    with rc_context(settings), readers_fonts():
        figure = draw(report, Figure(figsize=(11, 8), layout="constrained"))
        data = io.StringIO()
        figure.savefig(data, format="svg", metadata={"Date": None, "Creator": None})
    # Within a page the drawing needs neither a header nor names of formats.
    drawing = data.getvalue()
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(
        r"<metadata>.*?</metadata>| xmlns(:xlink)?=\"[^\"]*\"", "", drawing, flags=re.S
    )
    words = escape(alternative_text(report), quote=True)
    drawing = drawing.replace("<svg", f'<svg role="img" aria-label="{words}"', 1)
    return f"<figure>{drawing}</figure>"
