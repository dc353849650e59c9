"""A comparison of representations as a web page."""

import io
from html import escape

from smartsvm._core.display_names import shown
from smartsvm.plotting.fonts import readers_fonts
from smartsvm.presentation.wording import counted, percent
from smartsvm.report.output.html import bare_drawing
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import FIXED, NUMBER, Cell, csv_link, table

_FIGURE_SIZE = (6.6, 3.6)  # inches


def page_of(comparison, title=None):
    """A whole page: the answer, a figure, the representations, all pairs."""
    heading = escape(shown(title)) if title else "Which representation is best?"
    parts = [
        f"<h2>{heading}</h2>",
        f'<p class="small">{counted(comparison.n_samples, "row")} · '
        f"{len(comparison.names)} representations · the same rows and folds · "
        f"{percent(comparison.confidence)} simultaneous intervals</p>",
        f'<p class="lead">{escape(comparison.sentence())}</p>',
        _figure(comparison),
        _section("Representations", _entries(comparison)),
        _section("Differences of all pairs", _pairs(comparison)),
    ]
    if comparison.groups_of_columns is not None:
        parts.append(_section("What each group of columns adds", _groups(comparison)))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{heading}</title><style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{"".join(parts)}</main>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _section(title, body):
    return f"<details open><summary><h3>{escape(title)}</h3></summary>{body}</details>"


def _entries(comparison):
    rows = [
        (
            Cell(row["name"] + (" (best)" if row["best"] else "")),
            Cell(percent(row["error"]), row["error"], NUMBER),
            Cell(f"{row['log_loss']:.3f}", row["log_loss"], NUMBER),
            Cell(f"{row['columns']:,}", row["columns"], NUMBER),
        )
        for row in comparison.rows()
    ]
    return table(("Representation", "held-out error", "log loss", "columns"), rows)


def _interval_cells(row, metric, unit, digits):
    value, low, high = (unit * row[f"{metric}{end}"] for end in ("", "_low", "_high"))
    return (
        Cell(f"{value:+.{digits}f}", value, NUMBER),
        Cell(f"{low:+.{digits}f} to {high:+.{digits}f}", kind=FIXED),
    )


def _difference_table(names, differences):
    head = (*names, "error, points", "interval", "log loss", "interval")
    rows = [
        (
            *(Cell(row[name.lower()]) for name in names),
            *_interval_cells(row, "error", 100, 1),
            *_interval_cells(row, "log_loss", 1, 3),
        )
        for row in differences
    ]
    return table(head, rows, interactive=True)


def _pairs(comparison):
    differences = comparison.rows("pairs")
    link = csv_link(differences, "differences.csv", "All differences as a CSV file")
    words = "How much larger the loss of the first is than that of the second."
    return f"<p>{words} {link}</p>" + _difference_table(("First", "Second"), differences)


def _groups(comparison):
    words = "How much larger the loss is without the group."
    return f"<p>{words}</p>" + _difference_table(("Group",), comparison.rows("groups"))


def _figure(comparison):
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Text stays text, as on the page of a report.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "smartsvm"}), readers_fonts():
        figure = Figure(figsize=_FIGURE_SIZE, layout="constrained")
        comparison.plot(figure.subplots())
        data = io.StringIO()
        facts = {"Date": None, "Creator": None}
        figure.savefig(data, format="svg", metadata=facts, transparent=True)
    words = escape(f"Differences of the held-out errors. {comparison.sentence()}", quote=True)
    return f'<figure role="img" aria-label="{words}">{bare_drawing(data.getvalue())}</figure>'
