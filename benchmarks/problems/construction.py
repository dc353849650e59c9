"""Construction: how strong concrete gets, how bridges age, and grounds and heat of houses."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, pdtr, softmax


def concrete_mixes(random):
    """Cement, ash, water, gravel and days of a concrete: how strong is it, in classes?"""
    n_classes, noise = int(random.choice([2, 3, 4, 6])), random.uniform(0.03, 0.25)
    recipes, extra = random.choice([0, 30]), int(random.choice([0, 0, 10]))
    cuts = np.log(38) + 0.4 * np.linspace(-1.2, 1.2, n_classes + 1)[1:-1]
    slag, ash = random.uniform(0.4, 0.9), random.uniform(0.1, 0.4)
    book = random.random((max(recipes, 1), 4))

    def draw(generator, n):
        plan = book[generator.integers(0, recipes, n)] if recipes else generator.random((n, 4))
        cement = (180 + 320 * plan[:, 0]).round()
        other = np.where(plan[:, 1] < 0.4, 0, 250 * (plan[:, 1] - 0.4)).round()
        water, plastic = (150 + 70 * plan[:, 2]).round(), (12 * plan[:, 3]).round(1)
        kind = generator.integers(0, 2, n)  # slag or ash
        days = generator.choice([3, 7, 14, 28, 56, 90], n, p=[0.1, 0.2, 0.1, 0.4, 0.1, 0.1])
        gravel, cold = generator.normal(980, 70, n).round(), generator.normal(16, 6, n).round()
        ripe = days * np.exp(0.04 * (cold - 20))
        binder = cement + np.where(kind == 0, slag, ash * np.sqrt(days / 28)) * other
        middle = np.log(68) - 1.3 * (water / binder - 0.35) + 0.015 * plastic
        middle += np.log(ripe / (4 + 0.85 * ripe))
        middle -= 0.5 * ((gravel - 1000) / 250) ** 2
        below = ndtr((cuts - middle[:, None]) / noise)
        X = [cement, other, kind, water, plastic, gravel, cold, days]
        X = np.column_stack([*X, generator.normal(size=(n, extra)).round(2)])
        return X, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} noise={noise:.2f} recipes={recipes} extra={extra}", draw


def bridge_inspections(random):
    """Age, traffic, salt and the last grade of a bridge: which grade do inspectors give it now?"""
    n_classes, error = int(random.choice([3, 4, 5])), random.choice([0.03, 0.12, 0.3])
    fast, kinds = random.uniform(0.015, 0.05), int(random.choice([1, 4, 12]))
    often, spread = int(random.choice([1, 3, 8])), random.uniform(0.2, 1.2)
    effects, grades = spread * random.normal(size=kinds), np.arange(n_classes)
    gaps = np.abs(grades[:, None] - grades)  # true grade, noted grade
    noted = np.where(gaps == 1, error, 0.1 * error**gaps) * (gaps > 0)
    noted += np.diag(1 - noted.sum(axis=1))

    def reached(mean):
        """Chances of having lost 0, 1, ... grades, shape (n, K); the last one takes the rest."""
        below = pdtr(grades[:-1], mean[:, None])
        return np.diff(below, axis=1, prepend=0, append=1)

    def draw(generator, n):
        kind, salt = generator.integers(0, kinds, n), generator.random(n) < 0.4
        traffic, age = np.exp(generator.normal(8.5, 1.2, n)).round(-1), generator.integers(1, 71, n)
        since, span = generator.integers(1, often + 1, n), generator.gamma(3, 9, n).round(1)
        rate = effects[kind] + 0.5 * spread * salt + 0.25 * spread * (np.log(traffic + 10) - 8.5)
        rate = fast * np.exp(rate)
        before = reached(rate * age)
        true = (before.cumsum(axis=1)[:, :-1] < generator.random((n, 1))).sum(axis=1)
        last = (noted[true].cumsum(axis=1)[:, :-1] < generator.random((n, 1))).sum(axis=1)
        # Sum over the unknown true grades, then and now.
        then = before * noted[:, last].T
        then /= then.sum(axis=1, keepdims=True)
        steps, now = reached(rate * since), np.zeros((n, n_classes))
        for first in grades:
            for step in grades:
                place = min(first + step, n_classes - 1)
                now[:, place] += then[:, first] * steps[:, step]
        X = np.column_stack([kind, age, since, span, traffic, salt, last + 1]) * 1.0
        return X, now @ noted

    text = f"K={n_classes} error={error} fast={fast:.2f} kinds={kinds} often={often}"
    return text, draw


def building_grounds(random):
    """Blows, depth, water and grains of a building ground: which foundation is chosen for it?"""
    n_classes, sharp = int(random.choice([2, 3, 4])), random.uniform(1.5, 10)
    layers, engineers = int(random.choice([2, 6, 15])), int(random.choice([1, 5, 20]))
    habits = random.choice([0.1, 0.5]) * random.normal(size=(engineers, n_classes))
    base = np.array([0, 0.3, -0.3, 0.3])[:n_classes]

    def draw(generator, n):
        soft = generator.normal(size=(n, 1))
        walk = generator.normal(size=(n, layers)).cumsum(axis=1) * 0.5
        firm = np.exp(2.6 - 0.5 * soft + walk / np.sqrt(layers / 3))
        blows = np.minimum(generator.poisson(firm), 60)  # then the test is stopped
        water, floors = generator.exponential(4, n).round(1), generator.geometric(0.35, n)
        fine, who = (100 * generator.beta(1.2, 2.5, n)).round(), generator.integers(0, engineers, n)
        top, deep = np.log1p(blows[:, :2]).mean(axis=1), np.log1p(blows[:, -2:]).mean(axis=1)
        load = np.log(floors) + 0.5 * (fine > 45) * (water < 3)  # wet fine soil settles
        need = load - top + 1.7
        ways = [-need, need - 0.5, need + 0.8 * (deep - 3), 1.5 * (need - 1) - 0.6 * (deep - 2)]
        logits = sharp * (np.stack(ways[:n_classes], axis=1) / 2 + base + habits[who])
        X = np.column_stack([who, floors, water, fine, blows]) * 1.0
        return X, softmax(logits, axis=1)

    text = f"K={n_classes} sharp={sharp:.1f} layers={layers} engineers={engineers}"
    return text, draw


def energy_passports(random):
    """Year, area, walls, windows, heating and use of a house: which letter does it get?"""
    n_classes, noise = int(random.choice([3, 5, 8])), random.uniform(0.04, 0.3)
    repaired, seen = random.choice([0.2, 0.5]), random.random() < 0.5
    cuts = np.linspace(3.9, 5.3, n_classes - 1) + random.uniform(-0.1, 0.1)
    heats = random.uniform(-0.3, 0.3, 5)

    def draw(generator, n):
        year = (2022 - generator.gamma(2, 24, n)).astype(int)
        area, floors = np.exp(generator.normal(4.9, 0.4, n)).round(), generator.geometric(0.5, n)
        heat, glass = generator.integers(0, 5, n), generator.integers(1, 4, n)
        new = generator.random(n) < repaired * expit((2005 - year) / 8)
        wall = np.where(
            year < 1978, 5.3, np.where(year < 1995, 4.9, np.where(year < 2012, 4.4, 3.9))
        )
        middle = wall - 0.5 * new * (year < 1995) - 0.12 * (glass - 2) + heats[heat]
        middle = middle - 0.15 * (np.log(area) - 4.9) + 0.1 * (floors == 1)
        people = 1 + generator.binomial(5, 0.3, n)
        used = np.exp(middle + 0.08 * (people - 2.5) + 0.3 * generator.normal(size=n)).round()
        # The use is that of habits too: beside the house itself it tells nothing more.
        below = ndtr((cuts - middle[:, None]) / noise)
        X = [year, area, floors, heat, glass, new, people, *([used] if seen else [])]
        return np.column_stack(X) * 1.0, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} noise={noise:.2f} repaired={repaired} use={seen}", draw
