"""A document as Markdown."""

import re

from smartsvm.report.output import blocks
from smartsvm.report.output.names import joined, shortened

_FIRST_ROWS = 10  # of a table: a file cannot fold them
_LONGEST_NAME = 60
# What Markdown would read as markup, or as HTML.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def page(document):
    """The whole page."""
    lines = [f"# {_escaped(document.title)}", "", _escaped(" · ".join(document.facts))]
    for part in document.parts:
        found = [line for block in part.blocks for line in ["", *_BLOCKS[type(block)](block)]]
        if any(found):
            lines += ["", f"## {_escaped(part.title)}"] if part.title else []
            lines += found
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*lines, ""]))


def _escaped(text):
    return _MARKUP.sub(r"\\\1", text)


def _lead(block):
    return [f"**{_escaped(block.text)}**"]


def _sentence(block):
    strong = f"**{_escaped(block.strong)}** " if block.strong else ""
    return [strong + _escaped(block.text)]


def _target(block):
    return [f"**{_escaped(block.line)}.** {_escaped(block.reason)}"]


def _items(block):
    return [f"- {_escaped(each)}" for each in block.texts]


def _warnings(block):
    found = [
        f"- **{flag.title.capitalize()}.** {_escaped(flag.message)} {_link(flag)}"
        for flag in block.flags
    ]
    return found or ["No warnings."]


def _link(flag):
    """A link to the guide, or where it is in a clone."""
    return f"[{_escaped(flag.code)}]({flag.page})" if "://" in flag.page else f"({flag.page})"


def _table(block):
    rows = block.rows(None if block.first is None else _FIRST_ROWS)
    if not rows:
        return []
    columns = [*zip(*rows, strict=True)]
    cells = [
        shortened(column, _LONGEST_NAME * len(column[0].text))
        if isinstance(column[0].text, tuple)
        else [joined(cell.text) for cell in column]
        for column in columns
    ]
    lines = ["---:" if column[0].kind == blocks.NUMBER else "---" for column in columns]
    table = [
        map(_escaped, block.head),
        lines,
        *(map(_escaped, row) for row in zip(*cells, strict=True)),
    ]
    return [f"| {' | '.join(row)} |" for row in table]


def _code(block):
    return [f"    {line}" for line in block.lines]


def _drawing(block):
    return []


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
