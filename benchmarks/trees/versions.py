"""Two versions of this library on the cells of the race: what a change costs or brings.

    python -m benchmarks.trees.versions BASE NEW [--threads 2] [--cells d3-1e5-uniform ...]
        [--turns 3] [--seconds 20] [--at-once 1] [--json FILE]

BASE and NEW are folders that hold an installed `smartsvm` (``pip install --target FOLDER .``).
Each turn runs a fresh process for BASE, NEW and BASE again, in changing order, on the same data;
the best time of each counts. The two runs of BASE say how far identical code differs. Ratios are
NEW / BASE: below 1 is faster.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import cells

HEAD = ["| cell | base, s | new, s | new / base | base / base |", "|---|---|---|---|---|"]


def environment_of(folder, threads):
    limits = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    root = Path(__file__).resolve().parents[2]
    environment = os.environ | dict.fromkeys(limits, threads)
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(folder).resolve()), str(root)])
    return environment


def check_version(folder):
    """End if something else is imported: the hook of an editable install goes first."""
    code = "import smartsvm; print(smartsvm.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=environment_of(folder, "1"),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    ).stdout.strip()
    if not Path(found).is_relative_to(Path(folder).resolve()):
        raise SystemExit(f"{sys.executable} imports {found} instead of what {folder} holds.")


def seconds_of(folder, name, options):
    """Times of one process, or None where a cell cannot be run."""
    threads = str(options.threads)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.trees.contest",
            name,
            "--no-peer",
            "--threads",
            threads,
            "--repeats",
            "5",
            "--seconds",
            str(options.seconds),
        ],
        env=environment_of(folder, threads),
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(folder),
    )
    if done.returncode:
        raise RuntimeError(f"{name} in {folder} ended with {done.returncode}: {done.stderr[-400:]}")
    result = json.loads(done.stdout)
    return None if "missing" in result else result["seconds"]["smartsvm auto"]


def compare(name, options):
    """Best seconds of base, new, and base again."""
    contestants = {"base": options.base, "new": options.new, "again": options.base}
    best = dict.fromkeys(contestants, math.inf)
    order = list(contestants)
    for _ in range(options.turns):
        for who in order:
            times = seconds_of(contestants[who], name, options)
            if times is None:
                return None
            best[who] = min(best[who], *times)
        order = order[1:] + order[:1]
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base")
    parser.add_argument("new")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", nargs="+", default=["*"])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20, help="of a process, about")
    parser.add_argument("--at-once", type=int, default=1, help="cells that run side by side")
    parser.add_argument("--json", help="a file for the raw numbers")
    options = parser.parse_args()
    names = [
        name
        for name in cells.CELLS
        if any(fnmatch.fnmatch(name, pattern) for pattern in options.cells)
    ]
    for folder in (options.base, options.new):
        check_version(folder)
    print(*HEAD, sep="\n", flush=True)
    ratios, spreads, raw = [], [], {}
    with ThreadPoolExecutor(options.at_once) as pool:
        for name, best in zip(names, pool.map(lambda n: compare(n, options), names), strict=True):
            if best is None:
                print(f"| {name} | not run: its data is missing | | | |", flush=True)
                continue
            raw[name] = best
            base = math.sqrt(best["base"] * best["again"])
            ratios.append(best["new"] / base)
            spreads.append(best["again"] / best["base"])
            print(
                f"| {name} | {base:.4g} | {best['new']:.4g} | {ratios[-1]:.3f} "
                f"| {spreads[-1]:.3f} |",
                flush=True,
            )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    spread = math.exp(sum(abs(math.log(s)) for s in spreads) / len(spreads))
    print(f"\nGeometric mean {mean:.3f}; two identical runs differ by {spread - 1:.1%} on average.")
    if options.json:
        Path(options.json).write_text(json.dumps(raw, indent=1))


if __name__ == "__main__":
    main()
