"""Run the grid of sets, splits and methods; finished cells are kept and never done again.

    python -m benchmarks.paper.run --size paper --workers 2 [--wall 500] [--sets letter yeast]

Appends to benchmarks/paper/records/SIZE.jsonl. Run it again after any interruption.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

from . import cell, datasets, methods, protocol, runner
from .record_file import RecordFile, key, latest, read

RECORDS = Path(__file__).with_name("records")
WORK = "benchmarks.paper.cell:do"
_UNIT = 1.2e-7  # seconds of one fit for a sample, feature and class, about


def estimate(job, facts, size):
    """Rough seconds of a job, for the order and the first guess of the time left."""
    n_fits = (1 + size.n_folds * len(size.Cs)) * 0.8
    work = facts["n"] * facts["d"] * facts["K"] * _UNIT * methods.JOBS[job].weight
    return 0.05 + work * n_fits


def plan(facts, options, folder, done):
    """The jobs that are not finished and that their sets are suited for."""
    size = protocol.SIZES[options.size]
    jobs = []
    for (name, known), split, job in product(facts.items(), options.splits, options.jobs):
        spec = methods.JOBS[job]
        cells = tuple((name, split, method) for method in spec.methods)
        n_train = round(known["n"] * (1 - protocol.TEST_SHARE))
        if set(cells) <= done or not spec.suits(n_train, known["d"], known["K"], size):
            continue
        cap = options.cap * spec.cap_share
        asked = {
            "name": name,
            "split": split,
            "job": job,
            "size": options.size,
            "folder": str(folder),
            "cap": cap,
            "subsampled": known["subsampled"],
        }
        seconds = min(cap, estimate(job, known, size))
        title = f"{name} split {split} {job}"
        jobs.append(runner.Job(title, asked, cells, seconds, cap, kind=(name, job)))
    return jobs


def capped_records(job, seconds, partial):
    """Records of the methods of a job that was killed: what it reported, or none but the time."""
    if partial:
        return [record | {"capped": True, "tune_s": round(seconds, 3)} for record in partial]
    a = job.arguments
    return [
        cell.capped_record(name, split, method, a["size"], a["cap"], a["subsampled"], seconds)
        for name, split, method in job.cells
    ]


def read_options(arguments):
    """What the command line asks for, with the size's own choices filled in."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=protocol.SIZES, default="paper")
    parser.add_argument("--sets", nargs="+", default=datasets.NAMES, metavar="SET")
    parser.add_argument("--jobs", nargs="+", choices=methods.JOBS, default=list(methods.JOBS))
    parser.add_argument("--splits", type=int, nargs="+", help="by default all of the size")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--wall", type=float, default=float("inf"), help="stop after SECONDS")
    parser.add_argument("--cap", type=float, help="most seconds of one cell")
    parser.add_argument("--records", type=Path, help="file to append to")
    parser.add_argument(
        "--folder", type=Path, help=f"of data; by default ${datasets.FOLDER_VARIABLE}"
    )
    parser.add_argument(
        "--redo", nargs="+", default=[], metavar="METHOD", help="forget these first"
    )
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.sets) - set(datasets.expected()))
    if unknown:
        parser.error(f"--sets must be among {', '.join(datasets.expected())}, got {unknown}")
    size = protocol.SIZES[options.size]
    if options.splits is None:
        options.splits = range(size.n_splits)
    if options.cap is None:
        options.cap = size.cap
    options.records = options.records or RECORDS / f"{options.size}.jsonl"
    return options


def prepare(options, done, folder, say):
    """Store the rows of every set that is not finished; facts by set, and sets not to be had."""
    facts, missing = {}, []
    for name in options.sets:
        if not _unfinished(name, options.splits, options.jobs, done):
            continue
        try:
            data = datasets.load(name, options.folder)
        except datasets.Unavailable as error:
            say(f"left out: {error}")
            missing.append(name)
        else:
            facts[name] = protocol.prepare(data, protocol.SIZES[options.size], folder)
    return facts, missing


def main(arguments=None):
    options = read_options(arguments)
    began = time.monotonic()
    # As Ctrl-C: workers are ended and the file is closed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    say = runner.say_with_time
    with RecordFile(options.records) as file, tempfile.TemporaryDirectory() as folder:
        if options.redo:
            n = file.drop(lambda record: record["method"] in options.redo)
            say(f"{n} records forgotten")
        done = {key(record) for record in latest(read(options.records))}
        facts, missing = prepare(options, done, folder, say)
        jobs = plan(facts, options, folder, done)
        say(f"{len(jobs)} jobs to do with {options.workers} workers; results in {options.records}")
        try:
            outcome = runner.run(
                jobs,
                WORK,
                file.append,
                workers=options.workers,
                wall=options.wall - (time.monotonic() - began),
                capped_records=capped_records,
                say=say,
            )
        except KeyboardInterrupt:
            say("interrupted; finished cells are kept")
            return 130
    say(
        f"{outcome.finished} jobs done ({outcome.capped} capped), {len(outcome.failed)} failed, "
        f"{outcome.left} left"
    )
    if missing:
        say(f"left out for want of data: {', '.join(missing)}; run again to add them")
    for name, why in outcome.failed:
        say(f"{name} FAILED\n{why}")
    return 1 if outcome.failed else 0


def _unfinished(name, splits, jobs, done):
    return any(
        (name, split, method) not in done
        for split in splits
        for job in jobs
        for method in methods.JOBS[job].methods
    )


if __name__ == "__main__":
    sys.exit(main())
