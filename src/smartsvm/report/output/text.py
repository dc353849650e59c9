"""A document as a page of text."""

from smartsvm.presentation.display_names import display_width, padded, wrap
from smartsvm.report.output import blocks
from smartsvm.report.output.names import joined, shortened

WIDTH = 78  # characters of a line: terminals have 80
_GAP = 2  # between columns
_TITLE = 12  # characters that a title may take beside narrower cells


def page(document):
    """The whole page, no line longer than a terminal is wide."""
    lines = [document.title.upper(), *wrap(document.facts[0], WIDTH), "=" * WIDTH]
    n_first = len(lines)
    for part in document.parts:
        found = [line for block in part.blocks for line in _BLOCKS[type(block)](block, part.title)]
        if found:
            first = len(lines) == n_first
            lines += found if first else ["", *filter(None, [part.title]), *found]
    return "\n".join(line.rstrip() for line in lines)


def _lead(block, title):
    return wrap(block.text, WIDTH)


def _sentence(block, title):
    return wrap(f"{block.strong} {block.text}".strip(), WIDTH, indent=2 * bool(title))


def _target(block, title):
    return [block.line, *wrap(block.reason, WIDTH, indent=2)]


def _items(block, title):
    return [line for each in block.texts for line in wrap(f"- {each}", WIDTH, indent=2, hanging=4)]


def _warnings(block, title):
    lines = []
    for flag in block.flags:
        lines += wrap(f"! {flag.title}: {flag.message}", WIDTH, indent=2, hanging=4)
        lines.append(f"    ({flag.page})")
    return lines or ["  No warnings."]


def _code(block, title):
    return [f"    {line}" for line in block.lines]


def _drawing(block, title):
    return []  # a terminal shows none: `plot` and the web page do


def _table(block, title):
    rows = block.rows(None if block.first is None else block.first + 1)
    shown = rows[: block.first]
    lines = _aligned(block.head, shown) if shown else []
    return lines + (wrap(block.more, WIDTH, indent=2) if len(rows) > len(shown) else [])


def _aligned(head, rows):
    """The lines of a table: names take the room that the other columns leave."""
    columns = [*zip(*rows, strict=True)]
    widest = [max(display_width(joined(cell.text)) for cell in column) for column in columns]
    titles = [wrap(title, max(width, _TITLE)) for title, width in zip(head, widest, strict=True)]
    least = [max(map(display_width, title), default=0) for title in titles]
    widths = [max(pair) for pair in zip(least, widest, strict=True)]
    names = [place for place, column in enumerate(columns) if column[0].kind == blocks.NAME]
    room = WIDTH - 2 - _GAP * (len(columns) - 1) - sum(widths) + sum(widths[j] for j in names)
    for left, place in zip(
        range(len(names), 0, -1), sorted(names, key=widths.__getitem__), strict=True
    ):
        widths[place] = min(widths[place], max(room // left, least[place]))
        room -= widths[place]
    cells = [_texts(column, width) for column, width in zip(columns, widths, strict=True)]
    n_lines = max(map(len, titles))
    titles = [[""] * (n_lines - len(title)) + title for title in titles]  # beside the rows
    kinds = [column[0].kind for column in columns]
    return [
        _line(row, widths, kinds) for row in [*zip(*titles, strict=True), *zip(*cells, strict=True)]
    ]


def _line(texts, widths, kinds):
    cells = []
    for text, width, kind in zip(texts, widths, kinds, strict=True):
        if kind == blocks.NUMBER:
            cells.append(" " * (width - display_width(text)) + text)
        else:
            cells.append(padded(text, width))
    return "  " + (" " * _GAP).join(cells)


def _texts(column, width):
    """The texts of a column, names shortened to a width."""
    if column[0].kind != blocks.NAME:
        return [cell.text for cell in column]
    return shortened(column, width)


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
