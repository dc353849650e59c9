"""Markdown tables: ours beside the paper's, the best of each row marked, gaps shown."""

from __future__ import annotations

import numpy as np

from . import published
from .methods import IN_PAPER, PAPER_NAME, TITLES, UNTUNED

CAPPED, SUBSAMPLED, LEAKED, MISSING = "†", "‡", "§", "¶"
MARKS = (
    f"{CAPPED} the time limit ended the search over C on at least one split: a time is a lower "
    f"bound (≥), an ARI that of the values of C tried. {SUBSAMPLED} part of the rows. {LEAKED} "
    f"the paper's features held the label. {MISSING} not all splits were run. Bold: best of our "
    "row; italic: best of the paper's row; a dash: not run."
)
OF_THE_SEARCH = ("tune_s", "configuration_s")  # times that a time limit makes lower bounds


def set_name(summary, name):
    """The name with its marks."""
    cells = (summary.cell(name, method, "ari") for method in summary.methods)
    marks = SUBSAMPLED if any(cell and cell.subsampled for cell in cells) else ""
    return name + marks + (LEAKED if name in published.LEAKED else "")


def number(value, kind):
    """A number as tables show it: scores with three digits, seconds with three figures."""
    if kind == "score":
        text = f"{value:.3f}"
        return text.replace("0.", ".", 1) if abs(value) < 1 else text
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def beside_paper(summary, measure, published_name, *, largest_is_best):
    """One of the paper's three tables: "ours (paper's)" in each cell."""
    kind = "score" if largest_is_best else "seconds"
    best = max if largest_is_best else min
    bound = measure in OF_THE_SEARCH
    methods = [*IN_PAPER, "smartsvm-best", "gensvm"]
    heads = [TITLES[m] + (", published only" if m == "gensvm" else "") for m in methods]
    lines = ["| set | " + " | ".join(heads) + " |", "|---" * (len(methods) + 1) + "|"]
    for name in summary.sets:
        theirs = published.table(published_name).get(name, {})
        ours = {m: summary.cell(name, m, measure) for m in methods}
        known = [
            c.mean for c in ours.values() if c and c.mean is not None and not (bound and c.capped)
        ]
        row = []
        for method in methods:
            cell, paper = ours[method], theirs.get(PAPER_NAME.get(method, method))
            is_best = bool(known) and cell is not None and cell.mean == best(known)
            text = shown(cell, kind, best=is_best, bound=bound)
            if paper is not None:
                given = number(paper, kind)
                given = f"*{given}*" if paper == best(theirs.values()) else given
                text = given if method == "gensvm" else f"{text} ({given})"
            row.append(text)
        lines.append(f"| {set_name(summary, name)} | {' | '.join(row)} |")
    return "\n".join(lines)


def shown(cell, kind, *, best=False, bound=False):
    """One cell: its mean, marked; `bound` for measures that a time limit makes lower bounds."""
    if cell is None:
        return "–"
    if cell.mean is None:
        return CAPPED
    text = number(cell.mean, kind)
    if best:
        text = f"**{text}**"
    if cell.capped:
        text = ("≥ " if bound else "") + text + CAPPED
    return text + (MISSING if cell.missing else "")


MEASURES = {
    "ARI": "ari",
    "accuracy": "accuracy",
    "fit, s": "fit_s",
    "tune, s": "tune_s",
    "predict, s": "predict_s",
}


def overall(summary, methods):
    """One row for each method: means over the sets it was run on, their number if some lack."""
    lines = ["| method | " + " | ".join(MEASURES) + " |", "|---" * (len(MEASURES) + 1) + "|"]
    for method in methods:
        row, n_sets = [], 0
        for measure in MEASURES.values():
            found = [summary.cell(name, method, measure) for name in summary.sets]
            known = [cell for cell in found if cell is not None and cell.mean is not None]
            n_sets = max(n_sets, len(known))
            if not known or (measure == "tune_s" and method in UNTUNED):
                row.append("–")
                continue
            kind = "seconds" if measure.endswith("_s") else "score"
            text = number(float(np.mean([cell.mean for cell in known])), kind)
            capped = measure in OF_THE_SEARCH and any(cell.capped for cell in known)
            row.append(f"≥ {text}" if capped else text)
        some = "" if n_sets == len(summary.sets) else f" ({n_sets} sets)"
        lines.append(f"| {TITLES[method]}{some} | {' | '.join(row)} |")
    return "\n".join(lines)
