"""The top of the report's page: title, verdict, and what to do next."""

from __future__ import annotations

from datetime import date
from html import escape

from smartsvm._core.display_names import shorten, shown
from smartsvm._core.version import __version__
from smartsvm._core.wording import counted, percent
from smartsvm.held_out.registry import words_of
from smartsvm.report.output.export import suspect_rows
from smartsvm.report.output.text import (
    headline,
    merge_sentences,
    more_rows_sentence,
    row_name,
    size_of_problem,
    target_line,
)

# The sign and the colour of each answer.
_VERDICTS = {
    "reachable": ("✓", "good"), "likely": ("✓", "good"),
    "unlikely": ("✗", "bad"), "out of reach": ("✗", "bad"),
}  # fmt: skip


def heading(report, title):
    """The title, one sentence and the verdict."""
    name = f"{escape(shown(title))}: how" if title else "How"
    facts = (
        size_of_problem(report), date.today().isoformat(), f"smartsvm {__version__}",
        f"{percent(report.confidence)} intervals", f"seed {report.random_state}",
    )  # fmt: skip
    parts = [
        f'<h2>{name} hard is this problem?</h2><p class="small">{" · ".join(facts)}</p>',
        f'<p class="lead">{escape(headline(report))}</p>',
    ]
    if report.verdict is not None:
        sign, kind = _VERDICTS.get(report.verdict.answer, ("?", "unsure"))
        parts.append(
            f'<div class="verdict {kind}"><b>{sign} {target_line(report.verdict)}.</b> '
            f"{escape(report.verdict.reason)}</div>"
        )
    return "".join(parts)


def next_steps(report):
    """Sentences on what to do: labels to check, classes to merge, rows and columns to add."""
    suspects = suspect_rows(report, 1)
    if suspects:
        row, number = suspects[0], len(report.suspects)
        yield (
            f"Check {counted(number, 'label')}, such as {shorten(row_name(row), 40)}: labelled "
            f"{shorten(row['label'], 30)}, looks like {shorten(row['suggested'], 30)}."
        )
    yield from merge_sentences(report)
    answer = getattr(report.verdict, "answer", None)
    if not report.signal.significant:
        yield "Find other columns: these say nothing about the classes."
    elif answer in ("unlikely", "out of reach"):
        yield (
            "Add columns that tell the classes apart, or lower the target: a larger model will "
            "not help."
        )
    elif answer in ("reachable", "likely"):
        yield (
            "Train a model. The held-out error of "
            f"{words_of(report.held_out.classifier)} is {percent(report.held_out.best.value)}: a "
            "model that errs more often has a flaw."
        )
    more_rows = more_rows_sentence(report)
    if more_rows is not None:
        yield f"Would more rows help? {more_rows}"
