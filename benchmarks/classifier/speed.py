"""Speed of SmartSVM's modes beside one-vs-one: fit, prediction, many columns, threads, sparse text.

    python -m benchmarks.classifier.speed [fit predict wide digits threads text] [--page FILE]

CPU seconds with one thread, but for "threads" (wall seconds); the best of several turns that
contestants take one after the other. With --page the tables are written into a page, that of
benchmarks/classifier. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from smartsvm import SmartSVM

from ..page import write_table
from ..paper import datasets
from .contestants import PAPER, one_vs_one
from .problems import KNOWN, split

_ENOUGH = 4.0  # seconds of turns, after which two turns are enough
_RBF_ROWS = 10_000  # of the prediction that an RBF machine makes, for want of time


def best_of(actions, turns=5, clock=time.process_time):
    """Least seconds of each action by name; they take turns."""
    best, spent, turn = dict.fromkeys(actions, np.inf), 0.0, 0
    while turn < turns and (turn < 2 or spent < _ENOUGH):
        for name, action in actions.items():
            start = clock()
            action()
            seconds = clock() - start
            best[name], spent = min(best[name], seconds), spent + seconds
        turn += 1
    return best


def fits(models, X, y):
    """Actions that fit clones of models."""
    return {name: partial(_fit, make, X, y) for name, make in models.items()}


def _fit(make, X, y):
    return make().fit(X, y)


def fit():
    """Fit at C = 1 on the training part of the paper's sets."""
    yield "| set | default, s | paper, s | one-vs-one, s |"
    yield "|---" * 4 + "|"
    models = {"default": SmartSVM, "paper": partial(SmartSVM, **PAPER), "pairs": one_vs_one}
    met = np.zeros(2, dtype=int)
    for name in KNOWN:
        X, y, _, _ = split(name, 0)
        best = best_of(fits(models, X, y), 20)
        ratios = [best[kind] / best["pairs"] for kind in ("default", "paper")]
        met += np.array(ratios) <= 1
        seconds = " | ".join(f"{value:.4f}" for value in best.values())
        yield f"| {name} | {seconds} |"
    yield f"| at most one-vs-one | {met[0]} of {len(KNOWN)} | {met[1]} of {len(KNOWN)} | |"


def predict():
    """Prediction of 100,000 rows of letter."""
    X, y, X_test, _ = split("letter", 0)
    rows = np.tile(X_test, (100_000 // len(X_test) + 1, 1))[:100_000]
    models = {
        "default": SmartSVM(),
        "accurate": SmartSVM(nodes="forest"),
        "paper": SmartSVM(**PAPER),
        "one-vs-one": one_vs_one(),
    }
    best = best_of({name: partial(m.fit(X, y).predict, rows) for name, m in models.items()}, 3)
    machine = SVC(C=16.0).fit(X, y)
    start = time.process_time()
    machine.predict(rows[:_RBF_ROWS])
    best["RBF"] = (time.process_time() - start) * len(rows) / _RBF_ROWS
    yield "| method | seconds | one-vs-one / | RBF / |"
    yield "|---|---|---|---|"
    for name, seconds in best.items():
        faster = [best[other] / seconds for other in ("one-vs-one", "RBF")]
        yield f"| {name} | {seconds:.3f} | {faster[0]:.1f} | {faster[1]:.1f} |"


def wide():
    """784 columns: 4,000 digits of MNIST."""
    data = datasets.load("mnist")
    rows = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[rows] / 255, data.y[rows]
    models = {
        "default": SmartSVM,
        "accurate": partial(SmartSVM, nodes="forest"),
        "one-vs-one": one_vs_one,
    }
    best = best_of(fits(models, X[:4000], y[:4000]), 3)
    yield "| method | fit, s | / one-vs-one | accuracy on 4,000 others |"
    yield "|---|---|---|---|"
    for name, make in models.items():
        score = make().fit(X[:4000], y[:4000]).score(X[4000:8000], y[4000:8000])
        yield f"| {name} | {best[name]:.2f} | {best[name] / best['one-vs-one']:.2f} | {score:.4f} |"


def digits():
    """scikit-learn's digits, ten splits of a third."""
    X, y = load_digits(return_X_y=True)
    models = {"default": SmartSVM, "one-vs-one": one_vs_one}
    found = {name: [] for name in models}
    for number in range(10):
        parts = train_test_split(X / 16, y, test_size=1 / 3, random_state=number, stratify=y)
        inside, outside, labels, truth = parts
        best = best_of(fits(models, inside, labels), 3)
        fitted = {name: make().fit(inside, labels) for name, make in models.items()}
        many = np.tile(outside, (20, 1))
        ask = best_of({name: partial(model.predict, many) for name, model in fitted.items()}, 3)
        for name, model in fitted.items():
            found[name].append([model.score(outside, truth), best[name], ask[name]])
    means = {name: np.mean(values, axis=0) for name, values in found.items()}
    gains = np.array(found["default"])[:, 0] - np.array(found["one-vs-one"])[:, 0]
    yield "| method | accuracy | fit, s | predict 20 times the test part, s |"
    yield "|---|---|---|---|"
    for name, (accuracy, seconds, asked) in means.items():
        yield f"| {name} | {accuracy:.4f} | {seconds:.4f} | {asked:.4f} |"
    mine, theirs = means.values()
    error = gains.std(ddof=1) / np.sqrt(len(gains))
    yield (
        f"| default beside it | {gains.mean():+.4f} ± {error:.4f} | {mine[1] / theirs[1]:.2f} | "
        f"{theirs[2] / mine[2]:.1f} times faster |"
    )


def threads():
    """Two threads on letter, wall seconds."""
    X, y, _, _ = split("letter", 0)
    yield "| mode | one thread, s | two, s | ratio |"
    yield "|---|---|---|---|"
    modes = {"default": {}, "accurate": {"nodes": "forest"}, "paper": PAPER}
    for name, mode in modes.items():
        models = {jobs: partial(SmartSVM, n_jobs=jobs, **mode) for jobs in (1, 2)}
        best = best_of(fits(models, X, y), clock=time.perf_counter)
        yield f"| {name} | {best[1]:.3f} | {best[2]:.3f} | {best[1] / best[2]:.2f} |"


def text():
    """Made-up sparse text: five topics over 3,000 words, TF-IDF."""
    random = np.random.default_rng(0)
    n, n_words, n_topics = 2646, 3000, 5
    common = 1 / np.arange(1, n_words + 1)
    topics = np.array([common * random.gamma(0.5, size=n_words) for _ in range(n_topics)])
    topics /= topics.sum(axis=1, keepdims=True)
    y = np.arange(n) % n_topics
    mixed = 0.4 * topics[y] + 0.6 * common / common.sum()
    lengths = random.integers(30, 200, size=n)
    counts = np.array([random.multinomial(m, p) for m, p in zip(lengths, mixed, strict=True)])
    X = TfidfTransformer().fit_transform(sparse.csr_matrix(counts))
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    models = {"default": SmartSVM, "one-vs-rest": lambda: OneVsRestClassifier(LinearSVC())}
    best = best_of(fits(models, X, y))
    yield "| method | fit, s | / one-vs-rest | accuracy |"
    yield "|---|---|---|---|"
    for name, make in models.items():
        score = make().fit(X, y).score(X_test, y_test)
        ratio = best[name] / best["one-vs-rest"]
        yield f"| {name} | {best[name]:.4f} | {ratio:.1f} | {score:.4f} |"


PARTS = {part.__name__: part for part in (fit, predict, wide, digits, threads, text)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"parts must be some of {list(PARTS)}, got {sorted(unknown)}")
    warnings.simplefilter("ignore")
    for name in options.parts:
        lines = []
        with threadpool_limits(1):
            for line in PARTS[name]():
                print(line, flush=True)
                lines.append(line)
        if options.page is not None:
            write_table(options.page, name, lines)


if __name__ == "__main__":
    main()
