"""Fit the model that turns the measurements of a report into errors, chances and learning curves.

    python -m benchmarks.report.fit_model [--draws 4] [--workers 16] [--records FILE]
    python -m benchmarks.report.fit_model --explain

The first part makes reports on problems of known Bayes error (`fit_records`); it resumes where it
stopped. The second part fits to those of the families for design, in a few minutes, and writes
``src/smartsvm/report/fitted_model.json``. ``--fit`` skips the first part, ``--collect`` the second.
``--explain`` writes the table of the statistics that matter most to the page instead.

For each target there are two robust ridge regressions of its location, of target / baseline and
of target / best held-out error, whose mean is taken; and a scale to each side, whose logarithm is
linear, too: the one with the smallest quantile loss at the level `_TAIL`. All fits are repeated
without each tenth of the families, and residuals of the families left out give the quantiles, for
each of four sizes. Of families left out, too, is the truth below half of its location, the chance
of which is a logistic regression.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from smartsvm.report.fitted_model import (
    ACCURACY,
    BALANCED,
    LOG_SCALES,
    TEN_TIMES,
    TWICE,
    design_rows,
    place,
    standardised,
)
from smartsvm.report.statistics import MEANINGS, within_limits

from ..page import commit_of, markdown_table, write_table
from ..problems import SIZES, families
from .fit_records import collect, fingerprint_of, read, rounded

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src" / "smartsvm" / "report" / "fitted_model.json"
RECORDS = ROOT / "build" / "fit_model.jsonl"
PAGE = Path(__file__).parent / "README.md"
_FOLDS = 10  # of families
_RIDGE = 10.0
_HUBER, _ROUNDS = 0.05, 15  # error above which the loss is linear; rounds of reweighting
_TAIL, _SCALE_RIDGE = 0.06, 2.0
_HIDDEN = 0.5  # of the location, below which the classes differ in detail that nothing shows
_HIDDEN_PENALTY, _LEAST_LOCATION = 0.05, 0.01
_LEAST_BASELINE = 0.01  # of the error of rows outside of large cells, for an example of the fit
_SMOOTH = 2e-3  # width over which the quantile loss is rounded, in units of the baseline
_LEVELS = (
    0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25,
    0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985,
    0.99, 0.995, 0.9975, 0.999,
)  # fmt: skip
_NEAR = 0.6  # width in log n of the weights of the residuals of a size
_SHOWN = 5  # statistics in the table of the page
_BEYOND = 1.5  # the outermost quantiles are this many times those at the last levels


def examples(records, target):
    """Arrays for one target: statistics by name, truth, best, baseline and family."""
    source = target if target in (ACCURACY, BALANCED) else ACCURACY
    rows = [(each, each[source], each[source]["truth"]) for each in records]
    if source != target:
        times = {TWICE: 2, TEN_TIMES: 10}[target]
        found = {(e["family"], e["number"], e["size"]): e[source]["best"] for e in records}
        later = [(e["family"], e["number"], times * e["size"]) for e, *_ in rows]
        rows = [
            (each, own, found[key])
            for (each, own, _), key in zip(rows, later, strict=True)
            if key in found and own["best"] < own["baseline"]
        ]
    # Residuals are in units of the baseline, and mean nothing where hardly any of it is left.
    rows = [row for row in rows if row[1]["baseline"] - row[1]["known_baseline"] >= _LEAST_BASELINE]
    values = np.array([own["statistics"] for _, own, _ in rows])
    return {
        "statistics": {
            name: within_limits(name, column)
            for name, column in zip(MEANINGS, values.T, strict=True)
        },
        "truth": np.array([max(truth - own["known"], 0) for _, own, truth in rows]),
        "best": np.array([max(own["best"] - own["known"], 0) for _, own, _ in rows]),
        "baseline": np.array([own["baseline"] - own["known_baseline"] for _, own, _ in rows]),
        "limit": np.array([_upper_limit(own) - own["known"] for _, own, _ in rows]),
        "family": np.array([each["family"] for each, *_ in rows]),
        "size": np.array([each["size"] for each, *_ in rows]),
    }


def _upper_limit(own):
    """About the upper 97.5% limit of the best held-out error, above which no interval reaches."""
    best, n = own["best"], own["n_best"]
    return best + 1.96 * np.sqrt(max(best * (1 - best), 1 / n) / n) + 1 / n


def ranges_of(data):
    """Smallest and largest value, mean and deviation of each statistic."""
    return {
        name: [float(v.min()), float(v.max()), float(v.mean()), float(v.std()) or 1.0]
        for name, v in data["statistics"].items()
    }


def fit_location(rows, data, chosen):
    """Coefficients of target / baseline and of target / best, by robust ridge regressions."""
    # Huber's loss: a few families hide all of their structure, and squares would let them move
    # everyone's estimate. Each family weighs alike.
    _, family, counts = np.unique(data["family"][chosen], return_inverse=True, return_counts=True)
    A, out = rows[chosen], []
    for unit in (data["baseline"], np.maximum(data["best"], 0.01)):
        unit = unit[chosen]
        b = np.clip(data["truth"][chosen] / unit, 0, 2)
        squares = unit**2 / counts[family]
        squares /= squares.mean()
        penalty = np.diag([_RIDGE] * (A.shape[1] - 1) + [0.0])
        weights = squares
        for _ in range(_ROUNDS):
            found = np.linalg.solve((A.T * weights) @ A + penalty, (A.T * weights) @ b)
            away = np.abs(A @ found - b) * unit
            weights = squares * np.minimum(1, _HUBER / np.maximum(away, 1e-12))
        out.append(found)
    return out


def locate(rows, data, coefficients):
    """Locations by both regressions, as `place` computes them."""
    by_baseline, by_best = (np.maximum(rows @ each, 0) for each in coefficients)
    return (by_baseline * data["baseline"] + by_best * data["best"]) / 2


def fit_scale(rows, data, location, side, chosen):
    """Coefficients of the log scale on one side, by the quantile loss at the level of the tail."""
    A, baseline = rows[chosen], data["baseline"][chosen]
    away = side * (data["truth"] - location)[chosen] / baseline
    most = (data["limit"] - location if side > 0 else location)[chosen]
    most = np.maximum(most, 0) / baseline
    penalty = np.array([_SCALE_RIDGE] * (A.shape[1] - 1) + [0.0]) / len(A)

    def loss(coefficients):
        scale = np.exp(np.clip(A @ coefficients, *LOG_SCALES))
        short = away - np.minimum(scale, most)
        rounded = _SMOOTH * np.logaddexp(0, short / _SMOOTH)
        outside = 1 / (1 + np.exp(-np.clip(short / _SMOOTH, -50, 50)))
        slope = A.T @ (baseline * (_TAIL - outside) * scale * (scale < most)) / len(A)
        value = (baseline * (rounded - _TAIL * short)).mean()
        return value + penalty @ coefficients**2, slope + 2 * penalty * coefficients

    start = np.zeros(A.shape[1])
    start[-1] = -2.0
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def fit(target, data, ranges):
    """The model of one target, and location and scales of each example by fits without it."""
    rows, names = design_rows(data["statistics"], ranges), np.unique(data["family"])
    order = np.random.default_rng(0).permutation(names)
    number = dict(zip(order, np.arange(len(names)), strict=True))
    folds = np.array([number[name] for name in data["family"]]) % _FOLDS
    first = np.empty(len(rows))
    inside_of = [folds != fold for fold in range(_FOLDS)]
    located = [fit_location(rows, data, inside) for inside in inside_of]
    for inside, each in zip(inside_of, located, strict=True):
        first[~inside] = locate(rows, data, each)[~inside]

    def model_of(inside, coefficients):
        scales = [fit_scale(rows, data, first, side, inside) for side in (-1, 1)]
        parts = ("share_of_baseline", "share_of_best", "log_scale_below", "log_scale_above")
        model = {
            part: _named(each, ranges)
            for part, each in zip(parts, [*coefficients, *scales], strict=True)
        }
        return model

    out_of_fold = np.empty((3, len(rows)))
    for inside, each in zip(inside_of, located, strict=True):
        model = model_of(inside, each)
        outside = {name: values[~inside] for name, values in data["statistics"].items()}
        units = data["best"][~inside], data["baseline"][~inside]
        out_of_fold[:, ~inside] = place(model, ranges, outside, *units)
    everything = np.ones(len(rows), dtype=bool)
    model = model_of(everything, fit_location(rows, data, everything))
    model["levels"] = [0.0, *_LEVELS, 1.0]
    model["residuals"] = residuals(data, *out_of_fold)
    if target in (ACCURACY, BALANCED):
        model["hidden"] = fit_hidden(data, ranges, out_of_fold[0])
    return model, out_of_fold


def fit_hidden(data, ranges, location):
    """Coefficients of the log odds that the truth is less than half of an error left out."""
    told = location > _LEAST_LOCATION
    rows, hidden = standardised(data["statistics"], ranges), data["truth"] < _HIDDEN * location
    fitted = LogisticRegression(C=_HIDDEN_PENALTY, max_iter=1000).fit(rows[told], hidden[told])
    named = {name: float(each) for name, each in zip(ranges, fitted.coef_[0], strict=True)}
    return {"constant": float(fitted.intercept_[0]), **named}


def residuals(data, location, below, above):
    """For each size, its samples and the quantiles of residuals of problems of about that size."""
    away = data["truth"] - location
    away = np.where(away < 0, away / below, away / above)
    logs, sizes = data["statistics"]["log_samples"], data["size"]
    table = []
    for size in np.unique(np.clip(SIZES, sizes.min(), sizes.max())):
        near = np.exp(-0.5 * ((logs - np.log(size)) / _NEAR) ** 2)
        table.append([int(size), *quantiles(away, data["family"], near)])
    return table if len(table) > 1 else [table[0], [2 * table[0][0], *table[0][1:]]]


def quantiles(away, family, weights):
    """Quantiles of residuals at `_LEVELS`, with a widened end on both sides, families alike."""
    _, number = np.unique(family, return_inverse=True)
    sums = np.bincount(number, weights)
    order = np.argsort(away)
    weights = (weights / sums[number])[order]
    reached = (np.cumsum(weights) - weights / 2) / weights.sum()
    values = np.interp(_LEVELS, reached, away[order])
    values = np.maximum.accumulate(values) + 1e-6 * np.arange(len(values))
    low, high = _BEYOND * min(values[0], -0.01), _BEYOND * max(values[-1], 0.01)
    return [min(low, values[0] - 0.01), *values.tolist(), max(high, values[-1] + 0.01)]


def _named(coefficients, ranges):
    first, second = coefficients[: len(ranges)], coefficients[len(ranges) : -1]
    named = {name: [float(a), float(b)] for name, a, b in zip(ranges, first, second, strict=True)}
    return {"constant": float(coefficients[-1]), **named}


def fit_all(records, workers=1):
    """The whole model of all targets."""
    ranges = ranges_of(examples(records, ACCURACY))
    tasks = [(records, ranges, target) for target in (ACCURACY, BALANCED, TWICE, TEN_TIMES)]
    with ProcessPoolExecutor(workers) as pool:
        fitted = list(pool.map(_fit_target, tasks))
    for (*_, target), (_, lines) in zip(tasks, fitted, strict=True):
        print(target, *lines, sep="\n  ", flush=True)
    targets = {target: model for (*_, target), (model, _) in zip(tasks, fitted, strict=True)}
    return {"statistics": ranges, "targets": targets}


def _fit_target(task):
    """The model of one target, and lines on its residuals."""
    records, ranges, target = task
    data = examples(records, target)
    model, fitted = fit(target, data, ranges)
    return model, list(summary(data, *fitted))


def summary(data, location, below, above):
    """Lines on residuals of families left out: error and coverage by size."""
    table = residuals(data, location, below, above)
    sizes = [row[0] for row in table]
    low, high = (
        [np.interp(level, [0, *_LEVELS, 1], row[1:]) for row in table] for level in (0.025, 0.975)
    )
    logs, truth = data["statistics"]["log_samples"], data["truth"]
    low, high = (np.interp(logs, np.log(sizes), each) for each in (low, high))
    low = np.maximum(location + low * np.where(low < 0, below, above), 0)
    high = np.minimum(location + high * np.where(high < 0, below, above), data["limit"])
    for size in (*np.unique(data["size"]), "all"):
        s = data["size"] == size if size != "all" else slice(None)
        error = np.sqrt(np.mean((location - truth)[s] ** 2))
        covered = np.mean((low <= truth + 1e-9)[s] & (truth <= high + 1e-9)[s])
        width = np.median((high - low)[s])
        yield f"n = {size}: RMSE {error:.4f}, coverage {covered:.3f}, width {width:.3f}"


def write(model, records, command, fingerprint, path=MODEL):
    """Write the model, rounded, with its origin."""
    names = sorted({each["family"] for each in records})
    head = {
        "what": "Models of errors by the statistics of a report; see fitted_model.py.",
        "command": command,
        "date": datetime.date.today().isoformat(),
        "commit": commit_of(ROOT / "src"),
        "reports": len(records),
        "families": names,
        "fingerprint": fingerprint,
    }
    path.write_text(_lines({**head, **rounded(model)}) + "\n", encoding="utf-8")


def _lines(thing, depth=0):
    """JSON with one short line for each list of numbers."""
    pad = "  " * (depth + 1)
    if isinstance(thing, dict):
        inside = (
            f"{pad}{json.dumps(key)}: {_lines(value, depth + 1)}" for key, value in thing.items()
        )
        return "{\n" + ",\n".join(inside) + "\n" + "  " * depth + "}"
    if isinstance(thing, list) and thing and isinstance(thing[0], list):
        return (
            "[\n" + ",\n".join(pad + json.dumps(each) for each in thing) + "\n" + "  " * depth + "]"
        )
    return json.dumps(thing)


def explain(model):
    """Lines of a table: the statistics that move the location of the Bayes error most."""
    # A coefficient is the change of the location, in units of the baseline, by one standard
    # deviation of the statistic. With log n it changes by the second coefficient times its own.
    few, many = (
        (np.log(size) - model["statistics"]["log_samples"][2])
        / model["statistics"]["log_samples"][3]
        for size in (SIZES[0], SIZES[-1])
    )
    effects = dict(model["targets"][ACCURACY]["share_of_baseline"])
    effects.pop("constant")
    largest = sorted(effects, key=lambda name: -abs(effects[name][0]))[:_SHOWN]
    rows = []
    for name in largest:
        own, with_log = effects[name]
        numbers = (f"{own + each * with_log:+.3f}" for each in (0.0, few, many))
        rows.append((f"`{name}`", MEANINGS[name], *numbers))
    head = ("statistic", "meaning", "effect", f"n = {SIZES[0]}", f"n = {SIZES[-1]:,}")
    return markdown_table(head, rows)


def main(arguments=None):
    """Collect and fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, help="begin no report after this")
    parser.add_argument("--records", type=Path, default=RECORDS)
    parser.add_argument("--fit", action="store_true", help="fit to the records that are there")
    parser.add_argument("--collect", action="store_true", help="collect records, but fit nothing")
    parser.add_argument("--explain", action="store_true", help="write the table of the page")
    options = parser.parse_args(arguments)
    if options.explain:
        write_table(PAGE, "statistics", explain(json.loads(MODEL.read_text(encoding="utf-8"))))
        return
    if not options.fit:
        collect(options.records, options.draws, options.workers, options.seconds)
    if options.collect:
        return
    evaluation = set(families("evaluation"))
    records = [each for each in read(options.records) if each["family"] not in evaluation]
    given = [str(each) for each in (sys.argv[1:] if arguments is None else arguments)]
    if "--records" in given:  # a folder of one machine
        at = given.index("--records")
        del given[at : at + 2]
    command = " ".join(["python -m benchmarks.report.fit_model", *given])
    write(fit_all(records, options.workers), records, command, fingerprint_of(options.records))


if __name__ == "__main__":
    main()
