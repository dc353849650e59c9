"""Probabilities of new families, computed a second time from the distributions of scipy.stats."""

import inspect

import numpy as np
import pytest
from scipy import stats
from scipy.special import softmax

from benchmarks import problems


def _parts(family, number, rows=6):
    """A few points, their probabilities, and the parameters of the problem by name."""
    draw = problems.problem(family, number, 100).draw
    X, chances = draw(np.random.default_rng(1), rows)
    inner = inspect.getclosurevars(draw._scores).nonlocals
    return X, chances, inspect.getclosurevars(draw._sample).nonlocals | inner


def _posterior(logs, n_classes):
    """Probabilities of classes from joint log densities of their parts, class by class."""
    return softmax(logs, axis=1).reshape(len(logs), n_classes, -1).sum(axis=2)


@pytest.mark.parametrize("number", range(4))
def test_cow_collars_are_dirichlet_days(number):
    X, chances, p = _parts("cow collars", number)
    days = X.reshape(len(X), -1, 4) / 1440
    days /= days.sum(axis=2, keepdims=True)
    logs = [
        [
            sum(stats.dirichlet.logpdf(day, alpha) for day, alpha in zip(row, part, strict=True))
            for part in p["alphas"]
        ]
        for row in days
    ]
    found = _posterior(np.array(logs) + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_event_logs_are_poisson_counts_of_any_load(number):
    X, chances, p = _parts("event logs", number)
    loads = np.linspace(1e-4, 14, 4_001)  # the unknown load, summed numerically
    logs = np.empty(chances.shape)
    for i, k in np.ndindex(*logs.shape):
        means = loads[:, None] * p["rates"][k]
        each = stats.poisson.logpmf(X[i], means).sum(axis=1)
        each += stats.gamma.logpdf(loads, p["uneven"], scale=1 / p["uneven"])
        logs[i, k] = np.logaddexp.reduce(each)
    np.testing.assert_allclose(softmax(logs + np.log(p["priors"]), axis=1), chances, atol=1e-3)


@pytest.mark.parametrize("number", range(4))
def test_support_tickets_are_dirichlet_multinomial(number):
    X, chances, p = _parts("support tickets", number)
    logs = [
        [
            stats.dirichlet_multinomial.logpmf(row.astype(int), alpha, int(row.sum()))
            for alpha in p["alphas"]
        ]
        for row in X
    ]
    found = _posterior(np.array(logs) + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_bird_calls_are_normal(number):
    X, chances, p = _parts("bird calls", number)
    values = X.copy()
    values[:, p["pitch"]] = np.log(values[:, p["pitch"]] / 3000) / 0.2
    logs = [
        stats.multivariate_normal.logpdf(values, mean, factor @ factor.T)
        for mean, factor in zip(p["means"], p["factors"], strict=True)
    ]
    found = softmax(np.stack(logs, axis=1) + np.log(p["priors"]), axis=1)
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_plankton_outlines_are_student_columns(number):
    X, chances, p = _parts("plankton outlines", number)
    values, skewed = X.copy(), p["skewed"]
    values[:, :skewed] = np.log(values[:, :skewed]) / 0.4
    logs = [
        stats.t.logpdf(values, p["freedom"], mean, spread).sum(axis=1)
        for mean, spread in zip(p["means"], p["spreads"], strict=True)
    ]
    found = _posterior(np.stack(logs, axis=1) + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_spoken_words_sum_over_all_paths(number):
    X, chances, p = _parts("spoken words", number, rows=3)
    frames, states, stay = p["frames"], p["states"], p["stay"]
    paths = [[0]]
    for _ in range(frames - 1):
        paths = [[*path, to] for path in paths for to in (path[-1], path[-1] + 1) if to < states]
    logs = np.empty((len(X), len(p["weights"])))
    for i, part in np.ndindex(*logs.shape):
        seen = X[i].reshape(frames, -1)
        sums = []
        for path in paths:
            middles = p["means"][part * states + np.array(path)]
            moves = stay[part // p["voices"], path[:-1]]
            kept = np.array(path[1:]) == np.array(path[:-1])
            moved = np.log(np.where(kept, moves, np.maximum(1 - moves, 1e-300)))
            sums.append(stats.norm.logpdf(seen, middles).sum() + moved.sum())
        logs[i, part] = np.logaddexp.reduce(sums)
    found = _posterior(logs + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_betting_odds_follow_the_difference_of_goals(number):
    X, chances, p = _parts("betting odds", number)
    logs = stats.norm.logpdf(-np.log(X)[:, None], p["quoted"], p["error"]).sum(axis=2)
    found = softmax(logs + np.log(p["often"]), axis=1) @ p["results"]
    np.testing.assert_allclose(found, chances, atol=1e-6)
    # Sides of equal strength: only playing at home tells, by a factor of 1 to exp(0.25).
    text = problems.problem("betting odds", number, 100).describe
    goals, even = float(text.split("goals=")[1]), p["results"][12]
    ends = [1 - stats.skellam.cdf(0, goals * np.exp(home), goals) for home in (0, 0.25)]
    assert ends[0] - 1e-6 <= even[0] <= ends[1] + 1e-6


@pytest.mark.parametrize("number", range(4))
def test_sick_leaves_are_counts_and_gaps_of_any_frailty(number):
    X, chances, p = _parts("sick leaves", number)
    times, frail = p["times"], np.geomspace(1e-6, 60, 20_001)  # unknown, summed numerically
    logs = np.empty(chances.shape)
    for i, k in np.ndindex(*logs.shape):
        shape, gaps = p["shapes"][k], X[i, times:-1]
        chance = shape / (shape + p["means"][k])
        logs[i, k] = stats.nbinom.logpmf(X[i, :times] - 1, shape, chance).sum()
        logs[i, k] += stats.binom.logpmf(X[i, -1], times, p["mondays"][k])
        each = stats.gamma.logpdf(frail, p["uneven"], scale=1 / p["uneven"]) + np.log(frail)
        for gap in gaps:
            each = each + stats.expon.logpdf(gap, scale=p["rates"][k] / frail)
        logs[i, k] += np.logaddexp.reduce(each)
    np.testing.assert_allclose(softmax(logs + np.log(p["priors"]), axis=1), chances, atol=1e-3)


@pytest.mark.parametrize("number", range(4))
def test_medicine_lists_are_noisy_ors(number):
    X, chances, p = _parts("medicine lists", number)
    logs = stats.bernoulli.logpmf(X[:, None].astype(int), np.exp(p["taken"])).sum(axis=2)
    found = _posterior(logs + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)


@pytest.mark.parametrize("number", range(4))
def test_visual_fields_are_rounded_normal_values_with_ends(number):
    X, chances, p = _parts("visual fields", number)
    low, high = np.where(X > 0, X - 0.5, -np.inf), np.where(X < 40, X + 0.5, np.inf)
    places = {"loc": p["means"], "scale": p["noise"]}
    inside = stats.norm.cdf(high[:, None], **places) - stats.norm.cdf(low[:, None], **places)
    found = _posterior(
        np.log(np.maximum(inside, 1e-300)).sum(axis=2) + np.log(p["weights"]), chances.shape[1]
    )
    np.testing.assert_allclose(found, chances, atol=1e-4)


@pytest.mark.parametrize("number", range(4))
def test_methylated_sites_are_binomial_or_logit_normal(number):
    X, chances, p = _parts("methylated sites", number)
    if p["reads"]:
        hits = (X * p["reads"]).round()[:, None]
        logs = stats.binom.logpmf(hits, p["reads"], p["mixed"]).sum(axis=2)
    else:
        values = np.log(X / (1 - X))[:, None]
        centres = np.log(p["mixed"] / (1 - p["mixed"]))
        logs = stats.norm.logpdf(values, centres, p["noise"]).sum(axis=2)
    found = _posterior(logs + np.log(p["weights"]), chances.shape[1])
    np.testing.assert_allclose(found, chances, atol=1e-6)
