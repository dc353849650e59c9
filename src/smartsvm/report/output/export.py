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
_SETTINGS = ("n_trees", "counted_trees", "n_tie_orders", "confidence", "scale", "random_state")
MOST_RANKED = 100  # labels of the ranking in the dictionary
TABLES = ("pairs", "classes", "samples", "suspects", "classifiers", "flags", "headroom")
_OF_FLAG = ["code", "title", "message", "against_bounds", "against_reached"]
FILES = (".html", ".json", ".csv", ".txt", ".md", ".png", ".svg", ".pdf")


def to_dict(report, *, samples=True):
    """See `DifficultyReport.to_dict`."""
    held_out = report.held_out
    result = {
        "format": FORMAT,
        "data": {
            "n_samples": report.n_samples,
            "n_features": report.n_features,
            "classes": report.classes,
            "class_counts": report.class_counts,
            "subsample": report.subsample,
            "splits": report.splits,
        },
        "settings": {name: getattr(report, name) for name in _SETTINGS},
        "bayes_error": report.bayes_error,
        "statistics": report.statistics["bayes_error"],
        "trees": {
            "lower": report.lower,
            "upper": report.upper,
            "cross_share": report.cross_share,
            "cross_limit": {
                "value": report.cross_limit.value,
                "error": report.cross_limit.error,
                "dimension": report.curve.dimension,
            },
        },
        "held_out": {
            "classifier": held_out.classifier,
            "best": held_out.best,
            "gain": held_out.gain,
            "classifiers": held_out.classifiers,
            # JSON keys are strings; the same here, so that both read alike.
            "neighbor_ladder": {str(k): error for k, error in report.neighbor_ladder},
            "baseline": report.baseline,
            "balanced_error": report.recall.balanced_error,
            "balanced_classifier": report.recall.classifier,
        },
        "signal": report.signal,
        "signal_columns": report.signal_columns,
        "merge": report.merge_advice(),
        "pairs": pair_rows(report),
        "classes": class_rows(report),
        "wrong_labels": report.wrong_labels,
        "n_wrong_labels": report.n_wrong_labels,
        "suspects": suspect_rows(report),
        "ranking": sample_rows(report, report.label_ranking[:MOST_RANKED]),
        "convergence": {"sizes": report.curve.sizes, "cross_shares": report.curve.cross_shares},
        "learning_curve": report.learning_curve,
        "forward_in_time": report.forward_in_time,
        "preparation": report.preparation,
        "flags": report.flags,
        "verdict": report.verdict,
        "dependence": report.dependence,
        "headroom": [_headroom_of(report, found) for found in report.models.values()],
    }
    if samples:
        result["sample_difficulty"] = report.sample_difficulty
        result["label_posterior"] = report.label_posterior
    return _plain(result)


def _headroom_of(report, found):
    """What the dictionary has about a model: of single samples only the first."""
    rows = headroom_rows(report, found.model)
    samples = [row for row in rows if row["part"] not in (CLASS, PAIR)]
    return {
        "model": found.model,
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
        found = sorted(report.held_out.classifiers, key=lambda each: each.error.value)
        names = ["classifier", "setting", "value", "low", "high"]
        rows = [(each.classifier, each.setting, *each.error) for each in found]
        given = [each for each in report.models.values() if not each.cross_validated]
        rows += [(each.model, AS_GIVEN, *each.error) for each in given]
        return pandas.DataFrame(rows, columns=names).rename(columns={"value": "error"})
    if which == "headroom":
        return pandas.DataFrame(headroom_rows(report), columns=list(COLUMNS))
    if which == "flags":
        return pandas.DataFrame(map(asdict, report.flags), columns=_OF_FLAG)
    suspect = np.zeros(report.n_samples, dtype=bool)
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
        "row": report.rows,
        "name": report.row_names,
        "label": report.labels,
        "suggested": report.suggested,
        "difficulty": report.sample_difficulty,
        "posterior": report.label_posterior,
        "margin": report.label_margin,
        "chance": report.label_error_chance,
        "disagreement": report.disagreement,
    }


def pair_rows(report, most=None):
    """A dictionary for each pair, the hardest first."""
    inseparable = set(report.inseparable_pairs())
    places = {label: place for place, label in enumerate(report.classes.tolist())}
    rows = []
    for pair in report.hardest_pairs(most):
        where = places[pair[0]], places[pair[1]]
        rows.append(
            {
                "classes": list(pair),
                "confused": float(report.pair_errors.value[where]),
                "low": float(report.pair_errors.low[where]),
                "high": float(report.pair_errors.high[where]),
                "error": float(report.pairs.value[where]),
                "lower": float(report.pairs.lower[where]),
                "upper": float(report.pairs.upper[where]),
                "score": float(report.pair_scores[where]),
                "inseparable": pair in inseparable,
            }
        )
    return rows


def class_rows(report, most=None):
    """A dictionary for each class, the hardest first."""
    rows, labels = [], report.classes.tolist()
    places = {label: place for place, label in enumerate(labels)}
    elsewhere = report.confusion * (1 - np.eye(len(labels), dtype=np.intp))
    for label in report.hardest_classes(most):
        k = places[label]
        recall, (low, high) = float(report.recall.by_class[k]), report.recall.limits[k].tolist()
        rows.append(
            {
                "class": label,
                "n_samples": int(report.class_counts[k]),
                "error": 1 - recall,
                "low": 1 - high,
                "high": 1 - low,
                "recall": recall,
                "recall_low": low,
                "recall_high": high,
                "mistaken_for": labels[elsewhere[k].argmax()] if elsewhere[k].any() else None,
                "bound_lower": float(report.by_class.lower[k]),
                "bound_upper": float(report.by_class.upper[k]),
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
