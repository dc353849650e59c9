"""Astronomy and weather."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit, gammaln, logsumexp, ndtr, softmax

from .building import Generative, two_classes


def double_stars(random):
    """Photons in a few pixels: one star, two of half its light, or a faint cloud?"""
    side, n_classes = int(random.choice([3, 4, 5])), int(random.choice([2, 3]))
    light, dark = random.choice([8.0, 25.0, 100.0]), random.choice([0.3, 3.0])
    sharp, priors = random.choice([0.5, 0.9]), random.dirichlet(np.full(n_classes, 5.0))
    places = np.stack(np.meshgrid(range(side), range(side)), axis=2).reshape(-1, 2)
    far = ((places[:, None] - places) ** 2).sum(axis=2)
    one, cloud = (np.exp(-far / (2 * width**2)) for width in (sharp, 2.5 * sharp))
    one, cloud = one / one.sum(axis=1, keepdims=True), cloud / cloud.sum(axis=1, keepdims=True)
    two = np.array([(one[a] + one[b]) / 2 for a, b in combinations(range(side**2), 2)])
    shapes = [one, two, cloud][:n_classes]
    rates = dark + light * np.concatenate(shapes)
    sizes = np.array([len(each) for each in shapes])
    owners = np.repeat(np.arange(n_classes), sizes)
    weights = (priors / sizes)[owners]
    ends = np.append(0, sizes.cumsum())

    def sample(generator, n):
        which = generator.choice(len(weights), n, p=weights / weights.sum())
        return generator.poisson(rates[which]).astype(float), owners[which]

    def scores(X):
        logs = X @ np.log(rates).T - rates.sum(axis=1) + np.log(weights)
        parts = [logsumexp(logs[:, ends[k] : ends[k + 1]], axis=1) for k in range(n_classes)]
        return np.stack(parts, axis=1)

    words = f"side={side} K={n_classes} light={light:.0f} dark={dark} sharp={sharp}"
    return words, Generative(sample, scores)


def asteroid_families(random):
    """Orbits: fragments of up to eleven collisions among asteroids of no family."""
    n_classes, d = int(random.choice([3, 6, 12])), int(random.choice([2, 3, 5]))
    lone, tight = random.choice([0.2, 0.5, 0.8]), random.choice([0.02, 0.06, 0.15])
    freedom = random.choice([2.0, 6.0])
    centres = random.uniform(0.15, 0.85, (n_classes - 1, d))
    spreads = tight * np.exp(0.4 * random.normal(size=(n_classes - 1, d)))
    priors = np.append(lone, (1 - lone) * random.dirichlet(np.full(n_classes - 1, 2.0)))
    units = np.array([1.5, 0.4, 0.5, 8.0, 120.0])[:d]
    constant = gammaln((freedom + d) / 2) - gammaln(freedom / 2) - d / 2 * np.log(freedom * np.pi)

    def sample(generator, n):
        which, X = generator.choice(n_classes, n, p=priors), generator.random((n, d))
        member = which > 0
        tails = np.sqrt(generator.chisquare(freedom, (n, 1)) / freedom)
        away = generator.normal(size=(n, d)) / tails
        X[member] = centres[which[member] - 1] + (spreads[which - 1] * away)[member]
        return X * units, which

    def scores(X):
        X = X / units
        squared = (((X[:, None] - centres) / spreads) ** 2).sum(axis=2)
        logs = constant - (freedom + d) / 2 * np.log1p(squared / freedom)
        logs -= np.log(spreads).sum(axis=1)
        inside = ((X >= 0) & (X <= 1)).all(axis=1)
        return np.column_stack([np.where(inside, 0.0, -np.inf), logs]) + np.log(priors)

    return f"d={d} K={n_classes} lone={lone} tight={tight}", Generative(sample, scores)


def rain_forecasts(random):
    """Several forecasts of one day that share an error, and the date: how much will it rain?"""
    members, n_classes = int(random.choice([2, 10, 50])), int(random.choice([2, 3, 5]))
    shared, own = random.choice([0.2, 0.6, 1.5]), random.choice([0.3, 1.0])
    seasons, dry = random.uniform(0, 1.2), random.uniform(-0.5, 1.0)
    cuts = dry + np.append(0, np.cumsum(random.uniform(0.4, 1.0, n_classes - 2)))
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    bias = random.normal(size=members) * random.choice([0.0, 0.5])
    error = shared**2 + own**2 / members

    def usual(day):
        return seasons * np.cos(2 * np.pi * day / 365)

    def sample(generator, n):
        day = generator.integers(1, 366, n)
        true = usual(day) + generator.normal(size=n)
        off = shared * generator.normal(size=(n, 1)) + own * generator.normal(size=(n, members))
        return np.column_stack([day, true[:, None] + bias + off]), np.digitize(true, cuts)

    def scores(X):
        before = usual(X[:, 0])
        seen = (X[:, 1:] - bias).mean(axis=1)
        likely = before + (seen - before) / (1 + error)
        spread = np.sqrt(error / (1 + error))
        below = ndtr((ends - likely[:, None]) / spread)
        return np.log(np.maximum(np.diff(below, axis=1), 1e-300))

    words = f"members={members} K={n_classes} shared={shared} own={own} seasons={seasons:.1f}"
    return words, Generative(sample, scores)


def star_types(random):
    """Magnitudes of stars in several filters, at distances that are hardly known: which kind?"""
    filters, n_classes = int(random.choice([2, 3, 5])), int(random.choice([2, 3, 4]))
    noise, far = random.choice([0.05, 0.2, 0.6]), random.choice([0.3, 1.0, 2.5])
    even, way = random.random() < 0.5, np.linspace(0, 1, 40)
    curves = np.array(
        [  # colour and brightness: dwarfs, giants, white dwarfs, supergiants
            [-0.3 + 1.9 * way, 1 + 9 * way - 1.5 * np.sin(np.pi * way)],
            [0.7 + 0.9 * way, 3.2 - 3.5 * way**0.7],
            [-0.2 + 0.9 * way, 10.5 + 4 * way],
            [-0.2 + 1.8 * way, -5 + 0.8 * np.cos(3 * way)],
        ]
    )[[*random.permutation([1, 2, 3])[: n_classes - 1], 0]]
    tints = np.linspace(-0.5, 1.0, filters)
    centres = curves[:, 1, :, None] + curves[:, 0, :, None] * tints
    centres = (centres + 0.15 * curves[:, 0, :, None] ** 2 * tints**2).reshape(-1, filters)
    priors = np.full(n_classes, 1 / n_classes)
    if not even:
        priors = np.append(np.full(n_classes - 1, 0.16 / (n_classes - 1)), 0.84)
    crowded = random.dirichlet(np.full(40, 3.0), n_classes)
    weights = (priors[:, None] * crowded).ravel()
    covariance = noise**2 * np.eye(filters) + far**2
    factor, inverse = np.linalg.cholesky(covariance), np.linalg.inv(covariance)
    power = 0.5 * ((centres @ inverse) * centres).sum(axis=1)

    def draw(generator, n):
        X = centres[generator.choice(len(centres), n, p=weights)]
        X = X + generator.normal(size=(n, filters)) @ factor.T
        parts = softmax(X @ inverse @ centres.T - power + np.log(weights), axis=1)
        return X, parts.reshape(n, n_classes, -1).sum(axis=2)

    return f"filters={filters} K={n_classes} noise={noise} far={far} even={even}", draw


def transits(random):
    """The light of a star: a planet dims it again and again, a wave moves it, or neither."""
    length, n_classes = int(random.choice([24, 60, 120])), int(random.choice([2, 3]))
    strength, slow = random.uniform(2.0, 6.0), random.choice([0.0, 1.0])
    times, shapes, owners = np.arange(length), [np.zeros(length)], [0]
    for period in (length // 4, length // 3, length // 2):
        for phase in range(0, period, 2):
            dips = -1.0 * ((times - phase) % period < max(period // 6, 1))
            waves = np.sin(2 * np.pi * (times - phase) / period)
            for kind, shape in enumerate((dips, waves)[: n_classes - 1], start=1):
                shapes.append(shape * strength / np.linalg.norm(shape))
                owners.append(kind)
    shapes, owners = np.array(shapes), np.array(owners)
    weights = 1 / np.bincount(owners)[owners] / n_classes
    inverse = np.eye(length) - slow**2 / (1 + length * slow**2)  # of each star's own brightness
    power = 0.5 * ((shapes @ inverse) * shapes).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(shapes), n, p=weights)
        X = shapes[which] + generator.normal(size=(n, length))
        X += slow * generator.normal(size=(n, 1))
        parts = softmax(X @ inverse @ shapes.T - power + np.log(weights), axis=1)
        return X, parts @ np.eye(n_classes)[owners]

    return f"length={length} K={n_classes} strength={strength:.1f} slow={slow:.0f}", draw


def tides(random):
    """The time of several days: is the water high, by the sun and the moon together?"""
    days, steep = random.choice([3.0, 15.0, 60.0]), random.choice([1.0, 3.0, 10.0])
    shares, clock = random.dirichlet([2, 2, 1]), random.random() < 0.5
    phases, periods = random.uniform(0, 2 * np.pi, 3), np.array([0.5, 0.5175, 1.0])

    def draw(generator, n):
        time = generator.uniform(0, days, n)
        waves = np.cos(2 * np.pi * time[:, None] / periods + phases)
        X = [np.floor(time), 24 * (time % 1)] if clock else [time, generator.normal(size=n)]
        return np.stack(X, axis=1), two_classes(expit(steep * waves @ shares * 1.5))

    return f"days={days:.0f} steep={steep:.0f} clock={clock}", draw
