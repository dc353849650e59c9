"""Wrong labels or overlap: what is said where nothing but the user can tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from smartsvm import LabelErrorRanking, rank_label_errors
from smartsvm.label_errors.overlap import check_overlap, decisiveness

OVERLAPS = ("unknown", "rare", "all", 0.0, 0.1, 1.0)


def photographs(n=6000, n_classes=5, seed=0):
    """Samples of clear classes, a tenth with wrong labels, and the posterior of these labels.

    A good network says of each sample how often its label is wrong: that is calibrated.
    """
    random = np.random.default_rng(seed)
    true = random.integers(0, n_classes, n)
    rate = random.beta(1.0, 9.0, n)
    p = random.dirichlet(np.ones(n_classes), n)
    p[np.arange(n), true] = 0
    p *= (rate / p.sum(axis=1))[:, None]
    p[np.arange(n), true] = 1 - rate
    labels = (random.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1).clip(0, n_classes - 1)
    return labels, p, labels != true


@pytest.mark.parametrize("seed", range(3))
def test_a_good_network_is_no_reason_to_say_that_no_label_is_wrong(seed):
    y, p, wrong = photographs(seed=seed)
    rare, unknown = (rank_label_errors(y, p, overlap=each) for each in ("rare", "unknown"))
    assert rare.range.low <= wrong.sum() <= rare.range.high <= 2.01 * rare.range.low
    assert wrong[rare.listed].mean() > 0.9
    assert wrong[rare.listed].sum() > 0.5 * wrong.sum()
    assert unknown.range.low == 0
    assert unknown.range.high > 0.95 * wrong.sum()
    assert unknown.range.value > 0
    assert len(unknown.listed) > 0
    assert wrong[unknown.listed].mean() > 0.95
    assert unknown.supports == "either"
    assert "cannot be told apart" in str(unknown)


def test_facts_of_record_are_never_wrong():
    y, p, _ = photographs()
    found = rank_label_errors(y, p, overlap="all")
    assert found.range == (0, 0, 0)
    assert len(found.listed) == 0
    assert not found.chance.any()
    assert "all disagreement is overlap" in str(found)


def test_the_more_experts_disagree_the_fewer_labels_are_wrong():
    y, p, _ = photographs()
    counts = [rank_label_errors(y, p, overlap=rate).range.value for rate in (0, 0.05, 0.1, 0.5)]
    assert (np.diff(counts) <= 0).all()
    # Nobody disagrees: every label that is contradicted is wrong.
    assert counts[0] == pytest.approx(np.count_nonzero(p.argmax(axis=1) != y), rel=0.05)
    # Experts disagree as often as the posterior: the labels are as they should be.
    assert counts[-1] == 0


def test_rates_by_class_count_where_experts_agree():
    y, p, _ = photographs()
    rates = {0: 0.9, 1: 0.0, 2: 0.9, 3: 0.9, 4: 0.9}
    found = rank_label_errors(y, p, overlap=rates)
    likeliest = p.argmax(axis=1)
    assert len(found.listed) > 0
    assert (likeliest[found.listed] == 1).all()
    same = rank_label_errors(y, p, overlap=[0.9, 0.0, 0.9, 0.9, 0.9])
    assert np.array_equal(found.chance, same.chance)


@pytest.mark.parametrize(
    ("overlap", "words"),
    [
        ("none", "'unknown', 'rare', 'all', a rate of disagreement .* got 'none'"),
        (1.5, "from 0 to 1, .* got 1.5"),
        (float("nan"), "got nan"),
        ([0.1, 0.2, 0.3], r"got \[0.1, 0.2, 0.3\]"),
        ({"a": 0.1}, "it has no rate for 'b'"),
        (None, "got None"),
    ],
)
def test_what_is_no_overlap_is_refused(overlap, words):
    with pytest.raises(ValueError, match=f"overlap must be .*{words}"):
        check_overlap(overlap, np.array(["a", "b"]))


def test_a_boundary_between_two_classes_has_a_known_decisiveness():
    random = np.random.default_rng(0)
    log_odds = random.uniform(-20, 20, 400_000)
    right = random.random(len(log_odds)) < 1 / (1 + np.exp(-np.abs(log_odds)))
    margin = np.where(right, 1, -1) * np.abs(log_odds)
    assert decisiveness(margin) == pytest.approx(2 - 1 / np.log(2), abs=0.005)
    assert np.isnan(decisiveness(np.ones(3)))


@st.composite
def problems(draw):
    """Labels and probabilities, some of them 0 or 1."""
    n_classes, seed = draw(st.integers(2, 5)), draw(st.integers(0, 2**32 - 1))
    n, sharp = draw(st.integers(n_classes, 150)), draw(st.sampled_from([0.0, 1.0, 5.0, 80.0]))
    random = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n - n_classes)])
    scores = sharp * (random.normal(size=(n, n_classes)) + np.eye(n_classes)[y])
    return y, softmax(scores, axis=1)


@given(problems(), st.sampled_from(OVERLAPS))
def test_all_results_fit_together(problem, overlap):
    y, p = problem
    with np.errstate(all="raise"):
        found = rank_label_errors(y, p, overlap=overlap)
    assert isinstance(found, LabelErrorRanking)
    n = len(y)
    assert sorted(found.ranking.tolist()) == list(range(n))
    assert ((found.chance >= 0) & (found.chance <= 1)).all()
    places = np.empty(n, dtype=int)
    places[found.ranking] = np.arange(n)
    assert (np.diff(places[found.listed]) > 0).all()
    assert (found.chance[found.listed] >= 0.5).all()
    contradicted = p[np.arange(n), y] < p.max(axis=1)
    assert contradicted[found.listed].all()
    value, low, high = found.range
    assert np.isnan(value) or 0 <= low <= value <= high <= n
    assert str(found) == repr(found)


@given(problems(), st.sampled_from(OVERLAPS), st.randoms(use_true_random=False))
def test_the_order_of_classes_does_not_matter(problem, overlap, random):
    y, p = problem
    order = list(range(p.shape[1]))
    random.shuffle(order)
    names = np.array(order)  # class k is called order[k]
    q = np.empty_like(p)
    q[:, names] = p
    before, after = (
        rank_label_errors(labels, shares, overlap=overlap)
        for labels, shares in ((y, p), (names[y], q))
    )
    assert np.allclose(before.chance, after.chance, atol=0.01)
    assert np.allclose(before.range, after.range, atol=0.01 * len(y), equal_nan=True)


@given(problems())
def test_rare_overlap_counts_at_least_as_many_as_known_overlap(problem):
    y, p = problem
    rare, all_ = (rank_label_errors(y, p, overlap=each).range for each in ("rare", "all"))
    assert np.isnan(rare.value) or rare.value >= all_.value == 0
