"""Mixed calls, interrupts and forks for half an hour: does anything grow?

    python tests/soak.py --seconds 1800 --seed 1
    python tests/soak.py --seconds 1800 --writer  # another thread writes to the points

Prints resident memory, threads and open files as it goes, and fails if they are larger at the end
than they were in the second quarter of the time.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import nullcontext

import numpy as np
from sklearn.datasets import load_digits
from writer import Writer

from smartsvm import (
    BayesErrorSelector,
    ClassForest,
    SmartSVM,
    difficulty_report,
    euclidean_mst,
)

_LINES = 60  # states printed in all
_MOST_GROWTH = 1.10  # of resident memory since the second quarter
X, Y = load_digits(return_X_y=True)


def draw_call(random):
    """Points, the name of a call on them and the call itself, on random rows of the digits."""
    rows = random.choice(len(X), size=int(random.integers(60, 600)), replace=False)
    points, labels = X[rows] + random.normal(size=(len(rows), 64)), Y[rows] % 4
    jobs = int(random.integers(1, 5))
    seed = int(random.integers(2**31))
    options = {"n_jobs": jobs, "random_state": seed}
    calls = {
        "trees": lambda: euclidean_mst(points, n_trees=3, **options),
        "prim": lambda: euclidean_mst(points, algorithm="prim", **options),
        "kdtree": lambda: euclidean_mst(points[:, :5], algorithm="kdtree", **options),
        "products": lambda: euclidean_mst(points, algorithm="products", n_trees=2, **options),
        "blocks": lambda: in_blocks(points[:, :3], **options),
        "classes": lambda: ClassForest(points, labels, **options).multiclass(),
        "report": lambda: difficulty_report(points, labels, **options),
        "classifier": lambda: SmartSVM(**options).fit(points, labels).predict(points),
        "selection": lambda: BayesErrorSelector(2, **options).fit(points[:, :8], labels),
        "refusal": lambda: euclidean_mst(np.full((9, 2), np.nan)),
    }
    name = str(random.choice(list(calls)))
    return points, name, calls[name]


def in_blocks(points, **options):
    """Trees in blocks: a checkpoint is always made of them."""
    with tempfile.TemporaryDirectory() as folder:
        return euclidean_mst(points, checkpoint=folder, **options)


def interrupted(call, seconds):
    """Run a call and raise KeyboardInterrupt in it after some time; whether it came."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


def forked(call):
    """Run a call in a child process and wait for it; its exit status."""
    child = os.fork()
    if child == 0:
        try:
            call()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def state():
    """Resident MiB, threads and open files of this process."""
    gc.collect()
    with open("/proc/self/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    return resident, n_threads(), len(os.listdir("/proc/self/fd"))


def n_threads():
    """Threads of this process: the fewest of some looks, as one that has ended leaves late."""
    seen = []
    for _ in range(10):
        seen.append(len(os.listdir("/proc/self/task")))
        time.sleep(0.05)
    return min(seen)


def step(random, done, writes):
    """One call, now and then interrupted or in a child, or while a thread writes to its points."""
    points, name, call = draw_call(random)
    how = random.random()
    done[name] += 1
    # Not while a child is made: it would inherit half-written points and no thread to mend them.
    writes = writes and not 0.3 <= how < 0.4
    seed = int(random.integers(2**31))
    try:
        with Writer(points, seed) if writes else nullcontext():
            run(call, name, how, random, done)
    except KeyboardInterrupt:  # the signal came between two statements of `interrupted`
        done["interrupts"] += 1
    except ValueError:
        if name != "refusal" and not writes:
            raise
        done["refused"] += 1


def run(call, name, how, random, done):
    """Make the call in one of three ways."""
    if how < 0.3:
        done["interrupts"] += interrupted(call, float(random.random() ** 3) + 1e-4)
    elif how < 0.4:  # no thread of a call is left
        done["forks"] += 1
        if forked(call) and name != "refusal":
            raise RuntimeError(f"{name} failed in a child")
    else:
        call()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1800)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--writer", action="store_true", help="write to the points meanwhile")
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds:.0f} s", flush=True)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    random, done, states = np.random.default_rng(options.seed), Counter(), []
    start = time.monotonic()
    while (passed := time.monotonic() - start) < options.seconds:
        step(random, done, options.writer)
        if passed >= len(states) * options.seconds / _LINES:
            states.append(state())
            resident, threads, files = states[-1]
            print(
                f"{passed:7.1f} s  {resident:8.1f} MiB  {threads:3d} threads  {files:3d} files",
                flush=True,
            )
    print(", ".join(f"{count} {name}" for name, count in sorted(done.items())))
    # Threads of BLAS end with every fork and come again with the next product: their number goes up
    # and down, and must not be larger than it was in the second quarter.
    settled, last = np.array(states[len(states) // 4 : len(states) // 2]), np.array(states[-1])
    grown = last > [settled[:, 0].min() * _MOST_GROWTH, *settled[:, 1:].max(axis=0)]
    print(
        "grown: " + ", ".join(np.array(["memory", "threads", "files"])[grown])
        if grown.any()
        else "flat: memory, threads and open files"
    )
    return int(grown.any())


if __name__ == "__main__":
    sys.exit(main())
