"""Labels that the posterior contradicts: how many are wrong, which, and how sure that is."""

import numpy as np
import pytest
from problems import trials_of
from scipy.special import expit, log_expit
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import average_precision_score

from smartsvm import sample_difficulty
from smartsvm.held_out.posterior import Posterior, combined_posterior, log_shares
from smartsvm.label_errors import suspect_labels as module
from smartsvm.label_errors.noise_models import fit_matrices, uniform_noise
from smartsvm.label_errors.suspect_labels import find_label_errors

CLASSIFIERS = ("neighbors", "linear", "gaussians")


def flipped(y, share, seed, to_next=False):
    """Labels of which a share is wrong, and which."""
    random = np.random.default_rng(seed)
    n_classes = y.max() + 1
    wrong = random.permutation(len(y)) < share * len(y)
    step = 1 if to_next else random.integers(1, n_classes, len(y))
    return np.where(wrong, (y + step) % n_classes, y), wrong


def label_errors(X, y, classifiers=CLASSIFIERS):
    posterior = combined_posterior(trials_of(X, y, classifiers), y, int(y.max()) + 1)
    return find_label_errors(posterior, y, 1.96)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.2])
@pytest.mark.parametrize("to_next", [False, True])
def test_wrong_labels_are_counted_and_found(digits, share, to_next):
    X, y = digits
    labels, wrong = flipped(y, share, 3, to_next)
    found = label_errors(X, labels)
    assert 0.7 * wrong.sum() < len(found.suspects) < 1.3 * wrong.sum()
    assert found.error_rate.low <= found.error_rate.value <= found.error_rate.high
    assert found.error_rate.low < 1.1 * share
    assert found.error_rate.high > 0.9 * share
    suspects = found.suspects
    assert wrong[suspects].mean() > 0.8
    # With few wrong labels, doubt in the model itself lowers the probabilities.
    said = found.error_chance[suspects].mean()
    assert wrong[suspects].mean() - 0.4 < said < wrong[suspects].mean() + 0.05
    right = found.rivals[suspects] == y[suspects]
    assert right[wrong[suspects]].mean() > 0.95
    rank = np.argsort(found.ranking)
    assert average_precision_score(wrong, -rank) > 0.9
    assert np.array_equal(found.ranking[: len(suspects)], suspects)


def test_right_labels_are_left_alone(digits):
    assert len(label_errors(*digits).suspects) == 0
    assert len(label_errors(*load_wine(return_X_y=True)).suspects) == 0


@pytest.mark.parametrize(("n_classes", "d", "apart"), [(2, 2, 1.0), (3, 5, 1.5), (9, 9, 1.5)])
def test_overlap_is_told_from_wrong_labels(n_classes, d, apart):
    random = np.random.default_rng(7)
    codes = random.integers(0, n_classes, 2000)
    X = random.normal(size=(2000, d)) + apart * np.eye(n_classes, d)[codes]
    found = label_errors(X, codes)
    assert np.count_nonzero(found.margin < 0) > 200
    assert len(found.suspects) < 0.02 * 2000
    assert found.margin[found.ranking[0]] < -2


@pytest.mark.parametrize(
    ("n", "mean", "spread", "power", "shift"),
    [(6000, 0, 2.5, 1, 0.4), (1500, -0.9, 0.9, 0.8, -0.1)],
    ids=["log odds that are too high", "weak columns"],
)
def test_a_posterior_that_is_off_accuses_hardly_anybody(n, mean, spread, power, shift):
    # All labels are right. Rates of wrong labels could make up for what the posterior gets wrong.
    n_accused = 0
    for seed in range(5):
        random = np.random.default_rng(seed)
        log_odds = random.normal(mean, spread, n)
        codes = (random.random(n) < expit(log_odds)).astype(int)
        off = (power * log_odds + shift).astype(np.float32)
        posterior = Posterior(log_expit(np.stack([-off, off], axis=1)), {})
        n_accused += len(find_label_errors(posterior, codes, 1.96).suspects)
    assert n_accused <= 5 * n / 200


def test_classes_that_cannot_be_told_apart_accuse_nobody():
    random = np.random.default_rng(8)
    codes = random.integers(0, 3, 900)
    X = random.normal(size=(900, 2)) + 8.0 * (codes == 2)[:, None]  # 0 and 1 are one
    assert len(label_errors(X, codes).suspects) == 0


def test_too_few_samples_are_ranked_but_not_counted():
    random = np.random.default_rng(0)
    y = np.arange(60) % 6
    X = np.eye(6)[y] * 10 + random.normal(size=(60, 6))
    labels = y.copy()
    labels[0] = 3
    found = label_errors(X, labels)
    assert np.isnan(found.error_rate.value)
    assert len(found.suspects) == 0
    assert found.ranking[0] == 0


def test_models_fitted_to_some_samples_count_the_same(digits, monkeypatch):
    X, y = digits
    labels, wrong = flipped(y, 0.1, 3)
    posterior = combined_posterior(trials_of(X, labels, CLASSIFIERS), labels, 10)
    monkeypatch.setattr(module, "_MOST_NUMBERS", 8000)
    found = find_label_errors(posterior, labels, 1.96)
    assert 0.7 * wrong.sum() < len(found.suspects) < 1.3 * wrong.sum()


@pytest.mark.parametrize("to_next", [False, True])
def test_wrong_labels_of_two_classes(to_next):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 2000)
    X = random.normal(size=(2000, 2)) + 5 * y[:, None]
    wrong = random.random(2000) < (np.where(y, 0.15, 0.05) if to_next else 0.1)
    found = label_errors(X, np.where(wrong, 1 - y, y))
    assert 0.7 * wrong.sum() < len(found.suspects) < 1.3 * wrong.sum()
    assert wrong[found.suspects].mean() > 0.9


def test_the_only_sample_of_a_class_is_never_called_wrong(digits):
    X, y = digits
    labels, wrong = flipped(y, 0.1, 3)
    labels[0] = 10
    found = label_errors(X, labels)
    assert len(found.suspects) > 0.5 * wrong.sum()
    assert 0 not in found.suspects
    assert found.error_chance[0] == 0


def test_wrong_labels_at_the_boundary_get_no_upper_limit():
    random, centres = np.random.default_rng(0), 3.5 * np.array([[0, 0], [1, 0], [0.5, 0.9]])
    y = random.integers(0, 3, 900)
    X = random.normal(size=(900, 2)) + centres[y]
    distances = ((X[:, None] - centres) ** 2).sum(axis=2)
    nearest = np.argsort(distances, axis=1)
    first, second = np.sort(distances, axis=1).T[:2]
    wrong = random.permutation(np.argsort(second - first)[:180])[:90]
    labels = y.copy()
    labels[wrong] = np.where(nearest[wrong, 0] == y[wrong], *nearest[wrong, 1::-1].T)
    found = label_errors(X, labels)
    high = found.error_rate.high
    assert np.isnan(high) or high >= 0.1


def test_at_most_the_allowed_share_is_called_wrong(digits):
    X, y = digits
    labels, _ = flipped(y, 0.1, 3)
    posterior = combined_posterior(trials_of(X, labels, CLASSIFIERS), labels, 10)
    for most in (0.0, 0.03):
        found = find_label_errors(posterior, labels, 1.96, most_wrong=most)
        assert len(found.suspects) == int(most * len(y))
        assert found.error_rate.high <= most


@pytest.mark.parametrize("missing", ["signal", "beats_baseline"])
def test_nothing_is_counted_if_no_classifier_beats_the_baseline(digits, missing):
    X, y = digits
    labels, _ = flipped(y, 0.1, 3)
    posterior = combined_posterior(trials_of(X, labels, CLASSIFIERS), labels, 10)
    found = find_label_errors(posterior, labels, 1.96, **{missing: False})
    assert len(found.suspects) == 0
    assert np.isnan(found.error_rate.value)
    assert not found.error_chance.any()


def test_of_labels_at_90_percent_nine_of_ten_are_wrong():
    said, wrong_ones = [], []
    for seed in range(4):
        random = np.random.default_rng(seed)
        y = random.choice(4, 900, p=[0.5, 0.3, 0.17, 0.03])
        X = random.normal(size=(900, 4)) + 4 * np.eye(4)[y]
        labels, wrong = flipped(y, 0.08, seed, to_next=seed % 2 == 1)
        chance = label_errors(X, labels).error_chance
        said.append(chance[chance >= 0.9])
        wrong_ones.append(wrong[chance >= 0.9])
    said, wrong_ones = np.concatenate(said), np.concatenate(wrong_ones)
    assert len(said) > 50
    assert wrong_ones.mean() > said.mean() - 0.08


def test_unforeseen_right_labels_lower_the_probabilities():
    # Beside wrong labels, as many right ones are contradicted: nothing tells them apart.
    said = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        log_odds = random.normal(0, 4, 3000)
        y = (random.random(3000) < expit(log_odds)).astype(int)
        labels = np.where(random.permutation(3000) < 300, 1 - y, y)  # half of these are right
        blunt = (0.4 * log_odds).astype(np.float32)  # the power that fits these labels best
        posterior = Posterior(log_expit(np.stack([-blunt, blunt], axis=1)), {})
        said.append(find_label_errors(posterior, labels, 1.96).error_chance)
    said = np.concatenate(said)
    assert np.count_nonzero(said >= 0.5) > 300
    assert said.max() < 0.9


def test_a_class_of_which_too_few_labels_would_be_right_is_hard():
    # Half of what looks like class 1 is labelled 0: no reader would call all of that wrong.
    codes, shares = (
        np.repeat([0, 0, 1], 100),
        np.repeat([[0.98, 0.02], [0.02, 0.98]], [100, 200], 0),
    )
    ((matrix,),) = fit_matrices(shares[None], codes, np.ones((len(shares), 1)))
    assert matrix[1].tolist() == [0, 1]
    assert matrix[0, 0] > 0.9


def test_posteriors_are_calibrated():
    random = np.random.default_rng(1)
    y = random.integers(0, 2, 3000)
    X = random.normal(size=(3000, 2)) + 1.2 * y[:, None]
    _, posterior = sample_difficulty(X, y, return_posterior=True)
    first = np.where(y == 1, posterior, 1 - posterior)  # of class 1
    for low in np.arange(0, 1, 0.2):
        inside = (first >= low) & (first < low + 0.2)
        assert first[inside].mean() == pytest.approx(y[inside].mean(), abs=0.06)


def test_all_samples_in_one_place():
    found = label_errors(np.zeros((80, 3)), np.arange(80) % 2)
    assert np.isfinite(found.posterior).all()
    assert len(found.suspects) == 0


@pytest.mark.parametrize("seed", range(6))
def test_labels_that_are_hardly_wrong_are_not_listed(seed):
    """Classes that overlap less than their posterior says look a little like wrong labels."""
    random = np.random.default_rng(seed)
    true = random.beta(1.2, 0.8, 700)
    y = (random.random(700) > true).astype(int)
    logs = np.log(np.clip(np.stack([true, 1 - true], axis=1) ** 0.75, 1e-9, None))
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    found = find_label_errors(Posterior(logs.astype(np.float32), {}), y, 1.96)
    others = np.setdiff1d(np.flatnonzero(found.margin < 0), found.suspects)
    assert found.error_chance[others].max() <= found.error_chance[found.suspects].min(initial=1)
    assert (found.error_chance[found.suspects] > 0.1).all()
    assert (np.diff(found.error_chance[found.suspects]) <= 0).all()


def test_labels_of_clear_samples_come_before_those_of_mixed_ones():
    """A label that a sample of mixed classes has is less of a surprise there."""
    probabilities = np.tile([0.9, 0.05, 0.05], (40, 1))
    y = np.zeros(40, dtype=int)
    probabilities[:2] = [[0.6, 0.004, 0.396], [0.99, 0.0066, 0.0034]]  # the same log odds
    y[:2] = 1
    found = find_label_errors(Posterior(np.log(probabilities).astype(np.float32), {}), y, 1.96)
    assert found.ranking[:2].tolist() == [1, 0]


def test_copies_count_once(digits):
    """Four copies of each sample, with its label, are no evidence beyond one."""
    X, y = digits[0][:300], digits[1][:300] % 2
    labels, _ = flipped(y, 0.05, 0)
    single = combined_posterior(trials_of(X, labels, CLASSIFIERS), labels, 2)
    alone = find_label_errors(single, labels, 1.96)
    copies = Posterior(np.repeat(single.log_probabilities, 4, axis=0), {})
    cases = np.arange(0, 1200, 4)
    again = find_label_errors(copies, np.repeat(labels, 4), 1.96, cases=cases)
    counted = find_label_errors(copies, np.repeat(labels, 4), 1.96)
    apart = [
        np.abs(each.error_chance[cases] - alone.error_chance).mean() for each in (again, counted)
    ]
    assert apart[0] < 0.5 * apart[1]


def test_threads_find_the_same_label_errors():
    random = np.random.default_rng(4)
    logs = log_shares((5 * random.normal(size=(4000, 40))).astype(np.float32))
    codes = logs.argmax(axis=1)
    codes[::9] = random.integers(40, size=len(codes[::9]))
    one, three = (find_label_errors(Posterior(logs, {}), codes, 1.96, n_jobs=j) for j in (1, 3))
    assert one.error_rate.value > 0
    for name in ("margin", "error_chance", "ranking"):
        assert np.array_equal(getattr(one, name), getattr(three, name)), name


def test_limits_of_few_groups_are_those_of_all_rates():
    # Few groups make z so large that its level is 1, which a sum of probabilities misses by
    # rounding.
    for seed in range(60):
        random = np.random.default_rng(seed)
        right = np.clip(random.beta(5, 1, 200), 1e-3, 1 - 1e-3)
        logs, codes = np.log(np.column_stack([right, 1 - right])), random.integers(0, 2, 200)
        clean = logs[np.arange(200), codes].sum()
        low, high = uniform_noise(logs, codes, np.arange(200), clean, 40.0).rates
        assert 0 <= low <= high <= 0.41
