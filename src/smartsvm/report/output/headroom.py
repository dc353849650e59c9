"""What all outputs say about the headroom of models: sentences, and one table of where it is."""

import numpy as np

from smartsvm.presentation.display_names import shorten
from smartsvm.presentation.wording import about, counted, listed, percent, points

TITLE = "How much can your model gain?"
AS_GIVEN = "as given"  # how predictions are listed that the report did not make
CLASS, PAIR, ROW, DOUBTFUL = "class", "pair", "row", "doubtful label"  # parts of the table
COLUMNS = (
    "model",
    "part",
    "label",
    "predicted",
    "row",
    "name",
    "n_samples",
    "model_error",
    "combined_error",
    "lost",
    "posterior",
)
# Fraction of all samples that a class or pair must lose to be mentioned in a sentence.
_LEAST_LOST = 0.001


def headroom_rows(report, model=None):
    """A dictionary for each class, pair and row on which a model could do better."""
    rows = []
    for found in report.models.values() if model is None else [report.headroom(model)]:
        rows += [*_class_rows(report, found), *_pair_rows(report, found)]
        rows += _sample_rows(report, found, ROW, found.improvable)
        rows += _sample_rows(report, found, DOUBTFUL, found.doubtful)
    return rows


def _row(found, part, **values):
    """A row of the table; what a part does not have is None."""
    return dict.fromkeys(COLUMNS) | {"model": found.model, "part": part} | values


def _class_rows(report, found):
    """Classes, that one first in which the model loses most to all classifiers combined."""
    rows, total = [], float(found.confusion.sum())
    for k, label in enumerate(report.classes.names.tolist()):
        own, others = found.confusion[k], report.classes.confusion[k]
        n, wrong, unavoided = int(own.sum()), *(int(c.sum() - c[k]) for c in (own, others))
        errors = {"model_error": wrong / max(n, 1), "combined_error": unavoided / max(n, 1)}
        lost = (wrong - unavoided) / total
        rows.append(_row(found, CLASS, label=label, n_samples=n, lost=lost, **errors))
    return sorted(rows, key=lambda row: -row["lost"])


def _pair_rows(report, found):
    """Pairs that the model takes for each other more often than all classifiers combined do."""
    own, others = (np.triu(c + c.T, 1) for c in (found.confusion, report.classes.confusion))
    labels, total, rows = report.classes.names.tolist(), float(found.confusion.sum()), []
    sizes = found.confusion.sum(axis=1)
    for i, j in np.argwhere(own > others).tolist():
        n = int(sizes[i] + sizes[j])
        errors = {"model_error": own[i, j] / n, "combined_error": others[i, j] / n}
        errors = {name: float(error) for name, error in errors.items()}
        lost = float(own[i, j] - others[i, j]) / total
        pair = {"label": labels[i], "predicted": labels[j]}
        rows.append(_row(found, PAIR, n_samples=n, lost=lost, **pair, **errors))
    return sorted(rows, key=lambda row: -row["lost"])


def _sample_rows(report, found, part, positions):
    columns = {
        "label": report.labels.given,
        "predicted": found.predicted,
        "row": report.data.rows,
        "name": report.data.row_names,
        "posterior": report.labels.posterior,
    }
    values = (column[positions].tolist() for column in columns.values())
    return [
        _row(found, part, **dict(zip(columns, row, strict=True)))
        for row in zip(*values, strict=True)
    ]


def subject_of(report, found):
    """How a sentence names a model."""
    return "Your model" if len(report.models) == 1 else f"Your model {shorten(found.model, 30)}"


def headroom_sentences(report, found, short):
    """The error of a model, how much of it can be gained, and where; `short` shortens classes."""
    yield found.sentence(subject_of(report, found))
    if not found.cross_validated:
        yield "Its predictions are as given: this holds only if they are held out."
    if found.error.value:
        yield f"The chance that a point or more can be gained is {about(found.chance)}."
    lost = [row for row in _class_rows(report, found)[:2] if row["lost"] >= _LEAST_LOST]
    if lost:
        named = [f"{short(row['label'])} ({points(row['lost'])} points)" for row in lost]
        yield (
            "Compared with all classifiers combined, it loses most in class "
            f"{listed(named, last=' and ')}."
        )
    pairs = [row for row in _pair_rows(report, found)[:1] if row["lost"] >= _LEAST_LOST]
    if pairs and len(report.classes.names) > 2:
        row = pairs[0]
        yield (
            f"It takes {short(row['label'])} and {short(row['predicted'])} for each other in "
            f"{percent(row['model_error'])} of their samples, the others in "
            f"{percent(row['combined_error'])}."
        )
    rows = _sample_rows(report, found, ROW, found.improvable)
    if rows:
        first = rows[0]
        name = first["name"]
        name = f"row {name}" if isinstance(name, int) else shorten(str(name), 30)
        yield (
            f"It gets {counted(len(rows), 'sample')} wrong that all classifiers combined get "
            f"right, such as {name}: labelled {short(first['label'])}, predicted "
            f"{short(first['predicted'])}."
        )
    if len(found.doubtful):
        yield f"{counted(len(found.doubtful), 'more mistake')} may be wrong labels."
