"""The report as HTML: a fragment for notebooks and a document of its own."""

import io
import math
import re
from datetime import date
from html import escape

from smartsvm._core.display_names import shown
from smartsvm._core.version import __version__
from smartsvm.plotting.fonts import readers_fonts
from smartsvm.presentation.wording import percent
from smartsvm.report.output import sections, sentences
from smartsvm.report.output.figure import PANELS, alternative_text, panels_of_page
from smartsvm.report.output.headroom import AS_GIVEN, DOUBTFUL, ROW
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import FIRST_ROWS, FIXED, NUMBER, Cell, csv_link, table
from smartsvm.report.output.rows import MOST_RANKED

_PANEL_SIZE = (5.6, 4.0)  # inches; a phone is about as wide
_LONGEST_NAME = 60  # characters of a name in a table
_MOST_PAIRS = 1000  # that a page lists: the browser has to sort them
# The sign and the colour of each answer.
_VERDICTS = {
    "reachable": ("✓", "good"),
    "likely": ("✓", "good"),
    "unlikely": ("✗", "bad"),
    "out of reach": ("✗", "bad"),
}


def fragment(report):
    """What a notebook shows: no scripts, no links, no figure, its own styles only."""
    return f'<style>{STYLE}</style><div class="smartsvm">{_body(report, FIRST_ROWS)}</div>'


def document(report, title=None):
    """A whole page, with the figure if matplotlib is installed."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(f'{shown(title)}: h' if title else 'H')}ow hard is this problem?</title>"
        f"<style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{_body(report, None, title)}</main>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _body(report, most, title=None):
    """The page with `most` rows in each table, or with all of them for the page's script."""
    parts = [_heading(report, title)]
    for section, blocks in sections.sections_of(report):
        body = "".join(_BLOCKS[type(block)](report, block, most) for block in blocks)
        parts.append(_section(section.title, body, section.folded) if section.title else body)
    return "".join(parts)


def _heading(report, title):
    """The title and facts."""
    name = f"{escape(shown(title))}: how" if title else "How"
    # The date and the version are for pages that are kept; a text is read at once.
    facts = (
        sentences.size_of_problem(report),
        date.today().isoformat(),
        f"smartsvm {__version__}",
        f"{percent(report.settings.confidence)} intervals",
        f"seed {report.settings.random_state}",
    )
    return f'<h2>{name} hard is this problem?</h2><p class="small">{" · ".join(facts)}</p>'


def _lead(report, block, most):
    return f'<p class="lead">{escape(block.text)}</p>'


def _sentence(report, block, most):
    strong = f"<b>{escape(block.strong)}</b> " if block.strong else ""
    return f"<p>{strong}{escape(block.text)}</p>"


def _target(report, block, most):
    sign, kind = _VERDICTS.get(block.answer, ("?", "unsure"))
    return f'<div class="verdict {kind}"><b>{sign} {block.line}.</b> {escape(block.reason)}</div>'


def _items(report, block, most):
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in block.texts)}</ul>"


def _warnings(report, block, most):
    found = [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {escape(flag.message)} '
        f"{_link(flag)}</div>"
        for flag in block.flags
    ]
    return "".join(found) or "<p>No warnings.</p>"


def _link(flag):
    """A link to the guide, or where it is in a clone."""
    if flag.page.startswith("http"):
        return f'<a href="{escape(flag.page)}">{flag.code}</a>'
    return f'<span class="small">({flag.page})</span>'


def _table(report, block, most):
    short = sentences.short_classes(report, _LONGEST_NAME)
    return _TABLES[block.kind](report, block, most, short)


def _section(title, body, folded):
    """A part of the page that folds."""
    state = "" if folded else " open"
    return f"<details{state}><summary><h3>{escape(title)}</h3></summary>{body}</details>"


def _error_table(report, block, most, short):
    rows = [
        (
            Cell(remark if what in (sentences.HELD_OUT, AS_GIVEN) else what),
            Cell(sentences.stated(report, what, interval), interval.value, NUMBER),
            Cell(sentences.span(interval), kind=FIXED),
        )
        for what, interval, remark in block.rows(None)
    ]
    return table(("Classifier", "error", _interval_head(report)), rows)


def _estimate(value, low, high):
    """The cells of a percentage and its limits."""
    return Cell(percent(value), value, NUMBER), Cell(sentences.between(low, high), kind=FIXED)


def _interval_head(report):
    return f"{percent(report.settings.confidence)} interval"


def _pair_table(report, block, most, short):
    rows = [
        (
            Cell(" and ".join(map(short, row["classes"]))),
            *_estimate(row["confused"], row["low"], row["high"]),
        )
        for row in block.rows(most or _MOST_PAIRS)
    ]
    head = ("Pair", "taken for each other", _interval_head(report))
    total = math.comb(len(report.classes.names), 2)
    return table(head, rows, interactive=most is None, total=total)


def _class_table(report, block, most, short):
    rows = [
        (
            Cell(short(row["class"])),
            *_estimate(row["recall"], row["low"], row["high"]),
            Cell(f"{row['n_samples']:,}", row["n_samples"], NUMBER),
            Cell("" if row["mistaken_for"] is None else short(row["mistaken_for"])),
        )
        for row in block.rows(most)
    ]
    head = ("Class", "recall", _interval_head(report), "samples", "most often taken for")
    return table(head, rows, interactive=most is None)


def _suspect_table(report, block, most, short):
    suspects, rows = block.rows(most), []
    if not suspects:
        return ""
    shown = {"posterior": "Probability of the label", "error_chance": "Chance that it is wrong"}
    if not report.labels.error_chance.any():
        del shown["error_chance"]  # wrong labels cannot be told from hard samples: that is no 0%
    for row in suspects:
        names = sentences.row_name(row), short(row["label"]), short(row["suggested"])
        chances = (Cell(percent(row[name]), row[name], NUMBER) for name in shown)
        rows.append((*(Cell(str(name)) for name in names), *chances))
    head = ("Sample", "Label", "Looks like", *shown.values())
    link = ""
    if most is None:
        words = f"All {len(suspects):,} as a CSV file"
        link = f"<p>{csv_link(suspects, 'label-errors.csv', words)}</p>"
    return link + table(head, rows, interactive=most is None)


def _headroom_table(report, block, most, short):
    """The rows on which models could do better; the file has classes and pairs, too."""
    every = block.rows(None)
    link = ""
    if most is None:
        link = f"<p>{csv_link(every, 'headroom.csv', 'Where it is, as a CSV file')}</p>"
    rows = [row for row in every if row["part"] in (ROW, DOUBTFUL)][: most or MOST_RANKED]
    if not rows:
        return link
    cells = [
        (
            Cell(sentences.row_name(row)),
            Cell(row["model"]),
            Cell(str(short(row["label"]))),
            Cell(str(short(row["predicted"]))),
            Cell(percent(row["posterior"]), row["posterior"], NUMBER),
            Cell("yes" if row["part"] == DOUBTFUL else ""),
        )
        for row in rows
    ]
    head = "Sample", "Model", "Label", "Predicted", "Probability of the label", "Label doubtful"
    return link + table(head, cells, interactive=most is None)


def _drawing(report, block, most):
    if most is not None:  # a notebook has `plot`
        return ""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Not pyplot figures, which would appear among the user's open ones. Text stays text, so that
    # it can be searched, read aloud and enlarged. A drawing for each panel: a phone stacks them.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "smartsvm", "font.family": "sans-serif"}
    drawings = []
    with rc_context(settings), readers_fonts():
        for name in panels_of_page(report):
            figure = Figure(figsize=_PANEL_SIZE, layout="constrained")
            PANELS[name](report, figure.subplots())
            data = io.StringIO()
            facts = {"Date": None, "Creator": None}
            figure.savefig(data, format="svg", metadata=facts, transparent=True)
            drawings.append(bare_drawing(data.getvalue()))
    words = escape(alternative_text(report), quote=True)
    return f'<figure role="img" aria-label="{words}">{"".join(drawings)}</figure>'


def bare_drawing(drawing):
    """A drawing within a page needs neither a header nor XML namespaces nor names of groups."""
    unused = r"<metadata>.*?</metadata>| xmlns(:xlink)?=\"[^\"]*\"|(?<=<g) id=\"[^\"]*\""
    return re.sub(unused, "", drawing[drawing.index("<svg") :], flags=re.DOTALL)


_BLOCKS = {
    sections.Lead: _lead,
    sections.Sentence: _sentence,
    sections.Target: _target,
    sections.Items: _items,
    sections.Warnings: _warnings,
    sections.Table: _table,
    sections.Drawing: _drawing,
}
_TABLES = {
    sections.ERRORS: _error_table,
    sections.HEADROOM: _headroom_table,
    sections.PAIRS: _pair_table,
    sections.CLASSES: _class_table,
    sections.SUSPECTS: _suspect_table,
}
