"""Counts and amounts, many of them zero."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, softmax

from .building import draw_labels, halving_priors


def counts(random):
    """Poisson columns with means of their own for each class."""
    d, n_classes = int(random.choice([2, 6, 20])), int(random.choice([2, 4]))
    means = np.exp(random.normal(0.7, random.uniform(0.2, 0.7), (n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(means[which]).astype(float)
        logs = X @ np.log(means).T - means.sum(axis=1)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"d={d} K={n_classes}", draw


def rare_events(random):
    """Counts of rare events: Poisson columns with a rate for each class."""
    d, n_classes = int(random.choice([4, 12, 30, 60])), int(random.choice([2, 3, 5]))
    base = random.gamma(0.5, random.uniform(0.2, 1.5), d) + 0.01
    rates = base * np.exp(random.normal(scale=random.uniform(0.3, 1.2), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(rates[which]).astype(float)
        return X, softmax(X @ np.log(rates).T - rates.sum(axis=1), axis=1)

    return f"d={d} K={n_classes} mean={rates.mean():.2f}", draw


def overdispersed(random):
    """Counts with more zeros and longer tails than Poisson's: negative binomial, inflated."""
    d, n_classes = int(random.choice([5, 15, 50])), int(random.choice([2, 3, 4]))
    size, zero = random.uniform(0.3, 1.5), random.uniform(0.2, 0.7, d)
    means = random.gamma(1.0, 2.0, d) * np.exp(
        random.normal(scale=random.uniform(0.3, 1.0), size=(n_classes, d))
    )
    chances = size / (size + means)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.negative_binomial(size, chances[which])
        X = np.where(generator.random((n, d)) < zero, 0, X).astype(float)
        logs = np.empty((n, n_classes))
        constant = gammaln(X + size) - gammaln(size) - gammaln(X + 1)
        for k in range(n_classes):
            log = constant + size * np.log(chances[k]) + X * np.log1p(-chances[k])
            log = np.log1p(-zero) + log
            log = np.where(X == 0, np.logaddexp(np.log(zero), log), log)
            logs[:, k] = log.sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} size={size:.2f}", draw


def mostly_zero(random):
    """Columns that are zero most of the time; classes differ in which and in how much."""
    d, n_classes = int(random.choice([5, 15, 40])), int(random.choice([2, 3]))
    present = random.uniform(0.05, 0.5, (n_classes, d))
    middle = random.normal(scale=0.5, size=(n_classes, d))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        there = generator.random((n, d)) < present[which]
        logs = generator.normal(size=(n, d)) + middle[which]
        scores = np.zeros((n, n_classes))
        for k in range(n_classes):
            inside = np.log(present[k]) - 0.5 * (logs - middle[k]) ** 2
            scores[:, k] = np.where(there, inside, np.log1p(-present[k])).sum(axis=1)
        return np.where(there, np.exp(logs), 0.0), softmax(scores, axis=1)

    return f"d={d} K={n_classes}", draw


def cut_off(random):
    """Instruments that show nothing below a threshold: normal columns, cut off at zero."""
    d, n_classes = int(random.choice([3, 8, 20, 40])), int(random.choice([2, 3]))
    middles = random.normal(-0.8, random.uniform(0.2, 0.9), (n_classes, d))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.maximum(middles[which] + generator.normal(size=(n, d)), 0)
        logs = np.stack(
            [
                np.where(X > 0, -0.5 * (X - middle) ** 2 - 0.919, log_ndtr(-middle)).sum(axis=1)
                for middle in middles
            ],
            axis=1,
        )
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes}", draw


def amounts(random):
    """Purchases: which things go together is one matter, their skewed amounts another."""
    d, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 3]))
    n_types = int(random.choice([2, 4]))
    chances = random.beta(0.5, 1.5, (n_classes, n_types, d)) * 0.8 + 0.02
    shape, scales = random.uniform(0.5, 2), np.exp(random.normal(scale=0.5, size=(n_classes, d)))

    def draw(generator, n):
        which, kind = generator.integers(0, n_classes, n), generator.integers(0, n_types, n)
        there = generator.random((n, d)) < chances[which, kind]
        X = np.where(there, generator.gamma(shape, scales[which]) + 1e-9, 0.0)
        logs = np.empty((n, n_classes, n_types))
        for k in range(n_classes):
            inside = -X / scales[k] - shape * np.log(scales[k])
            for kind_ in range(n_types):
                present = chances[k, kind_]
                logs[:, k, kind_] = np.where(
                    there, inside + np.log(present), np.log1p(-present)
                ).sum(axis=1)
        parts = softmax(logs.reshape(n, -1), axis=1)
        return X, parts.reshape(n, n_classes, n_types).sum(axis=2)

    return f"d={d} K={n_classes} types={n_types} shape={shape:.2f}", draw


def few_active(random):
    """A straight score of sparse amounts, of which two columns count only together."""
    d, share = int(random.choice([5, 15, 50, 120])), random.uniform(0.05, 0.4)
    slopes = random.normal(scale=random.uniform(0.5, 2), size=d) * (random.random(d) < 0.4)
    together, offset = random.normal(scale=3), random.normal(scale=0.5)

    def draw(generator, n):
        there = generator.random((n, d)) < share
        X = np.where(there, generator.exponential(size=(n, d)), 0.0)
        score = X @ slopes - share * slopes.sum() + offset
        score += together * ((X[:, 0] > 0) & (X[:, 1] > 0))
        chance = expit(score)
        return X, np.column_stack([1 - chance, chance])

    return f"d={d} share={share:.2f}", draw


def claims(random):
    """Claims: few, of Weibull amounts with long tails; classes differ in how often and how much."""
    d, n_classes = int(random.choice([4, 10, 25])), int(random.choice([2, 3, 4]))
    shape, often = random.uniform(0.4, 0.9), random.beta(1.5, 4, (n_classes, d)) * 0.9 + 0.02
    scales = np.exp(random.normal(scale=random.uniform(0.2, 0.8), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        there = generator.random((n, d)) < often[which]
        X = np.where(there, scales[which] * generator.weibull(shape, (n, d)) + 1e-9, 0.0)
        logs = np.empty((n, n_classes))
        for k in range(n_classes):
            ratio = np.where(there, X, 1.0) / scales[k]
            inside = (shape - 1) * np.log(ratio) - ratio**shape - np.log(scales[k])
            logs[:, k] = np.where(there, inside + np.log(often[k]), np.log1p(-often[k])).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} shape={shape:.2f}", draw


def mixed_columns(random):
    """Half of the columns dense and normal, half mostly zero with amounts of several magnitudes."""
    d, n_classes = int(random.choice([4, 10, 24])), int(random.choice([2, 3]))
    half = d // 2
    middles = random.normal(scale=random.uniform(0.1, 0.6), size=(n_classes, half))
    often = random.uniform(0.03, 0.4, (n_classes, d - half))
    spread = random.uniform(0.8, 2.0)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        dense = middles[which] + generator.normal(size=(n, half))
        there = generator.random((n, d - half)) < often[which]
        sizes = np.exp(spread * generator.normal(size=there.shape))
        logs = -0.5 * ((dense[:, None] - middles) ** 2).sum(axis=2)
        logs += there @ np.log(often).T + ~there @ np.log1p(-often).T
        return np.hstack([dense, np.where(there, sizes, 0.0)]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} spread={spread:.2f}", draw


def negative_binomial(random):
    """Counts that vary more than Poisson's."""
    d, n_classes = int(random.choice([2, 6, 15])), int(random.choice([2, 4]))
    means = np.exp(random.normal(1, 0.6, (1, d)) + random.normal(0, 0.5, (n_classes, d)))
    shape = random.uniform(0.5, 4)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(generator.gamma(shape, means[which] / shape)).astype(float)
        scores = X[:, None] * np.log(means / (means + shape))
        scores += shape * np.log(shape / (means + shape))
        return X, softmax(scores.sum(axis=2), axis=1)

    return f"d={d} K={n_classes} shape={shape:.1f}", draw


def point_patterns(random):
    """Counts of points in 36 cells, with a hot spot somewhere; classes differ in its size."""
    n_classes, rate = int(random.choice([2, 3])), random.uniform(0.3, 1.5)
    heights = np.sort(random.uniform(0, 6, n_classes))
    width = random.uniform(0.6, 1.6)
    cells = np.array(list(product(range(6), range(6))), dtype=float)
    spots = np.exp(-((cells[:, None] - cells) ** 2).sum(axis=2) / (2 * width**2))
    means = rate + heights[:, None, None] * spots  # class, place, cell
    logs_of, totals = np.log(means), means.sum(axis=2)

    def draw(generator, n):
        which, place = generator.integers(0, n_classes, n), generator.integers(0, 36, n)
        X = generator.poisson(means[which, place]).astype(float)
        logs = np.einsum("nc,kpc->nkp", X, logs_of, optimize=True) - totals
        chances = softmax(logs.reshape(n, -1), axis=1).reshape(n, n_classes, 36)
        return X, chances.sum(axis=2)

    return f"K={n_classes} rate={rate:.2f} width={width:.2f}", draw


def contagious_counts(random):
    """Daily numbers of cases, many after many: classes differ in how catching they are."""
    days, n_classes = int(random.choice([8, 20, 60])), int(random.choice([2, 3, 5]))
    catching = np.sort(random.uniform(0, 0.95, n_classes))
    level = random.uniform(1, 6) * np.exp(random.choice([0.0, 0.2]) * random.normal(size=n_classes))
    base = level * (1 - catching)

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), np.zeros((n, days))
        X[:, 0] = generator.poisson(3.0, n)
        for day in range(1, days):
            X[:, day] = generator.poisson(base[which] + catching[which] * X[:, day - 1])
        rates = base + catching * X[:, :-1, None]
        logs = (X[:, 1:, None] * np.log(rates) - rates).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"days={days} catching={catching.round(2)} level={level.round(1)}", draw


def urns(random):
    """Counts of colours drawn from urns that favour the colours drawn before (Pólya)."""
    d, n_classes = int(random.choice([3, 8, 30])), int(random.choice([2, 4, 7]))
    drawn, size = int(random.choice([5, 20, 100])), random.choice([1.0, 5.0, 30.0])
    starts = size * random.dirichlet(np.full(d, random.choice([0.5, 3.0])), n_classes) + 0.01
    priors = halving_priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        rates = generator.gamma(starts[which]) + 1e-300
        X = generator.multinomial(drawn, rates / rates.sum(axis=1, keepdims=True)).astype(float)
        logs = (gammaln(X[:, None] + starts) - gammaln(starts)).sum(axis=2)
        totals = starts.sum(axis=1)
        logs += gammaln(totals) - gammaln(totals + drawn)
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} drawn={drawn} size={size:.0f}", draw


def accident_numbers(random):
    """None, one or more accidents in a part of a year, by age, distance and region."""
    base, strength = random.choice([0.3, 1.0, 3.0]), random.choice([0.5, 1.0, 2.0])
    regions, n_classes = int(random.choice([3, 12])), int(random.choice([2, 3, 5]))
    by_region, age_of_least = random.normal(size=regions), random.uniform(35, 60)
    numbers = np.arange(n_classes - 1)

    def draw(generator, n):
        age, region = generator.uniform(18, 85, n), generator.integers(0, regions, n)
        miles, exposure = np.exp(generator.normal(size=n)), generator.uniform(0.1, 1, n)
        score = ((age - age_of_least) / 20) ** 2 - 0.8 + 0.5 * np.log(miles) + by_region[region]
        score += 0.5 * (age < 25) * np.log(miles)
        rate = (base * exposure * np.exp(strength * score))[:, None]
        exact = np.exp(numbers * np.log(rate) - rate - gammaln(numbers + 1))
        X = np.column_stack([age, miles, exposure, np.eye(regions)[region]])
        rest = np.maximum(1 - exact.sum(axis=1, keepdims=True), 0)
        return X, np.hstack([exact, rest])

    return f"base={base} strength={strength} regions={regions} K={n_classes}", draw


def heaped_ages(random):
    """Stated whole numbers, which many people round to fives or tens, some more than others."""
    d, n_classes = int(random.choice([1, 3, 8])), int(random.choice([2, 3]))
    apart, ages = random.uniform(0.0, 8.0), np.arange(100)
    middles = 45 + apart * random.normal(size=(n_classes, d))
    habits = random.dirichlet([2, 1, 1], n_classes)  # exact, to fives, to tens
    tables = softmax(-0.5 * ((ages - middles[..., None]) / 14) ** 2, axis=2)
    stated = np.zeros_like(tables)
    for step, place in ((1, 0), (5, 1), (10, 2)):
        shown = np.minimum(step * np.round(ages / step), 99).astype(int)
        for age in ages:
            stated[:, :, shown[age]] += habits[:, place, None] * tables[:, :, age]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.stack([draw_labels(generator, stated[which, j]) for j in range(d)], axis=1)
        logs = sum(np.log(np.maximum(stated[:, j, X[:, j]], 1e-300)) for j in range(d)).T
        return X.astype(float), softmax(logs, axis=1)

    return f"d={d} K={n_classes} apart={apart:.1f}", draw
