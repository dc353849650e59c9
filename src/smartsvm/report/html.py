"""The report as HTML: a fragment for notebooks and a document of its own."""

from __future__ import annotations

import base64
import io
from html import escape

from smartsvm._display_names import shown
from smartsvm.report.data import class_rows, pair_rows, suspect_rows
from smartsvm.report.figure import draw
from smartsvm.report.text import (
    WHAT_INTERVALS_COVER,
    contradiction,
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
from smartsvm.report.wording import percent

_MOST_ROWS = 10
_VERDICT_SIGNS = {"reachable": "✓", "out of reach": "✗", "cannot tell": "?"}

_STYLE = """
.smartsvm{font:15px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff;max-width:60em;
 padding:1.2em 1.5em;border:1px solid #ccc;border-radius:6px}
.smartsvm h2{font-size:1.35em;margin:0 0 .1em}
.smartsvm h3{font-size:1.05em;margin:1.3em 0 .3em;border-bottom:1px solid #ddd}
.smartsvm p{margin:.3em 0;max-width:46em}
.smartsvm .lead{font-size:1.15em;margin:.7em 0}
.smartsvm .small{color:#555;font-size:.9em}
.smartsvm table{border-collapse:collapse;margin:.3em 0}
.smartsvm td,.smartsvm th{padding:.15em .9em .15em 0;text-align:left;border:0;background:none;
 vertical-align:baseline;color:#1a1a1a}
.smartsvm th{font-weight:600;color:#555;font-size:.9em}
.smartsvm .number{text-align:right;font-variant-numeric:tabular-nums}
.smartsvm .verdict{border:2px solid #1a1a1a;border-radius:6px;padding:.5em .9em;margin:.9em 0}
.smartsvm .bar{display:inline-block;height:.7em;background:#666}
.smartsvm .flag{border-left:4px solid #1a1a1a;padding:.1em .8em;margin:.5em 0;background:#f3f3f3}
.smartsvm .columns{display:flex;flex-wrap:wrap;gap:0 3.5em}
.smartsvm img{max-width:100%;height:auto;margin-top:1em}
"""


def fragment(report):
    """What a notebook shows: no scripts, no links, styles only for itself."""
    return f'<style>{_STYLE}</style><div class="smartsvm">{_body(report)}</div>'


def document(report):
    """A whole page, with the figure if matplotlib is there."""
    picture = _picture(report)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        "<title>How hard is this problem?</title>"
        f"<style>{_STYLE}body{{margin:1em auto;max-width:64em;background:#fff}}</style></head>"
        f'<body><div class="smartsvm">{_body(report)}{picture}</div></body></html>\n'
    )


def _body(report):
    parts = [
        "<h2>How hard is this problem?</h2>",
        f'<p class="small">{report.n_samples:,} samples, {report.n_features} columns, '
        f"{len(report.classes)} classes; {tried(report)}.</p>",
        f'<p class="lead">{escape(headline(report))}</p>',
    ]
    if report.verdict is not None:
        verdict = report.verdict
        parts.append(
            f'<div class="verdict"><b>{_VERDICT_SIGNS[verdict.answer]} Target accuracy '
            f"{percent(verdict.target_accuracy)}: {verdict.answer}.</b> "
            f"{escape(verdict.reason)}</div>"
        )
    parts += [_error_table(report)]
    remark = contradiction(report)
    parts += [f"<p>{escape(remark)}</p>"] if remark else []
    parts += ["<h3>Do the columns say anything about the classes?</h3>"]
    parts += [f"<p>{escape(signal_sentence(report))}</p>"]
    parts += ['<div class="columns">', _pair_table(report)]
    if len(report.classes) > 2:
        parts.append(_class_table(report))
    parts.append("</div>")
    hint = inseparable_sentence(report)
    if hint:
        parts.append(f"<p>{escape(hint)}</p>")
    parts += [_recall_table(report), _suspect_table(report), "<h3>Can this be trusted?</h3>"]
    parts += [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {escape(flag.message)}</div>'
        for flag in report.flags
    ] or ["<p>Nothing speaks against it.</p>"]
    note = subsample_sentence(report)
    if note:
        parts.append(f"<p>{escape(note)}</p>")
    cover = WHAT_INTERVALS_COVER.format(confidence=percent(report.confidence))
    parts.append(f'<p class="small">{escape(cover)}</p>')
    return "".join(parts)


def _error_table(report):
    rows = [
        (
            what.capitalize(),
            percent(value),
            span(interval),
            remark,
        )
        for what, value, interval, remark in error_rows(report)
    ]
    head = ("Error", "", f"{percent(report.confidence)} interval", "")
    return _table(head, rows, numbers={1})


def _pair_table(report):
    rows = [
        (
            " and ".join(shown(label) for label in row["classes"]),
            f"{row['error']:.3f}",
            _Bar(row["error"]),
        )
        for row in pair_rows(report, _MOST_ROWS)
    ]
    return (
        "<div><h3>Hardest pairs of classes</h3>"
        + _table(("Pair", "0 = easy, 1 = guessing", ""), rows, numbers={1})
        + "</div>"
    )


def _class_table(report):
    rows = [
        (
            str(row["class"]),
            percent(row["error"]),
            f"{percent(row['low'])} to {percent(row['high'])}",
            f"{row['n_samples']:,}",
        )
        for row in class_rows(report, _MOST_ROWS)
    ]
    head = ("Class", "error", f"{percent(report.confidence)} interval", "samples")
    return (
        "<div><h3>Hardest classes, each against all others</h3>"
        + _table(head, rows, numbers={1, 3})
        + "</div>"
    )


def _recall_table(report):
    rows = [
        (
            shown(row["class"]),
            percent(row["recall"]),
            f"{percent(row['recall_low'])} to {percent(row['recall_high'])}",
            f"{row['n_samples']:,}",
        )
        for row in recall_rows(report, _MOST_ROWS)
    ]
    head = ("Class", "found", f"{percent(report.confidence)} interval", "samples")
    return (
        "<h3>How much of each class is found?</h3>"
        f"<p>{escape(recall_sentence(report))}</p>" + _table(head, rows, numbers={1, 3})
    )


def _suspect_table(report):
    title = "<h3>Samples to look at: the label may be wrong</h3>"
    intro = f"{title}<p>{escape(suspects_sentence(report))}</p>"
    if not len(report.suspects):
        return intro
    rows = [
        (row_name(row), row["label"], row["suggested"], percent(row["disagreement"]))
        for row in suspect_rows(report, _MOST_ROWS)
    ]
    return intro + _table(
        ("Sample", "Label", "Looks like", "Neighbours of other classes"), rows, numbers={3}
    )


class _Bar(float):
    """A share to be drawn."""


def _table(head, rows, numbers=()):
    def cell(tag, place, value):
        kind = ' class="number"' if place in numbers else ""
        if isinstance(value, _Bar):
            text = f'<span class="bar" style="width:{6 * min(max(value, 0), 1):.2f}em"></span>'
        else:
            text = escape(shown(value))
        return f"<{tag}{kind}>{text}</{tag}>"

    lines = [("th", head), *(("td", row) for row in rows)]
    body = "".join(
        "<tr>" + "".join(cell(tag, place, value) for place, value in enumerate(line)) + "</tr>"
        for tag, line in lines
    )
    return f"<table>{body}</table>"


def _picture(report):
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # A figure of its own: the page must not appear among the user's open figures.
    figure = draw(report, Figure(figsize=(11, 8), layout="constrained"))
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=110)
    encoded = base64.b64encode(data.getvalue()).decode()
    return f'<img alt="The report as a figure" src="data:image/png;base64,{encoded}">'
