"""Texts of sentences are read by their words where these tell the labels."""

import numpy as np
import pandas
import pytest

from smartsvm import TablePreparation, difficulty_report, prepare_table

N = 300
PLAIN = [f"word{k}" for k in range(17)]
LIKED = ["lovely", "great", "happy", "wonderful", "thanks"]
HATED = ["awful", "broken", "terrible", "refund", "worst"]


def reviews(telling=0.7):
    """A table with comments whose words mostly tell the rating, and its ratings."""
    random = np.random.default_rng(0)
    y = np.arange(N) % 3 == 0
    texts = []
    for hates in y:
        words = [*random.choice(PLAIN, 12)]
        own = HATED if (hates if random.random() < telling else random.random() < 0.5) else LIKED
        texts.append(" ".join(random.permutation([*words, random.choice(own)])) + ".")
    table = pandas.DataFrame({"comment": texts, "age": random.normal(40, 9, N)})
    return table, np.where(y, "bad", "good")


def test_words_that_tell_become_columns():
    table, y = reviews(telling=0.9)
    found = prepare_table(table, y, scale="none")
    names = found.X.columns.tolist()
    assert names == ["age", *(f"comment words {k}" for k in range(1, 21))]
    assert {column.kind for column in found.columns if column.sources == ("comment",)} == {"words"}
    assert found.notes[0] == "read sentences as 20 columns by their words: comment"
    plain = difficulty_report(table[["age"]], y, n_trees=1, classifiers=["linear"])
    report = difficulty_report(table, y, n_trees=1, classifiers=["linear"])
    assert report.errors.held_out.best.value < plain.errors.held_out.best.value - 0.1
    ranked = report.data.ranking.columns
    assert (ranked[0].name, ranked[0].kind) == ("comment", "text")
    for page in (str(report), report.to_html(), report.to_json()):
        assert "comment" in page


def test_new_rows_are_read_as_the_fitted_ones_one_by_one():
    table, y = reviews()
    found = prepare_table(table, y)
    new = found.preparation.transform(table)
    np.testing.assert_array_equal(new, found.X)
    rows = [found.preparation.transform(table.iloc[[k]])[0] for k in range(0, N, 29)]
    np.testing.assert_array_equal(rows, new[::29])
    alone = TablePreparation().fit(table)
    np.testing.assert_array_equal(alone.transform(table), found.X)
    unseen = pandas.DataFrame({"comment": ["Ünseen wörds only", None, ""], "age": [40, 41, 42]})
    assert np.isfinite(found.preparation.transform(unseen)).all()


def test_names_and_order_of_columns_change_no_word():
    table, y = reviews()
    expected = prepare_table(table, y).X.to_numpy()
    renamed = table.rename(columns={"comment": "dropped"})
    np.testing.assert_array_equal(prepare_table(renamed, y).X, expected)
    other = prepare_table(table[["age", "comment"]], y).X
    np.testing.assert_array_equal(other, expected)


@pytest.mark.parametrize("case", ["no signal", "names", "random labels"])
def test_texts_that_tell_nothing_are_left_out(case):
    table, y = reviews(telling=0.0)
    if case == "names":
        table["comment"] = [f"Ms. Anna {k}-{k % 7} Smith" for k in range(N)]
    if case == "random labels":
        table, y = reviews(telling=1.0)
        y = np.random.default_rng(3).permutation(y)
    found = prepare_table(table, y)
    assert found.X.columns.tolist() == ["age"]
    assert found.notes[0].startswith("left out comment (300 different texts)")


def test_words_that_say_what_another_column_says_are_left_out():
    table, y = reviews(telling=1.0)
    told = table.assign(stars=np.where(y == "bad", 1, 5) + np.arange(N) % 7 / 10)
    assert not prepare_table(told, y).X.columns.str.contains("words").any()
    found = prepare_table(table[["comment"]], y)  # no column is beside it
    assert found.X.shape == (N, 20)


def test_gaps_and_rare_classes():
    table, y = reviews(telling=1.0)
    table.loc[::10, "comment"] = None
    y = y.astype(object)
    y[:2] = "one of a kind", "another"
    found = prepare_table(table, y, scale="none")
    assert found.X["comment missing"].sum() == 30
    assert (found.X.filter(like="words").iloc[::10] == 0).all(axis=None)
