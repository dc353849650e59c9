"""Labels that are noise, in part or in full."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import normal_mixture, random_centres, slowly_falling_priors, two_classes


def no_signal(random):
    """Columns of noise that tell nothing of the class."""
    d, n_classes = int(random.choice([2, 5, 20, 100])), int(random.choice([2, 3, 10]))
    shares = random.dirichlet(np.full(n_classes, 8.0))

    def draw(generator, n):
        return generator.normal(size=(n, d)), np.repeat(shares[None], n, axis=0)

    return f"d={d} K={n_classes}", draw


def wrong_labels(random):
    """Normal classes far from each other, with a share of random labels."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 5, 10]))
    noise, apart = random.uniform(0.05, 0.6), random.uniform(6, 12)
    centres = random_centres(random, n_classes, d, apart)
    clean = normal_mixture(centres, range(n_classes))

    def draw(generator, n):
        X, chances = clean(generator, n)
        return X, (1 - noise) * chances + noise / n_classes

    return f"d={d} K={n_classes} noise={noise:.2f} apart={apart:.2f}", draw


def flipped(random):
    """Classes that lie apart, whose labels are changed with another probability in each."""
    d, n_classes = int(random.choice([2, 5, 20])), int(random.choice([2, 3, 6]))
    gap = random.uniform(0.3, 2)
    flips = random.uniform(0, 0.35, n_classes)
    other = (np.arange(n_classes) + 1) % n_classes
    table = np.eye(n_classes) * (1 - flips)[:, None]
    table[np.arange(n_classes), other] += flips
    axes = np.linalg.qr(random.normal(size=(d, d)))[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.uniform(-1, 1, size=(n, d))
        X[:, 0] = which * (1 + gap) + generator.uniform(0, 1, n)
        return X @ axes, table[which]

    return f"d={d} K={n_classes} flips={flips.mean():.2f}", draw


def hardly_any(random):
    """Numbers, bits or levels of which one or two tell a little: the rest is noise."""
    d, n_classes = int(random.choice([2, 8, 30])), int(random.choice([2, 3, 10]))
    kind, slope = int(random.integers(3)), random.choice([0.05, 0.15, 0.4, 0.8])
    priors = np.maximum(random.choice([0.5, 1.0]) ** np.arange(n_classes), 0.05)
    weights = slope * random.normal(size=(2, n_classes))

    def draw(generator, n):
        X = [
            generator.normal(size=(n, d)),
            generator.integers(0, 2, (n, d)).astype(float),
            generator.integers(0, 6, (n, d)).astype(float),
        ][kind]
        scores = (X[:, :2] - (0, 0.5, 2.5)[kind]) @ weights
        return X, softmax(scores + np.log(priors), axis=1)

    return f"d={d} K={n_classes} kind={kind} slope={slope}", draw


def mostly_guessed(random):
    """Clear clusters of which most labels are guessed: little can be avoided, and all is seen."""
    d, n_classes = int(random.choice([2, 5, 20])), int(random.choice([2, 3, 6]))
    guessed, apart = random.choice([0.5, 0.7, 0.85, 0.95]), random.uniform(2, 6)
    centres = apart * random.normal(size=(3 * n_classes, d)) / np.sqrt(d)

    def draw(generator, n):
        X = centres[generator.integers(0, len(centres), n)] + generator.normal(size=(n, d))
        parts = softmax(-0.5 * ((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
        clean = parts.reshape(n, n_classes, 3).sum(axis=2)
        return X, (1 - guessed) * clean + guessed / n_classes

    return f"d={d} K={n_classes} guessed={guessed} apart={apart:.1f}", draw


def annotators(random):
    """Clusters, labelled by people of whom some are careful and others guess."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 4, 8]))
    people, apart = int(random.choice([3, 10, 30])), random.uniform(1.5, 5)
    centres = apart * random.normal(size=(n_classes, d)) / np.sqrt(d)
    careful, codes = random.beta(3, 1, people), random.random() < 0.5

    def draw(generator, n):
        which, who = generator.integers(0, n_classes, n), generator.integers(0, people, n)
        X = centres[which] + generator.normal(size=(n, d))
        clean = softmax(-0.5 * ((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
        known = careful[who, None]
        X = np.column_stack([X, who if codes else np.eye(people)[who]])
        return X, known * clean + (1 - known) / n_classes

    return f"d={d} K={n_classes} people={people} apart={apart:.1f} codes={codes}", draw


def uneven_noise(random):
    """The sign of one column, the less certain the larger another one is."""
    d, most = int(random.choice([2, 5, 10])), random.choice([0.2, 0.35, 0.5])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        wrong = most * expit(2 * X[:, 1])
        return X, two_classes(np.where(X[:, 0] > 0, 1 - wrong, wrong))

    return f"d={d} most={most}", draw


def known_errors(random):
    """Measurements with an error of their own, which stands beside each."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 7]))
    means = random.uniform(0.5, 2.0) * random.normal(size=(n_classes, d))
    spreads = np.exp(random.choice([0.0, 0.5]) * random.normal(size=(n_classes, d)) - 0.3)
    wide, priors = random.choice([0.5, 1.2]), slowly_falling_priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        errors = 0.7 * np.exp(wide * generator.normal(size=(n, d)))
        deviations = np.sqrt(spreads**2 + errors[:, None] ** 2)
        X = means[which] + deviations[np.arange(n), which] * generator.normal(size=(n, d))
        logs = -0.5 * ((X[:, None] - means) / deviations) ** 2 - np.log(deviations)
        return np.column_stack([X, errors]), softmax(logs.sum(axis=2) + np.log(priors), axis=1)

    return f"d={d} K={n_classes} wide={wide}", draw


def horoscopes(random):
    """Birthday, hour, sign, town and age of people: what comes their way? Hardly known."""
    n_classes, extra = int(random.choice([2, 3, 6])), int(random.choice([0, 5, 40]))
    priors, little = random.dirichlet(np.full(n_classes, 4.0)), random.choice([0.0, 0.0, 0.15, 0.4])
    towns = int(random.choice([5, 200]))
    tilt, odd = little * random.normal(size=(2, n_classes))

    def draw(generator, n):
        day, hour = generator.integers(0, 365, n), generator.integers(0, 24, n)
        sign, town = (day + 10) // 30 % 12, generator.zipf(1.6, n) % towns
        age, letters = generator.gamma(6, 7, n).round(), 2 + generator.poisson(4, n)
        # Only age and the largest town may matter, and if so, hardly.
        logits = np.log(priors) + np.outer((age - 42) / 17, tilt) + np.outer(town == 1, odd)
        X = [day, hour, sign, town, age, letters, generator.integers(0, 10, (n, extra))]
        return np.column_stack(X) * 1.0, softmax(logits, axis=1)

    return f"K={n_classes} little={little} towns={towns} extra={extra}", draw


def swapped_names(random):
    """Clear clusters with look-alike names: some classes are entered as a certain other one."""
    d, n_classes = int(random.choice([2, 6, 25])), int(random.choice([3, 5, 8]))
    apart, noise = random.uniform(2.5, 7), int(random.choice([0, 0, 20]))
    centres = random_centres(random, n_classes, d, apart)
    clean = normal_mixture(centres, range(n_classes), slowly_falling_priors(random, n_classes))
    swaps = random.uniform(0.02, 0.48, n_classes) * (random.random(n_classes) < 0.6)
    other = (np.arange(n_classes) + random.integers(1, n_classes, n_classes)) % n_classes
    table = np.diag(1 - swaps)
    table[np.arange(n_classes), other] += swaps

    def draw(generator, n):
        X, chances = clean(generator, n)
        return np.hstack([X, generator.normal(size=(n, noise))]), chances @ table

    return f"d={d} K={n_classes} apart={apart:.1f} swaps={swaps.mean():.2f} noise={noise}", draw


def careless_sites(random):
    """Cases of several hospitals: at most of them labels are sure, at some they are guessed."""
    d, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 3]))
    sites, sharp = int(random.choice([3, 8, 25])), random.uniform(1.5, 8)
    guessed = np.where(random.random(sites) < 0.3, random.uniform(0.4, 1.0, sites), 0.02)
    guessed[0] = 0.8
    usual = random.dirichlet(np.full(n_classes, 3.0), sites)
    level, codes = (
        random.choice([0, 1]) * random.normal(size=(sites, d)).round(2),
        random.random() < 0.6,
    )
    slopes = sharp * random.normal(size=(d, n_classes)) / np.sqrt(d)
    bent = 0.5 * sharp * random.normal(size=n_classes)
    popular = random.dirichlet(np.full(sites, 2.0))

    def draw(generator, n):
        site = generator.choice(sites, n, p=popular)
        X = generator.normal(size=(n, d)).round(2)
        sure = softmax(X @ slopes + np.outer(X[:, 0] ** 2 - 1, bent), axis=1)
        share = guessed[site, None]
        where = site[:, None] + 101 if codes else np.eye(sites)[site]
        X = np.column_stack([X + level[site], where])  # their instruments differ, too
        return X.round(2), (1 - share) * sure + share * usual[site]

    return f"d={d} K={n_classes} sites={sites} sharp={sharp:.1f} codes={codes}", draw


def reported_cases(random):
    """Only a part of the cases is ever reported, fewer in some regions: which are on record?"""
    d, regions = int(random.choice([3, 10, 30])), int(random.choice([1, 5, 20]))
    often, sharp = random.choice([-1.0, 0.0, 1.0]), random.uniform(1, 7)
    told = random.beta(2, 2, regions).clip(0.1, 0.95)
    slopes = sharp * random.normal(size=d) / np.sqrt(d)
    counts = random.random(d) < 0.4

    def draw(generator, n):
        region, old = generator.integers(0, regions, n), generator.gamma(5, 9, n).round()
        X = generator.normal(size=(n, d))
        amounts = np.where(counts, generator.poisson(np.exp(0.8 * X)), X)
        is_case = expit(
            (np.where(counts, np.log1p(np.abs(amounts)) - 0.9, X)) @ slopes + sharp * often / 3
        )
        known = told[region] * np.where(old > 70, 0.7, 1)
        return np.column_stack([region, old, amounts]), two_classes(is_case * known)

    return f"d={d} regions={regions} often={often:.0f} sharp={sharp:.1f}", draw
