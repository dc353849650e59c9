"""Races in which contestants take turns, each cell in a process of its own.

A race has a module with `run`, which measures one cell, and calls `command_line`.
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
from .race_tables import PAGE

_LONG = 60  # seconds of a turn after which a contestant has no other
# Small sets have more turns: at most this many, and none after this many seconds.
_MOST_TURNS, _ENOUGH = 30, 4
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


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


def command_line(race, description, cells, run, record, records, table):
    """Run a race, print its table, and with `--page` write its records and the page."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", nargs="+", default=cells)
    parser.add_argument("--page", action="store_true", help="write the record and the page")
    parser.add_argument("--run", help="one cell, in this process")
    options = parser.parse_args()
    if options.run:
        json.dump(run(options.run, options.threads), sys.stdout)
        return
    results = (_in_process(race, name, options.threads) for name in options.cells)
    rows = [record(result, options.threads) for result in results if result is not None]
    print("\n".join(markdown_table(list(rows[0]), [row.values() for row in rows])))
    if options.page:
        update_records(records, rows, 2)
        _write_means(records, table, options.threads)


def ratios(seconds, names):
    """Times of others over ours, as text; a dash for those that did not take part."""
    ours = seconds["smartsvm"]
    return {name: f"{seconds[name] / ours:.2f}" if name in seconds else "–" for name in names}


def _in_process(race, name, n_jobs):
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


def _mean(rows, n_jobs):
    """Geometric means of the ratios of some rows."""
    found = {"cell": f"mean, threads: {n_jobs}", "threads": n_jobs, "smartsvm, s": ""}
    for name in list(rows[0])[3:-1]:
        known = np.log([float(row[name]) for row in rows if row[name] != "–"])
        found[name] = f"{np.exp(known.mean()):.2f}" if len(known) else "–"
    return found | {"agree": "yes" if all(row["agree"] == "yes" for row in rows) else "no"}


def _write_means(records, table, n_jobs):
    """Bring the means over all records of a number of threads up to date, and the page."""
    known = [row for row in read_records(records) if row["threads"] == str(n_jobs)]
    measured = [row for row in known if not row["cell"].startswith("mean")]
    update_records(records, [_mean(measured, n_jobs)], 2)
    rows = sorted(
        read_records(records), key=lambda row: (int(row["threads"]), row["cell"].startswith("mean"))
    )
    records.unlink()
    update_records(records, rows, 2)
    write_table(PAGE, table, markdown_table(list(rows[0]), [row.values() for row in rows]))
