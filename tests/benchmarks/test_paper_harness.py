"""The harness behind the paper's tables: records, runner, tuning, DAG."""

import itertools
import json
import os
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import LinearSVC

from benchmarks.paper import (
    cell,
    datasets,
    methods,
    protocol,
    published,
    run,
    runner,
    studies,
    tuning,
)
from benchmarks.paper.pair_machines import DAGSVM
from benchmarks.paper.quadratic_map import QuadraticMap
from benchmarks.paper.record_file import RecordFile, read

WORK = "harness_jobs:work"


def jobs(*arguments, **options):
    return [
        runner.Job(f"job {i}", each, ((f"job {i}",),), **options)
        for i, each in enumerate(arguments)
    ]


def do(work, **options):
    saved, lines = [], []
    options = {
        "capped_records": lambda job, seconds, partial: [{"capped": job.name, "had": partial}]
    } | options
    outcome = runner.run(work, WORK, saved.append, say=lines.append, **options)
    return outcome, saved, lines


# Records


@given(st.integers(0, 3), st.integers(1, 40))
def test_half_written_line_is_ignored_and_overwritten(tmp_path_factory, n_whole, cut):
    path = tmp_path_factory.mktemp("records") / "run.jsonl"
    whole = [{"set": "s", "split": i, "method": "m", "ari": 0.5} for i in range(n_whole)]
    lines = [json.dumps(each) for each in [*whole, {"set": "s", "split": 9, "method": "m"}]]
    text = "".join(line + "\n" for line in lines[:-1]) + lines[-1][:cut]
    path.write_text(text)
    assert read(path) == whole
    with RecordFile(path) as file:
        file.append({"set": "t", "split": 0, "method": "m"})
    assert read(path) == [*whole, {"set": "t", "split": 0, "method": "m"}]


def test_a_broken_line_inside_is_an_error(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"set": 1}\n{"se\n{"set": 2}\n')
    with pytest.raises(ValueError, match="line 2"):
        read(path)


def test_one_run_at_a_time(tmp_path):
    with RecordFile(tmp_path / "run.jsonl"), pytest.raises(OSError, match="in use"):
        RecordFile(tmp_path / "run.jsonl")


# Runner


def test_every_job_is_done_in_workers_of_one_thread():
    outcome, saved, lines = do(jobs(*({"value": i} for i in range(5))), workers=2)
    assert (outcome.finished, outcome.left, outcome.failed) == (5, 0, [])
    assert sorted(each["value"] for each in saved) == list(range(5))
    assert {each["threads"] for each in saved} == {"1"}
    assert os.getpid() not in {each["pid"] for each in saved}
    assert len({each["pid"] for each in saved}) <= 2
    assert any("5/5" in line and "left" in line for line in lines)


def test_cap_kills_the_worker_and_the_run_goes_on(monkeypatch):
    later, look, real = [0.0], runner._look, time.monotonic
    monkeypatch.setattr(runner.time, "monotonic", lambda: real() + later[0])

    def look_later(worker):  # once a worker has told all that it will before it is killed
        if worker.ready and (worker.partial or "partial" not in worker.job.arguments):
            later[0] += 1000.0
        return look(worker)

    monkeypatch.setattr(runner, "_look", look_later)
    work = jobs({"sleep": 3600.0}, {"sleep": 3600.0, "partial": 7}, {"value": 3})
    work[0].cap = work[1].cap = 900.0
    outcome, saved, _ = do(work)
    assert (outcome.finished, outcome.capped, outcome.left) == (3, 2, 0)
    assert {"capped": "job 0", "had": None} in saved
    assert {"capped": "job 1", "had": [{"value": 7}]} in saved
    assert saved[-1]["value"] == 3


@pytest.mark.parametrize("fail", ["raise", "die"])
def test_a_failing_job_is_named_and_the_run_goes_on(fail):
    outcome, saved, lines = do(jobs({"fail": fail}, {"value": 1}))
    assert [each["value"] for each in saved] == [1]
    assert [name for name, _ in outcome.failed] == ["job 0"]
    assert any("FAILED" in line for line in lines)


def test_wall_keeps_what_is_finished(monkeypatch):
    later = [0.0]
    real = time.monotonic
    monkeypatch.setattr(runner.time, "monotonic", lambda: real() + later[0])

    def say(line):  # the first job is done: now it is late
        later[0] = 1000.0

    work = jobs({"value": 1}, {"sleep": 600.0})
    work[0].estimate = 0.1
    saved = []
    outcome = runner.run(
        work, WORK, saved.append, wall=500.0, capped_records=lambda *_: [], say=say
    )
    assert [each["value"] for each in saved] == [1]
    assert (outcome.finished, outcome.capped, outcome.left) == (1, 0, 1)


def test_nothing_is_begun_that_would_not_end_before_the_wall():
    work = jobs({"value": 1}, {"value": 2, "sleep": 600.0})
    work[1].estimate = 1e9
    outcome, saved, _ = do(work, wall=1000.0)
    assert [each["value"] for each in saved] == [1]
    assert (outcome.finished, outcome.left) == (1, 1)


# A whole run on a small set, interrupted


@pytest.mark.slow
def test_a_run_resumes_without_doing_anything_twice(iris_folder):
    path = iris_folder / "quick.jsonl"
    command = ["--size", "quick", "--sets", "iris", "--folder", str(iris_folder), "--workers", "1"]
    command += ["--records", str(path), "--jobs", "pairs", "5-nn", "smartsvm-faithful"]
    command += ["--cap", "3600"]
    assert run.main([*command, "--splits", "0"]) == 0
    first = read(path)
    found = {(each["split"], each["method"]) for each in first}
    assert found == {(0, m) for m in ("one-vs-one", "dag", "5-nn", "smartsvm-faithful")}
    with path.open("a") as file:  # as if it had been killed while writing
        file.write('{"set": "iris", "spl')
    assert run.main(command) == 0
    both = read(path)
    assert both[: len(first)] == first
    assert len(both) == 2 * len(first)
    for each in both:
        assert 0.7 < each["accuracy"] <= 1
        assert 0.5 < each["ari"] <= 1
        assert not each["capped"]
        assert each["n_train"] + each["n_test"] == 150
        assert each["tune_s"] >= each["configuration_s"] > 0
        assert each["versions"]["scikit-learn"]
    smart = next(each for each in both if each["method"] == "smartsvm-faithful")
    assert smart["C"] in protocol.SIZES["quick"].Cs
    assert smart["tune_s"] > smart["hierarchy_s"] > 0
    assert [each["depth"] for each in smart["nodes"]] == [0, 1]
    assert run.main([*command, "--redo", "5-nn"]) == 0
    assert [each["method"] for each in read(path)].count("5-nn") == 2


@pytest.mark.slow
def test_sets_that_cannot_be_had_are_named_and_left_out(tmp_path, monkeypatch, capfd):
    monkeypatch.delenv(datasets.FOLDER_VARIABLE, raising=False)
    monkeypatch.setenv(datasets.CACHE_VARIABLE, str(tmp_path / "cache"))

    def offline(name, cache):
        raise OSError("no connection")

    monkeypatch.setattr(datasets.sources, "fetch", offline)
    path = tmp_path / "records.jsonl"
    command = ["--size", "quick", "--records", str(path)]
    assert run.main([*command, "--sets", "letter", "shuttle"]) == 0
    assert studies.main([*command, "--only", "chess", "data", "same_solver"]) is None
    told = capfd.readouterr().err
    assert "letter: not found" in told
    assert "not fetched: no connection" in told
    assert datasets.FOLDER_VARIABLE in told
    assert "left out for want of data: letter, shuttle" in told
    assert "chess left out: kr-vs-k" in told
    found = {record["study"]: record for record in read(path)}
    assert set(found) == {"data", "same_solver"}
    assert all(isinstance(each, str) for each in found["data"]["result"].values())
    assert found["same_solver"]["result"]["rows"] == []
    with pytest.raises(SystemExit):
        run.main([*command, "--sets", "lettre"])
    assert "lettre" in capfd.readouterr().err


def test_capped_cells_are_recorded_for_every_method_of_the_job():
    job = runner.Job(
        "s split 0 pairs",
        {"size": "quick", "cap": 5.0, "subsampled": True},
        (("s", 0, "one-vs-one"), ("s", 0, "dag")),
    )
    records = run.capped_records(job, 5.1, None)
    assert [each["method"] for each in records] == ["one-vs-one", "dag"]
    assert all(each["capped"] and each["ari"] is None and each["subsampled"] for each in records)
    (kept,) = run.capped_records(job, 5.1, [{"method": "dag", "ari": 0.4, "capped": True}])
    assert kept["ari"] == 0.4
    assert kept["capped"]
    json.dumps([*records, kept], allow_nan=False)


@pytest.mark.slow
def test_every_method_of_the_registry_runs_on_a_small_problem():
    X, y = make_classification(
        160, 20, n_informative=6, n_classes=4, n_clusters_per_class=1, random_state=0
    )
    size = protocol.Size(1, 3, (0.01, 1.0), 60.0, boosting_rounds=10)
    problem = protocol.Problem("toy", X[:120], y[:120], X[120:], y[120:], size)
    seen = set()
    for name, job in methods.JOBS.items():
        clock = tuning.Clock()
        results = job.run(problem, clock)
        assert set(results) == set(job.methods), name
        for method, fitted in results.items():
            found = cell.measured(method, fitted, problem, clock)
            assert found["fit_s"] > 0
            assert found["tune_s"] > 0
            assert found["accuracy"] > 0.3
            seen.add(method)
    assert seen | {"gensvm"} == set(methods.TITLES)
    assert seen >= set(methods.IN_PAPER) | set(methods.REFERENCES)


# Protocol and tuning


def test_splits_are_stratified_reproducible_scaled_on_training(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [200, 60, 20])
    data = datasets.Dataset("toy", random.normal(size=(280, 3)), y, ("a", "b", "c"))
    facts = protocol.prepare(data, protocol.SIZES["quick"], tmp_path)
    assert facts == {"n": 280, "d": 3, "K": 3, "subsampled": False}
    first = protocol.problem("toy", 1, protocol.SIZES["quick"], str(tmp_path))
    assert np.bincount(first.y_train).tolist() == [160, 48, 16]
    assert first.X_train.min() == -1
    assert first.X_train.max() == pytest.approx(1)
    protocol.problem.cache_clear()
    again = protocol.problem("toy", 1, protocol.SIZES["quick"], str(tmp_path))
    np.testing.assert_array_equal(first.X_test, again.X_test)
    for train, rows in first.folds:
        assert np.intersect1d(train, rows).size == 0


def test_subsample_keeps_proportions_and_small_classes():
    y = np.repeat([0, 1, 2], [9000, 985, 15])
    rows = protocol.subsample(y, 1000, np.random.default_rng(0))
    assert np.bincount(y[rows]).tolist() == [900, 98, 10]
    assert len(np.unique(rows)) == len(rows)
    np.testing.assert_array_equal(protocol.subsample(y, 10**6, None), np.arange(10_000))


def test_only_the_full_size_tries_all_configurations_on_all_rows():
    full, paper = protocol.SIZES["full"], protocol.SIZES["paper"]
    assert len(paper.Cs) < len(full.Cs) == published.N_CONFIGURATIONS
    assert paper.rows("fars", 100_959) < full.rows("fars", 100_959) == 100_959


def test_path_stops_before_a_step_that_would_not_fit(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(tuning.time, "monotonic", lambda: now[0])
    clock = tuning.Clock(cap=100.0)

    def one(C):
        now[0] += C
        return (-C,)

    (path,) = tuning.along_path([1, 2, 4, 8, 16, 32, 64], one, clock)
    assert path.capped
    assert path.scores == [-1, -2, -4, -8, -16, -32]  # 63 s gone, 64 more would be too long
    assert path.best([1, 2, 4, 8, 16, 32, 64]) == 1
    now[0] = 0.0
    (path,) = tuning.along_path([1, 2, 4], one, tuning.Clock())
    assert not path.capped


def test_best_is_the_smallest_of_equal_cs():
    assert tuning.Path([0.1, 0.3, 0.3], False).best((1, 2, 3)) == 2


# Estimators


@pytest.mark.parametrize("n_classes", [2, 3, 5, 8])
def test_dag_is_elimination_from_both_ends(n_classes):
    X, y = make_classification(
        300,
        10,
        n_informative=8,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=n_classes,
    )
    machines = OneVsOneClassifier(LinearSVC(dual=False)).fit(X, y)
    dag = DAGSVM().fit(X, y)
    pair = dict(zip(itertools.combinations(range(n_classes), 2), machines.estimators_, strict=True))
    decided = {key: machine.decision_function(X) > 0 for key, machine in pair.items()}
    for i, found in enumerate(dag.predict(X)):
        standing = list(range(n_classes))
        while len(standing) > 1:
            first, last = standing[0], standing[-1]
            standing.remove(first if decided[first, last][i] else last)
        assert [found] == standing
    shared = DAGSVM(machines=machines).fit(X, y)
    np.testing.assert_array_equal(shared.predict(X), dag.predict(X))


def test_quadratic_map_has_all_products():
    X = np.random.default_rng(0).normal(size=(50, 3))
    mapped = QuadraticMap().fit(X).transform(X)
    assert mapped.shape == (50, 3 + 6)
    np.testing.assert_array_equal(mapped[:, :3], X)
    product = X[:, 0] * X[:, 1]
    np.testing.assert_allclose(mapped[:, 4], product / np.abs(product).max())
    wide = np.random.default_rng(1).normal(size=(50, 20))
    assert QuadraticMap(most=4).fit(wide).transform(wide).shape == (50, 20 + 10)
