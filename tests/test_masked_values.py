"""A masked value is a missing one: never data, wherever it is passed."""

import numpy as np
import pytest
from pandas import DataFrame

from smartsvm import (
    TablePreparation,
    compare_representations,
    confusion_rate,
    difficulty_report,
    prepare_table,
    rank_label_errors,
    two_sample_test,
)

N = 60
X = np.random.default_rng(0).normal(size=(N, 3))
Y = np.repeat(["a", "b"], N // 2)
HIDDEN = np.arange(N) % 7 == 0
FRAME = DataFrame(X, columns=list("abc"))


def masked(values):
    return np.ma.array(values, mask=HIDDEN)


ROW = masked(np.arange(N) % 5)
REFUSED = {
    "y": lambda: difficulty_report(X, masked(Y)),
    "groups": lambda: difficulty_report(X, Y, groups=ROW),
    "groups of a table": lambda: prepare_table(FRAME, Y, groups=ROW),
    "predictions": lambda: difficulty_report(X, Y, models={"mine": masked(Y)}),
    "probabilities": lambda: difficulty_report(
        X, Y, models={"mine": np.ma.array(np.full((N, 2), 0.5), mask=X[:, :2] > 1)}
    ),
    "ids": lambda: compare_representations(
        {"p": X, "q": X}, Y, ids={"p": masked(np.arange(N)), "q": np.arange(N)}
    ),
    "labels of a representation": lambda: compare_representations(X, {"p": masked(Y), "q": Y}),
    "a representation": lambda: compare_representations(
        {"p": np.ma.array(X, mask=X > 1), "q": X}, Y
    ),
    "a sample": lambda: two_sample_test(np.ma.array(X, mask=X > 1), X),
    "groups of samples": lambda: two_sample_test(X, X, groups=[ROW, np.arange(N) + 9]),
    "y_pred": lambda: confusion_rate(Y, masked(Y)),
    "pred_probs": lambda: rank_label_errors(
        Y, np.ma.array(np.full((N, 2), 0.5), mask=X[:, :2] > 1)
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_masked_values_are_refused(case):
    with pytest.raises(ValueError, match=r"must have no missing|must name the group of every"):
        REFUSED[case]()


def test_masked_labels_of_a_table_are_missing():
    for labels in (Y, np.repeat([1, 2], N // 2), Y.astype(object)):
        prepared = prepare_table(FRAME, masked(labels))
        assert prepared.rows.tolist() == np.flatnonzero(~HIDDEN).tolist()
        assert prepared.y.tolist() == labels[~HIDDEN].tolist()


@pytest.mark.parametrize(
    "times", [np.arange(N), np.arange(N) / 2, np.arange(N).astype("M8[D]")], ids=str
)
def test_masked_times_are_unknown(times):
    given = np.ma.array(times, mask=HIDDEN)
    assert np.isnan(prepare_table(FRAME, Y, time=given).time).tolist() == HIDDEN.tolist()
    filled = times.astype(float)
    filled[HIDDEN] = np.nan
    expected = difficulty_report(X, Y, time=filled)
    assert str(difficulty_report(X, Y, time=given)) == str(expected)


@pytest.mark.parametrize("values", [X, (X > 0).astype(int), X > 0], ids=["float", "int", "bool"])
def test_masked_points_of_a_table_are_gaps(values):
    given = np.ma.array(values, mask=X > 1)
    gaps = np.where(X > 1, np.nan, values)
    expected = TablePreparation(scale="none").fit_transform(gaps)
    assert np.array_equal(TablePreparation(scale="none").fit_transform(given), expected)
    columns = {name: given[:, j] for j, name in enumerate("abc")}
    assert np.array_equal(prepare_table(columns, Y, scale="none").X, expected)


def test_a_mask_without_masked_values_hides_nothing():
    given = np.ma.array(X, mask=np.zeros(X.shape, dtype=bool))
    expected = TablePreparation().fit_transform(X)
    assert np.array_equal(TablePreparation().fit_transform(given), expected)
    prepared = prepare_table(FRAME, np.ma.asarray(Y), time=np.ma.asarray(np.arange(N)))
    assert prepared.y.tolist() == Y.tolist()
    assert prepared.time.tolist() == list(range(N))
