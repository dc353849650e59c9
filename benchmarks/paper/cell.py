"""What a worker does: one job on one split, to tidy records."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
import warnings
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from sklearn.metrics import accuracy_score, adjusted_rand_score
from threadpoolctl import threadpool_limits

import smartsvm

from . import methods, protocol
from .tuning import Clock

_DIGITS = 6


def do(name, split, job, size, folder, cap, subsampled, report):
    """Records of the methods of one job on one split of one prepared set."""

    def records(results):
        return [
            describe(name, split, method, size, cap, subsampled)
            | measured(method, fitted, problem, clock)
            for method, fitted in results.items()
        ]

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the clock counts fits that do not converge
        problem = protocol.problem(name, split, protocol.SIZES[size], folder)
        clock = Clock(cap, so_far=lambda results: report(records(results)))
        return records(methods.JOBS[job].run(problem, clock))


def describe(name, split, method, size, cap, subsampled):
    """The part of a record that is known before anything is run."""
    return {
        "set": name,
        "split": split,
        "method": method,
        "size": size,
        "cap_s": None if cap == float("inf") else cap,
        "subsampled": subsampled,
        "date": now(),
        "versions": versions(),
        "machine": machine(),
    }


def measured(method, fitted, problem, clock):
    """The part of a record that a finished cell has."""
    found = clock.best_of(f"{method} predict", lambda: fitted.model.predict(problem.X_test))
    spent = {
        part: _rounded(clock.spent.get(f"{method} {part}"))
        for part in ("hierarchy", "fit", "tune", "predict")
    }
    n_done = max(1, len(fitted.scores))
    return {
        "n_train": len(problem.y_train),
        "n_test": len(problem.y_test),
        "d": problem.X_train.shape[1],
        "K": int(problem.y_train.max()) + 1,
        "n_folds": problem.size.n_folds,
        "accuracy": _rounded(accuracy_score(problem.y_test, found)),
        "ari": _rounded(adjusted_rand_score(problem.y_test, found)),
        "C": fitted.C,
        "cv_scores": [_rounded(each) for each in fitted.scores],
        "n_configurations": n_done,
        "capped": fitted.capped,
        "hierarchy_s": spent["hierarchy"],
        "fit_s": spent["fit"],
        "tune_s": spent["tune"],
        "configuration_s": _rounded(spent["tune"] / n_done),
        "predict_s": spent["predict"],
        "unconverged": clock.unconverged,
        **(fitted.extra or {}),
    }


def capped_record(name, split, method, size, cap, subsampled, seconds):
    """The record of a cell that was killed at its cap: no result, and said so."""
    return describe(name, split, method, size, cap, subsampled) | {
        "capped": True,
        "accuracy": None,
        "ari": None,
        "tune_s": _rounded(seconds),
    }


def now():
    """The time in UTC, as records have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@cache
def machine():
    """Processor, as far as the system tells, and the number of cores."""
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    if "model name" not in text and shutil.which("lscpu"):  # not in the file on ARM
        text = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    lines = (line.split(":", 1) for line in text.splitlines() if ":" in line)
    names = [value.strip() for key, value in lines if key.strip().lower() == "model name"]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def versions():
    """Versions of everything that shapes a result."""
    found = {"python": sys.version.split()[0], "smartsvm": smartsvm.__version__}
    for package in ("numpy", "scipy", "scikit-learn"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def _rounded(value):
    return None if value is None else float(f"{value:.{_DIGITS}g}")
