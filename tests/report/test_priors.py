"""Errors where the classes have other shares than in the sample."""

import json

import numpy as np
import pytest
from scipy.stats import norm

from smartsvm import difficulty_report
from smartsvm.report.priors import check_priors

QUICK = {"classifiers": ("linear", "gaussians"), "n_trees": 1, "n_jobs": 1}
APART = 2.5


def sample(n=600, seed=0):
    """Two Gaussian classes, as many of each."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 2))
    X[:, 0] += APART * y
    return X, np.array(["no", "yes"])[y]


def bayes_error(share):
    threshold = APART / 2 + np.log((1 - share) / share) / APART
    return (1 - share) * norm.sf(threshold) + share * norm.cdf(threshold - APART)


@pytest.fixture(scope="module")
def rare():
    return difficulty_report(*sample(), priors={"yes": 0.02, "no": 0.98}, **QUICK)


@pytest.mark.parametrize("share", [0.02, 0.2])
def test_the_interval_holds_the_bayes_error_under_the_priors(share):
    inside = []
    for seed in range(4):
        report = difficulty_report(*sample(seed=seed), priors=(1 - share, share), **QUICK)
        error = report.bayes_error
        inside.append(error.low <= bayes_error(share) <= error.high <= share + 1e-9)
        assert report.errors.baseline.value == pytest.approx(share)
    assert sum(inside) >= 3


def test_the_shares_of_the_sample_change_nothing():
    X, y = sample()
    before, after = (difficulty_report(X, y, priors=each, **QUICK) for each in (None, (0.5, 0.5)))
    assert after.bayes_error == pytest.approx(before.bayes_error, abs=0.006)
    assert after.errors.held_out.best == pytest.approx(before.errors.held_out.best, abs=0.006)
    assert after.classes.confusion == pytest.approx(before.classes.confusion)
    assert after.errors.priors.noise < 0.001
    later = (np.array(each.errors.learning_curve.errors) for each in (before, after))
    assert next(later) == pytest.approx(next(later), abs=0.01)


def test_answers_and_counts_follow_the_priors(rare):
    before = difficulty_report(*sample(), **QUICK)
    recall = dict(zip(rare.classes.names, rare.classes.recall.value, strict=True))
    assert recall["no"] > 0.97
    assert recall["yes"] < before.classes.recall.value.min()
    confusion = rare.classes.confusion
    assert confusion.sum() == pytest.approx(600)
    assert confusion.sum(axis=1)[1] == pytest.approx(12)
    combined = rare.errors.held_out.of("combined").error.value
    assert 1 - np.trace(confusion) / 600 == pytest.approx(combined)
    assert rare.pairs.confused.value[0, 1] == pytest.approx(combined)
    (found,) = rare.classes.found
    assert found.name == "yes"
    for each in found.at_recalls:
        right, false = 0.04 * each.n_found, 1.96 * each.n_false
        assert each.precision == pytest.approx(right / (right + false))


def test_the_verdict_is_for_the_priors(rare):
    assert rare.judge(0.98).answer == "reachable"  # the baseline is enough
    assert rare.judge(0.97).error_high <= 0.021
    assert rare.chance(0.999) < 0.1
    assert rare.judge(0.9, "balanced_accuracy").error_low > 0.02
    assert rare.rows_needed(0.98).chance > 0.5


def test_every_output_says_so(rare):
    text = " ".join(str(rare).split())
    said = "Errors are for classes in the given shares: 98% no (50% in the sample) and 2% yes"
    assert said in text
    assert said in rare.to_html()
    assert "priors={'no': 0.98, 'yes': 0.02}" in text
    found = json.loads(rare.to_json())
    assert found["settings"]["priors"] == {"no": 0.98, "yes": 0.02}
    assert "priors" not in found["errors"]


def test_what_columns_and_labels_tell_is_of_the_sample():
    # Under these shares nothing beats the baseline, in the sample much does.
    report = difficulty_report(*sample(), priors={"yes": 0.002, "no": 0.998}, **QUICK)
    assert report.errors.held_out.gain == 0
    text = " ".join(str(report).split())
    assert "No column by itself" not in text
    assert "wrong labels cannot be told" not in text
    assert "label errors, the trees' bounds and errors forward in time are for the shares" in text
    assert "bounds (trees)" not in report.to_html()


def test_three_classes_of_one_name_each():
    random = np.random.default_rng(0)
    y = np.arange(450) % 3
    X = random.normal(size=(450, 3)) + 1.5 * np.eye(3)[y]
    report = difficulty_report(X, y, priors={"0": 0.9, 1: 0.05, 2: 0.05}, **QUICK)
    assert report.settings.priors == pytest.approx({0: 0.9, 1: 0.05, 2: 0.05})
    assert report.errors.baseline.value == pytest.approx(0.1)
    assert report.bayes_error.high <= 0.1
    assert [each.name for each in report.classes.found] == [1, 2]


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ({"yes": 0.02}, r"priors must have a share above 0 .*the classes are .*'no'.*got .*'yes'"),
        ({"yes": 0.5, "No": 0.5}, "by label or in the order of the classes"),
        ((0.5, 0.6), r"priors must add up to 1, got .*: 1\.1"),
        ((1.0, 0.0), "share above 0"),
        ((0.2, 0.3, 0.5), "share above 0"),
        ((float("nan"), 1.0), "share above 0"),
        (0.02, "share above 0"),
        ("yes", "share above 0"),
    ],
)
def test_priors_are_checked(priors, message):
    with pytest.raises(ValueError, match=message):
        check_priors(priors, np.array(["no", "yes"]))


def test_priors_are_refused_beside_models():
    X, y = sample(60)
    with pytest.raises(ValueError, match="priors must be None where models are given"):
        difficulty_report(X, y, priors=(0.9, 0.1), models={"mine": y}, **QUICK)
