"""Newton's method against LibLinear: the same machines, CPU seconds for all nodes of a hierarchy.

    python -m benchmarks.classifier.solvers [--record FILE]

Every set of the paper's (its training part of the first split) is fitted with linear nodes by both
solvers; the table shows the best of three fits each, how far the two objectives are apart, and on
how many test samples the predictions differ. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from smartsvm import SmartSVM

from .problems import KNOWN, split

RECORD = Path(__file__).parent / "records" / "solvers.jsonl"
REPEATS = 3


def compare(name):
    """Both solvers on one set."""
    X, y, X_test, _ = split(name, 0)
    found = {"set": name, "n": len(y), "d": X.shape[1], "K": int(y.max()) + 1}
    models = {}
    for solver in ("newton", "liblinear"):
        seconds = []
        for _ in range(REPEATS):
            start = time.process_time()
            model = SmartSVM(nodes="linear", routing="hard", solver=solver)
            models[solver] = model.fit(X, y)
            seconds.append(time.process_time() - start)
        found[solver] = min(seconds)
    objectives = [_objective(models[solver], X, y) for solver in ("newton", "liblinear")]
    found["objectives apart"] = float(objectives[1] / objectives[0] - 1)
    codes = [model.predict(X_test) for model in models.values()]
    found["predictions differ"] = float(np.mean(codes[0] != codes[1]))
    return found


def _objective(model, X, y):
    """Sum of the objectives of all nodes."""
    total = 0.0
    for node, side in enumerate(model.hierarchy_.sides):
        target = side[y]
        inside = np.flatnonzero(target)
        w, b = model.coef_[node], model.intercept_[node]
        short = np.maximum(0, 1 - target[inside] * (X[inside] @ w + b))
        total += 0.5 * (w @ w + b * b) + model.C * (short @ short)
    return total


def page_table(rows):
    """The lines of the page."""
    ratios = [row["liblinear"] / row["newton"] for row in rows]
    differ = max(row["predictions differ"] for row in rows)
    return [
        f"LibLinear takes {min(ratios):.1f} to {max(ratios):.1f} times as long; predictions differ "
        f"on at most {differ:.2%} of the test samples."
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", type=Path, default=RECORD)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.record.parent.mkdir(parents=True, exist_ok=True)
    print("| set | n | d | K | Newton, s | LibLinear, s | ratio | objectives apart | differ |")
    print("|---" * 9 + "|")
    with threadpool_limits(1), options.record.open("w") as file:
        for name in KNOWN:
            row = compare(name)
            print(json.dumps(row), file=file, flush=True)
            print(
                f"| {name} | {row['n']} | {row['d']} | {row['K']} | {row['newton']:.3f} | "
                f"{row['liblinear']:.3f} | {row['liblinear'] / row['newton']:.1f} | "
                f"{row['objectives apart']:.1e} | {row['predictions differ']:.2%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
