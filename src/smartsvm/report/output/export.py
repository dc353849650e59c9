"""The report as plain data: dictionary, JSON and data frames."""

import json
import math
from dataclasses import is_dataclass

import numpy as np

from smartsvm._core.validation import check_choice
from smartsvm.presentation.display_names import json_escaped
from smartsvm.report.output.headroom import AS_GIVEN, COLUMNS, headroom_rows
from smartsvm.report.output.rows import class_rows, pair_rows, sample_columns, suspect_rows
from smartsvm.report.output.sections import data_of

FORMAT = 4  # of the dictionary and of JSON; it rises when a key changes its place or meaning
TABLES = ("pairs", "classes", "samples", "suspects", "classifiers", "flags", "headroom")
_OF_FLAG = ["code", "title", "message", "against_bounds", "against_reached", "page"]


def to_dict(report, *, samples=True):
    """See `DifficultyReport.to_dict`."""
    return _plain({"format": FORMAT} | data_of(report, samples))


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
        return pandas.DataFrame(suspect_rows(report), columns=list(sample_columns(report)))
    if which == "classifiers":
        found = sorted(report.errors.held_out.classifiers, key=lambda each: each.error.value)
        names = ["classifier", "setting", "value", "low", "high"]
        rows = [(each.classifier, each.setting, *each.error) for each in found]
        given = [each for each in report.models.values() if not each.cross_validated]
        rows += [(each.model, AS_GIVEN, *each.error) for each in given]
        return pandas.DataFrame(rows, columns=names).rename(columns={"value": "error"})
    if which == "headroom":
        # Each part leaves some columns empty; labels and numbers of rows stay what they are.
        frame = pandas.DataFrame(headroom_rows(report), columns=list(COLUMNS), dtype=object)
        numbers = ("model_error", "combined_error", "lost", "posterior")
        kinds = dict.fromkeys(("row", "n_samples"), "Int64") | dict.fromkeys(numbers, float)
        return frame.astype(kinds)
    if which == "flags":
        rows = [vars(flag) | {"page": flag.page} for flag in report.flags]
        return pandas.DataFrame(rows, columns=_OF_FLAG)
    suspect = np.zeros(report.data.n_samples, dtype=bool)
    suspect[report.suspects] = True
    return pandas.DataFrame(sample_columns(report) | {"suspect": suspect})


def _plain(thing):
    """What JSON can hold: results as dictionaries, arrays as lists, NaN and infinities as None."""
    if is_dataclass(thing) or hasattr(thing, "_asdict"):
        thing = vars(thing) if is_dataclass(thing) else thing._asdict()
    elif isinstance(thing, np.ndarray | np.generic):
        thing = thing.tolist()
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_plain(value) for value in thing]
    if isinstance(thing, float) and not math.isfinite(thing):
        return None
    return thing
