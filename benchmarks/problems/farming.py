"""Fields and stables: crops seen from above, harvests and milk."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, ndtr

from .building import Generative, draw_labels, normal_scores, slowly_falling_priors


def crop_calendars(random):
    """How green a field is through a season, with days under clouds: which crop grows there?"""
    dates, n_classes = int(random.choice([5, 12, 24])), int(random.choice([3, 5, 8]))
    noise, cloudy = random.uniform(0.03, 0.2), random.choice([0.1, 0.5])
    rises, lasts = random.uniform(0.1, 0.6, n_classes), random.uniform(0.15, 0.5, n_classes)
    heights, priors = random.uniform(0.5, 0.9, n_classes), slowly_falling_priors(random, n_classes)
    times, late = np.linspace(0, 1, dates), random.uniform(0.03, 0.15) * np.linspace(-1, 1, 9)
    starts = rises[:, None, None] + late[:, None]  # nobody knows the day of sowing
    ends = starts + lasts[:, None, None]
    curves = expit((times - starts) / 0.04) * expit((ends - times) / 0.06)
    curves = 0.15 + (heights[:, None, None] - 0.15) * curves

    def sample(generator, n):
        which, sown = generator.choice(n_classes, n, p=priors), generator.integers(0, 9, n)
        X = curves[which, sown] + noise * generator.normal(size=(n, dates))
        X[generator.random((n, dates)) < cloudy] = -1
        return X, which

    def scores(X):
        seen, flat = X != -1, curves.reshape(-1, dates)
        squares = np.where(seen, X, 0) ** 2 @ np.ones((dates, len(flat)))
        squares += seen @ (flat**2).T - 2 * np.where(seen, X, 0) @ flat.T
        logs = (-0.5 * squares / noise**2).reshape(len(X), n_classes, -1)
        return logsumexp(logs, axis=2) + np.log(priors)

    text = f"dates={dates} K={n_classes} noise={noise:.2f} cloudy={cloudy}"
    return text, Generative(sample, scores)


def crop_yields(random):
    """Soil, rain, manure and variety: the scarcest of them limits the harvest. How good is it?"""
    n_classes, varieties = int(random.choice([2, 3, 5])), int(random.choice([1, 4, 10]))
    noise, extra = random.uniform(0.02, 0.25), int(random.choice([0, 5, 20]))
    needs = random.uniform(0.6, 1.4, (varieties, 4))
    cuts = np.sort(random.uniform(0.25, 0.75, n_classes - 1))

    def draw(generator, n):
        acid, clay = generator.normal(6.3, 0.8, n), generator.beta(2, 3, n)
        rain, manure = generator.gamma(8, 70, n), generator.choice([0, 40, 80, 120, 160], n)
        variety = generator.integers(0, varieties, n)
        supply = np.stack(
            [
                np.exp(-(((acid - 6.5) / 1.5) ** 2)),
                1 - (clay - 0.35) ** 2,
                rain / 600,
                (manure + 30) / 130,
            ],
            axis=1,
        )
        harvest = np.minimum(supply / needs[variety], 1).min(axis=1)
        below = ndtr((cuts - harvest[:, None]) / noise)
        chances = np.diff(below, axis=1, prepend=0, append=1)
        X = [acid, clay, rain, manure, variety, generator.normal(size=(n, extra))]
        return np.column_stack(X) * 1.0, np.maximum(chances, 0)

    return f"K={n_classes} varieties={varieties} noise={noise:.2f} extra={extra}", draw


def milk_samples(random):
    """Fat, protein, sugar and cells in milk, and the month: cow, goat, sheep, or with water?"""
    n_classes, apart = int(random.choice([2, 3, 4])), random.uniform(0.4, 1.5)
    priors = random.dirichlet(np.full(n_classes, 3.0))
    usual, spread = np.array([4.0, 3.4, 4.7, 5.0]), np.array([0.6, 0.3, 0.2, 0.9])
    means = usual + apart * spread * random.normal(size=(n_classes, 4))
    if n_classes > 2:  # the last kind is the first one with water
        means[-1] = means[0] - np.array([1, 1, 1, 0]) * random.uniform(0.03, 0.15) * means[0]
    spreads = spread * np.exp(0.25 * random.normal(size=(n_classes, 4)))
    months, season = random.dirichlet(np.full(12, 4.0), n_classes), random.uniform(0, 0.5)

    def curve(month):
        return np.cos(2 * np.pi * month / 12)[:, None] * season * np.array([1, 0.5, -0.2, 0])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        month = draw_labels(generator, months[which])
        X = means[which] + curve(month) + spreads[which] * generator.normal(size=(n, 4))
        return np.column_stack([X[:, :3], np.exp(X[:, 3]), month]), which

    def scores(X):
        month = X[:, 4].astype(int)
        values = np.column_stack([X[:, :3], np.log(X[:, 3])]) - curve(month)
        return normal_scores(values, means, spreads) + np.log(months[:, month]).T + np.log(priors)

    return f"K={n_classes} apart={apart:.2f} season={season:.2f}", Generative(sample, scores)
