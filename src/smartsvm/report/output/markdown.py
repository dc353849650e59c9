"""The report as Markdown: the text, aligned, under a heading."""

from smartsvm.report.output import text


def page(report):
    """The title as a heading, the rest as it is."""
    title, *lines = text.page(report).split("\n")
    return "\n".join([f"# {title.capitalize()}", "", "```text", *lines, "```", ""])
