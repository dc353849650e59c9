"""Schools: marks and reading."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from .building import Generative, named, slowly_falling_priors


def school_tracks(random):
    """Marks, days absent and the parents' wish: which kind of school does a teacher advise?"""
    subjects, three = int(random.choice([4, 9, 14])), random.random() < 0.6
    strict, wish = random.uniform(0.03, 0.5), random.uniform(0, 0.4)
    barred, steps = random.uniform(0, 1), random.choice([1, 2])  # marks in whole or half steps
    cuts = np.array([2.5, 3.5]) if three else np.array([2.9])
    own = random.uniform(0.4, 0.9, subjects)

    def draw(generator, n):
        talent, parents = generator.normal(size=(n, 2)), generator.integers(0, 4, n)
        marks = 3 + 0.9 * talent[:, :1] - 0.15 * (parents[:, None] - 1.5)
        marks = marks + 0.5 * talent[:, 1:] * np.linspace(-1, 1, subjects)  # words or numbers
        marks = marks + own * generator.normal(size=(n, subjects))
        marks = np.clip((marks * steps).round() / steps, 1, 6)
        absent = generator.negative_binomial(1.2, 0.15, n)
        level = marks[:, :3].mean(axis=1) - wish * (parents - 1.5) + 0.2 * (absent > 15)
        below = expit((cuts - level[:, None]) / strict)
        bad = (marks[:, :3] >= 5).any(axis=1)  # one bad mark bars the best school
        below[:, 0] *= 1 - barred * bad
        chances = np.diff(below, axis=1, prepend=0, append=1).clip(0)
        return np.column_stack([marks, absent, parents, generator.integers(108, 132, n)]), chances

    text = f"subjects={subjects} K={2 + three} strict={strict:.2f} wish={wish:.2f}"
    return f"{text} barred={barred:.2f}", draw


def reading_times(random):
    """How long the eyes rest on each word, 0 if they skip it: reading, skimming, or struggling?"""
    words, n_classes = int(random.choice([3, 10, 40])), int(random.choice([2, 3, 4]))
    apart, unlike = random.uniform(0.1, 0.6), random.uniform(0.1, 0.6)
    lengths = random.uniform(0.5, 1.6, words)
    skips = expit(random.normal(-1.2, 2.5 * apart, n_classes)[:, None] - 1.5 * (lengths - 1))
    means = 0.25 * np.exp(apart * random.normal(size=n_classes))  # seconds
    even = np.exp(random.normal(0, 0.6, n_classes))
    paces, priors = np.exp(unlike * np.linspace(-1.5, 1.5, 7)), slowly_falling_priors(random, 4)
    priors = priors[:n_classes] / priors[:n_classes].sum()

    def sample(generator, n):
        which, pace = generator.choice(n_classes, n, p=priors), generator.choice(paces, n)
        middle = (means[which] * pace)[:, None] * lengths
        X = 0.08 + generator.wald(middle, even[which][:, None])
        X[generator.random((n, words)) < skips[which]] = 0
        return X, which

    def scores(X):
        logs, read = np.empty((len(X), n_classes, len(paces))), X > 0
        times = np.where(read, np.maximum(X - 0.08, 1e-12), 1)
        for k in range(n_classes):
            rest = np.log1p(-skips[k]) + 0.5 * np.log(even[k])
            known = np.where(read, rest, np.log(skips[k])).sum(axis=1)
            for p, pace in enumerate(paces):
                middle = means[k] * pace * lengths
                # Wald's distribution: when does a random walk with drift first reach a level?
                gaps = -0.5 * even[k] * (times - middle) ** 2 / (middle**2 * times)
                logs[:, k, p] = known + np.where(read, gaps, 0).sum(axis=1)
        return logsumexp(logs, axis=2) + np.log(priors)

    text = f"words={words} K={n_classes} apart={apart:.2f} unlike={unlike:.2f}"
    return text, Generative(sample, scores)


FAMILIES = named(school_tracks, reading_times)
