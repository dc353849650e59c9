"""Many classes: seconds and memory of each hierarchy for K up to 1,000.

    python -m benchmarks.classifier.many_classes [--jobs 2] [--cap SECONDS] [--page FILE]

n = 20,000 and d = 16; classes are Gaussian with centres of standard deviation 2.5.
Each row is a process of its own, so that peak memory is its own too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from ..page import write_table
from ..peak_memory import peak_bytes

PAPER = {"hierarchy": "min-cut", "nodes": "linear", "routing": "hard", "solver": "liblinear"}
TREE = {"hierarchy": "min-cut-tree"}
CASES = [
    (K, name, settings)
    for K, names in (
        (50, ("defaults", "forest", "paper", "tree")),
        (200, ("defaults", "forest", "paper", "tree")),
        (1000, ("defaults", "forest", "tree")),
    )
    for name, settings in (
        ("defaults", {}),
        ("forest", {"nodes": "forest"}),
        ("paper", PAPER),
        ("tree", TREE),
    )
    if name in names
]


def one(K, settings, n_jobs):
    """Fit and predict once; prints the numbers as JSON."""
    from smartsvm import SmartSVM

    random = np.random.default_rng(0)
    centres = 2.5 * random.normal(size=(K, 16))
    y = np.arange(20_000) % K
    X, X_test = (random.normal(size=(20_000, 16)) + centres[y] for _ in range(2))
    before = peak_bytes()
    start = time.perf_counter()
    model = SmartSVM(n_jobs=n_jobs, **settings).fit(X, y)
    fitted = time.perf_counter()
    score = model.score(X_test, y)
    print(
        json.dumps(
            {
                "fit": fitted - start,
                "predict": (time.perf_counter() - fitted) / len(X) * 1e6,
                "memory": (peak_bytes() - before) / 2**20,
                "depth": model.hierarchy_.depth,
                "accuracy": score,
            }
        )
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cap", type=float, help="most seconds of a row")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        K, settings = json.loads(options.one)
        one(K, settings, options.jobs)
        return
    lines = ["| K | settings | fit, s | predict, µs a row | peak memory, MB | depth | accuracy |"]
    lines.append("|---" * 7 + "|")
    print("\n".join(lines))
    for K, name, settings in CASES:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.classifier.many_classes"]
        command += ["--jobs", str(options.jobs), "--one", json.dumps([K, settings])]
        try:
            result = subprocess.run(
                command, check=True, capture_output=True, text=True, timeout=options.cap
            )
        except subprocess.TimeoutExpired:
            lines.append(f"| {K} | {name} | over {options.cap:g} |  |  |  |  |")
        else:
            row = json.loads(result.stdout)
            lines.append(
                f"| {K} | {name} | {row['fit']:.1f} | {row['predict']:.1f} | {row['memory']:.0f} | "
                f"{row['depth']} | {row['accuracy']:.3f} |"
            )
        print(lines[-1], flush=True)
    if options.page is not None:
        write_table(options.page, "many classes", lines)


if __name__ == "__main__":
    main()
