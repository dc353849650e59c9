"""Every check of the registry: data that raises its flag, and data that raises none."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import difficulty_report
from smartsvm.report.flags.registry import CHECKS

QUICK = {"classifiers": ["linear"]}


def plain():
    """Two classes that overlap, with nothing odd about them."""
    return two_gaussians(400, 3, 2.0)


def with_column(column):
    X, y = plain()
    return difficulty_report(np.column_stack([X, column(y)]), y, **QUICK)


def dependent_rows():
    random = np.random.default_rng(0)
    person = random.permutation(np.repeat(np.arange(60), 8))
    X = random.normal(size=(60, 5))[person] + 0.5 * random.normal(size=(480, 5))
    y = random.permutation(np.arange(60) % 2)[person]
    return difficulty_report(X, y, units={"person": person}, **QUICK)


def not_held_out():
    X, y = plain()
    return difficulty_report(X, y, models={"oracle": y}, **QUICK)


def drift():
    random = np.random.default_rng(0)
    X, time = random.normal(size=(600, 2)), np.arange(600) / 600
    angle = np.pi * time
    y = (X[:, 0] * np.cos(angle) + X[:, 1] * np.sin(angle) > 0).astype(int)
    return difficulty_report(X, y, time=time, **QUICK)


def copies():
    X, y = plain()
    X = np.concatenate([X, X[:100] + 1e-7])
    return difficulty_report(X, np.concatenate([y, y[:100]]), **QUICK)


def few_between_groups():
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 20)
    X = 50 * random.normal(size=(20, 3))[groups] + random.normal(size=(400, 3))
    return difficulty_report(X, np.arange(400) % 2, groups=groups, **QUICK)


def flat_at_chance():
    random = np.random.default_rng(3)
    return difficulty_report(random.normal(size=(200, 5)), random.integers(0, 3, 200), **QUICK)


def duplicates():
    X, y = plain()
    return difficulty_report(np.concatenate([X, X[:100]]), np.concatenate([y, y[:100]]), **QUICK)


def telling_gaps():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    y = random.choice(["lives", "died", "moved"], 300, p=[0.5, 0.3, 0.2])
    table = pandas.DataFrame(random.normal(size=(300, 2)), columns=["a", "b"])
    table["last visit"] = np.where(y == "lives", np.nan, random.normal(size=300))
    return difficulty_report(table, y, **QUICK)


def few_errors():
    causes = np.random.default_rng(0).random((1000, 3)) < 0.2
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(causes.astype(int), columns=["a", "b", "c"])
    table["load"] = np.random.default_rng(1).normal(size=1000)
    return difficulty_report(table, causes.any(axis=1).astype(int))


def tiny_classes():
    X, y = plain()
    return difficulty_report(X[:60], np.where(np.arange(60) < 4, 2, y[:60]), **QUICK)


def similar_labels():
    X, y = plain()
    names = np.where(y == 1, "Media", "other")
    return difficulty_report(X, np.where(np.arange(400) % 20 == 0, "media ", names), **QUICK)


def looks_like_regression():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    return difficulty_report(X, np.round(10 * X[:, 0]).astype(int), **QUICK)


# A report that raises the flag, and what it is against.
RAISED = {
    "dependent_rows": (dependent_rows, (False, True)),
    "not_held_out": (not_held_out, (False, False)),
    "drift": (drift, (False, True)),
    "copies": (copies, (True, True)),
    "few_between_groups": (few_between_groups, (True, True)),
    "flat_at_chance": (flat_at_chance, (False, False)),
    "duplicates": (duplicates, (False, False)),
    "label_columns": (lambda: with_column(lambda y: 3 - y), (False, False)),
    "telling_gaps": (telling_gaps, (False, False)),
    "few_errors": (few_errors, (False, False)),
    "numbering_columns": (lambda: with_column(lambda y: np.arange(len(y))), (False, False)),
    "similar_labels": (similar_labels, (False, False)),
    "tiny_classes": (tiny_classes, (True, False)),
    "constant_features": (lambda: with_column(lambda y: 0 * y), (False, False)),
    "looks_like_regression": (looks_like_regression, (False, False)),
}


def test_plain_data_raises_no_flag():
    assert difficulty_report(*plain(), **QUICK).flags == ()


def test_every_check_has_an_example():
    assert [check.code for check in CHECKS] == list(RAISED)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_each_flag_is_raised_and_shown(check):
    make, against = RAISED[check.code]
    report = make()
    flag = next(flag for flag in report.flags if flag.code == check.code)
    assert (flag.against_bounds, flag.against_reached) == against
    assert flag.title == check.title
    text = " ".join(str(report).split())
    assert flag.message in text
    for page in (report.to_html(), report.to_json()):
        assert check.title in page.lower()
