"""The report as HTML: a fragment for notebooks and a document of its own."""

import io
import math
import re
from datetime import date
from html import escape

from smartsvm._core.display_names import shorten, shown
from smartsvm._core.version import __version__
from smartsvm._core.wording import counted, percent
from smartsvm.held_out.registry import words_of
from smartsvm.plotting.fonts import readers_fonts
from smartsvm.report.output import text
from smartsvm.report.output.export import MOST_RANKED, class_rows, pair_rows, suspect_rows
from smartsvm.report.output.figure import PANELS, alternative_text, panels_of
from smartsvm.report.output.headroom import (
    AS_GIVEN,
    DOUBTFUL,
    ROW,
    TITLE,
    headroom_rows,
    headroom_sentences,
)
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import FIRST_ROWS, FIXED, NUMBER, Cell, csv_link, table

_PANEL_SIZE = (5.6, 4.0)  # inches; a phone is about as wide
_LONGEST_NAME = 60  # columns of text
_MOST_PAIRS = 1000  # that a page lists: the browser has to sort them
# The sign and the colour of each answer.
_VERDICTS = {
    "reachable": ("✓", "good"),
    "likely": ("✓", "good"),
    "unlikely": ("✗", "bad"),
    "out of reach": ("✗", "bad"),
}


def fragment(report):
    """What a notebook shows: no scripts, no links, its own styles only."""
    return f'<style>{STYLE}</style><div class="smartsvm">{_body(report, FIRST_ROWS)}</div>'


def document(report, title=None):
    """A whole page, with the figure if matplotlib is installed."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(f'{shown(title)}: h' if title else 'H')}ow hard is this problem?</title>"
        f"<style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{_body(report, None, title, _picture(report))}</main>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _body(report, most, title=None, picture=""):
    """The page with `most` rows in each table, or with all of them for the page's script."""
    steps = "".join(f"<li>{escape(step)}</li>" for step in next_steps(report))
    short = text.short_classes(report, _LONGEST_NAME)
    parts = [_heading(report, title)]
    if report.models:
        parts.append(_section(TITLE, _headroom(report, most, short)))
    parts.append(picture)
    parts += [_section("What to do next", f"<ul>{steps}</ul>")] if steps else []
    errors = _error_table(report) + "".join(map(_paragraph, text.error_remarks(report)))
    parts.append(_section("Errors", errors))
    if report.errors.forward_in_time is not None:
        forward = _paragraph(report.errors.forward_in_time.sentence())
        parts.append(_section("Does it hold forward in time?", forward))
    parts.append(_pair_table(report, most, short))
    recalls = _paragraph(text.recall_sentence(report)) + _class_table(report, most, short)
    parts.append(_section("Recall of each class", recalls))
    parts.append(_suspect_table(report, most, short))
    doubts = [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {escape(flag.message)}</div>'
        for flag in report.flags
    ] or ["<p>No warnings.</p>"]
    parts.append(_section("Can this be trusted?", "".join(doubts)))
    notes = [
        f"Is there any signal? {text.signal_sentence(report)}",
        *text.trust_paragraphs(report),
        text.bounds_sentence(report),
    ]
    read = [note for note in report.data.preparation if not note.startswith(text.LEFT_OUT)]
    if read:
        notes.append(f"How the table was read: {'; '.join(read)}.")
    settings = f"{report.data.signal.n_trees} spanning trees, {report.trees.n_trees} for the bounds"
    notes.append(f"Settings: {settings}; seed {report.settings.random_state}.")
    parts.append(_section("Details", "".join(map(_paragraph, notes)), folded=True))
    return "".join(parts)


def _heading(report, title):
    """The title, one sentence and the verdict."""
    name = f"{escape(shown(title))}: how" if title else "How"
    facts = (
        text.size_of_problem(report),
        date.today().isoformat(),
        f"smartsvm {__version__}",
        f"{percent(report.settings.confidence)} intervals",
        f"seed {report.settings.random_state}",
    )
    parts = [
        f'<h2>{name} hard is this problem?</h2><p class="small">{" · ".join(facts)}</p>',
        f'<p class="lead">{escape(text.headline(report))}</p>',
    ]
    parts += map(_paragraph, text.left_out(report))
    if report.verdict is not None:
        sign, kind = _VERDICTS.get(report.verdict.answer, ("?", "unsure"))
        parts.append(
            f'<div class="verdict {kind}"><b>{sign} {text.target_line(report.verdict)}.</b> '
            f"{escape(report.verdict.reason)}</div>"
        )
    return "".join(parts)


def next_steps(report):
    """Sentences on what to do: groups, labels to check, classes to merge, rows and columns."""
    # Rows that are alike change the error itself, so they come first.
    yield from (flag.message for flag in report.flags if flag.code == "dependent_rows")
    suspects = suspect_rows(report, 1)
    if suspects:
        row, number, short = suspects[0], len(report.suspects), text.short_classes(report, 30)
        yield (
            f"Check {counted(number, 'label')}, such as {shorten(text.row_name(row), 40)}: "
            f"labelled {short(row['label'])}, looks like {short(row['suggested'])}."
        )
    yield from text.merge_sentences(report)
    answer, best = getattr(report.verdict, "answer", None), report.errors.held_out
    if not report.data.signal.significant:
        yield "Find other columns: these say nothing about the classes."
    elif answer in ("unlikely", "out of reach"):
        yield (
            "Add columns that tell the classes apart, or lower the target: a larger model will "
            f"{'hardly' if answer == 'unlikely' else 'not'} help."
        )
    elif answer in ("reachable", "likely"):
        yield (
            f"Train a model. The held-out error of {words_of(best.classifier)} is "
            f"{percent(best.best.value)}: a model that errs more often has a flaw."
        )
    columns, more_rows = text.columns_sentence(report), text.more_rows_sentence(report)
    if columns is not None:
        yield columns
    if more_rows is not None:
        yield f"Would more rows help? {more_rows}"


def _paragraph(words):
    return f"<p>{escape(words)}</p>"


def _section(title, body, *, folded=False):
    """A part of the page that folds."""
    state = "" if folded else " open"
    return f"<details{state}><summary><h3>{escape(title)}</h3></summary>{body}</details>"


def _error_table(report):
    rows = [
        (
            Cell(remark if what in (text.HELD_OUT, AS_GIVEN) else what),
            Cell(text.stated(report, what, interval), interval.value, NUMBER),
            Cell(text.span(interval), kind=FIXED),
        )
        for what, interval, remark in text.error_rows(report)
    ]
    return table(("Classifier", "error", _interval_head(report)), rows)


def _estimate(value, low, high):
    """The cells of a percentage and its limits."""
    return Cell(percent(value), value, NUMBER), Cell(text.between(low, high), kind=FIXED)


def _interval_head(report):
    return f"{percent(report.settings.confidence)} interval"


def _pair_table(report, most, short):
    rows = [
        (
            Cell(" and ".join(map(short, row["classes"]))),
            *_estimate(row["confused"], row["low"], row["high"]),
        )
        for row in pair_rows(report, most or _MOST_PAIRS)
    ]
    head = ("Pair", "taken for each other", _interval_head(report))
    total = math.comb(len(report.classes.names), 2)
    found = table(head, rows, interactive=most is None, total=total)
    return _section("Hardest pairs of classes", found)


def _class_table(report, most, short):
    rows = [
        (
            Cell(short(row["class"])),
            *_estimate(row["recall"], row["recall_low"], row["recall_high"]),
            Cell(f"{row['n_samples']:,}", row["n_samples"], NUMBER),
            Cell("" if row["mistaken_for"] is None else short(row["mistaken_for"])),
        )
        for row in class_rows(report, most)
    ]
    head = ("Class", "recall", _interval_head(report), "samples", "most often taken for")
    return table(head, rows, interactive=most is None)


def _suspect_table(report, most, short):
    title, body = "Possible label errors", _paragraph(text.suspects_sentence(report))
    suspects, rows = text.ranked_rows(report, most), []
    if not suspects:
        return _section(title, body)
    for row in suspects:
        names = text.row_name(row), short(row["label"]), short(row["suggested"])
        chances = (Cell(percent(row[name]), row[name], NUMBER) for name in ("posterior", "chance"))
        rows.append((*(Cell(str(name)) for name in names), *chances))
    head = ("Sample", "Label", "Looks like", "Probability of the label", "Chance that it is wrong")
    if most is None:
        link = csv_link(suspects, "label-errors.csv", f"All {len(suspects):,} as a CSV file")
        body += f"<p>{link}</p>"
    return _section(title, body + table(head, rows, interactive=most is None))


def _headroom(report, most, short):
    """What each model could gain, and a table of the classes, pairs and rows where it could."""
    body, all_rows = "", headroom_rows(report)
    for found in report.models.values():
        first, *more = headroom_sentences(report, found, short)
        body += f"<p><b>{escape(first)}</b> {escape(' '.join(more))}</p>"
    rows = [row for row in all_rows if row["part"] in (ROW, DOUBTFUL)][: most or MOST_RANKED]
    if most is None:
        body += f"<p>{csv_link(all_rows, 'headroom.csv', 'Where it is, as a CSV file')}</p>"
    if not rows:
        return body
    cells = [
        (
            Cell(text.row_name(row)),
            Cell(row["model"]),
            Cell(str(short(row["label"]))),
            Cell(str(short(row["predicted"]))),
            Cell(percent(row["posterior"]), row["posterior"], NUMBER),
            Cell("yes" if row["part"] == DOUBTFUL else ""),
        )
        for row in rows
    ]
    head = "Sample", "Model", "Label", "Predicted", "Probability of the label", "Label doubtful"
    return body + table(head, cells, interactive=most is None)


def _picture(report):
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    # Not pyplot figures, which would appear among the user's open ones. Text stays text, so that
    # it can be searched, read aloud and enlarged. A drawing for each panel: a phone stacks them.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "smartsvm", "font.family": "sans-serif"}
    known = [n for n in panels_of(report) if n != "convergence" or report.errors.learning_curve]
    drawings = []
    with rc_context(settings), readers_fonts():
        for name in known:
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
