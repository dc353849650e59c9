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


def test_scorer():
    worst = make_scorer(lambda y, p: confusion_rate(y, p).max(), greater_is_better=False)
    assert worst._sign == -1
