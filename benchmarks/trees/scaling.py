"""How time and memory grow with n and with threads; exponents fitted over four sizes.

python -m benchmarks.trees.scaling [--threads 1 2] [--json FILE]
    [--page benchmarks/trees/RESULTS.md]

On a machine with 16 cores, the speed-ups alone:
python -m benchmarks.trees.scaling --only-threads --threads 1 2 4 8 16
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from ..page import write_table
from .measure import MISSING

SIZES = {
    3: (31_250, 125_000, 500_000, 2_000_000),
    16: (5_000, 10_000, 20_000, 40_000),
    64: (5_000, 10_000, 20_000, 40_000),
}
# Data, points, features.
THREAD_CELLS = (
    ("uniform", 1_000_000, 2),
    ("uniform", 1_000_000, 3),
    ("uniform", 1_000_000, 5),
    ("uniform", 100_000, 16),
    ("uniform", 50_000, 64),
    ("mnist", 60_000, 784),
    ("50 clusters", 100_000, 16),
    ("50 clusters", 50_000, 64),
)


def measure(n, d, threads, *, kind="uniform", repeats=2):
    """Best seconds and peak bytes of one call; None if the data are not here."""
    command = [sys.executable, "-m", "benchmarks.trees.measure", str(n), str(d)]
    command += ["--kind", kind, "--threads", str(threads), "--repeats", str(repeats)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=Path(__file__).resolve().parents[2]
    )
    if done.returncode == MISSING:
        print(done.stderr.strip(), file=sys.stderr)
        return None
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    result = json.loads(done.stdout)
    return min(result["seconds"]), result["bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only-threads", action="store_true", help="skip the growth with n")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    raw = {"growth": [], "threads": []}
    if not options.only_threads:
        growth = ["| d | n | s | MB beyond the data |", "|---|---|---|---|"]
        print("\n".join(growth))
        for d, sizes in SIZES.items():
            rows = []
            for n in sizes:
                seconds, peak = measure(n, d, 1)
                rows.append((n, seconds, peak))
                growth.append(f"| {d} | {n} | {seconds:.3g} | {peak / 1e6:.0f} |")
                print(growth[-1], flush=True)
            growth.append(f"| {d} | exponent | {_slope(rows, 1):.2f} | {_slope(rows, 2):.2f} |")
            print(growth[-1], flush=True)
            raw["growth"] += [(d, *row) for row in rows]
        if options.page:
            write_table(options.page, "growth", growth)
    heads = " | ".join(f"{t} thread(s), s" for t in options.threads)
    threads = [
        f"| data | n | d | {heads} | speed-up |",
        f"|---|---|---|{'---|' * (len(options.threads) + 1)}",
    ]
    print("\n" + "\n".join(threads))
    for kind, n, d in THREAD_CELLS:
        found = [measure(n, d, t, kind=kind, repeats=3) for t in options.threads]
        if None in found:
            continue
        seconds = [pair[0] for pair in found]
        shown = " | ".join(f"{s:.3g}" for s in seconds)
        speed_up = seconds[0] / seconds[-1]
        threads.append(f"| {kind} | {n} | {d} | {shown} | {speed_up:.2f} |")
        print(threads[-1], flush=True)
        raw["threads"].append((kind, n, d, options.threads, seconds))
    if options.page:
        write_table(options.page, "threads", threads)
    if options.json:
        options.json.write_text(json.dumps(raw, indent=1))


def _slope(rows, column):
    """Exponent of growth: slope of the line through the logarithms."""
    n, value = np.log([(row[0], max(row[column], 1e-9)) for row in rows]).T
    return np.polyfit(n, value, 1)[0]


if __name__ == "__main__":
    main()
