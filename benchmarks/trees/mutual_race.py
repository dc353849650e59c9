"""Race trees by mutual reachability against four peers and our plain tree.

    python -m benchmarks.trees.mutual_race [--threads 1] [--cells real-letter ...] [--page]

Every cell runs in a process of its own, the contestants in turn, the best of at least three turns
each: CPU time for one thread, wall time for more, from a float64 array to edges. The tree of
hdbscan and of scikit-learn is timed as all of their `fit`, since they have no public function for
it. Needs hdbscan, fast_hdbscan and quitefastmst; a contestant that takes more than a minute has one
turn.
"""

from __future__ import annotations

import numpy as np

from . import cells
from .mutual_heights import PEERS
from .race_tables import HERE
from .turns import command_line, ratios, take_turns

RECORDS = HERE / "records" / "table-mutual-reachability.csv"
K = 5  # the default of hdbscan and scikit-learn, the point itself not counted
MADE = ("d2-1e5-clustered", "d3-1e5-uniform", "d10-2e4-clustered", "d64-2e4-clustered")
CELLS = (*MADE, *(f"real-{name}" for name in cells.REAL if name not in ("fars", "mnist")))
# Contestants that compare all pairs, one by one, are left out of what takes them minutes.
_SLOW = {"hdbscan": 3e9, "scikit-learn": 3e9, "fast_hdbscan": 1e10}


def contestants(X, n_jobs):
    """Calls by name; those of peers return nothing where they have no exact tree."""
    from smartsvm import euclidean_mst

    calls = {
        "plain": lambda: euclidean_mst(X, n_jobs=n_jobs).weights[0],
        "smartsvm": lambda: euclidean_mst(X, core_neighbors=K, n_jobs=n_jobs).weights[0],
    }
    for name, heights in PEERS.items():
        if len(X) ** 2 * X.shape[1] < _SLOW.get(name, np.inf):
            calls[name] = lambda heights=heights: heights(X, K)
    return calls


def run(name, n_jobs):
    """The best time of every contestant in one cell, in seconds."""
    X, _ = cells.load(cells.CELLS[name])
    calls = contestants(X, n_jobs)
    for contestant in list(calls):
        if calls[contestant]() is None:  # this turn also compiles what numba has to
            del calls[contestant]
    results, best = take_turns(calls, n_jobs)
    weights = {each: np.sort(found) for each, found in results.items()}
    exact = [weights[each] for each in weights if each not in ("plain", "fast_hdbscan")]
    agree = all(np.abs(each - exact[0]).max() <= 1e-12 * exact[0].max() for each in exact)
    return {"cell": name, "seconds": best, "agree": agree}


def record(result, n_jobs):
    """A row of the records: our seconds, and times of others over ours."""
    seconds = result["seconds"]
    ours = seconds["smartsvm"]
    fastest = min(seconds[name] for name in seconds if name in PEERS)
    over_plain = f"{ours / seconds['plain']:.2f}"
    return {
        "cell": result["cell"],
        "threads": n_jobs,
        "smartsvm, s": f"{ours:.3g}",
        "over the plain tree": over_plain,
        "fastest peer": f"{fastest / ours:.2f}",
        **ratios(seconds, ("quitefastmst", "fast_hdbscan", "hdbscan", "scikit-learn")),
        "agree": "yes" if result["agree"] else "no",
    }


def main():
    command_line("mutual_race", __doc__, CELLS, run, record, RECORDS, "mutual reachability")


if __name__ == "__main__":
    main()
