"""Reports on problems of known Bayes error, and what the fit of the model keeps of them."""

from __future__ import annotations

import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import difficulty_report
from smartsvm.report.bayes_error import BayesError, MeasuredError
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.fitted_model import ACCURACY, BALANCED, fitted_error
from smartsvm.report.statistics import MEANINGS

from ..problems import SIZES, families, problem
from .fingerprint import differences, fingerprint

# Every problem has all `SIZES`; the first of each family also those between, for errors with twice
# and ten times the samples.
BETWEEN = (50, 200, 800, 1000, 4000)
LARGEST = (20_000,)
_MOST_VALUES = 2_500_000  # rows times columns of a report that is made
_DIGITS = 5  # significant ones


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
        records.append({**record, **rounded(known_of(report, truth, balanced))})
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
            "proven": given.proven_error.value,
            "n_proven": given.proven_error.n_samples,
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


def distribution_of(record, target):
    """The distribution that today's model gives what a record keeps of a report."""
    own = record[target]
    statistics = dict(zip(MEANINGS, own["statistics"], strict=True))
    parts = own["known"], own["known_deviation"], own["known_baseline"]
    apart = EqualRows(0.0, *parts, 0.0, 0.0) if own["known_baseline"] else None
    fitted = fitted_error(target, statistics, own["best"], own["baseline"], apart)
    best, baseline, proven = (
        MeasuredError(own[name], own[f"n_{name}"]) for name in ("best", "baseline", "proven")
    )
    return BayesError(fitted, best, baseline, proven, own["most"])


def rounded(thing):
    """Numbers of a nested record with few digits."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [rounded(value) for value in thing]
    return thing if isinstance(thing, (str, int)) else float(f"{thing:.{_DIGITS}g}")


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


def collect(path, draws, workers, seconds=None):
    """Append the records of all tasks that the file does not have; none begins after `seconds`."""
    start = time.monotonic()
    check_fingerprint(path)
    done = {(each["family"], each["number"], each["size"]) for each in read(path)}
    left = []
    for family, number, sizes in tasks(draws):
        sizes = tuple(size for size in sizes if (family, number, size) not in done)
        if sizes:
            left.append((family, number, sizes))
    with ProcessPoolExecutor(workers) as pool, path.open("a") as file:
        futures = [pool.submit(measure, *task) for task in left]
        rest = None if seconds is None else max(start + seconds - time.monotonic(), 0)
        try:
            for place, future in enumerate(as_completed(futures, rest)):
                file.writelines(json.dumps(each) + "\n" for each in future.result())
                file.flush()
                print(f"\r{place + 1} of {len(left)}", end="", flush=True)
        except TimeoutError:
            pool.shutdown(wait=False, cancel_futures=True)
    print()


def check_fingerprint(path):
    """Begin a file of records with today's fingerprint, or refuse to go on with another one."""
    today = fingerprint()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"fingerprint": today}) + "\n")
        return
    changed = differences(fingerprint_of(path), today)
    if changed:
        lines = "\n  ".join(changed)
        raise ValueError(f"the records of {path} are of other classifiers:\n  {lines}")
    if not path.read_bytes().endswith(b"\n"):
        path.write_text(path.read_text() + "\n")  # a new record does not continue half a line


def fingerprint_of(path):
    """The fingerprint in the first line of a file of records."""
    with path.open() as file:
        return json.loads(file.readline())["fingerprint"]


def read(path):
    """The records of a file, which begins with a fingerprint and may end in half a line."""
    records = []
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "family" in record:
            records.append(record)
    return records
