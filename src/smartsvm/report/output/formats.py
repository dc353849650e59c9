"""The formats of files: what each suffix writes. A new one needs a module and an entry here."""

from pathlib import Path

from smartsvm._core.output_files import check_no_data, check_place, figure_content, write_file
from smartsvm.report.output import export, html, markdown, text
from smartsvm.report.output.page_tables import rows_as_csv


def _csv(report, path):
    return rows_as_csv(export.to_frame(report, "samples").to_dict("records"))


def _figure(report, path):
    return figure_content(report.plot(), path, dpi=150)


FORMATS = {
    ".html": lambda report, path: html.document(report),
    ".json": lambda report, path: export.to_json(report, samples=True),
    ".csv": _csv,
    ".txt": lambda report, path: f"{text.page(report)}\n",
    ".md": lambda report, path: markdown.page(report),
    ".png": _figure,
    ".svg": _figure,
    ".pdf": _figure,
}


def save(report, path):
    """See `DifficultyReport.save`."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"path must end in one of {', '.join(FORMATS)}, got {str(path)!r}.")
    check_no_data(path)
    check_place(path)
    write_file(path, FORMATS[suffix](report, path))
