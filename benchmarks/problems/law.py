"""Courts and tax offices: judges who differ and rules that do not."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .building import two_classes, with_noise


def appeals(random):
    """Three judges of many, the matter and the first sentence: does an appeal succeed?"""
    judges, matters = int(random.choice([6, 15, 40])), int(random.choice([3, 8]))
    sharp, third = random.uniform(0.5, 4.0), random.random() < 0.4
    mild, kinds = random.normal(size=judges), 0.7 * random.normal(size=matters)
    against = random.uniform(-1.0, 0.3)

    def draw(generator, n):
        bench = generator.random((n, judges)).argsort(axis=1)[:, :3]
        matter, months = generator.integers(0, matters, n), generator.gamma(1.5, 16, n).round()
        paid, earlier = generator.random(n) < 0.4, generator.poisson(1, n)
        case = kinds[matter] + 0.3 * np.log1p(months / 12) + 0.4 * paid - 0.3 * earlier + against
        for_it = expit(sharp * (mild[bench] + case[:, None]))
        all_three = for_it.prod(axis=1)
        pairs = for_it[:, [0, 0, 1]] * for_it[:, [1, 2, 2]]
        wins = pairs.sum(axis=1) - 2 * all_three  # two votes or three
        X = np.column_stack([bench, matter, months, paid, earlier]) * 1.0
        if not third:
            return X, two_classes(wins)
        return X, np.stack([1 - wins, wins - all_three, all_three], axis=1).clip(0)

    return f"judges={judges} matters={matters} sharp={sharp:.1f} K={2 + third}", draw


def tax_brackets(random):
    """Income, family, costs and region: which bracket applies, by rules with few mistakes?"""
    n_classes, noise = int(random.choice([3, 5, 8])), random.choice([0.0, 0.0, 0.04, 0.15])
    regions, extra = int(random.choice([1, 5])), int(random.choice([0, 3, 10]))
    limits = np.quantile(random.lognormal(10, 0.7, 500), np.arange(1, n_classes) / n_classes)
    child, travel = random.uniform(1000, 6000), random.uniform(0.2, 0.5)
    factor = random.uniform(0.85, 1.15, regions)

    def draw(generator, n):
        income, married = generator.lognormal(10.2, 0.7, n), generator.random(n) < 0.5
        children, distance = generator.poisson(0.5 + married), generator.gamma(1.2, 15, n)
        gifts = generator.lognormal(5, 1.5, n) * (generator.random(n) < 0.4)
        region, other = generator.integers(0, regions, n), generator.lognormal(8, 1, (n, extra))
        due = income * np.where(married, 0.75, 1) - child * np.minimum(children, 3)
        due -= np.maximum(distance - 10, 0) * 220 * travel + np.minimum(gifts, 0.1 * income)
        bracket = np.digitize(due * factor[region], limits)
        X = [income, married, children, distance, gifts, region, other]
        return np.column_stack(X) * 1.0, with_noise(bracket, n_classes, noise)

    return f"K={n_classes} noise={noise} regions={regions} extra={extra}", draw
