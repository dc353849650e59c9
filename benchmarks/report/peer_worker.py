"""One tool on the data sets of one file, in that tool's own environment.

    python peer_worker.py TOOL DATA.npz

DATA.npz holds X0, y0, X1, y1, ... Prints a JSON list: the values of each data set,
CPU seconds, and the growth of peak memory in MiB. Imports nothing of smartsvm unless the
tool is our own.
"""

import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from peak_memory import peak_bytes  # this script runs where other tools are

warnings.simplefilter("ignore")
_LIMIT = 4 << 30  # for tools that take all memory of a machine; torch maps too much to be limited
_LIMITED = ("hyppo", "problexity", "pymfe")


def ours_tree():
    from smartsvm import bayes_error

    def run(X, y):
        found = bayes_error(X, y, n_trees=1)
        return {"lower": found.lower, "upper": found.upper, "point": found.value}

    return run


def ours_report():
    from smartsvm import difficulty_report

    def run(X, y):
        found = difficulty_report(X, y)
        return {
            "lower": found.trees.lower.value,
            "upper": found.trees.upper.value,
            "point": found.bayes_error.value,
            "p": found.data.signal.p_value,
        }

    return run


def dataeval():
    from dataeval.core import ber_mst

    def run(X, y):
        found = ber_mst(X, y)
        lower, upper = float(found["lower_bound"]), float(found["upper_bound"])
        return {"lower": lower, "upper": upper, "point": (lower + upper) / 2}

    return run


def dataeval_knn():
    from dataeval.core import ber_knn

    def run(X, y):
        found = ber_knn(X, y, 31)
        lower, upper = float(found["lower_bound"]), float(found["upper_bound"])
        return {"lower": lower, "upper": upper, "point": (lower + upper) / 2}

    return run


def hyppo():
    from hyppo.ksample import FriedmanRafsky

    def run(X, y):
        found = FriedmanRafsky().test(X, y, reps=10)
        return {"p": float(found[1])}

    return run


def problexity():
    from problexity.classification import n1

    return lambda X, y: {"n1": float(n1(X, y))}


def pymfe():
    from pymfe.mfe import MFE

    def run(X, y):
        extractor = MFE(groups=["complexity"], features=["n1"])
        extractor.fit(X, y)
        return {"n1": float(extractor.extract()[1][0])}

    return run


def main():
    tool, path = sys.argv[1:]
    run = globals()[tool]()
    with np.load(path) as arrays:
        sets = [(arrays[f"X{i}"], arrays[f"y{i}"]) for i in range(len(arrays.files) // 2)]
    if tool in _LIMITED:
        resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    small = np.random.default_rng(0).normal(size=(60, 3))
    run(small, np.arange(60) % 3 % (2 if tool == "hyppo" else 3))  # compiles, imports the rest
    if tool not in _LIMITED:
        # The code that larger sets need is loaded, too, and no part of their memory.
        run(sets[0][0][:400], sets[0][1][:400])
    results = []
    for X, y in sets:
        before = peak_bytes()
        start = time.process_time()
        try:
            found = run(X, y)
        except (MemoryError, ValueError, OSError) as error:
            found = {"failed": "out of memory (4 GiB)" if _is_memory(error) else str(error)[:80]}
        seconds = time.process_time() - start
        growth = (peak_bytes() - before) / 2**20
        results.append({"values": found, "seconds": seconds, "mebibytes": growth})
    print(json.dumps(results))


def _is_memory(error):
    return isinstance(error, MemoryError) or "llocate" in str(error)


if __name__ == "__main__":
    main()
