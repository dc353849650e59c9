"""Weather: floods, snow and fires."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import Generative, halving_priors


def flood_records(random):
    """The highest water of each year at a gauge, and the area behind it: which kind of river?"""
    years, n_classes = int(random.choice([3, 10, 30])), int(random.choice([2, 3, 5]))
    apart, priors = random.uniform(0.15, 0.8), halving_priors(random, n_classes)
    places = 3 + apart * random.normal(size=n_classes)
    widths = np.exp(apart * random.normal(size=n_classes))
    # Shapes of the generalised extreme value distribution: above 0, tails are heavy.
    shapes = random.choice([-1, 1, 1], n_classes) * random.uniform(0.05, 0.35, n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        area, shape = np.exp(generator.normal(5, 1, n)), shapes[which][:, None]
        highest = (generator.exponential(size=(n, years)) ** -shape - 1) / shape
        levels = places[which][:, None] + widths[which][:, None] * highest
        return np.column_stack([area, levels * np.sqrt(area)[:, None]]), which

    def scores(X):
        levels, logs = X[:, 1:] / np.sqrt(X[:, :1]), []
        for place, width, shape in zip(places, widths, shapes, strict=True):
            inside = 1 + shape * (levels - place) / width
            safe = np.where(inside > 0, np.log(np.maximum(inside, 1e-12)), 0)
            density = -np.log(width) - (1 + 1 / shape) * safe - np.exp(-safe / shape)
            logs.append(np.where(inside > 0, density, -1e6).sum(axis=1))
        return np.stack(logs, axis=1) + np.log(priors)

    return f"years={years} K={n_classes} apart={apart:.2f}", Generative(sample, scores)


def rain_or_snow(random):
    """Temperatures at several heights, and the humidity: snow, rain, freezing rain or sleet?"""
    heights, n_classes = int(random.choice([3, 8, 25])), int(random.choice([2, 3, 4]))
    sharp, rough = random.uniform(0.4, 4), random.uniform(0.1, 0.8)
    melts, dry = random.uniform(0.3, 1.2), random.uniform(0, 1)
    height = np.linspace(0, 3, heights)  # km

    def draw(generator, n):
        ground, fall = generator.normal(1, 3, (n, 1)), generator.uniform(2, 7, (n, 1))
        warm, where = generator.gamma(1, 4, (n, 1)), generator.uniform(0.5, 2, (n, 1))
        layer = warm * np.exp(-0.5 * ((height - where) / 0.4) ** 2)
        wander = rough * generator.normal(size=(n, heights)).cumsum(axis=1) / np.sqrt(heights)
        X = (ground - fall * height + layer + wander).round(1)
        humid = generator.beta(6, 2, n)
        melt = np.log1p(3 * np.maximum(X[:, 1:], 0).mean(axis=1)) - melts
        below = X[:, 0] / 2 - dry * (1 - humid)  # it cools as it evaporates
        logits = [-2 * melt, melt + below, melt - below, 0.4 - np.abs(melt) - 0.5 * np.abs(below)]
        chances = softmax(sharp * np.stack(logits, axis=1), axis=1)
        chances[:, n_classes - 1] += chances[:, n_classes:].sum(axis=1)
        return np.column_stack([X, humid]), chances[:, :n_classes]

    return f"heights={heights} K={n_classes} sharp={sharp:.1f} rough={rough:.2f}", draw


def forest_fires(random):
    """Heat, wind, drought, rain, month and place in a park: no fire, a small or a large one?"""
    n_classes, cells = int(random.choice([2, 3, 4])), int(random.choice([3, 9]))
    often, strong = random.choice([0.15, 0.6, 2.0]), random.uniform(0.4, 2)
    risk, extra = 0.7 * random.normal(size=(cells, cells)), int(random.choice([0, 10]))
    limits = np.array([0, 3, 30])[1 : n_classes - 1]  # hectares

    def draw(generator, n):
        place, month = generator.integers(0, cells, (n, 2)), generator.integers(1, 13, n)
        summer = np.cos(2 * np.pi * (month - 7.5) / 12)
        heat = generator.normal(14 + 9 * summer, 4).round(1)
        humid = generator.beta(4, 4 + 3 * np.maximum(summer, 0)).round(2)
        rain = generator.exponential(4, n).round(1) * (generator.random(n) < 0.25)
        wind, drought = generator.weibull(2, n) * 5, generator.gamma(2, 60 * (1.2 + summer))
        dry = np.log1p(drought / 60) * (rain < 1) - 2 * humid
        index = strong * (0.06 * (heat - 15) + dry * (1 + 0.15 * wind) + risk[*place.T])
        burns = 1 - np.exp(-often * np.exp(np.minimum(index, 20)))
        # The area that burns is Pareto distributed; its tail is heavier on dangerous days.
        power = 0.3 + 1.5 * expit(-index)
        above = burns[:, None] * (1 + limits) ** -power[:, None]
        below = np.column_stack([1 - burns, 1 - above])
        X = [place, month, heat, humid, rain, wind, drought, generator.normal(size=(n, extra))]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} cells={cells} often={often} strong={strong:.1f} extra={extra}", draw
