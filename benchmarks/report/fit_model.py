"""Fit the model that turns the measurements of a report into errors, chances and learning curves.

    python -m benchmarks.report.fit_model [--draws 4] [--workers 16] [--records FILE]
    python -m benchmarks.report.fit_model --explain

The first part makes reports on problems of known Bayes error (all families of `benchmarks.problems`
but those for evaluation) and keeps their statistics; it resumes where it stopped. The second part
fits, in a minute, and writes ``src/smartsvm/report/fitted_model.json``. ``--fit`` skips the first
part. With 16 workers the whole takes about ten minutes. ``--explain`` writes the table of
the statistics that matter most to the page instead.

For each target there are two robust ridge regressions of its location, of target / baseline and
of target / best held-out error, whose mean is taken; and a scale to each side, whose logarithm is
linear, too: the one with the smallest quantile loss at the level `_TAIL`. All fits are repeated
without each tenth of the families, and residuals of the families left out give the quantiles.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.report.fitted_model import (
    ACCURACY,
    BALANCED,
    LOG_SCALES,
    TEN_TIMES,
    TWICE,
    design_rows,
)
from smartsvm.report.statistics import MEANINGS, within_limits

from ..page import commit_of, markdown_table, write_table
from ..problems import families, problem

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src" / "smartsvm" / "report" / "fitted_model.json"
RECORDS = ROOT / "build" / "fit_model.jsonl"
PAGE = Path(__file__).parent / "README.md"
# Sizes of every draw; the first also has those between, for errors with twice and ten times the
# samples.
SIZES = (100, 400, 2000, 8000)
BETWEEN = (50, 200, 800, 1000, 4000)
LARGEST = (20_000,)
_MOST_VALUES = 2_500_000  # rows times columns of a report that is made
_DIGITS = 5  # significant ones, in the records

_FOLDS = 10  # of families
_RIDGE = 10.0
_HUBER, _ROUNDS = 0.05, 15  # error above which the loss is linear; rounds of reweighting
_TAIL, _SCALE_RIDGE = 0.06, 2.0
_LEAST_BASELINE = 0.01  # of the error of rows outside of large cells, for an example of the fit
_SMOOTH = 2e-3  # width over which the quantile loss is rounded, in units of the baseline
_LEVELS = (
    0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25,
    0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.975, 0.98, 0.985,
    0.99, 0.995, 0.9975, 0.999,
)  # fmt: skip
_SHOWN = 5  # statistics in the table of the page
_BEYOND = 1.5  # the outermost quantiles are this many times those at the last levels


def measure(family, number, sizes):
    """Records of one problem at some sizes."""
    warnings.simplefilter("ignore")
    records, of_family = [], problem(family, number, sizes[0])
    truth, balanced = of_family.bayes_error(), of_family.balanced_error()
    for size in sizes:
        X, y = problem(family, number, size).sample()
        if len(np.unique(y)) < 2 or len(y) < 8 or X.size > _MOST_VALUES:
            continue
        with threadpool_limits(1):
            report = difficulty_report(X, y, n_jobs=1)
        record = {"family": family, "number": number, "size": size}
        records.append({**record, **_rounded(known_of(report, truth, balanced))})
    return records


def known_of(report, truth, balanced):
    """What the fit and the rules around it need of a report, for each metric."""
    known, apart = {}, report.data.equal_rows
    for target, true in ((ACCURACY, truth), (BALANCED, balanced)):
        given = report.errors.distributions[target]
        cells = apart if target == ACCURACY else None
        known[target] = {
            "truth": true,
            "best": given.best.value,
            "n_best": given.best.n_samples,
            "baseline": given.baseline.value,
            "n_baseline": given.baseline.n_samples,
            "proven": given.proven.value,
            "n_proven": given.proven.n_samples,
            "most": given.most,
            # of large cells of equal rows, which the model leaves out
            "known": apart.large_error if cells else 0.0,
            "known_baseline": apart.large_baseline if cells else 0.0,
            "known_deviation": apart.large_error_deviation if cells else 0.0,
            "statistics": list(report.errors.statistics[target].values()),
        }
    known["columns"], known["samples"] = report.data.n_features, report.data.n_samples
    known["against"] = [
        any(flag.against_bounds for flag in report.flags),
        any(flag.against_reached for flag in report.flags),
    ]
    known["classifier"] = report.errors.held_out.classifier
    known["errors"] = {
        each.classifier: each.error.value for each in report.errors.held_out.classifiers
    }
    return known


def _rounded(thing):
    if isinstance(thing, dict):
        return {key: _rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_rounded(value) for value in thing]
    return thing if isinstance(thing, str) else float(f"{thing:.{_DIGITS}g}")


def tasks(draws):
    """Families, numbers and sizes: the first problem of each family first, in random order.

    A collection that is broken off then has as many problems of every family, but for one.
    """
    names = families("all")
    evaluation = set(families("evaluation"))
    random = np.random.default_rng(0)
    for number in range(draws):
        for family in random.permutation(names).tolist():
            yield family, number, SIZES
        if number == 1:
            for family in random.permutation(names).tolist():
                if family not in evaluation:
                    yield family, 0, BETWEEN
    for family in random.permutation(names).tolist():
        if family not in evaluation:
            yield family, 0, LARGEST


def collect(path, draws, workers, seconds=np.inf):
    """Append the records of all tasks that the file does not have; none begins after `seconds`."""
    end = time.monotonic() + seconds
    done = {(each["family"], each["number"], each["size"]) for each in read(path)}
    left = []
    for family, number, sizes in tasks(draws):
        sizes = tuple(size for size in sizes if (family, number, size) not in done)
        if sizes:
            left.append((family, number, sizes))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.read_bytes().endswith(b"\n"):
        path.write_text(path.read_text() + "\n")  # a new record does not continue half a line
    with ProcessPoolExecutor(workers) as pool, path.open("a") as file:
        futures = [pool.submit(measure, *task) for task in left]
        try:
            for place, future in enumerate(as_completed(futures, max(end - time.monotonic(), 0))):
                file.writelines(json.dumps(each) + "\n" for each in future.result())
                file.flush()
                print(f"\r{place + 1} of {len(left)}", end="", flush=True)
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    print()


def read(path):
    """The records of a file, which may end in half a line."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


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
    """Locations by both regressions, as `fitted_error` computes them."""
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


def fit(data, ranges):
    """The model of one target, and location and scales of each example by fits without it."""
    rows, names = design_rows(data["statistics"], ranges), np.unique(data["family"])
    place = dict(
        zip(np.random.default_rng(0).permutation(names), np.arange(len(names)), strict=True)
    )
    folds = np.array([place[name] for name in data["family"]]) % _FOLDS
    out_of_fold = np.empty((3, len(rows)))
    for fold in range(_FOLDS):
        inside = folds != fold
        located = fit_location(rows, data, inside)
        location = locate(rows, data, located)
        out_of_fold[0, ~inside] = location[~inside]
    for fold in range(_FOLDS):
        inside = folds != fold
        for side, out in ((-1, out_of_fold[1]), (1, out_of_fold[2])):
            scale = fit_scale(rows, data, out_of_fold[0], side, inside)
            out[~inside] = np.exp(np.clip(rows[~inside] @ scale, *LOG_SCALES))
    everything = np.ones(len(rows), dtype=bool)
    located = fit_location(rows, data, everything)
    scales = [fit_scale(rows, data, out_of_fold[0], side, everything) for side in (-1, 1)]
    parts = ("share_of_baseline", "share_of_best", "log_scale_below", "log_scale_above")
    model = {
        part: _named(each, ranges) for part, each in zip(parts, [*located, *scales], strict=True)
    }
    model["quantiles"] = quantiles(data, *out_of_fold)
    return model, out_of_fold


def quantiles(data, location, below, above):
    """Levels and quantiles of the residuals of families left out, each family alike."""
    away = (data["truth"] - location) / data["baseline"]
    away = np.where(away < 0, away / below, away / above)
    _, family, counts = np.unique(data["family"], return_inverse=True, return_counts=True)
    order = np.argsort(away)
    weights = (1 / counts[family])[order]
    reached = (np.cumsum(weights) - weights / 2) / weights.sum()
    values = np.interp(_LEVELS, reached, away[order])
    values = np.maximum.accumulate(values + 1e-9 * np.arange(len(values)))
    ends = _BEYOND * values[0], _BEYOND * values[-1]
    return [[0.0, ends[0]], *map(list, zip(_LEVELS, values.tolist(), strict=True)), [1.0, ends[1]]]


def _named(coefficients, ranges):
    first, second = coefficients[: len(ranges)], coefficients[len(ranges) : -1]
    named = {name: [float(a), float(b)] for name, a, b in zip(ranges, first, second, strict=True)}
    return {"constant": float(coefficients[-1]), **named}


def fit_all(records):
    """The whole model of all targets."""
    ranges, targets = ranges_of(examples(records, ACCURACY)), {}
    for target in (ACCURACY, BALANCED, TWICE, TEN_TIMES):
        data = examples(records, target)
        targets[target], fitted = fit(data, ranges)
        print(target, *summary(data, *fitted), sep="\n  ")
    return {"statistics": ranges, "targets": targets}


def summary(data, location, below, above):
    """Lines on residuals of families left out: error and coverage by size."""
    levels, residuals = np.array(quantiles(data, location, below, above)).T
    low, high = np.interp((0.025, 0.975), levels, residuals)
    truth, unit = data["truth"], data["baseline"]
    low = np.maximum(location + low * below * unit, 0)
    high = np.minimum(location + high * above * unit, data["limit"])
    for size in (*np.unique(data["size"]), "all"):
        s = data["size"] == size if size != "all" else slice(None)
        error = np.sqrt(np.mean((location - truth)[s] ** 2))
        covered = np.mean((low <= truth + 1e-9)[s] & (truth <= high + 1e-9)[s])
        width = np.median((high - low)[s])
        yield f"n = {size}: RMSE {error:.4f}, coverage {covered:.3f}, width {width:.3f}"


def write(model, records, path=MODEL):
    """Write the model, rounded, with its origin: the command has as many draws as the records."""
    names = sorted({each["family"] for each in records})
    draws = 1 + max(each["number"] for each in records)
    head = {
        "what": "Models of errors by the statistics of a report; see fitted_model.py.",
        "command": f"python -m benchmarks.report.fit_model --draws {draws}",
        "date": datetime.date.today().isoformat(),
        "commit": commit_of(ROOT / "src"),
        "reports": len(records),
        "families": names,
    }
    path.write_text(_lines({**head, **_rounded(model)}) + "\n", encoding="utf-8")


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
    parser.add_argument("--seconds", type=float, default=np.inf, help="begin no report after this")
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
    records = read(options.records)
    write(fit_all(records), records)


if __name__ == "__main__":
    main()
