"""Energy: batteries and where cars are charged."""

from __future__ import annotations

import numpy as np

from .building import (
    Generative,
    class_scores,
    draw_labels,
    halving_priors,
    normal_classes,
    part_weights,
    priors_to_a_tenth,
)


def battery_tests(random):
    """What a battery still holds, test after test, and its resistance: which way does it wear?"""
    tests, n_classes = int(random.choice([3, 8, 30])), int(random.choice([2, 3, 5]))
    noise, unlike = random.uniform(0.003, 0.02), random.uniform(0.01, 0.05)
    at, zero = np.linspace(0.1, 1, tests), np.zeros(tests)
    # Ways: with the root of its age, evenly, suddenly late, at once, or hardly.
    shapes = np.array([np.sqrt(at), at, at**6, 0 * at + 0.6, 0.2 * at])[:n_classes]
    depth = random.uniform(0.03, 0.15)
    rises = depth * random.uniform(0.3, 1.5, n_classes)
    means = np.column_stack([1 - depth * shapes, 1 + rises[:, None] * shapes])
    covariances = []
    for shape, rise in zip(shapes, rises, strict=True):
        own = unlike * np.column_stack([np.r_[zero + 1, -0.3 * (zero + 1)], np.r_[zero, zero + 1]])
        wear = 0.4 * depth * np.r_[-shape, rise / depth * shape]  # fast or slow
        covariances.append(own @ own.T + np.outer(wear, wear) + noise**2 * np.eye(2 * tests))
    priors = halving_priors(random, n_classes)
    text = f"tests={tests} K={n_classes} noise={noise:.3f} unlike={unlike:.2f} depth={depth:.2f}"
    return text, normal_classes(means, covariances, priors)


def charging_stops(random):
    """Hour, power, energy and minutes of a car at a charger: at home, work, a shop, on the way?"""
    n_classes, alike = int(random.choice([2, 3, 5])), random.uniform(0.15, 1.0)
    weekdays = random.random() < 0.5
    powers, clock = np.array([3.7, 11, 22, 50, 150]), np.arange(48) / 2
    priors = priors_to_a_tenth(random, n_classes)
    # At home, at work, at a shop, on the way, and of a fleet.
    peaks = np.array([18.5, 8, 14, 13, 22])[:n_classes, None]
    hours = 0.15 + np.exp(3 * alike * (np.cos(2 * np.pi * (clock - peaks) / 24) - 1))
    hours /= hours.sum(axis=1, keepdims=True)
    usual = np.array([[5, 6, 1, 0, 0], [1, 6, 4, 0, 0], [0, 2, 6, 3, 0], [0, 0, 1, 5, 6.0]])
    usual = np.vstack([usual, [0, 6, 1, 2, 0]])[:n_classes] + 0.05 + 4 * (1 - alike)
    usual /= usual.sum(axis=1, keepdims=True)
    energy = 2.8 + alike * np.array([0.1, -0.3, -0.7, 0.6, 0.8])[:n_classes]  # log kWh
    stays = np.array([0.9, 0.85, 0.6, 0.15, 0.95])[:n_classes]  # parked on when it is full
    stays = 0.5 + alike * (stays - 0.5)
    idle = 60 * np.exp(alike * np.array([1.8, 1.4, -0.5, -1.5, 2.0]))[:n_classes]
    free = (2 / 7 + alike * np.array([0.05, -0.26, 0.2, 0.1, -0.2]))[:n_classes]  # at weekends

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        hour, power = draw_labels(generator, hours[which]), draw_labels(generator, usual[which])
        amount = np.exp(energy[which] + 0.6 * generator.normal(size=n))
        rest = np.where(generator.random(n) < stays[which], idle[which], 3.0)
        minutes = 60 * amount / powers[power] + rest * generator.exponential(size=n)
        X = np.column_stack([clock[hour], powers[power], amount, minutes])
        if weekdays:
            late = generator.random(n) < free[which]
            day = np.where(late, generator.integers(5, 7, n), generator.integers(0, 5, n))
            X = np.column_stack([X, day])
        return X, which

    def scores(X):
        hour, power = (2 * X[:, 0]).astype(int), np.searchsorted(powers, X[:, 1])
        logs = np.log(priors) + np.log(hours[:, hour] * usual[:, power]).T
        logs -= 0.5 * ((np.log(X[:, 2:3]) - energy) / 0.6) ** 2
        rest = np.maximum(X[:, 3:4] - 60 * X[:, 2:3] / X[:, 1:2], 0)
        long, short = stays / idle * np.exp(-rest / idle), (1 - stays) / 3 * np.exp(-rest / 3)
        logs += np.log(np.maximum(long + short, 1e-300))
        if weekdays:
            logs += np.log(np.where(X[:, 4:] >= 5, free / 2, (1 - free) / 5))
        return logs

    return f"K={n_classes} alike={alike:.2f} weekdays={weekdays}", Generative(sample, scores)


def heat_pumps(random):
    """A year's months of heat and current of a house, some missing as -1: which fault has it?"""
    months, n_classes = int(random.choice([4, 12])), int(random.choice([2, 3, 4]))
    noise, lost = random.uniform(0.04, 0.25), random.choice([0.0, 0.1, 0.4])
    strong = random.uniform(0.1, 0.5)
    cold = 0.5 + 0.5 * np.cos(2 * np.pi * np.arange(months) / months)
    # No fault, too little coolant, a heating rod in the cold, and a valve that never shuts.
    faults = np.array([0 * cold, 0 * cold + 1, 2 * cold**3, 2 * (1 - cold)])[:n_classes]
    houses = np.exp(np.linspace(-0.7, 0.7, 7))[:, None]
    use = houses * (0.15 + cold)
    current = np.log(use / (4.2 - 1.5 * cold)) + strong * faults[:, None]
    templates = np.concatenate([np.tile(np.log(use), (n_classes, 1, 1)), current], axis=2).reshape(
        -1, 2 * months
    )
    often = np.exp(-0.5 * np.linspace(-2, 2, 7) ** 2)
    weights = part_weights(priors_to_a_tenth(random, n_classes), often)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = 300 * np.exp(templates[part] + noise * generator.normal(size=(n, 2 * months)))
        gone = np.tile(generator.random((n, months)) < lost, 2)  # a month's readings go together
        return np.where(gone, -1, X), part // 7

    def scores(X):
        seen = (X > 0) * 1.0
        white = np.log(np.where(X > 0, X, 300) / 300) / noise
        logs = white @ (templates / noise).T - 0.5 * seen @ ((templates / noise) ** 2).T
        return class_scores(logs + np.log(weights), n_classes)

    text = f"months={months} K={n_classes} noise={noise:.2f} lost={lost} strong={strong:.2f}"
    return text, Generative(sample, scores)
