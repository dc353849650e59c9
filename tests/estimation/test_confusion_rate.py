"""confusion_rate against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, make_scorer

from smartsvm import confusion_rate

labels = st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=30)


@given(data=st.data(), true=labels)
def test_definition(data, true):
    predicted = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(true), max_size=len(true)))
    rates = confusion_rate(true, predicted)
    y, p = np.array(true), np.array(predicted)
    for k, rate in zip(np.union1d(y, p), rates, strict=True):
        wrong = np.sum((p == k) & (y != k)) + np.sum((p != k) & (y == k))
        assert rate == pytest.approx(wrong / len(y))
    assert rates.sum() == pytest.approx(2 * (1 - accuracy_score(y, p)))


def test_labels_choose_and_order():
    assert confusion_rate([0, 1, 2], [0, 2, 2], labels=[2, 0, 5]).tolist() == [1 / 3, 0.0, 0.0]


@pytest.mark.parametrize(
    ("true", "predicted", "error"),
    [
        (["a", "b"], [1, 2], TypeError),  # numpy would compare "1" with "a"
        ([1, 2], ["1", "2"], TypeError),
        (np.array(["a", 1], dtype=object), np.array(["a", 1], dtype=object), TypeError),
        ([0.5, 1.0], [1.0, 1.0], ValueError),
    ],
)
def test_labels_of_different_kinds_are_refused(true, predicted, error):
    with pytest.raises(error, match=r"y_true.* must hold"):
        confusion_rate(true, predicted)


def test_missing_labels_are_refused():
    with pytest.raises(ValueError, match="y_true and y_pred must have no missing labels"):
        confusion_rate([1.0, np.nan], [1.0, 1.0])


def test_text_and_objects_that_are_text_go_together():
    predicted = np.array(["a", "a"], dtype=object)
    assert confusion_rate(["a", "b"], predicted).tolist() == [0.5, 0.5]


def test_scorer():
    worst = make_scorer(lambda y, p: confusion_rate(y, p).max(), greater_is_better=False)
    assert worst._sign == -1
