"""Livestock and the sea: what cows do, how horses go, how old fish are, and plankton."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from .building import (
    Generative,
    class_scores,
    halving_priors,
    log_between,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    template_scores,
)


def cow_collars(random):
    """Minutes a cow lies, eats, chews and walks, day by day: sound, in heat, lame, ill, calving?"""
    days, n_classes = int(random.choice([1, 4, 12])), int(random.choice([2, 3, 5]))
    steady, strong = random.choice([40.0, 150.0]), random.uniform(0.25, 1.1)
    at = np.linspace(0, 1, days + 1)[1:, None]
    ways = [
        np.zeros((days, 4)),
        (at > 0.8) * np.array([-0.4, -0.2, -0.2, 1.2]),  # in heat, at the end
        at * np.array([0.5, -0.3, -0.1, -0.7]),
        at**2 * np.array([0.3, -1.0, -0.7, -0.3]),
        at**4 * np.array([-0.2, -0.5, -0.8, 0.5]),
    ][:n_classes]
    cows = 0.25 * np.array([[0, 0, 0, 0], [0.6, -0.4, 0, -0.5], [-0.5, 0.5, 0.2, 0.6]])
    logits = np.log([11.5, 4.5, 6, 2]) + strong * np.array(ways)[:, None] + cows[:, None]
    alphas = np.exp(logits)
    alphas = (steady * alphas / alphas.sum(axis=-1, keepdims=True)).reshape(-1, days, 4)
    constants = (gammaln(alphas.sum(axis=2)) - gammaln(alphas).sum(axis=2)).sum(axis=1)
    priors = halving_priors(random, n_classes)
    weights = part_weights(priors, [2, 1, 1])

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        shares = generator.gamma(alphas[part])
        shares /= shares.sum(axis=2, keepdims=True)
        return 1440 * shares.reshape(n, -1), part // 3

    def scores(X):
        logs = np.log(np.maximum(X / 1440, 1e-300)) @ (alphas - 1).reshape(len(alphas), -1).T
        return class_scores(logs + constants + np.log(weights), n_classes)

    text = f"days={days} K={n_classes} steady={steady:.0f} strong={strong:.2f}"
    return text, Generative(sample, scores)


def horse_gaits(random):
    """Strength of each multiple of a horse's stride, and its pulse: which gait, at any speed?"""
    tones, n_classes = int(random.choice([3, 8, 30])), int(random.choice([2, 3, 5]))
    apart, noise = random.uniform(0.15, 0.8) / np.sqrt(tones / 8), random.uniform(0.3, 0.9)
    speeds = np.linspace(-1.5, 1.5, 9)
    usual = random.normal(size=tones) - 0.1 * np.arange(tones)
    forms = apart * random.normal(size=(n_classes, 1, tones))
    faster = 0.4 + 0.3 * random.random(tones)
    strengths = usual + forms + speeds[:, None] * faster
    rates = (
        np.log(1.6) + 0.15 * speeds[:, None] + 0.15 * apart * random.normal(size=(n_classes, 1, 1))
    )
    spreads = np.r_[0.08, np.full(tones, noise)]
    templates = np.concatenate([rates, strengths], axis=2).reshape(-1, tones + 1) / spreads
    # Slow gaits are gone slowly, but not only.
    often = np.exp(-0.5 * (speeds - np.linspace(-0.6, 0.6, n_classes)[:, None]) ** 2)
    often /= often.sum(axis=1, keepdims=True)
    weights = (priors_to_a_tenth(random, n_classes)[:, None] * often).ravel()

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        white = templates[part] + generator.normal(size=(n, tones + 1))
        return np.exp(spreads * white), part // len(speeds)

    def scores(X):
        logs = template_scores(np.log(X) / spreads, templates) + np.log(weights)
        return class_scores(logs, n_classes)

    text = f"tones={tones} K={n_classes} apart={apart:.2f} noise={noise:.2f}"
    return text, Generative(sample, scores)


def fish_ages(random):
    """Length, weight, ear stone, sex and month of a fish that is caught: how old is it?"""
    n_classes, growth = int(random.choice([2, 4, 7, 11])), random.uniform(0.15, 0.6)
    unlike, blurred = random.uniform(0.04, 0.15), random.uniform(0.04, 0.15)
    stones, step = random.random() < 0.5, random.choice([0.5, 1.0, 5.0])  # centimetres
    months = np.arange(12)
    ages = np.arange(n_classes)[:, None, None, None] + 0.6 + months / 12
    fast = unlike * np.linspace(-2, 2, 7)
    lengths = np.array([70, 85.0])[:, None] * np.exp(fast[:, None, None])  # grown up, by sex
    lengths = np.log(lengths * (1 - np.exp(-growth * ages)))  # age, growth, sex, month
    heavy = np.log(0.009) + 3.05 * lengths
    stone = -4.5 + 0.8 * np.log(ages) + 0.3 * lengths
    stone = np.broadcast_to(stone, lengths.shape)
    survival, often = random.uniform(0.4, 0.95), np.exp(-0.5 * np.linspace(-2, 2, 7) ** 2)
    priors = np.maximum(survival ** np.arange(n_classes), 0.02)
    priors /= priors.sum()
    weights = part_weights(priors, often).reshape(n_classes, 7)

    def sample(generator, n):
        part = generator.choice(weights.size, n, p=weights.ravel())
        which, fat = part // 7, part % 7
        sex, month = generator.integers(0, 2, n), generator.integers(0, 12, n)
        at = which, fat, sex, month
        long = np.exp(lengths[at] + 0.02 * generator.normal(size=n))
        X = [(long / step).round() * step, np.exp(heavy[at] + 0.15 * generator.normal(size=n))]
        if stones:
            X.append(np.exp(stone[at] + blurred * generator.normal(size=n)))
        return np.column_stack([*X, sex, month + 1]), which

    def scores(X):
        at = (slice(None), slice(None), X[:, -2].astype(int), X[:, -1].astype(int) - 1)
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(X[:, 0] - step / 2, 0))
        high, middle = np.log(X[:, 0] + step / 2), lengths[at]
        logs = log_between((low - middle) / 0.02, (high - middle) / 0.02)
        logs -= 0.5 * ((np.log(X[:, 1]) - heavy[at]) / 0.15) ** 2
        if stones:
            logs -= 0.5 * ((np.log(X[:, 2]) - stone[at]) / blurred) ** 2
        logs = (logs + np.log(weights)[..., None]).transpose(2, 0, 1)
        return class_scores(logs.reshape(len(X), -1), n_classes)

    text = f"K={n_classes} growth={growth:.2f} unlike={unlike:.2f} stones={stones} step={step}"
    return text, Generative(sample, scores)


def plankton_outlines(random):
    """Size, greyness and shape of small things in water, some out of focus: which animal is it?"""
    d, n_classes = int(random.choice([4, 12, 40])), int(random.choice([3, 6, 12]))
    apart, blurred = random.uniform(0.9, 3.0), random.choice([0.0, 0.2, 0.4])
    freedom = random.choice([3.0, 8.0])
    lives = np.minimum(1, 5 / d)
    forms = apart * np.sqrt(lives) * random.normal(size=(n_classes, 1, d))
    young = 0.5 * apart * random.normal(size=(n_classes, 1, d)) * np.sqrt(lives)
    soft = -0.6 * np.abs(random.normal(size=d))
    means = np.concatenate(
        [forms, forms + young, 0.6 * forms + soft, 0.6 * (forms + young) + soft], 1
    )
    means, spreads = means.reshape(-1, d), np.tile([1, 1, 1.4, 1.4], n_classes)[:, None]
    often = np.array([0.6 * (1 - blurred), 0.4 * (1 - blurred), 0.6 * blurred, 0.4 * blurred])
    weights = part_weights(slowly_falling_priors(random, n_classes), np.maximum(often, 1e-12))
    skewed = d // 3  # so many columns are sizes

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        white = means[part] + spreads[part] * generator.standard_t(freedom, (n, d))
        white[:, :skewed] = np.exp(0.4 * white[:, :skewed])
        return white, part // 4

    def scores(X):
        white = X.copy()
        white[:, :skewed] = np.log(X[:, :skewed]) / 0.4
        logs = np.empty((len(X), len(means)))
        for each, (mean, spread) in enumerate(zip(means, spreads, strict=True)):
            squares = 1 + ((white - mean) / spread) ** 2 / freedom
            # A product before the logarithm: forty factors do not overflow.
            tail = np.log(np.prod(squares, axis=1))
            logs[:, each] = -(freedom + 1) / 2 * tail - d * np.log(spread[0])
        return class_scores(logs + np.log(weights), n_classes)

    text = f"d={d} K={n_classes} apart={apart:.2f} blurred={blurred} freedom={freedom:.0f}"
    return text, Generative(sample, scores)
