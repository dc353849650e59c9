"""The constants of the automatic choice, fitted to the times of all kernels.

    python -m benchmarks.trees.fit_choice [--cells 'real-*' ...] [--times times.json]

Every kernel runs on every cell of one set of points (one thread, CPU time, the best of three),
unless it would take too long by the present estimate; a file keeps the times, so that a run
that was stopped goes on. The constants are then fitted by least squares on logarithms, and
printed with the regret of the choice before and after: the time of its kernel over that of the
fastest one. Constants are changed by hand, in `smartsvm/_mst/choice.py`.
"""

import argparse
import fnmatch
import json
import time
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

from smartsvm import euclidean_mst
from smartsvm._mst.choice import COSTS, KERNELS, Costs, KernelChoice

from .cells import CELLS, MissingData, load

_REPEATS = 3
_LEAST_TIME = 3e-3  # seconds; in shorter cells the choice does not matter
_INERTIA = 0.05  # weight of the present constants beside one measured time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--times", type=Path, default=Path("choice-times.json"))
    parser.add_argument("--most-seconds", type=float, default=60, help="by the present estimate")
    options = parser.parse_args()
    times = json.loads(options.times.read_text()) if options.times.exists() else {}
    choices = {}
    for name, cell in CELLS.items():
        if cell.task != "trees" or not any(fnmatch.fnmatch(name, p) for p in options.cells):
            continue
        try:
            X, _ = load(cell)
        except MissingData as error:
            print(f"{name} is left out: {error}")
            continue
        choices[name] = KernelChoice("auto", X, cell.n_trees)
        if name not in times:
            times[name] = measure(X, cell.n_trees, choices[name], options.most_seconds)
            options.times.write_text(json.dumps(times, indent=1))
        if not times[name]:
            print(f"{name} is left out: every kernel would take longer than --most-seconds.")
            del choices[name]
    if not choices:
        raise SystemExit("No cell was measured.")
    fitted = fit(choices, times)
    print(*(f"    {key}: float = {value:.3g}" for key, value in fitted._asdict().items()), sep="\n")
    print_regrets(choices, times, fitted)


def measure(X, n_trees, choice, most_seconds):
    """CPU seconds of the kernels, by name."""
    estimate, found = choice.estimate(len(X), COSTS), {}
    for name, kernel in KERNELS.items():
        if estimate.get(kernel, 0) > most_seconds * 1e9:
            continue
        seconds = []
        while len(seconds) < _REPEATS and sum(seconds) < most_seconds:
            start = time.process_time()
            euclidean_mst(X, n_trees=n_trees, algorithm=name, n_jobs=1)
            seconds.append(time.process_time() - start)
        found[name] = min(seconds)
    return found


def fit(choices, times):
    """The constants that predict the measured times best."""
    start = np.log(COSTS)

    def errors(logarithms):
        costs = Costs(*np.exp(logarithms))
        found = [_INERTIA * (logarithms - start)]
        for name, choice in choices.items():
            estimate = choice.estimate(len(choice.points), costs)
            found.append(
                [
                    np.log(estimate[KERNELS[kernel]] / (1e9 * seconds))
                    for kernel, seconds in times[name].items()
                    if KERNELS[kernel] in estimate
                ]
            )
        return np.concatenate(found)

    return Costs(*np.exp(least_squares(errors, start, loss="soft_l1").x))


def print_regrets(choices, times, fitted):
    """A line for each cell, and the largest and the median of those that matter."""
    names = {kernel: name for name, kernel in KERNELS.items()}
    regrets = []
    for cell, choice in choices.items():
        best = min(times[cell].values())
        chosen = [names[choice.for_size(len(choice.points), c)] for c in (COSTS, fitted)]
        regret = [times[cell].get(name, np.inf) / best for name in chosen]
        if best > _LEAST_TIME:
            regrets.append(regret)
        print(f"{cell:30} {best:8.3f} s", *map("{:>10} {:5.2f}".format, chosen, regret))
    if regrets:
        for word, values in (("largest", np.max(regrets, 0)), ("median", np.median(regrets, 0))):
            print(f"{word} regret: {values[0]:.2f} now, {values[1]:.2f} fitted")


if __name__ == "__main__":
    main()
