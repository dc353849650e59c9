"""Labels ranked by the probabilities of a model of one's own."""

import tracemalloc

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

from smartsvm import rank_label_errors
from smartsvm.label_errors import label_ranking


@pytest.fixture(scope="module")
def planted():
    """Five classes, a tenth of the labels wrong, and held-out probabilities of a linear model."""
    random, y = np.random.default_rng(0), np.arange(900) % 5
    X = 5 * np.eye(5)[y] + random.normal(size=(900, 5))
    wrong = random.choice(900, 90, replace=False)
    y[wrong] = (y[wrong] + random.integers(1, 5, 90)) % 5
    model = LinearDiscriminantAnalysis()
    return y, wrong, cross_val_predict(model, X, y, cv=5, method="predict_proba")


def test_planted_errors_come_first(planted):
    y, wrong, probabilities = planted
    for overlap in ("unknown", "rare"):
        found = rank_label_errors(y, probabilities, overlap=overlap)
        assert np.isin(found.ranking[:90], wrong).mean() > 0.85
        assert 60 < found.chance.sum() < 120
        assert found.range.low <= 90 <= found.range.high
        assert np.isin(found.listed, wrong).mean() > 0.85
        assert len(found.listed) > 50


def test_overconfident_probabilities_are_calibrated(planted):
    y, wrong, probabilities = planted
    sharp = probabilities**3 / (probabilities**3).sum(axis=1, keepdims=True)
    found = rank_label_errors(y, sharp)
    assert np.isin(found.ranking[:90], wrong).mean() > 0.85
    assert 60 < found.chance.sum() < 120


def test_the_power_is_fitted_to_some_samples_of_many(planted, monkeypatch):
    y, wrong, probabilities = planted
    monkeypatch.setattr(label_ranking, "_MOST_NUMBERS", 2000)
    ranking = rank_label_errors(y, probabilities).ranking
    assert np.isin(ranking[:90], wrong).mean() > 0.85


def test_clean_labels_stay_clean():
    random = np.random.default_rng(0)
    x = random.normal(size=1000)
    p = 1 / (1 + np.exp(-2 * x))
    y = (random.random(1000) < p).astype(int)
    found = rank_label_errors(y, np.stack([1 - p, p], axis=1))
    assert found.chance.sum() < 20
    assert found.range.high > 100
    assert found.supports == "overlap"
    assert "overlap='rare'" in str(found)


def test_names_of_classes_are_sorted_and_zeros_are_possible():
    y = np.array(["b", "a"] * 50)
    probabilities = np.where(y[:, None] == ["a", "b"], 1.0, 0.0)
    y[4] = "a"
    assert rank_label_errors(y, probabilities).ranking[0] == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p[:, :1], r"pred_probs must have shape \(20, 2\), .* got \(20, 1\)"),
        (lambda p: p[:-1], r"pred_probs must have shape \(20, 2\), .* got \(19, 2\)"),
        (lambda p: 2 * p, "add up to 1 in each row"),
        (lambda p: p * np.nan, "pred_probs must be finite"),
    ],
)
def test_wrong_probabilities_are_refused(change, message):
    y = [0, 1] * 10
    with pytest.raises(ValueError, match=message):
        rank_label_errors(y, change(np.full((20, 2), 0.5)))


def test_memory_does_not_grow_with_the_powers_that_are_tried():
    """A million labels of 100 classes fit: forty arrays of this size would not."""
    random = np.random.default_rng(0)
    probabilities = random.dirichlet(np.ones(100), size=20_000)
    y = np.arange(20_000) % 100
    tracemalloc.start()
    try:
        rank_label_errors(y, probabilities)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * probabilities.nbytes


def test_the_power_of_some_rows_serves_all(planted, monkeypatch):
    y, wrong, probabilities = planted
    monkeypatch.setattr(label_ranking, "_MOST_NUMBERS", 5 * 300)
    found = rank_label_errors(y, probabilities**3 / (probabilities**3).sum(1)[:, None])
    assert np.isin(found.ranking[:90], wrong).mean() > 0.85
    assert 60 < found.chance.sum() < 120
