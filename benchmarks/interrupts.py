"""How long after Ctrl-C a call ends: ``python -m benchmarks.interrupts [--threads 1 2 4]``.

A timer signal stands in for the keyboard, at a random moment of a long call. The aim is 0.2 s on
a machine that does nothing else.
"""

import argparse
import signal
import time

import numpy as np

from smartsvm import SmartSVM, difficulty_report, euclidean_mst

_AIM = 0.2


def _calls():
    """Calls of seconds, by name; each takes the number of threads."""
    rng = np.random.default_rng(0)
    few, many = rng.normal(size=(300_000, 3)), rng.normal(size=(40_000, 64))
    lattice = rng.integers(0, 60, size=(300_000, 3)).astype(float)
    equal = np.concatenate([np.zeros((300_000, 3)), few[:1000]])
    y = np.arange(20_000) % 10
    classes = rng.normal(size=(20_000, 16)) + y[:, None]

    def trees(X, algorithm):
        return lambda n: euclidean_mst(X, algorithm=algorithm, n_trees=5, n_jobs=n)

    return {
        "prim": trees(many, "prim"),
        "boruvka": trees(few, "boruvka"),
        "boruvka, lattice": trees(lattice, "boruvka"),
        "boruvka, equal points": trees(equal, "boruvka"),
        "blocked": trees(many, "blocked"),
        "blocks": lambda n: euclidean_mst(few, n_trees=3, memory_limit="200 MB", n_jobs=n),
        "report": lambda n: difficulty_report(classes, y, n_jobs=n),
        "classifier": lambda n: SmartSVM(n_jobs=n).fit(classes, y),
    }


def seconds_to_answer(call, delay):
    """Time from the signal to KeyboardInterrupt; None if the call was over before."""
    sent = time.perf_counter() + delay
    signal.setitimer(signal.ITIMER_REAL, delay)
    try:
        call()
    except KeyboardInterrupt:
        return time.perf_counter() - sent
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--times", type=int, default=10, help="interrupts of each call")
    parser.add_argument("--only", nargs="+", metavar="CALL", help="names of calls; all by default")
    parser.add_argument("--latest", type=float, default=1.0, help="seconds to the signal, at most")
    options = parser.parse_args()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    rng = np.random.default_rng(0)
    print(f"{'call':24}{'threads':>8}{'answered':>10}{'median s':>10}{'worst s':>10}")
    for name, call in _calls().items():
        if options.only and name not in options.only:
            continue
        for n_threads in options.threads:
            waits = [
                seconds_to_answer(lambda n=n_threads, call=call: call(n), delay)
                for delay in rng.uniform(0.01, options.latest, size=options.times)
            ]
            waits = [wait for wait in waits if wait is not None]
            median, worst = (np.median(waits), max(waits)) if waits else (np.nan, np.nan)
            mark = "  more than the aim" if worst > _AIM else ""  # none, where none was answered
            answered = f"{len(waits)}/{options.times}"
            print(
                f"{name:24}{n_threads:8}{answered:>10}{median:10.3f}{worst:10.3f}{mark}", flush=True
            )


if __name__ == "__main__":
    main()
