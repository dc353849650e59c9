"""The numbers behind the paper's figures, and a few checks beside its tables.

    python -m benchmarks.paper.studies --size paper [--only chess mnist]

Appends one record per study to benchmarks/paper/records/studies-SIZE.jsonl; a study that is there
is not done again. Drawing is left to `benchmarks.paper.draw`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from smartsvm import (
    ClassForest,
    SmallClassWarning,
    class_hierarchy,
    confusion_rate,
    euclidean_mst,
    ovr_bayes_error,
    pairwise_bayes_error,
)
from smartsvm.estimation.henze_penrose import bayes_error_bounds

from . import cell, datasets, methods, protocol, reference_bounds, runner
from .digit_classifiers import digit_classifier
from .record_file import RecordFile, read
from .run import RECORDS
from .tuning import Clock

DISTANCES = tuple(np.linspace(0, 4, 17).tolist())
PRIORS = (0.15, 1 / 3)
MOST_TREES = 10
N_POINTS = 1000


def two_gaussians(distance, n_first, random):
    """Points in the plane from two spherical Gaussians, and their classes."""
    X = random.normal(size=(N_POINTS, 2))
    X[n_first:, 0] += distance
    return X, np.arange(N_POINTS) >= n_first


def bias_correction(quick):
    """HP-estimates with and without the correction beside the true error and known bounds."""
    trials = 20 if quick else 200
    curves = {}
    for prior in PRIORS:
        n_first = round(prior * N_POINTS)
        found = {"plain": [], "corrected": []}
        for distance in DISTANCES:
            each = {"plain": [], "corrected": []}
            for trial in range(trials):
                random = np.random.default_rng([trial, n_first, round(1000 * distance)])
                X, y = two_gaussians(distance, n_first, random)
                forest = ClassForest(X, y, n_trees=3)
                for name, corrected in (("plain", False), ("corrected", True)):
                    error = forest.pairwise(bias_correction=corrected)
                    each[name].append(error.value[0, 1])
            for name, values in each.items():
                found[name].append(float(np.mean(values)))
        at = np.array(DISTANCES)
        curves[f"{prior:.4g}"] = found | {
            "true": reference_bounds.gaussian_bayes_error(at, prior).tolist(),
            "bhattacharyya": reference_bounds.bhattacharyya_upper(at, prior).tolist(),
            "jensen_shannon": reference_bounds.jensen_shannon_upper(at, prior).tolist(),
        }
    return {"distances": DISTANCES, "trials": trials, "curves": curves}


def tree_variance(quick):
    """Variance of the HP-estimate against the number of orthogonal trees, not corrected."""
    trials = 40 if quick else 500
    n_first = 330
    at = DISTANCES[::2]
    variance = np.empty((MOST_TREES, len(at)))
    for i, distance in enumerate(at):
        estimates = np.empty((trials, MOST_TREES))
        for trial in range(trials):
            random = np.random.default_rng([trial, i])
            X, y = two_gaussians(distance, n_first, random)
            edges = euclidean_mst(X, n_trees=MOST_TREES).edges
            cross = (y[edges[..., 0]] != y[edges[..., 1]]).sum(axis=1)
            mean = np.cumsum(cross) / np.arange(1, MOST_TREES + 1)
            estimates[trial] = bayes_error_bounds(
                mean, N_POINTS, n_first / N_POINTS, bias_correction=False
            )[0]
        variance[:, i] = estimates.var(axis=0, ddof=1)
    return {"distances": at, "trials": trials, "variance": variance.tolist()}


def mnist(quick):
    """Pairwise errors of the training digits beside the confusions of a trained classifier."""
    train, test = datasets.load("mnist"), datasets.load("mnist_test")
    random = np.random.default_rng(0)
    rows = protocol.subsample(train.y, 2000 if quick else 10_000, random)
    X, y = train.X[rows] / 255, train.y[rows]
    errors = pairwise_bayes_error(X, y, n_trees=3, **methods.PAPER_ERRORS)
    name, predict = digit_classifier(train.X / 255, train.y, quick=quick)
    found = predict(test.X / 255)
    confusion = confusion_matrix(test.y, found)
    symmetric = confusion + confusion.T
    upper = np.triu_indices(10, 1)
    ranks = [np.argsort(np.argsort(m[upper])) for m in (errors.value, symmetric)]
    return {
        "rows": len(rows),
        "errors": np.round(errors.value, 5).tolist(),
        "classifier": name,
        "mistakes": int((found != test.y).sum()),
        "n_test": len(test.y),
        "confusion": symmetric.tolist(),
        "rank_correlation": float(np.corrcoef(*ranks)[0, 1]),
    }


def chess(quick):
    """OvR estimates against the error of each class on a test part; and after PCA to 2."""
    data = datasets.load("kr-vs-k")
    rows = protocol.subsample(data.y, 3000 if quick else len(data.y), np.random.default_rng(0))
    X, y = data.X[rows], data.y[rows]
    parts = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    X_train, X_test, y_train, y_test = parts
    scaler = MinMaxScaler((-1, 1)).fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    labels = np.arange(len(data.classes))
    share = np.bincount(y_train) / len(y_train)
    result = {"classes": data.classes, "n_train": len(y_train), "n_test": len(y_test)}
    result["guess"] = np.minimum(share, 1 - share).tolist()
    options = {"n_trees": 3, "bias_correction": True}
    whole = ovr_bayes_error(X_train, y_train, **options)
    flat = ovr_bayes_error(PCA(2, random_state=0).fit_transform(X_train), y_train, **options)
    for name, error in (("estimate", whole), ("pca", flat)):
        result[name] = {
            part: np.round(getattr(error, part), 6).tolist() for part in ("value", "lower", "upper")
        }
    result["test_error"] = {}
    for title, model in (
        ("one-vs-one, linear", methods.one_vs_one(1.0)),
        ("RBF SVM", methods.rbf_svm(64.0)),
    ):
        found = model.fit(X_train, y_train).predict(X_test)
        result["test_error"][title] = confusion_rate(y_test, found, labels=labels).tolist()
    return result


def wine_leak(quick):
    """ARI on the wines with and without their label among the features."""
    size = protocol.SIZES["quick" if quick else "paper"]
    rows = []
    for name in ("wine_red", "wine_white"):
        data = datasets.load(name)
        for leaked in (False, True):
            X = np.column_stack([data.X, data.y]) if leaked else data.X
            for split in range(1 if quick else 3):
                problem = protocol.divide(name, X, data.y, split, size)
                for job in ("pairs", "one-vs-rest", "smartsvm-faithful"):
                    for method, fitted in methods.JOBS[job].run(problem, Clock()).items():
                        ari = adjusted_rand_score(
                            problem.y_test, fitted.model.predict(problem.X_test)
                        )
                        rows.append(
                            {"set": name, "leaked": leaked, "method": method, "ari": float(ari)}
                        )
    return {"rows": rows}


def prediction(quick):
    """Seconds to predict many rows of letter, every mode of SmartSVM beside one-vs-one."""
    data, size = datasets.load("letter"), protocol.SIZES["quick" if quick else "paper"]
    problem = protocol.divide("letter", data.X, data.y, 0, size)
    rows = np.resize(problem.X_test, (10_000 if quick else 100_000, problem.X_test.shape[1]))
    ways = {
        "SmartSVM, as in the paper": methods.faithful,
        "SmartSVM, our settings": methods.best,
        "SmartSVM, our settings, linear nodes": partial(methods.best, nodes="linear"),
    }
    models = {"one-vs-one": methods.one_vs_one(1.0)} | {
        f"{name}, {routing}": make(1.0, routing=routing)
        for name, make in ways.items()
        for routing in ("hard", "soft")
    }
    seconds = {name: [] for name in models}
    with threadpool_limits(1):
        for model in models.values():
            model.fit(problem.X_train, problem.y_train)
        for _ in range(3):  # they take turns, so that a slow moment hits all of them
            for name, model in models.items():
                start = time.process_time()
                model.predict(rows)
                seconds[name].append(time.process_time() - start)
    accuracy = {name: model.score(problem.X_test, problem.y_test) for name, model in models.items()}
    return {"rows": len(rows), "seconds": seconds, "accuracy": accuracy}


def same_solver(quick):
    """CPU seconds of tuning if SmartSVM's nodes are solved as one-vs-one's pairs are."""
    size = protocol.SIZES["quick" if quick else "paper"]
    size = replace(size, n_folds=3, Cs=size.Cs[::2], cap=float("inf"))
    rows = []
    for data in _available():
        kept = protocol.subsample(data.y, 600 if quick else 4000, np.random.default_rng(0))
        problem = protocol.divide(data.name, data.X[kept], data.y[kept], 0, size)
        clock = Clock()
        with threadpool_limits(1):
            methods.tune("one-vs-one", methods.one_vs_one, size.Cs, problem, clock)
            methods.run_faithful(problem, clock, solver="newton")
            with clock("liblinear tune"):
                forest = ClassForest(problem.X_train, problem.y_train, n_trees=problem.n_trees)
                tree = class_hierarchy(forest.pairwise(**methods.PAPER_ERRORS))
            make = partial(methods.faithful_over_liblinear, hierarchy=tree)
            methods.tune("liblinear", make, size.Cs, problem, clock)
        seconds = {
            method: clock.spent[f"{method} tune"]
            for method in ("one-vs-one", "liblinear", "smartsvm-faithful")
        }
        rows.append({"set": data.name, "n": len(kept), "K": len(data.classes), "seconds": seconds})
    return {"n_folds": size.n_folds, "n_Cs": len(size.Cs), "rows": rows}


def _available():
    """The paper's sets one after another, but for those that cannot be had."""
    for name in datasets.NAMES:
        try:
            yield datasets.load(name)
        except datasets.Unavailable as error:
            runner.say_with_time(f"left out: {error}")


def data(quick):
    """The columns of the paper's table of sets, of every set that can be had."""
    return datasets.summaries(fetch=True)


STUDIES = {
    study.__name__: study
    for study in (
        data,
        bias_correction,
        tree_variance,
        wine_leak,
        prediction,
        same_solver,
        chess,
        mnist,
    )
}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=protocol.SIZES, default="paper")
    parser.add_argument("--only", nargs="+", choices=STUDIES, default=list(STUDIES))
    parser.add_argument("--redo", action="store_true", help="forget those that are there")
    parser.add_argument("--records", type=Path, help="file to append to")
    options = parser.parse_args(arguments)
    path = options.records or RECORDS / f"studies-{options.size}.jsonl"
    with RecordFile(path) as file:
        if options.redo:
            file.drop(lambda record: record["study"] in options.only)
        done = {record["study"] for record in read(path)}
        for name in options.only:
            if name not in done:
                runner.say_with_time(f"{name} ...")
                record = _record(name, options.size)
                if record is not None:
                    file.append(record)


def _record(name, size):
    """The record of one study, or None, having said why, if its data cannot be had."""
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SmallClassWarning)  # the sets are what they are
            result = STUDIES[name](size == "quick")
    except datasets.Unavailable as error:
        runner.say_with_time(f"{name} left out: {error}")
        return None
    seconds = round(time.process_time() - start, 1)
    runner.say_with_time(f"{name} done in {seconds:.0f} s of CPU time")
    return {
        "study": name,
        "size": size,
        "date": cell.now(),
        "cpu_s": seconds,
        "versions": cell.versions(),
        "machine": cell.machine(),
        "result": result,
    }


if __name__ == "__main__":
    main()
