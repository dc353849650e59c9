"""Columns that may not be known when one predicts, with the error with and without each."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import difficulty_report

pandas = pytest.importorskip("pandas")
QUICK = {"n_trees": 1, "classifiers": ("linear",)}


def doubtful(table, target):
    return {
        each.name: each for each in difficulty_report(table, target, **QUICK).data.doubtful_columns
    }


def plain(n=600):
    X, y = two_gaussians(n, 3, 1.0)
    return pandas.DataFrame(X, columns=list("abc")).assign(kind=np.where(y == 1, "yes", "no"))


def test_gaps_of_a_column_that_is_left_out_are_judged():
    table, random = plain(), np.random.default_rng(0)
    days = pandas.Timestamp("2010-01-01") + pandas.to_timedelta(random.integers(0, 3000, 600), "D")
    ended = (table["kind"] == "yes") & (np.arange(600) % 3 > 0)
    table["ended"] = pandas.Series(days.strftime("%Y-%m-%d")).where(ended)
    table["comment"] = pandas.Series(["seen"] * 600).where(random.random(600) < 0.4)
    (found,) = doubtful(table, "kind").values()
    assert (found.name, found.why, found.is_used) == ("ended", "its gaps", False)
    assert found.error_with < found.error_without - 0.1


def test_an_id_that_tells_more_than_it_should_is_named():
    random = np.random.default_rng(0)
    fraud = np.convolve(random.random(3000) < 0.004, np.ones(15), "same") > 0
    table = pandas.DataFrame({"PolicyNumber": np.arange(3000), "age": random.normal(size=3000)})
    table["fraud"] = fraud
    found = doubtful(table, "fraud")["PolicyNumber"]
    assert (found.why, found.is_used) == ("an id", False)
    assert found.recall_with > found.recall_without + 0.05
    table["PolicyNumber"] = random.permutation(3000)
    assert not doubtful(table, "fraud")


def test_the_wording_of_a_text_tells_the_class():
    random = np.random.default_rng(0)
    table = plain()
    minutes, seasons = random.integers(60, 180, 600), random.integers(1, 9, 600)
    words = [f"{m} min" for m in minutes], [f"{s} seasons" for s in seasons]
    table["duration"] = np.where(table["kind"] == "yes", *words)
    found = doubtful(table, "kind")["duration"]
    assert (found.why, found.is_used) == ("tells the class", True)
    assert found.error_with < 0.05 < 0.2 < found.error_without
    table["duration"] = words[0]
    assert not doubtful(table, "kind")


def test_a_text_of_many_subtypes_of_the_label_tells_it():
    random = np.random.default_rng(0)
    table = plain(3000)
    codes = random.integers(0, 30, 3000)
    kinds = np.where(table["kind"] == "yes", "theft", "assault")
    table["descriptor"] = [
        f"{kind}, {chr(65 + c % 26)}{chr(65 + c // 26)}"
        for kind, c in zip(kinds, codes, strict=True)
    ]
    assert doubtful(table, "kind")["descriptor"].why == "tells the class"
    table["descriptor"] = random.permutation(table["descriptor"])
    assert not doubtful(table, "kind")


def test_two_columns_that_together_are_the_label():
    random = np.random.default_rng(0)
    table = pandas.DataFrame(random.normal(size=(2000, 2)), columns=["income", "costs"])
    table["noise"] = random.normal(size=2000)
    table["profit"] = np.where(table["income"] > table["costs"], "yes", "no")
    found = doubtful(table, "profit")
    assert {name: each.why for name, each in found.items()} == {
        "income": "joint answer",
        "costs": "joint answer",
    }
    assert all(each.error_without > 0.1 for each in found.values())


@pytest.mark.usefixtures("no_drawings")
def test_the_list_is_a_section_of_all_outputs():
    table = plain().assign(answer=lambda t: t["kind"].str.upper())
    report = difficulty_report(table, "kind", **QUICK)
    title = "Columns that may not be known when you predict"
    assert title in str(report)
    assert title in report.to_html()
    (found,) = report.to_dict()["data"]["doubtful_columns"]
    assert found["name"] == "answer"
    assert title not in str(difficulty_report(plain(), "kind", **QUICK))
