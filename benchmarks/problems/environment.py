"""Water, wildlife and land, as instruments in the field see them."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import i0e, log_ndtr, logsumexp, ndtr

from .building import (
    Generative,
    draw_labels,
    priors_to_a_tenth,
    slowly_falling_priors,
    template_scores,
)


def water_samples(random):
    """Substances in water, some too scarce to be measured: from a spring, river, lake or drain?"""
    d, n_classes = int(random.choice([4, 9, 20])), int(random.choice([2, 3, 5]))
    apart, priors = random.uniform(0.3, 1.1), priors_to_a_tenth(random, n_classes)
    rain = random.uniform(0.2, 1.2) * np.linspace(-2, 2, 7)  # dilutes all substances of a sample
    often = np.exp(-0.5 * np.linspace(-2, 2, 7) ** 2)
    size = n_classes, len(rain), d
    means = apart * random.normal(size=(n_classes, 1, d)) - rain[:, None] * random.uniform(0.5, 1.5)
    means, spreads = np.broadcast_to(means, size).reshape(-1, d), random.uniform(0.6, 1.2, d)
    lowest = random.normal(random.choice([-2.0, -0.3]), 0.6, d)  # log of the limit of detection
    weights = (np.log(priors)[:, None] + np.log(often / often.sum())).ravel()
    unseen = log_ndtr((lowest - means) / spreads)
    units = np.exp(random.normal(0, 2, d))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        logs = means[part] + spreads * generator.normal(size=(n, d))
        return np.where(logs > lowest, np.exp(logs), np.exp(lowest) / 2) * units, part // len(rain)

    def scores(X):
        logs = np.log(X / units)
        seen = logs > lowest - 0.1
        white = np.where(seen, logs, 0) / spreads
        near = white @ (means / spreads).T - seen @ (0.5 * (means / spreads) ** 2).T
        near += ~seen @ unseen.T
        return logsumexp((near + weights).reshape(len(X), *size[:2]), axis=2)

    return f"d={d} K={n_classes} apart={apart:.2f} rain={rain[-1]:.1f}", Generative(sample, scores)


def camera_traps(random):
    """Hour, day, altitude, cover and number of animals in a picture: which species is it?"""
    n_classes, covers = int(random.choice([3, 8, 20])), int(random.choice([3, 6]))
    apart, priors = random.uniform(0.4, 1.5), slowly_falling_priors(random, n_classes)
    # Most species are about at two hours of the day, a part of them at one season.
    hours = random.uniform(0, 2 * np.pi, (n_classes, 2))
    firm = apart * random.exponential(2.5, (n_classes, 3)) + 0.05
    season, high = random.uniform(0, 2 * np.pi, n_classes), apart * random.normal(size=n_classes)
    cover = random.dirichlet(np.full(covers, 1.5 / apart), n_classes) * 0.95 + 0.05 / covers
    herd = np.exp(apart * random.normal(-1.2, 0.9, n_classes))
    circle = 2 * np.pi / np.array([24, 365])

    def bend(angles, middle, kappa):
        """Log density of von Mises."""
        return kappa * (np.cos(angles - middle) - 1) - np.log(2 * np.pi * i0e(kappa))

    def sample(generator, n):
        which, dusk = generator.choice(n_classes, n, p=priors), generator.integers(0, 2, n)
        hour = generator.vonmises(hours[which, dusk], firm[which, dusk]) % (2 * np.pi)
        day = generator.vonmises(season[which], firm[which, 2]) % (2 * np.pi)
        altitude = 800 + 300 * (high[which] + generator.normal(size=n))
        number = 1 + generator.poisson(herd[which])
        place = draw_labels(generator, cover[which])
        X = [hour / circle[0], day / circle[1], altitude, place, number]
        return np.column_stack(X), which

    def scores(X):
        hour, day = X[:, :2].T[:, :, None] * circle[:, None, None]
        both = [bend(hour, hours[:, each], firm[:, each]) for each in range(2)]
        logs = np.logaddexp(*both) + bend(day, season, firm[:, 2])
        logs -= 0.5 * ((X[:, 2:3] - 800) / 300 - high) ** 2
        logs += np.log(cover).T[X[:, 3].astype(int)]
        return logs + (X[:, 4:] - 1) * np.log(herd) - herd + np.log(priors)

    return f"K={n_classes} covers={covers} apart={apart:.2f}", Generative(sample, scores)


def mixed_pixels(random):
    """The colours of a pixel from space that holds several covers: which one has most of it?"""
    d, n_classes = int(random.choice([4, 10, 60])), int(random.choice([2, 3, 5]))
    noise, pure = random.uniform(0.05, 0.5), random.choice([0.15, 0.6, 1.5])
    parts = {2: 20, 3: 10, 5: 5}[n_classes]
    shares = [each for each in product(range(parts + 1), repeat=n_classes) if sum(each) == parts]
    shares = np.array(shares) / parts
    often = np.prod((shares + 0.03) ** (pure - 1), axis=1)
    owners = np.isclose(shares, shares.max(axis=1, keepdims=True)) * 1.0
    owners /= owners.sum(axis=1, keepdims=True)  # equal covers: either of them
    walk = np.cumsum(random.normal(size=(n_classes, d)), axis=1) / np.sqrt(d)
    pixels = shares @ (0.6 * random.normal(size=(n_classes, 1)) + walk + 2)
    light = np.array([0.85, 1.0, 1.15])  # sun or shade
    templates = np.concatenate([pixels * each for each in light]) / noise
    weights = np.tile(often / often.sum() / 3, 3)

    def sample(generator, n):
        pixel = generator.choice(len(templates), n, p=weights)
        which = draw_labels(generator, owners[pixel % len(pixels)])
        return (templates[pixel] + generator.normal(size=(n, d))) * noise, which

    def scores(X):
        logs = template_scores(X / noise, templates) + np.log(weights)
        near = np.exp(logs - logs.max(axis=1, keepdims=True)) @ np.tile(owners, (3, 1))
        return np.log(np.maximum(near, 1e-300))

    return f"d={d} K={n_classes} noise={noise:.2f} pure={pure}", Generative(sample, scores)


def smog_days(random):
    """Dust and gases of the last days, wind, heat, weekday and month: how is tomorrow's air?"""
    lags, n_classes = int(random.choice([1, 3, 10])), int(random.choice([2, 3, 4]))
    noise, keeps = random.uniform(0.08, 0.5), random.uniform(0.3, 0.85)
    stations, traffic = int(random.choice([1, 4])), random.uniform(0, 0.4)
    cuts = np.array([0.5, 1.0, 1.5])[: n_classes - 1] - random.uniform(0, 0.7)

    def draw(generator, n):
        month, day = generator.integers(1, 13, n), generator.integers(0, 7, n)
        cold = np.cos(2 * np.pi * (month - 1) / 12)
        wind = generator.gamma(4, 0.8, n).round(1)
        heat = (12 - 9 * cold + 5 * generator.normal(size=n)).round(1)
        still = (generator.random(n) < 0.25 + 0.15 * cold) * 1  # cold air lies under warm air
        level = 0.5 * cold + generator.normal(size=n) * 0.6
        past = []
        for _ in range(lags):
            past.append(level)
            level = keeps * level + np.sqrt(1 - keeps**2) * 0.6 * generator.normal(size=n)
        past = np.stack(past, axis=1)  # yesterday first
        seen = past[:, :, None] + 0.15 * generator.normal(size=(n, lags, stations))
        dust = np.exp(3 + 0.6 * seen).round(1) + 0.1
        gas = np.exp(3.3 - 0.3 * past[:, 0] + 0.02 * heat + 0.3 * generator.normal(size=n)).round(1)
        first = (np.log(dust[:, 0]).mean(axis=1) - 3) / 0.6
        trend = first - (np.log(dust[:, -1]).mean(axis=1) - 3) / 0.6
        middle = keeps * first + 0.15 * trend - 0.5 * (np.log(wind + 0.5) - 1)
        middle += 0.35 * cold + 0.5 * still * (wind < 3) - traffic * (day >= 5)
        below = ndtr((cuts - middle[:, None]) / noise)
        X = [dust.reshape(n, -1), gas, wind, heat, still, day, month]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    text = f"lags={lags} stations={stations} K={n_classes} noise={noise:.2f} keeps={keeps:.2f}"
    return text, draw
