"""Progress is shown to those who ask, and only of long work."""

import sys

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_iris

from smartsvm import (
    ClassForest,
    difficulty_report,
    euclidean_mst,
    pairwise_bayes_error,
)
from smartsvm.presentation import progress as _progress
from smartsvm.presentation.progress import Progress


class Clock:
    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


def run(monkeypatch, verbose, step):
    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    progress = Progress("pairs", 50, verbose)
    for done in range(1, 51):
        clock.now += step
        progress.update(done)
    progress.close()


def test_long_work_is_shown(monkeypatch, capsys):
    run(monkeypatch, 1, 1.0)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "pairs: 1 of 50, 1 s, 49 s left"
    assert lines[1] == "pairs: 11 of 50, 11 s, 39 s left"
    assert lines[-1] == "pairs: 50 in 50.0 s"


def test_short_or_silent_work_is_not(monkeypatch, capsys):
    run(monkeypatch, 1, 0.001)
    run(monkeypatch, 0, 1.0)
    assert capsys.readouterr().err == ""


def test_a_terminal_overwrites_its_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    run(monkeypatch, 1, 1.0)
    text = capsys.readouterr().err
    assert text.count("\r") == 51
    assert text.endswith("\n")


def test_estimates_pass_it_on(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", 0.0)
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.arange(60) % 3
    pairwise_bayes_error(X, y, verbose=1)
    assert "pairs of classes: 3 in" in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_blocks_show_tasks_and_time_left(monkeypatch, capsys, backend):
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", 0.0)
    monkeypatch.setattr(_progress, "_FILE_SECONDS", 0.0)
    X = np.random.default_rng(0).normal(size=(400, 2))
    with parallel_config(backend=backend, n_jobs=1 if backend == "sequential" else 2):
        euclidean_mst(X, memory_limit=60_000, verbose=1)
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith("blocks: 1 of ") and line.endswith(" s left") for line in lines)
    assert any(line.startswith("pairs of blocks: 1 of ") for line in lines)
    assert " pairs looked at, " in lines[-1]
    assert " skipped; " in lines[-1]


def test_report_of_blocks():
    X = np.random.default_rng(0).normal(size=(400, 2))
    y = np.arange(400) % 2
    assert ClassForest(X, y).block_report is None
    forest = ClassForest(X, y, memory_limit=550_000)
    forest.pairwise()
    report = forest.block_report
    assert report.n_blocks >= 2
    assert report.n_looked + report.n_skipped == report.n_pairs > 0


@pytest.mark.parametrize(("verbose", "within"), [(1, False), (2, True)])
def test_in_a_file_a_report_writes_one_line_for_a_stage(verbose, within, monkeypatch, capsys):
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", 0.0)
    difficulty_report(*load_iris(return_X_y=True), classifiers=("linear",), verbose=verbose)
    lines = capsys.readouterr().err.splitlines()
    stages = [line for line in lines if line.startswith("[")]
    assert [line.split("] ")[1] for line in stages] == [
        "nearest neighbours of 150 samples",
        "held-out errors",
        "spanning trees",
        "extrapolation",
        "dependent rows",
        "label errors and conclusions",
    ]
    assert (len(lines) > len(stages)) is within


def test_a_process_without_standard_error_works(monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(_progress, "_SILENT_SECONDS", 0.0)
    assert difficulty_report(X, y, verbose=1).data.n_samples == len(X)
    assert len(euclidean_mst(X, memory_limit=25_000, verbose=1).edges[0]) == len(X) - 1
    assert ClassForest(X, y, verbose=1).pairwise().value.shape == (3, 3)
