"""A report under a user's settings: numpy's errors, Pool workers, little memory, odd names."""

from multiprocessing import get_context

import numpy as np
import pytest
from pool_jobs import threads_and_warnings
from sklearn.datasets import load_iris

from smartsvm import difficulty_report
from smartsvm.presentation.display_names import natural_key, natural_order
from smartsvm.report import memory_needed

X, y = load_iris(return_X_y=True)


def test_numpy_errors_of_the_caller_do_not_stop_a_report():
    far = np.vstack([X, X + 1e3])  # densities underflow
    with np.errstate(all="raise"):
        report = difficulty_report(far, np.concatenate([y, y + 3]), target_accuracy=0.9)
        assert str(report)
        assert report.to_html()
        assert report.to_dict()
        assert np.geterr()["under"] == "raise"


def test_workers_of_a_pool_are_not_warned():
    with get_context("spawn").Pool(1) as pool:
        assert pool.map(threads_and_warnings, [2, None]) == [(2, []), (1, [])]


def test_characters_that_turn_the_text_are_escaped_in_titles():
    report = difficulty_report(X, y, classifiers=["linear"])
    page = report.to_html(title="a\u202eb\x07<i>")
    title = page.partition("<title>")[2].partition("</title>")[0]
    assert title.startswith("a\\u202eb\\x07&lt;i&gt;: how hard")


def test_labels_of_thousands_of_digits():
    names = ["c" + "1" * 4301, "c" + "2" * 4300, "c007", "c7", "c\u0663"]
    assert natural_order(names) == [4, 2, 3, 1, 0]
    assert natural_key("c2") < natural_key("c10") < natural_key("c010x")
    long = difficulty_report(X, [f"{'9' * 4400}{label}" for label in y], classifiers=["linear"])
    assert str(long)
    assert long.to_html()
    with pytest.raises(ValueError, match="integers of at most 4,300 digits"):
        difficulty_report(X, [10**4300 + int(label) for label in y])


def test_too_many_classes_for_the_memory_are_refused_first(monkeypatch):
    monkeypatch.setattr(memory_needed, "free_memory", lambda: 4 * 2**30)
    y = np.arange(40_000) % 10_000
    with pytest.raises(MemoryError, match="10,000 classes and 40,000 samples takes about") as found:
        difficulty_report(np.random.default_rng(0).normal(size=(40_000, 2)), y)
    assert "GiB are free: use fewer classes" in str(found.value)


def test_a_report_that_fits_is_not_refused(monkeypatch):
    monkeypatch.setattr(memory_needed, "free_memory", lambda: 2 * 10**6)
    assert difficulty_report(X, y, classifiers=["linear"]).data.n_samples == 150
    with pytest.raises(MemoryError, match="150 classes"):
        difficulty_report(np.repeat(X, 2, axis=0), np.repeat(np.arange(150), 2))
