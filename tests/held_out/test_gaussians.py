"""Gaussian classes: the closed form against refits without the sample, and the awkward cases."""

import pickle

import numpy as np
import pytest

from smartsvm.held_out import gaussians
from smartsvm.held_out.gaussians import (
    STRENGTHS,
    Gaussians,
    gaussians_leave_one_out,
    gaussians_predict,
)


def _classes(sizes, d, seed=0, spread=1.0):
    random = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    centres = spread * random.normal(size=(len(sizes), d))
    shapes = random.normal(size=(len(sizes), d, d)) / np.sqrt(d) + np.eye(d)
    # Uniform noise: nothing lies three standard deviations out.
    noise = random.uniform(-1, 1, size=(len(codes), d))
    return centres[codes] + np.einsum("ij,ijk->ik", noise, shapes[codes]), codes


def _refit_scores(points, codes, n_classes, weights, i, strength, without=True):
    """Log size plus log density of every class for sample i, from moments without it, or with."""
    m = points.shape[1]
    kept = (np.arange(len(codes)) != i) | (not without)
    X = points[kept]
    c = codes[kept]
    w = weights[kept]
    sizes = []
    means = []
    scatters = []
    for k in range(n_classes):
        rows, own = X[c == k], w[c == k]
        sizes.append(own.sum())
        means.append(own @ rows / own.sum())
        scatters.append((rows - means[-1]).T @ ((rows - means[-1]) * own[:, None]))
    pooled = sum(scatters) / (len(points) - 1 - n_classes)
    pooled += 1e-3 * np.diag(points.var(axis=0))
    scores = []
    for size, mean, scatter in zip(sizes, means, scatters, strict=True):
        covariance = (scatter + strength * pooled) / (size + strength)
        away = points[i] - mean
        distance = away @ np.linalg.solve(covariance, away)
        scores.append(np.log(size) - 0.5 * (distance + np.linalg.slogdet(covariance)[1]))
    assert m == len(mean)
    return np.array(scores)


def _scores(gaussians, points):
    """Scores of new points."""
    out = np.empty((len(gaussians.sizes), len(points)))
    gaussians.single_scores().scores(gaussians._directions(points), out)
    return out.T


def _predicted(gaussians, points):
    return _scores(gaussians, points).argmax(axis=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("factor", STRENGTHS)
def test_left_out_scores_are_those_of_refits(weighted, factor):
    points, codes = _classes([12, 7, 3, 2], 4)
    weights = np.ones(len(codes))
    if weighted:
        weights = np.random.default_rng(1).uniform(0.2, 3, size=len(codes))
        weights *= len(codes) / weights.sum()
    found = Gaussians(points, codes, 4, weights=weights, strengths=[factor])
    assert found.strength == factor * 6
    scores = found.left_out_scores()
    for i in range(len(codes)):
        wanted = _refit_scores(points, codes, 4, weights, i, found.strength)
        # Densities are known up to one constant.
        np.testing.assert_allclose(
            scores[i] - scores[i].max(), wanted - wanted.max(), rtol=1e-7, atol=1e-7
        )


def test_some_rows_are_as_all_rows():
    points, codes = _classes([20, 15, 9], 3)
    found = Gaussians(points, codes, 3)
    rows = np.array([0, 7, 22, 40])
    np.testing.assert_allclose(found.left_out_densities(rows), found.left_out_densities()[rows])


def test_a_sample_changes_its_own_scores_by_its_influence_only():
    points, codes = _classes([400, 400, 400], 3)
    found = Gaussians(points, codes, 3)
    scores = _scores(found, points)
    left_out = found.left_out_scores()
    influence = np.empty_like(scores)
    for k in range(3):
        away = points - points[codes == k].mean(axis=0)
        whitened = np.linalg.solve(np.cov(points[codes == k].T), away.T).T
        distances = (away * whitened).sum(axis=1) + points.shape[1] + 1
        # One of 400 moves the mean and the shape of its class, and the shape of all classes.
        influence[:, k] = np.where(codes == k, distances**2, distances) / 400
    assert (np.abs(scores - left_out) < influence).all()
    assert np.median(np.abs(scores - left_out)) > 0
    best = scores.argmax(axis=1)
    others = np.where(np.arange(3) == best[:, None], -np.inf, scores + influence)
    clear = (scores - influence)[np.arange(1200), best] > others.max(axis=1)
    assert clear.mean() > 0.8
    np.testing.assert_array_equal(left_out.argmax(axis=1)[clear], best[clear])


def test_classes_of_different_shape_around_a_point_differ():
    # No linear classifier beats chance here.
    random = np.random.default_rng(0)
    codes = np.repeat([0, 1], 500)
    points = random.normal(size=(1000, 2)) * np.where(codes, 5.0, 0.5)[:, None]
    errors = Gaussians(points, codes, 2).left_out_scores().argmax(axis=1) != codes
    assert errors.mean() < 0.1


def test_left_out_error_is_honest_without_signal():
    random = np.random.default_rng(0)
    points = random.normal(size=(400, 20))
    codes = np.arange(400) % 2
    found = Gaussians(points, codes, 2, strengths=[1.0])
    assert np.mean(_predicted(found, points) == codes) > 0.65  # by heart
    assert 0.4 < np.mean(found.left_out_scores().argmax(axis=1) == codes) < 0.6


def test_strength_has_the_smallest_left_out_error():
    points, codes = _classes([60, 60, 60], 10)
    errors = [
        np.mean(Gaussians(points, codes, 3, strengths=[s]).left_out_scores().argmax(1) != codes)
        for s in STRENGTHS
    ]
    chosen = Gaussians(points, codes, 3)
    assert np.mean(chosen.left_out_scores().argmax(axis=1) != codes) == min(errors)


def test_the_only_sample_of_a_class_is_judged_by_all_samples():
    points, codes = _classes([10, 10, 1], 3)
    found = Gaussians(points, codes, 3)
    densities, scores = found.left_out_densities(), found.left_out_scores()
    assert np.isfinite(densities).all()
    assert scores[-1, 2] == -np.inf
    assert np.isfinite(np.delete(scores.ravel(), -1)).all()


@pytest.mark.parametrize("sizes", [[1, 1], [2, 1], [3, 3], [2, 2, 2]])
@pytest.mark.parametrize("d", [1, 2, 50])
def test_tiny_classes_and_more_columns_than_samples(sizes, d):
    points, codes = _classes(sizes, d, spread=10)
    found = Gaussians(points, codes, len(sizes))
    assert np.isfinite(found.left_out_densities()).all()
    assert np.isfinite(_scores(found, points)).all()
    np.testing.assert_array_equal(_predicted(found, points), codes)


def test_columns_beyond_the_directions_keep_their_signal():
    random = np.random.default_rng(0)
    points, codes = _classes([80, 80, 80], 4, spread=3)
    wide = points @ np.linalg.qr(random.normal(size=(200, 4)))[0].T
    wide += 1e-3 * random.normal(size=wide.shape)
    plain, turned = (Gaussians(each, codes, 3) for each in (points, wide))
    assert _scores(turned, wide).shape == (240, 3)
    errors = [np.mean(g.left_out_scores().argmax(1) != codes) for g in (plain, turned)]
    assert errors[1] <= errors[0] + 0.02


def test_constant_columns_say_nothing_whatever_their_value_later():
    points, codes = _classes([30, 20], 3)
    with_constant = np.column_stack([np.full(50, 7.0), points])
    plain, found = Gaussians(points, codes, 2), Gaussians(with_constant, codes, 2)
    np.testing.assert_allclose(found.left_out_densities(), plain.left_out_densities())
    with_constant[:, 0] = np.arange(50)
    np.testing.assert_allclose(_scores(found, with_constant), _scores(plain, points), atol=1e-3)
    nothing = Gaussians(np.ones((6, 2)), np.array([0, 0, 0, 0, 1, 1]), 2)
    np.testing.assert_array_equal(_predicted(nothing, np.zeros((3, 2))), [0, 0, 0])
    assert np.isfinite(nothing.left_out_densities()).all()


@pytest.mark.parametrize("scale", [1e-150, 1e-3, 1e70])
def test_scale_changes_no_prediction(scale):
    points, codes = _classes([30, 20, 25], 3)
    plain = Gaussians(points, codes, 3)
    scaled = Gaussians(points * scale, codes, 3)
    np.testing.assert_allclose(
        scaled.left_out_scores(), plain.left_out_scores(), rtol=1e-6, atol=1e-6
    )


def test_weights_count_by_their_ratios_and_repeat_samples():
    points, codes = _classes([30, 20, 25], 3)
    times = np.random.default_rng(0).integers(1, 4, size=75)
    weighted = Gaussians(points, codes, 3, weights=times * 0.1, strengths=[1.0])
    np.testing.assert_allclose(
        weighted.sizes, np.bincount(codes, times) * 75 / times.sum(), rtol=1e-12
    )
    again = Gaussians(points, codes, 3, weights=times * 7.0, strengths=[1.0])
    np.testing.assert_allclose(_scores(weighted, points), _scores(again, points), atol=1e-3)


@pytest.mark.parametrize("sizes", [[30, 20, 25], [400, 1, 300]])
@pytest.mark.parametrize("d", [1, 8, 13, 40])
def test_scores_in_single_precision(sizes, d):
    points, codes = _classes(sizes, d)
    points *= 10.0 ** np.linspace(-60, 3, d)  # no single number reaches from end to end
    found = Gaussians(points, codes, 3)
    single = pickle.loads(pickle.dumps(found.single_scores()))
    inside = found._directions(points)
    scores = np.empty((3, len(points)))
    single.scores(inside, scores)
    standardised = inside / inside.std(axis=0)
    weights = np.ones(len(codes))
    for i in range(0, len(points), 7):
        expected = _refit_scores(standardised, codes, 3, weights, i, found.strength, without=False)
        difference = (scores[:, i] - scores[:, i].max()) - (expected - expected.max())
        np.testing.assert_allclose(difference, 0, atol=1e-3 * (1 + np.abs(expected).max()))
    alone = np.empty((3, 1))
    single.scores(inside[-1:], alone)
    np.testing.assert_array_equal(alone[:, 0], scores[:, -1])  # wherever a row stands
    with pytest.raises(ValueError, match="inside must have"):
        single.scores(inside, scores[:, :-1].copy())


def test_left_out_values_are_the_same_with_threads():
    points, codes = _classes([300, 200, 25], 5)
    plain, threaded = (Gaussians(points, codes, 3, n_jobs=jobs) for jobs in (None, 3))
    np.testing.assert_array_equal(plain.left_out_scores(), threaded.left_out_scores())


def test_mistakes_are_those_of_left_out_scores():
    points, codes = _classes([60, 50, 40], 4)
    found = gaussians_leave_one_out(points, codes, 3)
    assert found.wrong.shape == (1, 150)
    assert 0 < found.errors[0] < 0.6
    assert gaussians_leave_one_out(np.ones((20, 3)), np.arange(20) % 2, 2) is None


@pytest.mark.parametrize("n_features", [98, 100, 150, 400])
def test_random_labels_are_guessed_from_as_many_columns_as_rows(n_features):
    random = np.random.default_rng(3)
    X = random.normal(size=(100, n_features))
    y = np.arange(100) % 2
    assert 0.25 < gaussians_leave_one_out(X, y, 2).errors.min() < 0.75


def test_others_are_predicted_with_the_strength_that_was_chosen():
    random = np.random.default_rng(8)
    codes = np.arange(300) % 3
    X = random.normal(size=(300, 4)) * (1 + codes[:, None]) + codes[:, None]
    train = np.arange(300) < 200
    (weak,), (strong,) = (gaussians_predict(X, codes, 3, train, (each,)) for each in (1.0, 1e6))
    assert gaussians._affordable(X, codes, 3, None, 7.5).strength == pytest.approx(7.5)
    assert np.abs(weak - strong).max() > 0.1  # with 1e6 all classes have one covariance
