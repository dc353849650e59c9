"""A comparison of representations as a document: what its web page and Markdown show."""

from smartsvm.presentation.wording import counted, percent
from smartsvm.report.output.blocks import (
    FIXED,
    NUMBER,
    Cell,
    Document,
    Drawing,
    Lead,
    Part,
    Sentence,
    Table,
    TableFile,
)
from smartsvm.report.output.drawings import drawings

_FIGURE_SIZE = (6.6, 3.6)  # inches
_FIRST = 10  # rows of a table until the reader opens it


def document_of(comparison, title=None):
    """The answer, the representations, a figure, all pairs."""
    facts = (
        counted(comparison.n_samples, "row"),
        f"{len(comparison.names)} representations",
        "the same rows and folds",
        f"{percent(comparison.confidence)} simultaneous intervals",
    )
    sentence = comparison.sentence()
    drawing = Drawing(
        lambda: drawings([comparison.plot], _FIGURE_SIZE),
        lambda: f"Differences of the held-out errors. {sentence}",
    )
    pairs = "How much larger the loss of the first is than that of the second."
    parts = [
        Part("", (Lead(sentence), drawing)),
        Part("Representations", (_entries(comparison),)),
        Part("Differences of all pairs", (Sentence(pairs), _pairs(comparison))),
    ]
    if comparison.groups_of_columns is not None:
        groups = "How much larger the loss is without the group."
        added = _differences(("Group",), comparison.rows("groups"))
        parts.append(Part("What each group of columns adds", (Sentence(groups), added)))
    return Document(title or "Which representation is best?", facts, tuple(parts))


def _entries(comparison):
    def rows(_):
        return [
            (
                Cell(row["name"] + (" (best)" if row["best"] else "")),
                Cell(percent(row["error"]), row["error"], NUMBER),
                Cell(f"{row['log_loss']:.3f}", row["log_loss"], NUMBER),
                Cell(f"{row['columns']:,}", row["columns"], NUMBER),
            )
            for row in comparison.rows()
        ]

    return Table(("Representation", "held-out error", "log loss", "columns"), rows)


def _pairs(comparison):
    differences = comparison.rows("pairs")
    words = "All differences as a CSV file"
    file = TableFile("differences.csv", words, differences)
    return _differences(("First", "Second"), differences, lambda: file)


def _differences(names, differences, file=None):
    def rows(most):
        return [
            (
                *(Cell(row[name.lower()]) for name in names),
                *_interval_cells(row, "error", 100, 1),
                *_interval_cells(row, "log_loss", 1, 3),
            )
            for row in differences[:most]
        ]

    head = (*names, "error, points", "interval", "log loss", "interval")
    return Table(head, rows, first=_FIRST, file=file)


def _interval_cells(row, metric, unit, digits):
    value, low, high = (unit * row[f"{metric}{end}"] for end in ("", "_low", "_high"))
    return (
        Cell(f"{value:+.{digits}f}", value, NUMBER),
        Cell(f"{low:+.{digits}f} to {high:+.{digits}f}", kind=FIXED),
    )
