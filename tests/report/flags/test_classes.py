"""Very small classes, spellings of one class, and labels that look like measured numbers."""

import warnings

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.datasets import load_digits

from smartsvm import difficulty_report


def codes_of(X, y):
    report = difficulty_report(X, y, classifiers=["neighbors"])
    return [flag.code for flag in report.flags]


def test_numbers_that_measure_something():
    random = np.random.default_rng(0)
    x = random.uniform(size=1500)
    wages = np.round(30 * x + random.normal(size=1500) * 2 + 10).astype(int)
    assert len(np.unique(wages)) >= 30
    assert "looks_like_regression" in codes_of(np.c_[x, random.normal(size=1500)], wages)
    every = random.permutation(100) * 3
    assert "looks_like_regression" in codes_of(random.normal(size=(100, 2)), every)


def test_grades():
    random = np.random.default_rng(0)
    x = random.normal(size=(1000, 3))
    grades = np.clip(np.round(3 * x[:, 0] + 1.5 * random.normal(size=1000)) + 9, 0, 17).astype(int)
    assert "looks_like_regression" in codes_of(x, grades)
    digits, names = load_digits(return_X_y=True)
    for noise in (0, 8):
        X = digits + noise * random.normal(size=digits.shape)
        assert "looks_like_regression" not in codes_of(X, names)


def test_numbers_of_classes():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 20)
    centers = random.normal(size=(40, 5)) * 2
    X = centers[y] + random.normal(size=(800, 5))
    assert "looks_like_regression" not in codes_of(X, y)
    assert "looks_like_regression" not in codes_of(X, np.array([f"class {k}" for k in y]))
    assert "looks_like_regression" not in codes_of(X[:200], y[:200])


def test_tiny_classes_are_flagged_without_a_warning():
    X, y = two_gaussians(200, 2, 3.0)
    y = y.copy()
    y[:3] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = difficulty_report(X, y)
    (flag,) = (flag for flag in report.flags if flag.code == "tiny_classes")
    assert "2 (3)" in flag.message
    assert not flag.against_bounds
    many = difficulty_report(X[:30], np.arange(30) % 6)
    assert next(flag for flag in many.flags if flag.code == "tiny_classes").against_bounds


@pytest.mark.parametrize(
    ("labels", "of_one_class"),
    [
        (["Scoria cone", "Scoria cones"], True),
        (["Caldera", "caldera(s)"], True),
        (["non-smoker", "Nonsmoker"], True),
        (["St. Louis", "st louis"], True),
        (["A-", "A"], False),
        (["HIV+", "HIV-"], False),
        (["1.5", "15"], False),
        (["1-5", "15"], False),
        (["<50", ">50"], False),
        (["clas", "class"], False),
        (["...", "()"], False),
    ],
)
def test_spellings_of_one_class(labels, of_one_class):
    X, y = two_gaussians(60, 2, 3.0)
    assert ("similar_labels" in codes_of(X, np.array(labels)[y])) == of_one_class
