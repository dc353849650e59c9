"""A document as HTML: a fragment for notebooks and a page of its own."""

from html import escape

from smartsvm.presentation.display_names import shown
from smartsvm.report.output import blocks, text
from smartsvm.report.output.names import shortened
from smartsvm.report.output.page_assets import PAGE_STYLE, SCRIPT, STYLE
from smartsvm.report.output.page_tables import FIRST_ROWS, csv_link, table

_LONGEST_NAME = 60  # characters of a name in a table
# The sign and the colour of each answer.
_VERDICTS = {
    "reachable": ("✓", "good"),
    "likely": ("✓", "good"),
    "unlikely": ("✗", "bad"),
    "out of reach": ("✗", "bad"),
}


def fragment(document):
    """What a notebook shows: no scripts, no links, no figure, its own styles only."""
    return f'<style>{STYLE}</style><div class="smartsvm">{_body(document, FIRST_ROWS)}</div>'


def page(document):
    """A whole page, with the figure if matplotlib is installed."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(shown(document.title))}</title><style>{STYLE}{PAGE_STYLE}</style></head>"
        f'<body><main class="smartsvm">{_body(document, None)}</main>'
        f'<template id="as-text">{escape(text.page(document))}</template>'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _body(document, most):
    """The page with `most` rows in each table, or with all of them for the page's script."""
    facts = escape(" · ".join(document.facts))
    parts = [f'<h2>{escape(shown(document.title))}</h2><p class="small">{facts}</p>']
    for part in document.parts:
        body = "".join(_BLOCKS[type(block)](block, most) for block in part.blocks)
        parts.append(_folding(part, body) if part.title else body)
    return "".join(parts)


def _folding(part, body):
    """A part of the page that folds."""
    state = "" if part.folded else " open"
    return f"<details{state}><summary><h3>{escape(part.title)}</h3></summary>{body}</details>"


def _lead(block, most):
    return f'<p class="lead">{escape(block.text)}</p>'


def _sentence(block, most):
    strong = f"<b>{escape(block.strong)}</b> " if block.strong else ""
    return f"<p>{strong}{escape(block.text)}</p>"


def _target(block, most):
    sign, kind = _VERDICTS.get(block.answer, ("?", "unsure"))
    return f'<div class="verdict {kind}"><b>{sign} {block.line}.</b> {escape(block.reason)}</div>'


def _items(block, most):
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in block.texts)}</ul>"


def _warnings(block, most):
    found = [
        f'<div class="flag"><b>{escape(flag.title.capitalize())}.</b> {escape(flag.message)} '
        f"{_link(flag)}</div>"
        for flag in block.flags
    ]
    return "".join(found) or "<p>No warnings.</p>"


def _link(flag):
    """A link to the guide, or where it is in a clone."""
    if "://" in flag.page:
        return f'<a href="{escape(flag.page)}">{flag.code}</a>'
    return f'<span class="small">({flag.page})</span>'


def _table(block, most):
    link = ""
    if most is None and block.file is not None:
        link = f"<p>{csv_link(block.file())}</p>"
    rows = block.rows(None if block.first is None else most or block.most)
    if not rows:
        return link
    texts = (shortened(column, _LONGEST_NAME) for column in zip(*rows, strict=True))
    rows = [
        [cell._replace(text=text) for cell, text in zip(*row, strict=True)]
        for row in zip(rows, zip(*texts, strict=True), strict=True)
    ]
    interactive = most is None and block.first is not None
    return link + table(block.head, rows, interactive=interactive, total=block.total)


def _code(block, most):
    return f"<pre>{escape(shown_lines(block.lines))}</pre>"


def shown_lines(lines):
    """Lines as they are shown, without what changes a terminal or a page."""
    return "\n".join(map(shown, lines))


def _drawing(block, most):
    if most is not None:  # a notebook has `plot`
        return ""
    drawings = block.drawings()
    if not drawings:
        return ""
    words = escape(block.words(), quote=True)
    figure = f'<figure role="img" aria-label="{words}">{"".join(drawings)}</figure>'
    return figure + (f'<p class="small">{escape(block.caption)}</p>' if block.caption else "")


_BLOCKS = {
    blocks.Lead: _lead,
    blocks.Sentence: _sentence,
    blocks.Target: _target,
    blocks.Items: _items,
    blocks.Warnings: _warnings,
    blocks.Code: _code,
    blocks.Table: _table,
    blocks.Drawing: _drawing,
}
