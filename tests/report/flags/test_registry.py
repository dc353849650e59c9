"""Every check of the registry: data that raises its flag, and data that raises none."""

import re
from pathlib import Path

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from smartsvm import difficulty_report
from smartsvm.presentation import documentation
from smartsvm.report.flags import Flag
from smartsvm.report.flags.registry import CHECKS
from smartsvm.report.output import markdown
from smartsvm.report.output.sections import document_of

QUICK = {"classifiers": ["linear"]}


def plain():
    """Two classes that overlap, with nothing odd about them."""
    return two_gaussians(400, 3, 2.0)


def with_column(column):
    X, y = plain()
    return difficulty_report(np.column_stack([X, column(y)]), y, **QUICK)


def rows_left_out():
    pandas = pytest.importorskip("pandas")
    X, y = plain()
    table = pandas.DataFrame(X, columns=list("abc"))
    table["kind"] = np.where(np.arange(400) % 4 == 0, None, np.where(y == 1, "yes", "no"))
    return difficulty_report(table, "kind", **QUICK)


def dependent_rows():
    random = np.random.default_rng(0)
    person = random.permutation(np.repeat(np.arange(60), 8))
    X = random.normal(size=(60, 5))[person] + 0.5 * random.normal(size=(480, 5))
    y = random.permutation(np.arange(60) % 2)[person]
    table = {f"x{j}": column for j, column in enumerate(X.T)}
    return difficulty_report({**table, "person": [f"p{k}" for k in person]}, y, **QUICK)


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


def far_values():
    X, y = plain()
    pressure = np.round(128 + 17 * X[:, 0])
    pressure[[3, 50]] = 16020, -150
    return difficulty_report({"a": pressure, "b": X[:, 1], "c": X[:, 2]}, y, **QUICK)


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
    y = np.round(10 * X[:, 0] + 5 * random.normal(size=400)).astype(int)
    return difficulty_report(X, y, **QUICK)


# A report that raises the flag, and what it is against.
RAISED = {
    "rows_left_out": (rows_left_out, (False, False)),
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
    "far_values": (far_values, (False, False)),
    "similar_labels": (similar_labels, (False, False)),
    "tiny_classes": (tiny_classes, (True, False)),
    "constant_features": (lambda: with_column(lambda y: 0 * y), (False, False)),
    "looks_like_regression": (looks_like_regression, (False, False)),
}


def of_pandas(make):
    """A table that needs pandas."""

    def made():
        return make(pytest.importorskip("pandas"), np.random.default_rng(0))

    return made


def with_few_labels_missing():
    X, y = plain()
    labels = np.where(np.arange(400) % 25 == 0, None, np.where(y == 1, "yes", "no"))
    return difficulty_report({f"x{j}": x for j, x in enumerate(X.T)}, labels, **QUICK)


def with_units():
    X, y = plain()
    person = np.random.default_rng(1).integers(0, 60, len(y))  # any rows, alike or not
    table = {f"x{j}": column for j, column in enumerate(X.T)}
    return difficulty_report({**table, "person": [f"p{k}" for k in person]}, y, **QUICK)


def with_an_honest_model():
    X, y = plain()
    guess = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=5)
    return difficulty_report(X, y, models={"honest": guess}, **QUICK)


def with_time():
    X, y = plain()
    return difficulty_report(X, y, time=np.random.default_rng(0).permutation(len(y)), **QUICK)


def with_copies(n_copies, noise):
    X, y = plain()
    X = np.concatenate([X, X[:n_copies] + noise])
    return difficulty_report(X, np.concatenate([y, y[:n_copies]]), **QUICK)


def with_groups_that_mix():
    X, y = plain()
    return difficulty_report(X, y, groups=np.arange(len(y)) % 20, **QUICK)


def with_mistakes(share):
    """A column that tells the label, but for some of the rows."""
    random = np.random.default_rng(0)
    return with_column(lambda y: np.where(random.random(len(y)) < share, 1 - y, y))


@of_pandas
def gaps_in_any_class(pandas, random):
    X, y = plain()
    table = pandas.DataFrame(X, columns=list("abc"))
    table.loc[random.random(len(y)) < 0.3, "a"] = np.nan
    table.loc[(y == 1) & (random.random(len(y)) < 0.7), "b"] = np.nan  # more in one class
    return difficulty_report(table, y, **QUICK)


@of_pandas
def some_errors(pandas, random):
    X = random.normal(size=(1000, 3))
    y = (X[:, 0] > 0) ^ (random.random(1000) < 0.05)
    return difficulty_report(pandas.DataFrame(X, columns=list("abc")), y.astype(int), **QUICK)


def with_heavy_tails():
    X, y = plain()
    random = np.random.default_rng(0)
    table = {"income": random.lognormal(10, 1.2, len(y)), "clicks": random.pareto(1, len(y))}
    table |= {"visits": random.geometric(0.05, len(y)), "x": X[:, 0]}
    return difficulty_report(table, y, **QUICK)


def with_numbers_far_apart():
    random = np.random.default_rng(0)
    return with_column(lambda y: random.choice(10 * len(y), len(y), replace=False))


def with_labels(*labels):
    X, y = plain()
    return difficulty_report(X, np.array(labels)[y], **QUICK)


def with_classes(n_classes, n_samples, numbers):
    """Classes around centres in no order."""
    random, y = np.random.default_rng(0), np.arange(n_samples) % n_classes
    X = 2 * random.normal(size=(n_classes, 3))[y] + random.normal(size=(n_samples, 3))
    return difficulty_report(X, random.permutation(numbers)[y], **QUICK)


# Reports on tables that come close to what a flag is about, and must not raise it.
NOT_RAISED = {
    "rows_left_out": [with_few_labels_missing],
    "dependent_rows": [with_units],
    "not_held_out": [with_an_honest_model],
    "drift": [with_time],
    "copies": [lambda: with_copies(1, 1e-7), lambda: with_copies(100, 0.3)],
    "few_between_groups": [with_groups_that_mix],
    "flat_at_chance": [lambda: difficulty_report(*two_gaussians(200, 3, 1.0), **QUICK)],
    "duplicates": [lambda: with_copies(1, 0.0), lambda: with_copies(100, 1e-7)],
    "label_columns": [lambda: with_mistakes(0.04), lambda: with_labels("a", "b")],
    "telling_gaps": [gaps_in_any_class],
    "few_errors": [some_errors, lambda: difficulty_report(*two_gaussians(400, 3, 5.0), **QUICK)],
    "numbering_columns": [
        with_numbers_far_apart,
        lambda: with_column(lambda y: np.arange(len(y)) // 2),
    ],
    "far_values": [with_heavy_tails],
    "similar_labels": [lambda: with_labels("HIV+", "HIV-"), lambda: with_labels("1.5", "15")],
    "tiny_classes": [lambda: with_classes(6, 60, np.arange(6))],
    "constant_features": [lambda: with_column(lambda y: np.arange(len(y)) == 7)],
    "looks_like_regression": [
        lambda: with_classes(9, 270, np.arange(9)),
        lambda: with_classes(40, 800, np.arange(40)),
    ],
}


@pytest.mark.parametrize("code", NOT_RAISED)
def test_a_table_that_comes_close_does_not_raise_the_flag(code):
    for make in NOT_RAISED[code]:
        assert code not in [flag.code for flag in make().flags]


def test_every_check_has_a_table_that_comes_close():
    assert [check.code for check in CHECKS] == list(NOT_RAISED)


@pytest.mark.parametrize(
    ("code", "noise", "few", "enough"), [("copies", 1e-7, 1, 4), ("duplicates", 0.0, 3, 6)]
)
def test_one_copy_in_a_hundred_rows_is_enough(code, noise, few, enough):
    for n_copies in (few, enough):
        codes = [flag.code for flag in with_copies(n_copies, noise).flags]
        assert codes == ([code] if n_copies == enough else [])


def test_plain_data_raises_no_flag():
    assert difficulty_report(*plain(), **QUICK).flags == ()


# What else is wrong with the table of a flag; any other flag would be a false alarm.
BESIDE = {"few_between_groups": {"flat_at_chance"}, "looks_like_regression": {"tiny_classes"}}


def test_every_check_has_an_example():
    assert [check.code for check in CHECKS] == list(RAISED)


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_each_flag_is_raised_and_shown(check):
    make, against = RAISED[check.code]
    report = make()
    flags = {flag.code: flag for flag in report.flags}
    assert flags.keys() == {check.code} | BESIDE.get(check.code, set())
    flag = flags[check.code]
    assert (flag.against_bounds, flag.against_reached) == against
    assert flag.title == check.title
    text = " ".join(str(report).split())
    assert flag.message in text
    for page in (text, report.to_html(), report.to_json()):
        assert check.title in page.lower()
        assert flag.page in page


def test_every_flag_has_a_heading_in_the_guide():
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "warnings.md").read_text("utf-8")
    headings = re.findall(r"^\(([\w-]+)\)=\n## (\w+): (.*)$", guide, re.MULTILINE)
    assert headings == [(c.code.replace("_", "-"), c.code, c.title) for c in CHECKS]
    flag = Flag("few_errors", "", "")
    assert flag.page.endswith("guide/warnings.md#few-errors")


@pytest.mark.usefixtures("no_drawings")
def test_flags_link_the_site_once_it_has_an_address(monkeypatch):
    monkeypatch.setattr(documentation, "address_of_site", lambda: "https://site.example")
    report = with_column(lambda y: 0 * y)
    (flag,) = report.flags
    assert flag.page == "https://site.example/guide/warnings.html#constant-features"
    assert f'<a href="{flag.page}">constant_features</a>' in report.to_html()
    assert f"[constant\\_features]({flag.page})" in markdown.page(document_of(report))
