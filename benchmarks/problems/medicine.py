"""Patients: tests, vital signs and answers to questions nobody likes to answer."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from .building import Generative, draw_labels, named, with_noise


def screening_panels(random):
    """Results of several tests, of which the later ones are often not made: who is ill?"""
    tests, n_classes = int(random.choice([3, 6, 10])), int(random.choice([2, 2, 3]))
    ill, staged = random.choice([0.06, 0.15, 0.4]), random.random() < 0.6
    base, rise = random.uniform(-4, -1, tests), random.uniform(0.3, 2.5) * random.random(tests)
    priors = np.append(1 - ill, np.full(n_classes - 1, ill / (n_classes - 1)))
    # How severe: the healthy are mostly at 0, and each illness has a distribution of its own.
    severe = random.dirichlet(np.ones(5), n_classes)
    severe[0] = [0.9, 0.06, 0.02, 0.01, 0.01]
    ages = random.dirichlet(np.full(8, 3.0), n_classes)
    rates, first = expit(base + np.outer(np.arange(5), rise)), tests // 2

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        level = draw_labels(generator, severe[which])
        X = (generator.random((n, tests)) < rates[level]).astype(float)
        if staged:  # the later tests follow if one of the first was positive
            X[~X[:, :first].any(axis=1), first:] = -1
        return np.column_stack([draw_labels(generator, ages[which]), X]), which

    def scores(X):
        age, positive, negative = X[:, 0].astype(int), X[:, 1:] == 1, X[:, 1:] == 0
        of_levels = positive @ np.log(rates).T + negative @ np.log1p(-rates).T
        logs = logsumexp(of_levels[:, None] + np.log(severe), axis=2)
        return logs + np.log(ages[:, age]).T + np.log(priors)

    return f"tests={tests} K={n_classes} ill={ill} staged={staged}", Generative(sample, scores)


def early_warnings(random):
    """Vital signs whose points add up to a low, medium or high alarm; some alarms are wrong."""
    noise, extra = random.choice([0.0, 0.05, 0.2]), int(random.choice([0, 4, 15]))
    sick, reading = random.uniform(0.3, 1.5), random.choice([0.0, 0.4])
    usual = np.array([16.0, 97.0, 36.9, 125.0, 78.0])
    spread = np.array([4.0, 2.0, 0.7, 22.0, 16.0])
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0]) * random.uniform(0.3, 1.0, 5)
    cuts = np.sort(random.uniform(0.8, 3.0, (5, 3)), axis=1)
    alarms = np.sort(random.choice(np.arange(2, 9), 2, replace=False))

    def draw(generator, n):
        away = generator.normal(size=(n, 5)) + sick * generator.exponential(size=(n, 1)) * signs
        X = (usual + spread * away).round(1)
        points = (np.abs(X - usual) / spread > cuts.T[:, None]).sum(axis=(0, 2))
        unwell = generator.random(n) < expit(sick * away @ signs - 2)
        points = points + 3 * unwell
        wrong = noise * (1 + reading * np.tanh((X[:, 0] - usual[0]) / spread[0]))
        sure = with_noise(np.digitize(points, alarms), 3, 0)
        X = np.column_stack([X, unwell, generator.normal(size=(n, extra))])
        return X, (1 - wrong[:, None]) * sure + wrong[:, None] / 3

    return f"alarms={alarms} sick={sick:.1f} noise={noise} extra={extra}", draw


def randomised_answers(random):
    """A coin decides whether people answer truly: who has the secret?"""
    questions, n_classes = int(random.choice([1, 2, 3])), int(random.choice([2, 2, 4]))
    true, towns = random.uniform(0.2, 0.6), int(random.choice([2, 6]))
    even = random.choice([3.0, 20.0])
    priors = random.dirichlet(np.full(n_classes, 6.0))
    living = random.dirichlet(np.full(towns, even), n_classes)
    ages, sexes = random.dirichlet(np.full(6, even), n_classes), random.uniform(0.3, 0.7, n_classes)
    table = true * np.eye(n_classes) + (1 - true) / n_classes

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        said = [draw_labels(generator, table[which]) for _ in range(questions)]
        sex = generator.random(n) < sexes[which]
        lives, age = draw_labels(generator, living[which]), draw_labels(generator, ages[which])
        return np.stack([lives, age, sex, *said], axis=1) * 1.0, which

    def scores(X):
        lives, age, sex, *said = X.T.astype(int)
        logs = np.log(living[:, lives]) + np.log(ages[:, age])
        logs = logs + np.where(sex, np.log(sexes)[:, None], np.log1p(-sexes)[:, None])
        return (logs + sum(np.log(table[:, each]) for each in said)).T + np.log(priors)

    return f"questions={questions} K={n_classes} true={true:.2f}", Generative(sample, scores)


FAMILIES = named(screening_panels, early_warnings, randomised_answers)
