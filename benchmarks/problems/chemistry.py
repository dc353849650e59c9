"""Chemistry: powders under X-rays, molecules in water and smells."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .building import Generative, class_scores, part_weights, slowly_falling_priors


def powder_patterns(random):
    """X-rays that a powder sends to each angle, a little off: which crystals is it made of?"""
    angles, n_classes = int(random.choice([15, 50, 150])), int(random.choice([2, 4, 8]))
    light, alike = random.choice([1.0, 5.0, 30.0]), random.uniform(0, 0.9)
    at, peaks = np.arange(angles), int(random.choice([3, 8]))
    common = random.uniform(0, angles, peaks)
    shared = random.random((n_classes, peaks)) < alike  # peaks of a part that all crystals have
    places = np.where(shared, common, random.uniform(0, angles, (n_classes, peaks)))
    heights = random.gamma(1, 1, (n_classes, peaks))
    shifts = random.choice([0.3, 1.0]) * np.linspace(-1, 1, 5)
    gaps = at - places[:, None, :, None] - shifts[:, None, None]
    lines = np.exp(-0.5 * (gaps / 0.8) ** 2)  # class, shift, peak, angle
    tilts = np.array([1.0, 0.3])[:, None] ** (np.arange(peaks) % 2)  # flat grains lie on one side
    curves = np.einsum("kspa,tkp->ksta", lines, tilts[:, None] * heights)
    amounts = np.array([0.4, 1.0, 2.0])[:, None]
    means = light * (0.3 + curves.reshape(n_classes, -1, 1, angles) * amounts)
    means = means.reshape(-1, angles)
    often = np.outer(np.repeat([1, 3, 5, 3, 1], 2), [1, 1, 1]).ravel()
    weights = part_weights(slowly_falling_priors(random, n_classes), often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        return generator.poisson(means[part]) * 1.0, part // len(often)

    def scores(X):
        return class_scores(X @ np.log(means).T - means.sum(axis=1) + np.log(weights), n_classes)

    text = f"angles={angles} K={n_classes} light={light:.0f} alike={alike:.2f} peaks={peaks}"
    return text, Generative(sample, scores)


def solubilities(random):
    """Atoms, rings, mass and polar area of a molecule: does it dissolve well, a little, hardly?"""
    n_classes, sharp = int(random.choice([2, 3, 4])), random.uniform(0.8, 6)
    extra, bent = int(random.choice([0, 8, 40])), random.uniform(0, 0.8)
    cuts = np.array([[0.0], [-1.0, 0.6], [-1.4, 0, 1.2]][n_classes - 2])
    weights = random.uniform(0.6, 1.4, 5)

    def draw(generator, n):
        rings = generator.poisson(1.6, n)
        carbon = 3 + 4 * rings + generator.poisson(3, n)
        oxygen, nitrogen = generator.poisson(2, n), generator.poisson(1.3, n)
        halogen = generator.poisson(0.5, n) * (generator.random(n) < 0.4)
        flexible = generator.binomial(carbon - 3 * rings, 0.35)
        hydrogen = np.maximum(2 * carbon + 2 + nitrogen - 2 * rings - 3 * rings, 1)
        mass = 12.011 * carbon + 1.008 * hydrogen + 15.999 * oxygen + 14.007 * nitrogen
        mass = (mass + 35.45 * halogen).round(2)
        donors = generator.binomial(oxygen + nitrogen, 0.4)
        polar = (17 * oxygen + 16 * nitrogen + 3 * donors).round(1)
        oily = 0.25 * carbon + 0.7 * halogen - 0.9 * oxygen - 0.8 * nitrogen
        score = -weights[0] * oily + 1.2 * weights[1] * (flexible - 2.5) / 3
        score += weights[2] * 0.4 * donors - 0.6 * weights[3] * (rings - 1.6)
        score -= 1.5 * weights[4] * bent * ((rings >= 3) & (flexible < 2))  # flat ones stack
        score += bent * np.abs(polar - 60) / 30  # what is in between binds to itself
        below = expit(-sharp * (score[:, None] / 2 - cuts))
        marks = generator.random((n, extra)) < 0.15 + 0.1 * (rings[:, None] > 1)
        X = [carbon, hydrogen, oxygen, nitrogen, halogen, rings, flexible, donors, mass, polar]
        return np.column_stack([*X, marks]) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(
            0
        )

    return f"K={n_classes} sharp={sharp:.1f} bent={bent:.2f} extra={extra}", draw


def electronic_noses(random):
    """How far each sensor of an artificial nose swings, and how fast: which smell, or a mixture?"""
    sensors, n_classes = int(random.choice([3, 8, 16])), int(random.choice([3, 5, 8]))
    noise, alike = random.uniform(0.02, 0.4), random.uniform(0.1, 0.9)
    smells = int(np.ceil(n_classes / 2))
    swings = np.sqrt(alike) * random.normal(size=sensors)
    swings = swings + np.sqrt(1 - alike) * random.normal(size=(smells, sensors))
    # Classes: each smell alone, then neighbours mixed; any strength, which sensors see bent.
    pairs = [(each, each) for each in range(smells)]
    pairs += [(each, (each + 1) % smells) for each in range(n_classes - smells)]
    strengths = np.linspace(-1, 1.5, 7)
    shares = np.array([0.35, 0.5, 0.65])
    mixed = np.log(
        [
            [share * np.exp(swings[one]) + (1 - share) * np.exp(swings[two]) for share in shares]
            for one, two in pairs
        ]
    )
    power = random.uniform(0.3, 0.8, sensors)
    level = mixed[:, :, None] + power * strengths[:, None]
    # Sensors saturate: strong smells are hard to tell apart.
    templates = (np.log1p(np.exp(level)) - np.log1p(np.exp(level - 1.5))).reshape(-1, sensors)
    templates = np.hstack([templates, 0.5 * templates]) / noise
    weights = np.outer([1, 1, 1], np.exp(-0.5 * np.linspace(-1.5, 1.5, 7) ** 2)).ravel()
    weights = part_weights(slowly_falling_priors(random, n_classes), weights)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = noise * (templates[part] + generator.normal(size=(n, 2 * sensors)))
        return np.exp(X), part // 21

    def scores(X):
        white = np.log(X) / noise
        logs = white @ templates.T - 0.5 * (templates**2).sum(axis=1)
        return class_scores(logs + np.log(weights), n_classes)

    return f"sensors={sensors} K={n_classes} noise={noise:.2f} alike={alike:.2f}", Generative(
        sample, scores
    )
