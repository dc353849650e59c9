"""Rows of the tables of a report: dictionaries of pairs, classes and samples."""

import numpy as np

MOST_RANKED = 100  # labels of the ranking in the dictionary and on the web page


def pair_rows(report, most=None):
    """A dictionary for each pair, the hardest first."""
    pairs, labels, alike = report.pairs, report.classes.names.tolist(), report.pairs.alike()
    rows = []
    for i, j in pairs.hardest()[:most].tolist():
        rows.append(
            {
                "classes": [labels[i], labels[j]],
                "confused": float(pairs.confused.value[i, j]),
                "low": float(pairs.confused.low[i, j]),
                "high": float(pairs.confused.high[i, j]),
                "bound_value": float(pairs.bounds.value[i, j]),
                "bound_lower": float(pairs.bounds.lower[i, j]),
                "bound_upper": float(pairs.bounds.upper[i, j]),
                "score": float(pairs.scores[i, j]),
                "inseparable": bool(alike[i, j]),
            }
        )
    return rows


def class_rows(report, most=None):
    """A dictionary for each class, the hardest first."""
    rows, classes = [], report.classes
    labels, recall = classes.names.tolist(), classes.recall
    elsewhere = classes.confusion * (1 - np.eye(len(labels), dtype=np.intp))
    for k in classes.hardest()[:most].tolist():
        value, low, high = (float(each[k]) for each in recall)
        rows.append(
            {
                "class": labels[k],
                "n_samples": int(classes.counts[k]),
                "recall": value,
                "low": low,
                "high": high,
                "mistaken_for": labels[elsewhere[k].argmax()] if elsewhere[k].any() else None,
                "bound_lower": float(classes.bounds.lower[k]),
                "bound_upper": float(classes.bounds.upper[k]),
            }
        )
    return rows


def suspect_rows(report, most=None):
    """A dictionary for each likely label error, the most suspicious first."""
    return sample_rows(report, report.suspects[:most])


def sample_rows(report, positions):
    """A dictionary for each of some samples."""
    columns = sample_columns(report)
    values = (column[positions].tolist() for column in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def sample_columns(report):
    """The columns of the table of samples."""
    return {
        "row": report.data.rows,
        "name": report.data.row_names,
        "label": report.labels.given,
        "suggested": report.labels.suggested,
        "sample_difficulty": report.trees.sample_difficulty,
        "posterior": report.labels.posterior,
        "margin": report.labels.margin,
        "error_chance": report.labels.error_chance,
        "disagreement": report.labels.disagreement,
    }
