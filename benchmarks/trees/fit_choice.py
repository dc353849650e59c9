"""The costs behind the automatic choice of a kernel, fitted to the times of all kernels.

    python -m benchmarks.trees.fit_choice [--cells 'real-*' ...] [--vectors plain] [--times FILE]
    python -m benchmarks.trees.fit_choice --fit --times FILE

Every kernel runs on the cells of the race, for trees and for trees by mutual reachability, and on
pairs of classes of equal size (one thread, CPU time, the best of three). Left out are corners of a
cube, and a kernel that would take too long by the present estimate. A file keeps the times, so that
a run that was stopped goes on; ``--fit`` measures nothing. The costs of each task are then fitted
by least squares on logarithms, and written to ``src/smartsvm/_mst/kernel_costs.json`` for the
vectors of this processor, or for plain ones, unless the choice was as good before: its regret is
the time of its kernel over that of the fastest one.
"""

import argparse
import datetime
import fnmatch
import json
import platform
import time
from collections import Counter
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from smartsvm import euclidean_mst
from smartsvm._core.points import Points
from smartsvm._mst.choice import KERNELS, VECTORS, Costs, KernelChoice, TaskCosts, read_costs
from smartsvm._mst.common import vector_loops
from smartsvm.trees.in_memory.class_trees import SpanningForest

from .cells import CELLS, MissingData, load

COSTS_FILE = Path(__file__).parents[2] / "src" / "smartsvm" / "_mst" / "kernel_costs.json"
_REPEATS = 3
_CORE_NEIGHBORS = 5
# Pairs of classes of equal size, Gaussian and a little apart.
_PAIR_SIZES = (20, 50, 100, 200, 500)
_PAIR_FEATURES = (3, 8, 12, 20, 36, 64)
_PAIR_CLASSES = 8
# Weight of the present costs beside one measured time: with less, some 70 noisy times move costs
# that hardly any of them depends on.
_INERTIA = 2
_LEAST_GAIN = 0.01  # of the regret
_OUTLIER = 0.3  # error of a logarithm from which on the loss is linear
_NAMES = {kernel: name for name, kernel in KERNELS.items()}


class Problem(NamedTuple):
    """One task on one cell."""

    task: str  # one of the fields of `TaskCosts`
    choice: KernelChoice
    run: object  # run(algorithm) computes all trees
    sizes: dict  # how many subsets of each size have a tree
    classes: dict  # how many classes of each size have trees of their own, which pairs need

    def estimate(self, costs):
        """Seconds of each kernel by name."""
        total = dict.fromkeys(KERNELS, 0.0)
        for sizes, own in ((self.sizes, getattr(costs, self.task)), (self.classes, costs.trees)):
            for size, number in sizes.items():
                work = self.choice.estimate(size, own, *self.choice.how_points_lie(size))
                for name, kernel in KERNELS.items():
                    total[name] += number * work[kernel] / 1e9
        return total


def problems(patterns):
    """Yield the name and the `Problem` of every task on the chosen cells whose data is here."""
    for name, cell in CELLS.items():
        if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        try:
            X, y = load(cell)
        except MissingData as error:
            print(f"{name} is left out: {error}")
            continue
        if cell.task == "pairs":
            continue  # pairs of all sizes together do not show the cost of any
        if KernelChoice("auto", X, cell.n_trees).are_corners():
            continue  # `kd/cube.pyx` has the trees of most: no choice is made
        yield f"trees:{name}", _of_set("trees", X, cell.n_trees, 0)
        if cell.n_trees == 1:
            yield f"mutual:{name}", _of_set("mutual", X, 1, _CORE_NEIGHBORS)
    for n, d in product(_PAIR_SIZES, _PAIR_FEATURES):
        random = np.random.default_rng(n + d)
        y = np.repeat(np.arange(_PAIR_CLASSES), n)
        X = random.normal(size=(_PAIR_CLASSES, d))[y] + random.normal(size=(len(y), d))
        for n_trees in (1, 3):
            yield f"pairs:{n}-{d}-{n_trees}", _of_pairs(X, y, n_trees)


def _of_set(task, X, n_trees, core_neighbors):
    def run(algorithm):
        euclidean_mst(
            X, n_trees=n_trees, core_neighbors=core_neighbors, algorithm=algorithm, n_jobs=1
        )

    return Problem(task, KernelChoice("auto", X, n_trees), run, {len(X): 1}, {})


def _of_pairs(X, y, n_trees):
    codes = np.unique(y, return_inverse=True)[1]
    counts = np.bincount(codes)
    together = np.add.outer(counts, counts)[np.triu_indices(len(counts), 1)]

    def run(algorithm):
        forest = SpanningForest(
            Points(X), codes, n_trees=n_trees, seed=1, algorithm=algorithm, n_jobs=1
        )
        for _ in forest.pair_batches():
            pass

    choice = KernelChoice("auto", X, n_trees)
    return Problem("pairs", choice, run, Counter(together.tolist()), Counter(counts.tolist()))


def measure(problem, costs, most_seconds):
    """CPU seconds of the kernels, by name."""
    estimate, found = problem.estimate(costs), {}
    for name in KERNELS:
        if estimate[name] > most_seconds:
            continue
        seconds = []
        while len(seconds) < _REPEATS and sum(seconds) < most_seconds:
            start = time.process_time()
            problem.run(name)
            seconds.append(time.process_time() - start)
        found[name] = min(seconds)
    return found


def fit(measured, task, present):
    """Costs with those of a task that predict its times best, from (problem, times)."""
    own = [(problem, times) for problem, times in measured if problem.task == task]
    start = np.log(getattr(present, task))

    def costs_of(logarithms):
        return present._replace(**{task: Costs(*np.exp(logarithms))})

    def errors(logarithms):
        found = [_INERTIA * (logarithms - start)]
        for problem, times in own:
            estimate, best = problem.estimate(costs_of(logarithms)), min(times.values())
            # Slow kernels need no precise estimate.
            found.append(
                [
                    np.sqrt(best / seconds) * np.log(estimate[name] / seconds)
                    for name, seconds in times.items()
                ]
            )
        return np.concatenate(found)

    if not own:
        return present
    return costs_of(least_squares(errors, start, loss="soft_l1", f_scale=_OUTLIER).x)


def write(vectors, costs, n_problems):
    """Store costs, three digits each, and where they come from."""
    stored = json.loads(COSTS_FILE.read_text(encoding="utf-8"))
    today = datetime.date.today().isoformat()
    origin = f"{n_problems} times on {platform.machine()}, {today}"
    stored[vectors] = {"origin": origin} | {
        task: {name: float(f"{value:.3g}") for name, value in each._asdict().items()}
        for task, each in costs._asdict().items()
    }
    COSTS_FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def regret(measured, task, costs):
    """Geometric mean of (time of the chosen kernel) / (time of the fastest one)."""
    logarithms = [0.0]
    for problem, times in measured:
        if problem.task == task:
            (size,) = problem.sizes
            chosen = _NAMES[problem.choice.for_size(size, getattr(costs, task))]
            seconds = times.get(chosen, max(times.values()))
            logarithms.append(np.log(seconds / min(times.values())))
    return float(np.exp(np.mean(logarithms)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--times", type=Path, default=Path("choice-times.json"))
    parser.add_argument("--most-seconds", type=float, default=60, help="by the present estimate")
    parser.add_argument("--vectors", choices=["plain", "wide"], default=VECTORS)
    parser.add_argument("--fit", action="store_true", help="fit to the times that are there")
    options = parser.parse_args()
    if options.vectors == "plain":
        vector_loops.take("plain")
    present = read_costs(options.vectors)
    times = json.loads(options.times.read_text()) if options.times.exists() else {}
    measured = []
    for name, problem in problems(options.cells):
        if name not in times and not options.fit:
            times[name] = measure(problem, present, options.most_seconds)
            options.times.write_text(json.dumps(times, indent=1))
        if times.get(name):
            measured.append((problem, times[name]))
    if not measured:
        raise SystemExit("No cell was measured.")
    kept = present
    for task in TaskCosts._fields:
        fitted = fit(measured, task, kept)
        before, after = (regret(measured, task, costs) for costs in (kept, fitted))
        print(f"{task}: regret {before:.3f} with the present costs, {after:.3f} with fitted ones")
        # Times are noisy, so small gains are none.
        kept = fitted if after < before - _LEAST_GAIN else kept
    write(options.vectors, kept, len(measured))


if __name__ == "__main__":
    main()
