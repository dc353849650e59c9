"""Columns ranked by what classifiers lose without them."""

import numpy as np
import pytest

from smartsvm import difficulty_report
from smartsvm.report.output.blocks import Table
from smartsvm.report.output.sections import document_of

QUICK = {"n_trees": 1, "classifiers": ("linear", "forest")}


def test_columns_that_matter_come_first_with_type_gaps_and_distribution():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    n = 600
    table = pandas.DataFrame({"noise": random.normal(size=n), "size": random.normal(size=n)})
    table["color"] = random.choice(["red", "blue", "green"], n, p=[0.6, 0.3, 0.1])
    table["smokes"] = random.integers(0, 2, n)
    table["seen"] = pandas.Timestamp("2020-01-01") + pandas.to_timedelta(np.arange(n), "D")
    kind = 3 * table["size"] + 2 * (table["color"] == "red") + random.normal(size=n) > 1
    table["kind"] = np.where(kind, "yes", "no")
    table.loc[::10, "noise"] = np.nan
    report = difficulty_report(table, "kind", **QUICK)
    found = report.data.ranking
    columns = {each.name: each for each in found.columns}
    assert [each.name for each in found.columns[:2]] == ["size", "color"]
    assert found.columns[0].loss > 0.2 > found.columns[1].loss > 0.03
    for name in ("noise", "smokes"):
        assert abs(columns[name].loss) < 0.03
    kinds = {name: each.kind for name, each in columns.items()}
    assert kinds == {
        "size": "number",
        "noise": "number",
        "color": "text",
        "smokes": "0 or 1",
        "seen": "date",
    }
    assert columns["noise"].n_gaps == 60
    assert columns["color"].distribution[0][0] == "red"
    assert sum(columns["size"].distribution) == pytest.approx(1)
    text = " ".join(str(report).split())
    assert "Which columns matter?" in text
    assert "red 6" in text


def test_no_column_matters_without_signal():
    random = np.random.default_rng(1)  # with 0, one column passes the signal test by chance
    report = difficulty_report(random.normal(size=(200, 3)), np.arange(200) % 2, **QUICK)
    assert "No column by itself" in " ".join(str(report).split())
    assert "lost without" not in str(report)  # no list of dashes


def test_columns_whose_loss_may_be_chance_stand_below():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 12))
    report = difficulty_report(X, (X[:, 7] > 0).astype(int), **QUICK)
    (table,) = [
        block
        for part in document_of(report).parts
        if part.title == "Which columns matter?"
        for block in part.blocks
        if isinstance(block, Table)
    ]
    rows = table.rows(None)
    assert table.head == ("Column", "type", "distribution", "lost without it")
    assert rows[0][0].text == "column 7"
    lost = [row[-1].text for row in rows]
    assert lost == sorted(lost, key=lambda each: each == "–")
    assert table.first == max(sum(each != "–" for each in lost), 3)


def test_columns_that_shift_rare_chances_matter_though_no_error_falls():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 3))
    y = random.random(3000) < 0.35 / (1 + np.exp(-3 * X[:, 1]))
    report = difficulty_report(X, y.astype(int), n_trees=1)
    assert report.errors.held_out.gain == 0
    text = " ".join(str(report).split())
    assert "No column by itself" not in text
    assert report.data.ranking.columns[0].name == "column 1"


def test_columns_of_an_array_have_numbers_and_at_most_40_are_ranked():
    random = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = random.normal(size=(300, 60))
    X[:, 50] += 3 * y
    ranking = difficulty_report(X, y, **QUICK).data.ranking
    assert ranking.n_columns == 60
    assert len(ranking.columns) == 40
    assert ranking.columns[0].name == "column 50"
