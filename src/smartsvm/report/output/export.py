"""The report as plain data: dictionary, JSON and data frames."""

import json
import math
from dataclasses import asdict, is_dataclass
from pathlib import Path

import numpy as np

from smartsvm._core.display_names import json_escaped
from smartsvm._core.output_files import check_no_data, check_place, figure_content, write_file
from smartsvm._core.validation import check_choice
from smartsvm.report.output.headroom import AS_GIVEN, CLASS, COLUMNS, PAIR, headroom_rows
from smartsvm.report.output.page_tables import rows_as_csv

FORMAT = 4
MOST_RANKED = 100  # labels of the ranking in the dictionary
TABLES = ("pairs", "classes", "samples", "suspects", "classifiers", "flags", "headroom")
_OF_FLAG = ["code", "title", "message", "against_bounds", "against_reached"]
FILES = (".html", ".json", ".csv", ".txt", ".md", ".png", ".svg", ".pdf")


def to_dict(report, *, samples=True):
    """See `DifficultyReport.to_dict`."""
    result = {
        "format": FORMAT,
        "bayes_error": report.bayes_error,
        "verdict": report.verdict,
        "suspects": suspect_rows(report),
        "errors": _errors(report.errors),
        "classes": {
            "names": report.classes.names,
            "counts": report.classes.counts,
            "hardest": class_rows(report),
            "merge_advice": report.merge_advice(),
        },
        "pairs": {"hardest": pair_rows(report)},
        "labels": {
            "error_rate": report.labels.error_rate,
            "n_suspects": report.labels.n_suspects,
            "ranking": sample_rows(report, report.labels.ranking[:MOST_RANKED]),
        },
        "trees": _without(report.trees, "sample_difficulty"),
        "data": _without(report.data, "rows", "row_names"),
        "models": {name: _headroom(report, found) for name, found in report.models.items()},
        "flags": report.flags,
        "settings": report.settings,
    }
    if samples:
        result["labels"]["posterior"] = report.labels.posterior
        result["trees"]["sample_difficulty"] = report.trees.sample_difficulty
    return _plain(result)


def _without(result, *names):
    """The attributes of a result but these."""
    return {name: value for name, value in vars(result).items() if name not in names}


def _errors(errors):
    """All errors but the distributions, whose chances `judge` gives."""
    # JSON keys are strings; the same here, so that both read alike.
    by_n_neighbors = {str(k): error for k, error in errors.by_n_neighbors}
    return _without(errors, "distributions") | {"by_n_neighbors": by_n_neighbors}


def _headroom(report, found):
    """What the dictionary has about a model: of single samples only the first."""
    rows = headroom_rows(report, found.model)
    samples = [row for row in rows if row["part"] not in (CLASS, PAIR)]
    return {
        "error": found.error,
        "gain": found.gain,
        "chance": found.chance,
        "cross_validated": found.cross_validated,
        "n_improvable": len(found.improvable),
        "n_doubtful": len(found.doubtful),
        "where": rows[: len(rows) - len(samples)] + samples[:MOST_RANKED],
    }


def to_json(report, *, samples=False, indent=2):
    """See `DifficultyReport.to_json`."""
    text = json.dumps(
        to_dict(report, samples=samples),
        indent=indent,
        ensure_ascii=False,
        allow_nan=False,
        default=str,
    )
    return json_escaped(text)


def to_frame(report, which="pairs"):
    """See `DifficultyReport.to_frame`."""
    check_choice(which, "which", TABLES)
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame needs pandas; to_dict works without it.") from error
    if which == "pairs":
        rows = pair_rows(report)
        for row in rows:
            row["first"], row["second"] = row.pop("classes")
        return pandas.DataFrame(rows)[["first", "second", *list(rows[0])[:-2]]]
    if which == "classes":
        return pandas.DataFrame(class_rows(report))
    if which == "suspects":
        return pandas.DataFrame(suspect_rows(report), columns=list(_sample_columns(report)))
    if which == "classifiers":
        found = sorted(report.errors.held_out.classifiers, key=lambda each: each.error.value)
        names = ["classifier", "setting", "value", "low", "high"]
        rows = [(each.classifier, each.setting, *each.error) for each in found]
        given = [each for each in report.models.values() if not each.cross_validated]
        rows += [(each.model, AS_GIVEN, *each.error) for each in given]
        return pandas.DataFrame(rows, columns=names).rename(columns={"value": "error"})
    if which == "headroom":
        return pandas.DataFrame(headroom_rows(report), columns=list(COLUMNS))
    if which == "flags":
        return pandas.DataFrame(map(asdict, report.flags), columns=_OF_FLAG)
    suspect = np.zeros(report.data.n_samples, dtype=bool)
    suspect[report.suspects] = True
    return pandas.DataFrame(_sample_columns(report) | {"suspect": suspect})


def save(report, path):
    """See `DifficultyReport.save`."""
    suffix = Path(path).suffix.lower()
    if suffix not in FILES:
        raise ValueError(f"path must end in one of {', '.join(FILES)}, got {str(path)!r}.")
    check_no_data(path)
    check_place(path)
    if suffix == ".html":
        content = report.to_html()
    elif suffix == ".json":
        content = report.to_json(samples=True)
    elif suffix == ".csv":
        content = rows_as_csv(to_frame(report, "samples").to_dict("records"))
    elif suffix == ".md":
        content = markdown(report)
    elif suffix == ".txt":
        content = f"{report}\n"
    else:
        content = figure_content(report.plot(), path, dpi=150)
    write_file(path, content)


def markdown(report):
    """The text as Markdown: its title as a heading, the rest as it is, aligned."""
    title, *lines = str(report).split("\n")
    return "\n".join([f"# {title.capitalize()}", "", "```text", *lines, "```", ""])


def _sample_columns(report):
    return {
        "row": report.data.rows,
        "name": report.data.row_names,
        "label": report.labels.given,
        "suggested": report.labels.suggested,
        "difficulty": report.trees.sample_difficulty,
        "posterior": report.labels.posterior,
        "margin": report.labels.margin,
        "chance": report.labels.error_chance,
        "disagreement": report.labels.disagreement,
    }


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
                "error": float(pairs.bounds.value[i, j]),
                "lower": float(pairs.bounds.lower[i, j]),
                "upper": float(pairs.bounds.upper[i, j]),
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
                "error": 1 - value,
                "low": 1 - high,
                "high": 1 - low,
                "recall": value,
                "recall_low": low,
                "recall_high": high,
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
    columns = _sample_columns(report)
    values = (column[positions].tolist() for column in columns.values())
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def _plain(thing):
    """What JSON can hold: results as dictionaries, arrays as lists, NaN and infinities as None."""
    if is_dataclass(thing) or hasattr(thing, "_asdict"):
        thing = vars(thing) if is_dataclass(thing) else thing._asdict()
    elif isinstance(thing, np.ndarray):
        thing = thing.tolist()
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(value) for value in thing]
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    return thing
