"""soft_label_bayes_error against enumeration, its limits, and what it refuses."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from smartsvm import SoftLabelEstimate, soft_label_bayes_error

counts = st.integers(2, 4).flatmap(
    lambda k: arrays(int, st.tuples(st.integers(1, 6), st.just(k)), elements=st.integers(0, 3))
)


def _majority_misses(row):
    """Takes each annotator out in turn and lets the others vote."""
    choices = np.repeat(np.arange(len(row)), row)
    errors = []
    for i, choice in enumerate(choices):
        votes = np.bincount(np.delete(choices, i), minlength=len(row))
        largest = np.flatnonzero(votes == votes.max())
        errors.append(1 - (choice in largest) / len(largest))
    return np.mean(errors)


@given(counts)
def test_both_limits_are_what_they_say(rows):
    rows = rows + 1  # two annotators or more
    found = soft_label_bayes_error(rows)
    assert found.shares == pytest.approx(np.mean(1 - rows.max(axis=1) / rows.sum(axis=1)))
    assert found.majority == pytest.approx(np.mean([_majority_misses(row) for row in rows]))
    assert found.shares <= found.majority + 1e-12
    assert found.low <= found.value <= found.high <= 1 - 1 / rows.shape[1]
    assert found.annotators == pytest.approx(rows.sum() / len(rows))


@given(counts, st.randoms())
def test_names_of_classes_and_order_of_rows_change_nothing(rows, random):
    rows = rows + 1
    order = list(range(len(rows)))
    random.shuffle(order)
    expected = soft_label_bayes_error(rows)
    columns = random.choice(list(permutations(range(rows.shape[1]))))
    found = soft_label_bayes_error(rows[order][:, columns])
    assert found.value == pytest.approx(expected.value)
    assert found.high == pytest.approx(expected.high)


def test_probabilities_are_taken_as_exact():
    found = soft_label_bayes_error([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    assert found.value == pytest.approx((0.1 + 0.5 + 0.2) / 3)
    assert isinstance(found, SoftLabelEstimate)
    assert found.majority is None
    assert found.annotators is None
    assert "probabilities" in str(found)


def test_few_annotators_are_corrected_for():
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1, 1, 1], 20_000)
    truth = np.mean(1 - probabilities.max(axis=1))
    for annotators in (2, 4, 9):
        found = soft_label_bayes_error(rng.multinomial(annotators, probabilities))
        assert abs(found.value - truth) < 0.25 * (truth - found.shares)
        assert found.low < truth < found.high


def test_agreement_of_all_is_no_proof():
    found = soft_label_bayes_error([[0, 4]] * 50)
    assert found.value == 0
    assert found.low == 0
    assert 0.01 < found.high < 0.1


def test_other_confidence():
    rows = [[3, 1], [4, 0], [1, 3], [2, 2]] * 20
    narrow, wide = (soft_label_bayes_error(rows, confidence=c) for c in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 0], [3, 2], [0, 1]], "two annotators or more.* row 0 and 1 other row"),
        ([[0, 0], [3, 2]], "two annotators or more"),
        ([[0.5, 0.5], [0.5, 0.6]], r"sum to 1.* row 1: \[0.5, 0.6\]"),
        ([[3, 2], [0.5, 0.5]], "sum to 1, or hold whole numbers.* row 0"),
        ([[3, -1]], "must not be negative"),
        ([[1], [1]], "a column for each of two classes"),
        (np.empty((0, 2)), "soft_labels"),
        ([[0.5, np.nan]], "soft_labels must be finite"),
        ([1, 2], "soft_labels must have 2 dimensions"),
    ],
)
def test_bad_rows_are_refused_by_name(rows, message):
    with pytest.raises(ValueError, match=message):
        soft_label_bayes_error(rows)


def test_confidence_is_checked():
    with pytest.raises(ValueError, match="confidence"):
        soft_label_bayes_error([[1, 1]], confidence=1.0)
