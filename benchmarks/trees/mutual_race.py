"""Race trees by mutual reachability against four peers and our plain tree.

    python -m benchmarks.trees.mutual_race [--threads 1] [--cells real-letter ...] [--page]

Every cell runs in a process of its own, the contestants in turn, the best of at least three turns
each: CPU time for one thread, wall time for more, from a float64 array to edges. The tree of
hdbscan and of scikit-learn is timed as all of their `fit`, since they have no public function for
it. Needs hdbscan, fast_hdbscan and quitefastmst; a contestant that takes more than a minute has one
turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from ..page import markdown_table, read_records, update_records, write_table
from . import cells
from .mutual_heights import PEERS
from .race_tables import HERE, PAGE

RECORDS = HERE / "records" / "table-mutual-reachability.csv"
K = 5  # the default of hdbscan and scikit-learn, the point itself not counted
MADE = ("d2-1e5-clustered", "d3-1e5-uniform", "d10-2e4-clustered", "d64-2e4-clustered")
CELLS = (*MADE, *(f"real-{name}" for name in cells.REAL if name not in ("fars", "mnist")))
# Contestants that compare all pairs, one by one, are left out of what takes them minutes.
_SLOW = {"hdbscan": 3e9, "scikit-learn": 3e9, "fast_hdbscan": 1e10}
_LONG = 60  # seconds
# Small sets have more turns: at most this many, and none after this many seconds.
_MOST_TURNS, _ENOUGH = 30, 4
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


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


def take_turns(calls, n_jobs):
    """Results of the contestants, and the best time of each, in seconds."""
    clock = time.process_time if n_jobs == 1 else time.perf_counter
    best, results = {}, {}
    begun = time.perf_counter()
    for turn in range(_MOST_TURNS):
        if turn >= 3 and time.perf_counter() - begun > _ENOUGH:
            break
        for contestant, call in calls.items():
            if best.get(contestant, 0) > _LONG:
                continue
            start = clock()
            results[contestant] = call()
            best[contestant] = min(best.get(contestant, np.inf), clock() - start)
    return results, best


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


def in_process(race, name, n_jobs):
    """What `run` of a race returns, from a fresh process; None if its data is missing."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.trees.{race}", "--run", name, "--threads", str(n_jobs)],
        env=os.environ | dict.fromkeys(_LIMITS, str(n_jobs)),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    if done.returncode:
        print(name, "not run:", done.stderr.strip().splitlines()[-1], file=sys.stderr)
        return None
    return json.loads(done.stdout)


def record(result, n_jobs):
    """A row of the records: our seconds, and times of others over ours."""
    seconds = result["seconds"]
    ours = seconds["smartsvm"]
    ratios = {
        name: f"{seconds[name] / ours:.2f}" if name in seconds else "–"
        for name in ("quitefastmst", "fast_hdbscan", "hdbscan", "scikit-learn")
    }
    fastest = min(seconds[name] for name in seconds if name in PEERS)
    over_plain = f"{ours / seconds['plain']:.2f}"
    return {
        "cell": result["cell"],
        "threads": n_jobs,
        "smartsvm, s": f"{ours:.3g}",
        "over the plain tree": over_plain,
        "fastest peer": f"{fastest / ours:.2f}",
        **ratios,
        "agree": "yes" if result["agree"] else "no",
    }


def mean(rows, n_jobs):
    """Geometric means of the ratios of some rows."""
    found = {"cell": f"mean, threads: {n_jobs}", "threads": n_jobs, "smartsvm, s": ""}
    for name in list(rows[0])[3:-1]:
        known = np.log([float(row[name]) for row in rows if row[name] != "–"])
        found[name] = f"{np.exp(known.mean()):.2f}" if len(known) else "–"
    return found | {"agree": "yes" if all(row["agree"] == "yes" for row in rows) else "no"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", nargs="+", default=CELLS)
    parser.add_argument("--page", action="store_true", help="write the record and the page")
    parser.add_argument("--run", help="one cell, in this process")
    options = parser.parse_args()
    if options.run:
        json.dump(run(options.run, options.threads), sys.stdout)
        return
    results = (in_process("mutual_race", name, options.threads) for name in options.cells)
    rows = [record(result, options.threads) for result in results if result is not None]
    print("\n".join(markdown_table(list(rows[0]), [row.values() for row in rows])))
    if options.page:
        update_records(RECORDS, rows, 2)
        write_means(RECORDS, "mutual reachability", options.threads)


def write_means(records, table, n_jobs):
    """Bring the means over all records of a number of threads up to date, and the page."""
    known = [row for row in read_records(records) if row["threads"] == str(n_jobs)]
    measured = [row for row in known if not row["cell"].startswith("mean")]
    update_records(records, [mean(measured, n_jobs)], 2)
    rows = sorted(
        read_records(records), key=lambda row: (int(row["threads"]), row["cell"].startswith("mean"))
    )
    records.unlink()
    update_records(records, rows, 2)
    write_table(PAGE, table, markdown_table(list(rows[0]), [row.values() for row in rows]))


if __name__ == "__main__":
    main()
