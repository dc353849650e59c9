"""The formats of files: what each suffix writes. A new one needs a module and an entry here."""

from pathlib import Path

from smartsvm._core.output_files import check_no_data, check_place, figure_content, write_file
from smartsvm.report.output import export, html, markdown, text
from smartsvm.report.output.page_tables import rows_as_csv
from smartsvm.report.output.sections import document_of


def _csv(report, path, name):
    return rows_as_csv(export.to_frame(report, "samples").to_dict("records"))


def _figure(report, path, name):
    return figure_content(report.plot(), path, dpi=150)


DRAWN = (".png", ".svg", ".pdf")  # by matplotlib
# What a suffix writes of (report, path, name of the data).
FORMATS = {
    ".html": lambda report, path, name: html.page(document_of(report, name)),
    ".json": lambda report, path, name: export.to_json(report, samples=True),
    ".csv": _csv,
    ".txt": lambda report, path, name: f"{text.page(document_of(report, name))}\n",
    ".md": lambda report, path, name: markdown.page(document_of(report, name)),
    **dict.fromkeys(DRAWN, _figure),
}


def check_format(path, name="path"):
    """Raise if no format has the suffix of a file."""
    if Path(path).suffix.lower() not in FORMATS:
        raise ValueError(f"{name} must end in one of {', '.join(FORMATS)}, got {str(path)!r}.")


def save(report, path, name=None):
    """See `DifficultyReport.save`; `name` is that of the data."""
    check_format(path)
    check_no_data(path)
    check_place(path)
    write_file(path, FORMATS[Path(path).suffix.lower()](report, path, name))
