"""How well a smaller class is found, in cases."""

import numpy as np
import pytest
from problems import two_gaussians
from sklearn.metrics import precision_recall_curve, roc_auc_score

from smartsvm import difficulty_report
from smartsvm.report.found_classes import found_class

QUICK = {"n_trees": 1, "classifiers": ("linear",)}


@pytest.fixture(scope="module")
def ranked():
    """Probabilities with ties, and which samples are of the class."""
    random = np.random.default_rng(0)
    inside = random.random(800) < 0.1
    return np.round(1 / (1 + np.exp(3 - 1.5 * inside - random.normal(size=800))), 2), inside


def test_auc_and_precisions_are_those_of_scikit_learn(ranked):
    chances, inside = ranked
    found = found_class("rare", chances, inside, 1.96)
    assert found.auc.value == pytest.approx(roc_auc_score(inside, chances))
    precision, recall, thresholds = precision_recall_curve(inside, chances)
    for least, cases in zip((0.25, 0.5, 0.75, 0.9), found.at_recalls, strict=True):
        assert cases.recall >= least
        assert cases.n_found == np.count_nonzero(inside & (chances >= cases.threshold))
        assert cases.n_false == np.count_nonzero(~inside & (chances >= cases.threshold))
        place = np.flatnonzero(thresholds == cases.threshold)[0]
        assert (cases.precision, cases.recall) == pytest.approx((precision[place], recall[place]))
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    best = found.best
    assert 2 * best.precision * best.recall / (best.precision + best.recall) == pytest.approx(
        f1.max()
    )


def test_the_interval_of_auc_covers_the_truth():
    random, covered = np.random.default_rng(0), 0
    for _ in range(200):
        inside = np.arange(150) < 40
        found = found_class("a", random.normal(size=150) + inside, inside, 1.96)
        covered += found.auc.low <= 0.7602 <= found.auc.high  # Φ(1 / √2)
    assert covered >= 180


def test_two_classes_show_the_smaller_one_and_several_the_rare_ones():
    X, y = two_gaussians(600, 2, 2.0)
    rare = (y == 1) & (np.arange(600) % 5 == 0)
    report = difficulty_report(X[(y == 0) | rare], rare[(y == 0) | rare].astype(int), **QUICK)
    (found,) = report.classes.found
    assert found.name == 1
    assert found.n_samples == rare.sum()
    assert 0.85 < found.auc.low < found.auc.high
    words = " ".join(str(report).split())
    assert f"they find {found.best.n_found} and miss" in words
    three = np.where(rare, 2, y)
    assert [each.name for each in difficulty_report(X, three, **QUICK).classes.found] == []
    few = np.where(rare & (np.arange(600) % 2 == 0), 2, y)
    assert [each.name for each in difficulty_report(X, few, **QUICK).classes.found] == [2]
    assert report.to_dict()["classes"]["found"][0]["n_samples"] == rare.sum()


@pytest.mark.usefixtures("no_drawings")
def test_a_page_repeats_itself_and_copies_as_text():
    report = difficulty_report(*two_gaussians(100, 2, 2.0), random_state=7, **QUICK)
    assert "page = difficulty_report(X, y, random_state=7)" in str(report)
    page = report.to_html()
    assert "Copy as text" in page
    assert '<template id="as-text">HOW HARD IS THIS PROBLEM?' in page
