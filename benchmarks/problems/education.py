"""Schools: marks, reading and essays."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from .building import Generative, slowly_falling_priors


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


def essay_grades(random):
    """Words, mistakes, sentences and rare words of an essay, and two raters: what is its grade?"""
    n_classes, strict = int(random.choice([2, 4, 6])), random.uniform(0.08, 0.6)
    raters, extra = int(random.choice([3, 20])), int(random.choice([0, 10, 60]))
    moods = random.choice([0.0, 0.3, 0.8]) * random.normal(size=raters)
    cuts = np.linspace(-1.3, 1.3, n_classes + 1)[1:-1] if n_classes > 2 else np.zeros(1)
    slopes = 0.3 * random.normal(size=extra) * (random.random(extra) < 0.3)

    def draw(generator, n):
        skill = generator.normal(size=n)
        words = np.exp(5.8 + 0.2 * skill + 0.3 * generator.normal(size=n)).astype(int)
        wrong = generator.poisson(
            words * 0.02 * np.exp(-0.7 * skill + 0.4 * generator.normal(size=n))
        )
        lengths = (14 + 2 * skill + 3 * generator.normal(size=n)).clip(4).round(1)
        rare = generator.binomial(words, expit(-3 + 0.4 * skill + 0.3 * generator.normal(size=n)))
        topics, links = generator.integers(0, 8, n), generator.poisson(4 + np.maximum(skill, -1))
        one, two = generator.integers(0, raters, (2, n))
        more = generator.normal(size=(n, extra)).round(2)
        marks = 0.9 * (np.log(words) - 5.8) - 0.6 * (np.log1p(100 * wrong / words) - 1)
        marks += 0.5 * np.log((rare + 1) / words * 20) + 0.08 * np.minimum(links, 8) - 0.3
        marks -= 0.02 * np.abs(lengths - 16)
        level = (1.6 * marks + more @ slopes)[:, None]
        # The mean of two grades, rounded up: a sum over what each of the raters gives.
        given = []
        for who in (one, two):
            below = expit((cuts - level - moods[who, None]) / strict)
            given.append(np.diff(below, axis=1, prepend=0, append=1).clip(0))
        chances = np.zeros((n, n_classes))
        for first in range(n_classes):
            for second in range(n_classes):
                both = given[0][:, first] * given[1][:, second]
                chances[:, (first + second + 1) // 2] += both
        X = np.column_stack([words, wrong, lengths, rare, topics, links, one, two, more])
        return X * 1.0, chances

    return f"K={n_classes} strict={strict:.2f} raters={raters} extra={extra}", draw
