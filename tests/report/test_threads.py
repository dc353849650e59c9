"""A report is the same, bit by bit, for any number of threads."""

import json

import numpy as np
import pytest
from problems import two_gaussians
from scipy.sparse import csr_matrix

from smartsvm import difficulty_report


def _many_zeros(random, y):
    there = random.random((len(y), 12)) < np.where(y == 0, 0.1, 0.3)[:, None]
    return np.where(there, np.exp(2 * random.normal(size=there.shape)), 0.0)


KINDS = {
    "dense": lambda random, y: random.normal(size=(len(y), 12)) + y[:, None],
    "mostly zero": _many_zeros,
    "ties": lambda random, y: random.integers(0, 3, (len(y), 4)) + (y == 2)[:, None],
    "repeated rows": lambda random, y: np.repeat(random.normal(size=(300, 5)), 2, axis=0) + y[0],
    "wrong labels": lambda random, y: random.normal(size=(len(y), 3)) + 4 * y[:, None],
    "more columns than rows": lambda random, y: random.normal(size=(len(y), 300)) + y[:, None],
}


@pytest.mark.usefixtures("two_blas_threads")
@pytest.mark.parametrize("kind", KINDS)
def test_same_bits_for_any_number_of_threads(kind):
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 250 if kind == "more columns than rows" else 600)
    X = KINDS[kind](random, y).astype(float)
    if kind == "wrong labels":
        y = np.where(random.random(600) < 0.1, random.integers(0, 3, 600), y)
    one, several = (
        difficulty_report(X, y, n_jobs=n_jobs, target_accuracy=0.8).to_json(samples=True)
        for n_jobs in (1, 3)
    )
    assert several == one


def test_same_bits_of_groups_for_any_number_of_threads():
    X, y = two_gaussians(600, 3, 2.0)
    one, several = (
        difficulty_report(X, y, groups=np.arange(600) // 3, n_jobs=n_jobs).to_json(samples=True)
        for n_jobs in (1, 3)
    )
    assert several == one


def test_same_bits_of_a_sparse_frame_for_any_number_of_threads():
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 600)
    X = _many_zeros(random, y)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X).astype(pandas.SparseDtype(float, 0.0))
    one, several = (
        difficulty_report(frame, y, n_jobs=n_jobs).to_json(samples=True) for n_jobs in (1, 3)
    )
    assert several == one
    dense = difficulty_report(X, y)
    assert json.loads(one)["bayes_error"] == dense.to_dict()["bayes_error"]
    assert difficulty_report(csr_matrix(X), y).bayes_error == dense.bayes_error
