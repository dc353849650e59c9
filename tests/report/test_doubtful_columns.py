"""Columns that may not be known when one predicts, with the error with and without each."""

import numpy as np
import pytest
from problems import two_gaussians

from smartsvm import difficulty_report
from smartsvm.report.output.next_steps import next_steps

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
    (flag,) = (f for f in difficulty_report(table, "kind", **QUICK).flags if "disguise" in f.title)
    assert "duration (no mistake)" in flag.message
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


def test_columns_that_make_up_the_label_are_named_beside_one_that_is_the_label():
    random = np.random.default_rng(0)
    table = pandas.DataFrame({"first": random.choice(["ahead", "behind"], 900)})
    table["second"] = random.choice(["won", "lost", "none"], 900, p=[0.1, 0.2, 0.7])
    won = (table["first"] == "ahead") & (table["second"] != "lost")
    table["won"] = np.where(won, "yes", "no")
    table["status"] = np.where(won, "elected", "out")
    table["age"] = random.normal(size=900) + won
    found = doubtful(table, "won")
    assert found["status"].why == "tells the class"
    assert {found[name].why for name in ("first", "second")} == {"joint answer"}
    steps = [*next_steps(difficulty_report(table, "won", **QUICK))]
    assert steps[0].startswith("Remove status and run the report again")
    assert any("known before the label: together they tell it" in step for step in steps)
    assert all(each.error_without > 0.1 for each in found.values())


def test_columns_that_make_up_the_label_twice_are_all_named():
    random = np.random.default_rng(0)
    table = pandas.DataFrame(random.integers(0, 5, size=(900, 2)), columns=["home", "away"])
    result = np.sign(table["home"] - table["away"]).map({1: "H", 0: "D", -1: "A"})
    table["home_won"], table["draw"] = (result == "H").astype(int), (result == "D").astype(int)
    table["crowd"] = random.normal(size=900)
    table["score"] = table["home"].astype(str) + " to " + table["away"].astype(str)
    found = doubtful(table.assign(result=result), "result")
    assert found.keys() == {"home", "away", "home_won", "draw", "score"}
    assert all(each.error_without > 0.3 for each in found.values())


def test_gaps_of_a_class_are_listed_though_another_column_has_them():
    table, random = plain(), np.random.default_rng(0)
    refused = np.arange(600) % 15 == 0
    table.loc[refused, "kind"] = "refused"
    day = pandas.Series(pandas.Timestamp("2010-01-01") + pandas.to_timedelta(np.arange(600), "D"))
    day = day.sample(frac=1, random_state=0, ignore_index=True)
    granted = ~refused
    granted[[1, 2]] = False
    table["granted"] = day.where(granted)
    table["refusal"] = day.where(refused | (random.random(600) < 0.02))
    found = doubtful(table, "kind")
    assert (found["granted"].why, found["granted"].is_used) == ("its gaps", True)
    assert (found["refusal"].why, found["refusal"].is_used) == ("its gaps", False)


def test_subtypes_of_classes_of_which_one_is_tiny_tell_the_label():
    random = np.random.default_rng(0)
    maker = np.append(random.choice(["A", "B", "C"], 1999, p=[0.6, 0.3, 0.1]), "D")
    table = pandas.DataFrame({"maker": maker, "height": random.normal(size=2000)})
    number = random.integers(0, 25, 2000)
    names = [f"{m} {'xyz'[k % 3]}{chr(65 + k)}" for m, k in zip(maker, number, strict=True)]
    table["model"] = names
    assert doubtful(table, "maker")["model"].why == "tells the class"


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
