"""Calls whose points another thread keeps writing to: each ends in an error or a finite answer.

    python tests/writer.py --seconds 60 --seed 1

Run by test_changing_points.py in a process of its own, where a crash is an exit code.
"""

from __future__ import annotations

import argparse
import faulthandler
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from smartsvm import ClassForest, SmartSVM, bayes_error, difficulty_report, euclidean_mst

_PATTERNS = np.array(
    [np.nan, -np.nan, np.inf, -np.inf, 1.7e308, -1.7e308, 5e-324, 1e-300, 1e300, 0.0, -0.0]
).view(np.uint64)


class Writer:
    """A thread that writes numbers of all kinds to an array, and now and then the true ones."""

    def __init__(self, array, seed):
        self._bits = array.reshape(-1).view(np.uint64)
        self._random, self._ended = np.random.default_rng(seed), threading.Event()
        self._thread = threading.Thread(target=self._write)

    def _write(self):
        true, random = self._bits.copy(), self._random
        while not self._ended.wait(random.random() ** 3 * 0.05):
            places = random.integers(len(true), size=random.choice([1, 30, len(true)]))
            garbage = random.integers(2**64, size=len(places), dtype=np.uint64)
            known = random.choice(_PATTERNS, size=len(places))
            self._bits[places] = np.where(random.random(len(places)) < 0.5, known, garbage)
            self._ended.wait(random.random() ** 3 * 0.02)
            self._bits[:] = true
        self._bits[:] = true

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *error):
        self._ended.set()
        self._thread.join()


def _points(folder):
    """Arrays by name, for calls of the same name in `_calls`."""
    random = np.random.default_rng(0)
    spread, wide = random.normal(size=(20_000, 3)), random.normal(size=(1500, 60))
    mapped = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float64, (6000, 4))
    mapped[:] = random.normal(size=mapped.shape)
    distances = np.abs(wide[:400, :1] - wide[:400, 0])
    return {
        "kdtree": spread,
        "prim": wide[:, :10].copy(),
        "products": wide,
        "auto": random.normal(size=(4000, 12)),
        "cube": (random.random((3000, 14)) < 0.4).astype(float),
        "equal points": random.integers(0, 3, size=(5000, 4)).astype(float),
        "matrix": distances,
        "mapped": mapped,
        "mapped classes": mapped,
        "blocks": spread[:5000].copy(),
        "classes": wide[:, :8].copy(),
        "many classes": wide[:, :3].copy(),
        "bayes_error": wide[:, :5].copy(),
        "report": wide[:150, :4].copy(),
        "classifier": wide[:300, :6].copy(),
    }


def _numbers(name, X, folder):
    """The numbers that a call answers."""
    y, options = np.arange(len(X)) % 3, {"n_jobs": 2}
    if name in ("prim", "kdtree", "products"):
        return euclidean_mst(X, algorithm=name, n_trees=2, **options).weights
    if name in ("auto", "cube", "equal points", "mapped"):
        return euclidean_mst(X, **options).weights
    if name == "matrix":
        return euclidean_mst(X, metric="precomputed").weights
    if name == "blocks":
        with tempfile.TemporaryDirectory(dir=folder) as checkpoint:
            return euclidean_mst(X, checkpoint=checkpoint, **options).weights
    if name in ("classes", "mapped classes", "many classes"):
        forest = ClassForest(X, np.arange(len(X)) % 40 if "many" in name else y, **options)
        return np.append(forest.pairwise().value.ravel(), forest.multiclass().value)
    if name == "bayes_error":
        return np.array(bayes_error(X, y > 0, **options).value)
    if name == "report":
        return np.array(difficulty_report(X, y, **options).bayes_error.value)
    return SmartSVM(**options).fit(X, y).predict_proba(np.zeros_like(X[:2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    faulthandler.enable()
    faulthandler.dump_traceback_later(options.seconds + 600, exit=True)  # against hanging
    warnings.simplefilter("ignore")
    done, start, turn = Counter(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        points = _points(Path(folder))
        while time.monotonic() - start < options.seconds or turn < len(points):
            name = list(points)[turn % len(points)]
            print(name, flush=True)  # the last one is to blame for a crash
            with Writer(points[name], [options.seed, turn]):
                try:
                    assert np.isfinite(_numbers(name, points[name], folder)).all(), name
                    done[f"{name}: answer"] += 1
                except ValueError as error:
                    done[f"{name}: {type(error).__name__}"] += 1
            turn += 1
    print(dict(done))


if __name__ == "__main__":
    main()
