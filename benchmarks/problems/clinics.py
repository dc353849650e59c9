"""Clinics: hearing, drugs in the blood, symptoms and scans."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, ndtr

from .building import (
    Generative,
    named,
    normal_classes,
    priors_to_a_tenth,
    slowly_falling_priors,
    template_scores,
)


def audiograms(random):
    """The faintest tone heard at each pitch, in steps of 5 dB: sound ears, or which damage?"""
    pitches, ears = int(random.choice([4, 6, 9])), int(random.choice([1, 2]))
    n_classes, noise = int(random.choice([2, 3, 5])), random.uniform(5, 16)
    at = np.tile(np.linspace(0, 1, pitches), ears)
    # Hearing lost: by nobody, with age at high pitches, by noise at one, all alike, at low ones.
    notch = np.exp(-0.5 * ((at - 0.7) / 0.12) ** 2)
    curves = np.array([0 * at, 60 * at**2, 55 * notch, 0 * at + 35, 45 * (1 - at)])[:n_classes]
    degrees = np.linspace(random.uniform(0, 0.5), 1.3, 8)
    middles = 8 + degrees[:, None] * curves[:, None]  # by class, degree and pitch
    ages = np.array([40, 66, 50, 42, 52])[:n_classes]
    priors, levels = priors_to_a_tenth(random, n_classes), np.arange(-10, 101, 5)
    below = ndtr((levels[:-1, None, None, None] + 2.5 - middles) / noise)
    chances = np.diff(below, axis=0, prepend=0, append=1)  # the outer levels are the limits
    logs = np.log(np.maximum(chances, 1e-300))

    def sample(generator, n):
        which, degree = generator.choice(n_classes, n, p=priors), generator.integers(0, 8, n)
        heard = middles[which, degree] + noise * generator.normal(size=(n, len(at)))
        age = generator.normal(ages[which], 14)
        return np.column_stack([np.clip(5 * (heard / 5).round(), -10, 100), age]), which

    def scores(X):
        level = ((X[:, :-1] + 10) / 5).round().astype(int)
        sums = sum(logs[level[:, each], :, :, each] for each in range(len(at)))
        old = -0.5 * ((X[:, -1:] - ages) / 14) ** 2
        return logsumexp(sums, axis=2) + old + np.log(priors)

    text = f"pitches={pitches} ears={ears} K={n_classes} noise={noise:.0f}"
    return text, Generative(sample, scores)


def drug_levels(random):
    """Dose, weight and what is left of a drug in the blood, hour by hour: how fast is it lost?"""
    times, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 4]))
    noise, unlike = random.uniform(0.08, 0.5), random.uniform(0.05, 0.4)
    hours = np.linspace(1, random.choice([8, 24]), times)[:, None]
    rates = 0.08 * np.cumprod(random.uniform(1.4, 2.6, n_classes))
    priors = slowly_falling_priors(random, n_classes)
    # Within a class: how fast the drug is lost, taken up, and how much blood it meets.
    steps = np.stack(np.meshgrid(*[np.linspace(-1.5, 1.5, 5)] * 3), axis=3).reshape(-1, 3)
    often = np.exp(-0.5 * (steps**2).sum(axis=1))
    lost, taken = rates[:, None] * np.exp(unlike * steps[:, 0]), 1.7 * np.exp(0.3 * steps[:, 1])
    curve = np.exp(-lost * hours[:, :, None]) - np.exp(-taken * hours[:, :, None])
    curve = np.log(np.abs(curve * taken / (taken - lost))) - 0.25 * steps[:, 2]
    templates = curve.reshape(times, -1).T / noise
    weights = (np.log(priors)[:, None] + np.log(often / often.sum())).ravel()

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        dose, weight = generator.choice([50.0, 100, 200], n), generator.normal(72, 13, n)
        weight = np.maximum(weight, 35)
        level = noise * (templates[part] + generator.normal(size=(n, times)))
        level += np.log(dose / weight)[:, None]
        return np.column_stack([dose, weight, np.exp(level)]), part // len(often)

    def scores(X):
        white = (np.log(X[:, 2:]) - np.log(X[:, :1] / X[:, 1:2])) / noise
        logs = template_scores(white, templates) + weights
        return logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)

    text = f"times={times} K={n_classes} noise={noise:.2f} unlike={unlike:.2f}"
    return text, Generative(sample, scores)


def symptom_checkers(random):
    """Which of many symptoms a patient has, perhaps of two diseases at once: which is the worse?"""
    d, n_classes = int(random.choice([12, 40, 150])), int(random.choice([3, 10, 35]))
    few, other = int(random.choice([3, 8])), random.choice([0.1, 0.5])
    strong = random.uniform(0.3, 0.9)
    priors = 1 / (np.arange(n_classes) + 2.0)
    priors /= priors.sum()
    typical = np.argsort(random.random((n_classes + 5, d)), axis=1) < few
    has = np.where(typical, strong * random.uniform(0.5, 1, typical.shape), 0.03)
    # Five frequent ailments may come with any disease; each cause alone brings a symptom about.
    none = (1 - has[:n_classes, None]) * np.concatenate([np.ones((1, d)), 1 - has[n_classes:]])
    none = none.reshape(-1, d)
    second = np.log(np.r_[1 - other, np.full(5, other / 5)])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        part = which * 6 + generator.choice(6, n, p=np.exp(second))
        return (generator.random((n, d)) > none[part]) * 1.0, which

    def scores(X):
        logs = X @ np.log1p(-none).T + (1 - X) @ np.log(none).T
        logs = logs.reshape(len(X), n_classes, 6) + second
        return logsumexp(logs, axis=2) + np.log(priors)

    text = f"d={d} K={n_classes} few={few} strong={strong:.2f} other={other}"
    return text, Generative(sample, scores)


def brain_scans(random):
    """Smooth pictures of activity, a column for each of many places: which task is done?"""
    side, n_classes = int(random.choice([5, 8, 14])), int(random.choice([2, 3, 4]))
    apart, reach = random.uniform(1.0, 4.0), random.uniform(0.5, 2.5)
    place = np.stack(np.meshgrid(*[np.arange(side)] * 2), axis=2).reshape(-1, 2)
    gaps = ((place[:, None] - place) ** 2).sum(axis=2)
    covariance = 0.7 * np.exp(-0.5 * gaps / reach**2) + 0.3 * np.eye(side**2)
    covariance += random.uniform(0, 2)  # of the whole picture
    spots = place[random.integers(0, side**2, n_classes)]
    bumps = np.exp(-0.5 * ((place - spots[:, None]) ** 2).sum(axis=2) / random.uniform(0.8, 2) ** 2)
    bumps *= random.choice([-1, 1], (n_classes, 1))
    lengths = np.sqrt(np.einsum("ki,ij,kj->k", bumps, np.linalg.inv(covariance), bumps))
    means = apart / np.sqrt(2) * bumps / lengths[:, None]
    text = f"d={side**2} K={n_classes} apart={apart:.1f} reach={reach:.1f}"
    priors = priors_to_a_tenth(random, n_classes)
    return text, normal_classes(means, np.tile(covariance, (n_classes, 1, 1)), priors)


FAMILIES = named(audiograms, drug_levels, symptom_checkers, brain_scans)
