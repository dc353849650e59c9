"""One call in a process of its own: seconds and peak memory beyond the data, as JSON.

python -m benchmarks.trees.measure N D [--kind uniform] [--n-trees 1] [--threads 1]
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

from ..peak_memory import peak_bytes
from .cells import Cell, MissingData, load

MISSING = 3  # what the process returns if the data are not here


def resident_bytes():
    """Memory of this process now (Linux), or its peak so far where that is all there is."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return peak_bytes()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=int)
    parser.add_argument("d", type=int)
    parser.add_argument("--kind", default="uniform")
    parser.add_argument("--n-trees", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    from smartsvm import euclidean_mst

    try:
        X, _ = load(Cell("", "trees", options.kind, options.n, options.d, 0))
    except MissingData as error:
        print(error, file=sys.stderr)
        sys.exit(MISSING)
    euclidean_mst(X[:100])  # what the first call alone pays
    before = resident_bytes()
    seconds = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        euclidean_mst(X, n_trees=options.n_trees, n_jobs=options.threads)
        seconds.append(time.perf_counter() - start)
    json.dump({"seconds": seconds, "bytes": max(0, peak_bytes() - before)}, sys.stdout)


if __name__ == "__main__":
    main()
