"""Race the engine against quitefastmst, cell by cell, and print the table.

    python -m benchmarks.trees.race [--threads 2] [--cells d3-1e5-uniform ...] [--seconds 120]
        [--at-once 1] [--json FILE] [--processor Xeon --page benchmarks/trees/RESULTS.md]

A cell runs for about so many seconds, and is given up after ten times as many; ``make race`` gives
each two seconds, so that the peer misses the largest sets.

Ratio: time of the best of the peer's algorithms over ours, from a float64 array to
edges (CPU time for one thread, wall time for more), the best of several turns each; in
brackets the smallest and the largest ratio of a turn. With ``--page`` the cells go into the
records under the name of the processor, and the tables of the page are made again.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..page import update_records
from . import cells, race_tables

_MOST_TIMES = 10  # a cell whose first turns take this many times its seconds is given up
HEAD = ["| cell | smartsvm, s | peer, s | ratio | bar | remarks |", "|---|---|---|---|---|---|"]


def run_cell(name, options):
    """The raw times of one cell, from a fresh process."""
    threads = str(options.threads)
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(limits, threads)
    command = [
        sys.executable,
        "-m",
        "benchmarks.trees.contest",
        name,
        "--threads",
        threads,
        "--repeats",
        str(options.repeats),
        "--seconds",
        str(options.seconds),
        "--algorithms",
        *options.algorithms,
    ]
    if options.no_peer:
        command.append("--no-peer")
    limit = _MOST_TIMES * options.seconds
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
            cwd=Path(__file__).resolve().parents[2],
        )
    except subprocess.TimeoutExpired:
        return {"cell": name, "missing": f"more than {limit:g} s"}
    if done.returncode:
        last_words = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
        return {"cell": name, "missing": last_words[-1]}
    return json.loads(done.stdout)


def row(result):
    """One line of the table."""
    cell = cells.CELLS[result["cell"]]
    if "missing" in result:
        return f"| {cell.name} | | | | {cell.bar:g} | not run: {result['missing']} |"
    best = {name: min(times) for name, times in result["seconds"].items()}
    ours = {name: t for name, t in best.items() if name.startswith("smartsvm")}
    peers = {name: t for name, t in best.items() if name.startswith("quitefastmst")}
    auto = ours[_timed(ours)]
    remarks = [] if result["agree"] else ["results differ"]
    if len(ours) > 1:
        listed = (f"{name.removeprefix('smartsvm ')} {t:.3g}" for name, t in ours.items())
        remarks.append(", ".join(listed) + f"; auto / best {auto / min(ours.values()):.2f}")
    if not peers:
        return f"| {cell.name} | {auto:.3g} | | | {cell.bar:g} | {'; '.join(remarks)} |"
    peer = min(peers, key=peers.get)
    ratio = peers[peer] / auto
    turns = zip(result["seconds"][peer], result["seconds"][_timed(ours)], strict=True)
    each = [theirs / mine for theirs, mine in turns]
    if ratio < cell.bar:
        remarks.insert(0, "below the bar")
    return (
        f"| {cell.name} | {auto:.3g} | {peers[peer]:.3g} ({peer.split()[1]}) "
        f"| {ratio:.2f} ({min(each):.2f}–{max(each):.2f}) | {cell.bar:g} | {'; '.join(remarks)} |"
    )


def record(result, options):
    """The row of the records for one cell; None where nothing was compared."""
    names = [name for name in result.get("seconds", ()) if name.startswith("quitefastmst")]
    if not names:
        return None
    seconds = result["seconds"]
    peer = min(names, key=lambda name: min(seconds[name]))
    mine = seconds[_timed({k: min(v) for k, v in seconds.items() if k.startswith("smartsvm")})]
    each = [theirs / ours for theirs, ours in zip(seconds[peer], mine, strict=True)]
    return {
        "processor": options.processor,
        "threads": options.threads,
        "cell": result["cell"],
        "smartsvm_s": f"{min(mine):.3g}",
        "peer_s": f"{min(seconds[peer]):.3g}",
        "peer_algorithm": peer.split()[1],
        "ratio": f"{min(seconds[peer]) / min(mine):.2f}",
        "lowest": f"{min(each):.2f}",
        "highest": f"{max(each):.2f}",
    }


def _timed(ours):
    """Which of our algorithms the ratio is about: the choice of the library, if it ran."""
    return "smartsvm auto" if "smartsvm auto" in ours else min(ours, key=ours.get)


def _named(package):
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # run from a checkout
        return package


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", nargs="+", default=["*"], help="names or patterns")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120, help="most seconds for a cell")
    parser.add_argument("--algorithms", nargs="+", default=["auto"], help="ours to time")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--json", type=Path, help="file for the raw times")
    parser.add_argument("--at-once", type=int, default=1, help="cells that run side by side")
    parser.add_argument("--processor", choices=race_tables.PROCESSORS, help="where this runs")
    parser.add_argument("--page", help="results page whose tables are made again")
    options = parser.parse_args()
    if options.page and not options.processor:
        parser.error("--page needs --processor: the column that the ratios belong to.")
    names = [name for name in cells.CELLS if any(fnmatch.fnmatch(name, p) for p in options.cells)]
    packages = ", ".join(_named(p) for p in ("smartsvm", "numpy", "scipy"))
    peer = "" if options.no_peer else f", {_named('quitefastmst')}"
    print(f"{platform.machine()}, {options.threads} thread(s); {packages}{peer}\n")
    print("\n".join(HEAD))
    results = []
    with ThreadPoolExecutor(options.at_once) as pool:
        for result in pool.map(lambda name: run_cell(name, options), names):
            results.append(result)
            print(row(result), flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1))
    if options.page:
        found = [record(result, options) for result in results]
        update_records(race_tables.RECORDS, [each for each in found if each], n_keys=3)
        race_tables.write(options.page)


if __name__ == "__main__":
    main()
