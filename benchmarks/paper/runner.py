"""Independent jobs in processes of one thread each: capped, resumable, stoppable.

Knows nothing of data or classifiers: a job is a name, an estimate of its seconds, a cap and
arguments for a function that returns records.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import sys
import time
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LOOK_AGAIN = 0.25  # seconds between looks at caps and wall


@dataclass
class Job:
    """One piece of work; `cells` are the keys of the records that it gives."""

    name: str
    arguments: dict
    cells: tuple
    estimate: float = 1.0
    cap: float = float("inf")
    kind: tuple = ()  # jobs of the same kind take about as long


@dataclass
class Outcome:
    """What a run did."""

    finished: int = 0
    capped: int = 0
    failed: list = field(default_factory=list)
    left: int = 0


class _Worker:
    """A process that does one job after another; killed and replaced if one is capped."""

    def __init__(self, work):
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.job = self.partial = None
        self.ready = False  # until its imports are done, which no job should pay for

    def start(self, job):
        self.job, self.started, self.partial = job, time.monotonic(), None
        self.connection.send(job.arguments)

    @property
    def seconds(self):
        return time.monotonic() - self.started

    def kill(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(connection, work):
    """In the worker: call ``module:function`` for each set of arguments that comes."""
    module, function = work.split(":")
    call = getattr(importlib.import_module(module), function)
    connection.send(("ready", None))

    def report(records):
        connection.send(("partial", records))

    while True:
        try:
            arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = ("records", call(**arguments, report=report))
        except Exception:
            answer = ("failed", traceback.format_exc(limit=-3))
        connection.send(answer)


def run(jobs, work, save, *, workers=1, wall=float("inf"), capped_records, say=print):
    """Do the jobs, cheap ones first; returns an Outcome.

    Parameters
    ----------
    jobs : list of Job
        Those not finished yet.
    work : str
        ``module:function`` that turns a job's arguments into a list of records. It may hand
        what it has so far to its argument `report`.
    save : callable
        Given each record as soon as its job is done.
    workers : int, default=1
        Processes.
    wall : float, default=inf
        Seconds after which everything still running is given up, to be done by the next run.
    capped_records : callable
        ``(job, seconds, partial) -> records`` for a job that was killed at its cap; `partial` is
        what it last reported, or None.
    say : callable, default=print
        Takes lines of progress.
    """
    began = time.monotonic()
    estimates = Estimates()
    pending = sorted(jobs, key=lambda job: job.estimate)
    outcome = Outcome()
    idle, busy = [], []

    def conclude(worker, kind, answer):
        job, seconds = worker.job, worker.seconds
        if worker.process.is_alive():  # not one that was capped or died
            idle.append(worker)
        if kind == "failed":
            outcome.failed.append((job.name, answer))
            say(f"{job.name} FAILED: {answer.strip().splitlines()[-1]}")
            return
        if kind == "capped":
            outcome.capped += 1
            answer = capped_records(job, seconds, worker.partial)
        estimates.learn(job, seconds)
        for record in answer:
            save(record)
        outcome.finished += 1
        left = estimates.seconds_left(pending, busy) / workers
        say(
            f"{outcome.finished}/{len(jobs)} {job.name}: {seconds:.1f} s"
            f"{' (capped)' if kind == 'capped' else ''}; about {duration(left)} left"
        )

    with _one_thread_each():
        try:
            while pending or busy:
                remaining = wall - (time.monotonic() - began)
                if remaining <= 0:
                    break
                while pending and len(busy) < workers:
                    job = _next_job(pending, estimates, remaining, anything=not outcome.finished)
                    if job is None:
                        break
                    pending.remove(job)
                    busy.append(idle.pop() if idle else _Worker(work))
                    busy[-1].start(job)
                if not busy:
                    break
                wait([worker.connection for worker in busy], timeout=min(_LOOK_AGAIN, remaining))
                for worker in list(busy):
                    result = _look(worker)
                    if result is not None:
                        busy.remove(worker)
                        conclude(worker, *result)
        finally:
            for worker in idle + busy:
                worker.kill()
    outcome.left = len(pending) + len(busy)
    return outcome


@contextmanager
def _one_thread_each():
    """Workers that are started inside inherit a limit of one thread."""
    before = {name: os.environ.get(name) for name in THREAD_LIMITS}
    os.environ.update(dict.fromkeys(THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def _next_job(pending, estimates, remaining, anything):
    """The cheapest job that should be done in time; at first any, so that each run gets on."""
    for job in pending:
        if anything or estimates.of(job) <= remaining:
            return job
    return None


def _look(worker):
    """("records", ...), ("failed", why), ("capped", None), or None while it works."""
    try:
        while worker.connection.poll():
            kind, answer = worker.connection.recv()
            if kind == "ready":
                worker.ready, worker.started = True, time.monotonic()
            elif kind == "partial":
                worker.partial = answer
            else:
                return kind, answer
    except EOFError:
        worker.kill()
        return ("failed", f"the process ended with exit code {worker.process.exitcode}")
    if worker.ready and worker.seconds >= worker.job.cap:
        worker.kill()
        return ("capped", None)
    return None


class Estimates:
    """Seconds that jobs will take: as a like one took, else its estimate put to scale."""

    def __init__(self):
        self.seen = {}
        self.spent = self.expected = 0.0

    def learn(self, job, seconds):
        """Record how long a job took."""
        self.seen.setdefault(job.kind or job.name, []).append(seconds)
        self.spent += seconds
        self.expected += job.estimate

    def of(self, job):
        """Expected seconds of a job."""
        like = self.seen.get(job.kind or job.name)
        if like:
            return sum(like) / len(like)
        scale = self.spent / self.expected if self.expected else 1.0
        return min(job.cap, job.estimate * scale)

    def seconds_left(self, pending, busy):
        """Expected seconds of work of one process."""
        running = sum(max(0.0, self.of(worker.job) - worker.seconds) for worker in busy)
        return running + sum(map(self.of, pending))


def duration(seconds):
    """Seconds in the words of a person."""
    minutes = round(seconds / 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


def say_with_time(line):
    """A line of progress on standard error, with the time of day."""
    print(time.strftime("%H:%M:%S"), line, file=sys.stderr, flush=True)
