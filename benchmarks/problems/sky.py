"""Astronomy and weather."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import gammaln, logsumexp, ndtr

from .building import Generative, named


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


FAMILIES = named(double_stars, asteroid_families, rain_forecasts)
