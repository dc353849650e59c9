"""Weights of evidence: logistic regression, calibrated, honest about each sample."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from smartsvm.classifier.nodes.evidence_weights import weigh_evidence


def _evidence(n, p, seed=0):
    random = np.random.default_rng(seed)
    values = random.normal(size=(n, p))
    truth = np.linspace(2, 0.5, p)
    right = random.random(n) < expit(values @ truth - 0.3)
    return values, np.where(right, 1.0, -1.0), truth


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_are_those_of_logistic_regression(weighted):
    values, targets, truth = _evidence(2000, 3)
    weights = np.random.default_rng(1).uniform(0.2, 3, 2000) if weighted else None
    found = weigh_evidence(values, targets, weights)
    plain = LogisticRegression(C=np.inf, tol=1e-8).fit(values, targets, weights)
    np.testing.assert_allclose(found.weights, plain.coef_[0], rtol=0.02)
    assert found.intercept == pytest.approx(plain.intercept_[0], rel=0.02)
    assert np.abs(found.weights - truth).max() < 0.3


def test_held_out_log_odds_are_those_of_refits():
    values, targets, _ = _evidence(60, 2)
    found = weigh_evidence(values, targets)
    # All weights and targets the same but for sample i, whose weight is next to nothing.
    for i in range(60):
        weights = np.ones(60)
        weights[i] = 1e-9
        without = weigh_evidence(values, targets, weights)
        refit = values[i] @ without.weights + without.intercept
        plain = values[i] @ found.weights + found.intercept
        assert abs(found.held_out[i] - refit) < 0.2 * abs(refit - plain) + 0.01


def test_evidence_never_counts_against_itself():
    values, targets, _ = _evidence(500, 1)
    found = weigh_evidence(np.column_stack([values, -targets]), targets)
    assert found.weights[1] == 0
    np.testing.assert_allclose(found.weights[0], weigh_evidence(values, targets).weights[0])
    nothing = weigh_evidence(-targets[:, None], targets)
    assert nothing.weights.tolist() == [0]
    assert nothing.intercept == pytest.approx(
        np.log((targets > 0).mean() / (targets < 0).mean()), abs=0.02
    )


@pytest.mark.parametrize("n", [2, 3, 50])
def test_perfect_evidence_has_finite_weights(n):
    targets = np.where(np.arange(n) < n // 2, -1.0, 1.0)
    found = weigh_evidence(np.column_stack([targets, 2 * targets, 0 * targets]), targets)
    assert np.isfinite(found.weights).all()
    assert (found.weights[:2] > 0).all()
    assert found.weights[2] == 0
    assert np.isfinite(found.held_out).all()


def test_probabilities_are_calibrated():
    values, targets, _ = _evidence(4000, 2, seed=3)
    found = weigh_evidence(3 * values, targets)
    p = expit(found.held_out)
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (p >= low) & (p < low + 0.2)
        assert abs(np.mean(targets[inside] > 0) - p[inside].mean()) < 0.05
