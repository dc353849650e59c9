"""Run by test_interrupts.py in a process of its own: calls that are interrupted at random moments.

After each interrupt the same call is made again in peace, and its result compared, bit by bit,
with that of a call before any interrupt. The exit code is 0 if all were equal.
"""

import argparse
import faulthandler
import itertools
import os
import pickle
import signal
import sys
import threading
import time

import numpy as np

from smartsvm import ClassForest, SmartSVM, SmartSVMCV, difficulty_report, euclidean_mst
from smartsvm._core.points import Points
from smartsvm.held_out.neighbors import neighbor_labels
from smartsvm.trees.out_of_core.memory_plan import merge_bytes

_RNG = np.random.default_rng(0)
_SPREAD = _RNG.normal(size=(8000, 3))
_LATTICE = _RNG.integers(0, 14, size=(8000, 3)).astype(float)
_WIDE = _RNG.normal(size=(2500, 40))
_MIDDLE = np.random.default_rng(1).normal(size=(3000, 8))
_LABELS = np.arange(600) % 4
_CLASSES = _RNG.normal(size=(600, 6)) + _LABELS[:, None]
_FEW = _CLASSES[:300], _LABELS[:300]


def _trees(X, **options):
    trees = euclidean_mst(X, **options)
    return trees.edges, trees.weights


def _fitted(model):
    model.fit(*_FEW)
    return model.predict_proba(_CLASSES)


CALLS = {
    "prim": lambda n_jobs: _trees(_SPREAD[:1500], algorithm="prim", n_jobs=n_jobs),
    "kdtree": lambda n_jobs: _trees(_SPREAD, algorithm="kdtree", n_trees=2, n_jobs=n_jobs),
    "ties": lambda n_jobs: _trees(_LATTICE, algorithm="kdtree", n_trees=2, n_jobs=n_jobs),
    "products": lambda n_jobs: _trees(_WIDE, algorithm="products", n_trees=2, n_jobs=n_jobs),
    "mutual": lambda n_jobs: _trees(_SPREAD, core_neighbors=9, n_trees=2, n_jobs=n_jobs),
    "mutual, leaf by leaf": lambda n_jobs: _trees(
        _MIDDLE, algorithm="kdtree", core_neighbors=9, n_jobs=n_jobs
    ),
    "mutual, wide": lambda n_jobs: _trees(_WIDE, core_neighbors=9, n_jobs=n_jobs),
    "blocks": lambda n_jobs: _trees(
        _SPREAD[:3000], memory_limit=3000 * merge_bytes(1) + 400_000, n_jobs=n_jobs
    ),
    "neighbors": lambda n_jobs: neighbor_labels(
        Points(_WIDE), np.arange(2500) % 3, 9, n_jobs=n_jobs
    ),
    "classes": lambda n_jobs: tuple(ClassForest(_CLASSES, _LABELS, n_jobs=n_jobs)._counts.of_pairs),
    "report": lambda n_jobs: difficulty_report(*_FEW, n_jobs=n_jobs).to_dict(),
    "classifier": lambda n_jobs: _fitted(SmartSVM(n_jobs=n_jobs)),
    "tuning": lambda n_jobs: _fitted(SmartSVMCV(Cs=[0.1, 1.0], cv=2, n_jobs=n_jobs)),
}


class Interrupts:
    """Signals that are answered by KeyboardInterrupt only while a call is being made."""

    def __init__(self):
        self.allowed = self.n_raised = 0
        for number in (signal.SIGINT, signal.SIGALRM):
            signal.signal(number, self._answer)

    def _answer(self, number, frame):
        if self.allowed:
            self.allowed -= 1
            self.n_raised += 1
            raise KeyboardInterrupt

    def strike(self, call, send, twice):
        """Make a call during which one or two signals come; whether it was interrupted."""
        before = self.n_raised
        try:
            try:
                self.allowed = 2 if twice else 1
                send()
                call()
            except KeyboardInterrupt:
                pass
            self.allowed = 0
        except KeyboardInterrupt:  # the second, while the first was being answered
            pass
        return self.n_raised > before


def by_timer(delay, twice):
    signal.setitimer(signal.ITIMER_REAL, delay, delay / 10 if twice else 0)


def by_thread(delay, twice):
    def send():
        time.sleep(delay)
        for _ in range(1 + twice):
            signal.raise_signal(signal.SIGINT)

    threading.Thread(target=send, daemon=True).start()


def by_process(delay, twice):
    """Ask whoever started this process for SIGINT."""
    # In one piece: a late signal may end a print halfway.
    os.write(sys.stdout.fileno(), f"{delay} {1 + twice}\n".encode())


SENDERS = {"timer": by_timer, "thread": by_thread, "process": by_process}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--by", choices=SENDERS, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--interrupts", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=900)
    options = parser.parse_args()
    faulthandler.dump_traceback_later(options.limit, exit=True)
    send, rng = SENDERS[options.by], np.random.default_rng(options.seed)
    interrupts = Interrupts()
    expected, seconds = {}, {}
    for name, call in CALLS.items():
        expected[name] = pickle.dumps(call(1))
        start = time.perf_counter()
        assert pickle.dumps(call(options.threads)) == expected[name], name
        seconds[name] = time.perf_counter() - start
    counts = dict.fromkeys(CALLS, 0)
    for name in itertools.cycle(CALLS):
        if sum(counts.values()) >= options.interrupts and min(counts.values()) > 0:
            break
        call, delay = CALLS[name], rng.uniform(1e-4, seconds[name])
        twice = bool(rng.random() < 0.2)
        counts[name] += interrupts.strike(
            lambda call=call: call(options.threads),
            lambda delay=delay, twice=twice: send(delay, twice),
            twice,
        )
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert pickle.dumps(call(options.threads)) == expected[name], f"{name} after an interrupt"
    for number in (signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    print(counts, file=sys.stderr)


if __name__ == "__main__":
    main()
