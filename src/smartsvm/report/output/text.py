"""The report as a page of text."""

from smartsvm._core.display_names import as_item, display_width, padded, shorten, wrap
from smartsvm.presentation.options import spelled
from smartsvm.presentation.wording import counted, percent
from smartsvm.report.output import sections
from smartsvm.report.output.sentences import (
    between,
    row_name,
    short_classes,
    size_of_problem,
    span,
    stated,
)

_WIDTH = 78  # characters of a line: terminals have 80
_MOST_PAIRS, _MOST_CLASSES, _MOST_SUSPECTS = 5, 5, 5  # rows of a table


def page(report):
    """The whole page, no line longer than a terminal is wide."""
    lines = ["HOW HARD IS THIS PROBLEM?", size_of_problem(report), "=" * _WIDTH]
    for section, blocks in sections.sections_of(report):
        found = [
            line for block in blocks for line in _BLOCKS[type(block)](report, block, section.title)
        ]
        if found:
            first = len(lines) == 3
            lines += found if first else ["", *filter(None, [section.title]), *found]
    return "\n".join(line.rstrip() for line in lines)


def _lead(report, block, title):
    return wrap(block.text, _WIDTH)


def _sentence(report, block, title):
    return wrap(f"{block.strong} {block.text}".strip(), _WIDTH, indent=2 * bool(title))


def _target(report, block, title):
    return [block.line, *_wrapped(block.reason)]


def _items(report, block, title):
    return [line for each in block.texts for line in wrap(f"- {each}", _WIDTH, indent=2, hanging=4)]


def _warnings(report, block, title):
    if not block.flags:
        return ["  No warnings."]
    lines = []
    for flag in block.flags:
        lines += wrap(f"! {flag.title}: {flag.message}", _WIDTH, indent=2, hanging=4)
        lines.append(f"    ({flag.page})")
    return lines


def _drawing(report, block, title):
    return []  # a terminal shows none: `plot` and the web page do


def _table(report, block, title):
    return _TABLES[block.kind](report, block)


def _error_lines(report, block):
    lines = []
    for name, interval, remark in block.rows(None):
        value, limits = stated(report, name, interval), f"({span(interval)})"
        lines.append(f"  {name:<13} {value:>6}  {limits:<17} {remark}")
    return lines


def _headroom_lines(report, block):
    # Its rows are wide; the sentences above name the first ones.
    if not any(len(found.improvable) for found in report.models.values()):
        return []
    what = spelled("report.to_frame('headroom')", "The option --headroom FILE")
    return _wrapped(f"{what} lists where it is.")


def _pair_lines(report, block):
    rows, short = block.rows(_MOST_PAIRS), short_classes(report, 17)
    names = [" and ".join(as_item(short(each)) for each in row["classes"]) for row in rows]
    return [
        f"  {name}  {percent(row['confused']):>6}  ({between(row['low'], row['high'])})"
        for name, row in zip(_padded(names), rows, strict=True)
    ]


def _class_lines(report, block):
    lines, rows, short = [], block.rows(_MOST_CLASSES), short_classes(report, 24)
    for name, row in zip(_padded([short(row["class"]) for row in rows]), rows, strict=True):
        limits = between(row["low"], row["high"])
        line = f"  {name}  {percent(row['recall']):>6}  ({limits}), "
        line += counted(row["n_samples"], "sample")
        if row["mistaken_for"] is not None:
            mistaken = f", most often taken for {short(row['mistaken_for'])}"
            line += mistaken * (display_width(line + mistaken) <= _WIDTH)
        lines.append(line)
    n_classes = len(report.classes.names)
    if n_classes > len(rows):
        lines += _wrapped(f"These {len(rows)} of {n_classes} classes have the lowest recall.")
    return lines


def _suspect_lines(report, block):
    lines, by_name = [], {}
    for row in block.rows(None):  # a row of a table of counts stands for many samples
        by_name.setdefault(row_name(row), row)
    rows = [(shorten(name, 16), row) for name, row in by_name.items()]
    # Both classes share what the name of the row leaves, beside 36 columns for the other words.
    room = _WIDTH - 36 - max((display_width(name) for name, _ in rows[:_MOST_SUSPECTS]), default=0)
    short = short_classes(report, room // 2)
    shown = "error_chance" if len(report.suspects) else "posterior"  # as the sentence above says
    for name, row in rows[:_MOST_SUSPECTS]:
        label, other = short(row["label"]), short(row["suggested"])
        lines.append(f"  {name}: labelled {label}, looks like {other} ({percent(row[shown])})")
    if len(rows) > _MOST_SUSPECTS:
        what = spelled("report.save('samples.csv')", "The option --suspects FILE")
        lines += _wrapped(f"{what} writes more.")
    return lines


def _padded(names):
    width = max(map(display_width, names))
    return [padded(name, width) for name in names]


def _wrapped(text):
    return wrap(text, _WIDTH, indent=2)


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
    sections.ERRORS: _error_lines,
    sections.HEADROOM: _headroom_lines,
    sections.PAIRS: _pair_lines,
    sections.CLASSES: _class_lines,
    sections.SUSPECTS: _suspect_lines,
}
