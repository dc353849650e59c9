"""The report as reStructuredText."""

from smartsvm.report.output import sections, text
from smartsvm.report.output.sentences import size_of_problem


def page(report):
    """A document with a heading for each section."""
    title = "How hard is this problem?"
    parts = [_heading(title, "="), size_of_problem(report)]
    for section, blocks in sections.sections_of(report):
        parts += [_heading(section.title, "-")] if section.title else []
        parts += [found for block in blocks if (found := _BLOCKS[type(block)](report, block))]
    return "\n\n".join(parts) + "\n"


def _heading(title, line):
    return f"{title}\n{line * len(title)}"


def _items(report, block):
    return "\n".join(f"- {each}" for each in block.texts)


def _warnings(report, block):
    return (
        "\n".join(f"- **{flag.title}**: {flag.message}" for flag in block.flags) or "No warnings."
    )


def _table(report, block):
    return "::\n\n" + "\n".join(text._TABLES[block.kind](report, block))


_BLOCKS = {
    sections.Lead: lambda report, block: f"**{block.text}**",
    sections.Sentence: lambda report, block: block.text,
    sections.Target: lambda report, block: f"**{block.line}.** {block.reason}",
    sections.Items: _items,
    sections.Warnings: _warnings,
    sections.Table: _table,
    sections.Drawing: lambda report, block: "",  # a file of its own: save("report.svg")
}
