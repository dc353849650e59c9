"""Animals and plants: who was seen where, how they move, what grows."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import betaln, gammaln, i0e, logsumexp, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    step_logs,
    step_scores,
    template_scores,
)


def capture_histories(random):
    """On which occasions a marked animal was seen: which species, by survival and shyness?"""
    occasions, n_classes = int(random.choice([4, 8, 16])), int(random.choice([2, 3, 5]))
    survives, seen = random.uniform(0.5, 0.98, n_classes), random.uniform(0.1, 0.8, n_classes)
    priors = random.dirichlet(np.full(n_classes, 4.0))

    def sample(generator, n):
        which, alive = generator.choice(n_classes, n, p=priors), np.ones(n, dtype=bool)
        X = np.zeros((n, occasions))
        for column in X.T:
            column[:] = alive & (generator.random(n) < seen[which])
            alive &= generator.random(n) < survives[which]
        return X, which

    def scores(X):
        alive, dead = np.ones((len(X), n_classes)), np.zeros((len(X), n_classes))
        for column in X.T[:, :, None]:
            alive = alive * np.where(column, seen, 1 - seen)
            dead = dead * (column == 0)
            alive, dead = alive * survives, dead + alive * (1 - survives)
        return np.log(alive + dead) + np.log(priors)

    return f"occasions={occasions} K={n_classes}", Generative(sample, scores)


def animal_tracks(random):
    """Places of an animal at equal times: is it feeding, searching or on its way?"""
    steps, n_classes = int(random.choice([3, 10, 30])), int(random.choice([2, 3, 4]))
    alike = random.choice([0.15, 0.5])  # how much step lengths differ
    shapes = 1.5 * np.exp(alike * random.normal(size=n_classes))
    scales = np.exp(alike * random.normal(size=n_classes))
    straight = random.uniform(0, 2.5, n_classes)

    def sample(generator, n):
        which = generator.integers(0, n_classes, n)
        lengths = generator.gamma(shapes[which], scales[which], (steps, n)).T + 1e-9
        turns = generator.vonmises(0, straight[which], (steps, n)).T
        turns[:, 0] = generator.uniform(-np.pi, np.pi, n)
        heading = turns.cumsum(axis=1)
        X = np.stack([lengths * np.cos(heading), lengths * np.sin(heading)], axis=2)
        return X.cumsum(axis=1).reshape(n, -1), which

    def scores(X):
        moves = np.diff(X.reshape(len(X), steps, 2), axis=1, prepend=0)
        lengths = np.linalg.norm(moves, axis=2)[:, :, None]
        heading = np.arctan2(moves[:, :, 1], moves[:, :, 0])
        cosines = np.cos(np.diff(heading, axis=1))[:, :, None]
        logs = (shapes - 1) * np.log(lengths) - lengths / scales
        logs = logs.sum(axis=1) - steps * (gammaln(shapes) + shapes * np.log(scales))
        turned = straight * (cosines - 1) - np.log(i0e(straight))
        return logs + turned.sum(axis=1)

    return f"steps={steps} K={n_classes} alike={alike}", Generative(sample, scores)


def seed_lots(random):
    """How many seeds of each tray sprout, at ever higher temperatures: which variety is it?"""
    trays, n_classes = int(random.choice([2, 6, 20])), int(random.choice([2, 4, 7]))
    seeds, firm = int(random.choice([10, 50])), random.choice([2.0, 10.0, 60.0])
    best, width = random.uniform(0.2, 0.8, n_classes), random.uniform(0.3, 0.8, n_classes)
    heat = (np.arange(trays) + 0.5) / trays
    rates = 0.05 + 0.9 * np.exp(-(((heat - best[:, None]) / width[:, None]) ** 2))
    one, other = firm * rates, firm * (1 - rates)
    priors = random.dirichlet(np.full(n_classes, 5.0))

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        sprouts = generator.beta(one[which], other[which])
        return generator.binomial(seeds, sprouts).astype(float), which

    def scores(X):
        logs = betaln(X[:, None] + one, seeds - X[:, None] + other) - betaln(one, other)
        return logs.sum(axis=2) + np.log(priors)

    return f"trays={trays} K={n_classes} seeds={seeds} firm={firm:.0f}", Generative(sample, scores)


def species(random):
    """Which of several species is found, each of which likes some climate best."""
    d, n_classes = int(random.choice([2, 4, 7])), int(random.choice([2, 4, 12]))
    widths = np.exp(0.4 * random.normal(size=(n_classes, d)) + random.choice([-0.4, 0.3]))
    best, common = 1.2 * random.normal(size=(n_classes, d)), random.normal(size=n_classes)
    extra, mixed = int(random.choice([0, 5])), 0.5 * random.normal(size=(d, d)) + np.eye(d)

    def draw(generator, n):
        climate = generator.normal(size=(n, d))
        scores = common - 0.5 * (((climate[:, None] - best) / widths) ** 2).sum(axis=2)
        X = np.column_stack([np.exp(0.5 * climate @ mixed), generator.exponential(size=(n, extra))])
        return X, softmax(scores, axis=1)

    return f"d={d} K={n_classes} extra={extra}", draw


def habitats(random):
    """Which species were seen at a place, each near its best moisture and light: which habitat?"""
    n_species, n_classes = int(random.choice([8, 20, 50])), int(random.choice([2, 3, 6]))
    narrow, found = random.uniform(0.3, 1.0), random.uniform(0.3, 0.95)
    measured, priors = random.random() < 0.4, priors_to_a_tenth(random, n_classes)
    grid = np.array(list(product(np.linspace(-2.5, 2.5, 13), repeat=2)))
    centres = 1.2 * random.normal(size=(n_classes, 2))
    places = softmax(-1.5 * ((grid - centres[:, None]) ** 2).sum(axis=2), axis=1)
    best = 1.5 * random.normal(size=(n_species, 2))
    widths = narrow * random.uniform(0.7, 2, n_species)
    rates = found * np.exp(-0.5 * ((grid[:, None] - best) ** 2).sum(axis=2) / widths**2)
    rates = 0.01 + 0.98 * rates

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        place = draw_labels(generator, places[which])
        X = (generator.random((n, n_species)) < rates[place]) * 1.0
        logs = X @ np.log(rates / (1 - rates)).T + np.log1p(-rates).sum(axis=1)
        if measured:  # the moisture, with an error
            moisture = grid[place, 0] + 0.5 * generator.normal(size=n)
            logs -= 0.5 * ((moisture[:, None] - grid[:, 0]) / 0.5) ** 2
            X = np.column_stack([X, moisture])
        chances = priors * (np.exp(logs - logs.max(axis=1, keepdims=True)) @ places.T)
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"species={n_species} K={n_classes} narrow={narrow:.2f} found={found:.2f}", draw


def mushrooms(random):
    """Cap, gills, smell and so on of mushrooms of many species: edible, poisonous or deadly?"""
    kinds, traits = int(random.choice([8, 25, 60])), int(random.choice([4, 10, 22]))
    n_classes, vary = int(random.choice([2, 2, 3])), random.uniform(0.05, 0.6)
    levels, shares = random.integers(2, 10, traits), random.dirichlet(np.full(kinds, 1.0))
    owners = np.arange(kinds) % n_classes
    profiles = random.integers(0, levels, (kinds, traits))
    tables = [
        (1 - vary) * np.eye(each)[profile] + vary / each
        for each, profile in zip(levels, profiles.T, strict=True)
    ]

    def sample(generator, n):
        kind = generator.choice(kinds, n, p=shares)
        X = np.stack([draw_labels(generator, table[kind]) for table in tables], axis=1)
        return X * 1.0, owners[kind]

    def scores(X):
        logs = np.log(shares) + sum(
            np.log(table[:, code]).T for table, code in zip(tables, X.T.astype(int), strict=True)
        )
        of_class = [logsumexp(logs[:, owners == k], axis=1) for k in range(n_classes)]
        return np.stack(of_class, axis=1)

    text = f"species={kinds} traits={traits} K={n_classes} vary={vary:.2f}"
    return text, Generative(sample, scores)


def bird_ringing(random):
    """Wing, weight, fat and day of a bird that is caught: male or female, young or old?"""
    n_classes, columns = int(random.choice([2, 4])), int(random.choice([2, 3, 4]))
    apart, wave = random.uniform(0.3, 1.5), random.uniform(0, 1.2)
    sex, old = np.arange(n_classes) % 2, np.arange(n_classes) // 2
    wings = 75 + 2.5 * apart * (sex + 0.5 * old)
    days, heavy = 250 - 12 * wave * (old + 0.5 * sex), random.uniform(0, 0.4)
    priors = slowly_falling_priors(random, n_classes)

    def weigh(wing, day, fat):
        """Mean weight, by the size of the bird and what it has eaten."""
        return 18 + 0.25 * (wing - 75) + heavy * fat * 2 + 0.02 * (day - 250)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        wing, day = generator.normal(wings[which], 2), generator.normal(days[which], 12)
        fat = generator.binomial(6, 1 / (1 + np.exp(-(day - 245) / 12)))
        weight = weigh(wing, day, fat) + 0.9 * apart * 0.6 * sex[which] + generator.normal(size=n)
        return np.column_stack([wing, day, weight, fat])[:, :columns], which

    def scores(X):
        logs = np.log(priors) - 0.5 * ((X[:, :1] - wings) / 2) ** 2
        logs = logs - 0.5 * ((X[:, 1:2] - days) / 12) ** 2
        if columns == 2:
            return logs
        fats = X[:, 3:] if columns == 4 else np.arange(7)
        share = 1 / (1 + np.exp(-(X[:, 1:2] - 245) / 12))
        chance = np.ones((len(X), 1)) if columns == 4 else _binomial(6, share)
        gaps = X[:, 2:3] - weigh(X[:, :1], X[:, 1:2], fats)
        near = [(chance * np.exp(-0.5 * (gaps - 0.54 * apart * s) ** 2)).sum(axis=1) for s in sex]
        return logs + np.log(np.maximum(np.stack(near, axis=1), 1e-300))

    return f"K={n_classes} columns={columns} apart={apart:.2f} wave={wave:.1f}", Generative(
        sample, scores
    )


def _binomial(most, share):
    """Probabilities of 0 to most successes, a column each."""
    number = np.arange(most + 1)
    ways = np.exp(gammaln(most + 1) - gammaln(number + 1) - gammaln(most - number + 1))
    return ways * share**number * (1 - share) ** (most - number)


def tree_rings(random):
    """Widths of the rings of a beam that was felled in an unknown year: from which region is it?"""
    rings, n_classes = int(random.choice([12, 30, 60])), int(random.choice([2, 4, 6]))
    years, strong = int(random.choice([1, 5, 25])), random.uniform(0.15, 0.8)
    common, slopes = random.uniform(0, 0.8), np.array([0.2, 0.8, 1.4])  # rings narrow with age
    weather = random.normal(size=(n_classes + 1, rings + years - 1))
    weather = np.sqrt(common) * weather[0] + np.sqrt(1 - common) * weather[1:]
    windows = np.lib.stride_tricks.sliding_window_view(weather, rings, axis=1)
    ages = -slopes[:, None] * np.linspace(0, 1, rings)
    templates = (strong * windows[:, :, None] + ages).reshape(-1, rings) / 0.5
    weights = np.repeat(np.log(priors_to_a_tenth(random, n_classes) / (3 * years)), 3 * years)

    def sample(generator, n):
        beam = generator.choice(len(weights), n, p=np.exp(weights))
        X = np.exp(0.5 * (templates[beam] + generator.normal(size=(n, rings))))
        return X, beam // (3 * years)

    def scores(X):
        logs = template_scores(np.log(X) / 0.5, templates) + weights
        return logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)

    text = f"rings={rings} K={n_classes} years={years} strong={strong:.2f} common={common:.2f}"
    return text, Generative(sample, scores)


def beetle_lengths(random):
    """A few lengths of a beetle in whole units of a coarse ruler: which sex, of which species?"""
    parts, n_classes = int(random.choice([2, 4, 7])), int(random.choice([2, 4, 6]))
    steps, apart = int(random.choice([6, 15, 50])), random.uniform(0.4, 2.0)
    unlike, spread = random.uniform(0.2, 2.5), 0.09 * steps
    sizes, loads = np.linspace(-2, 2, 9), random.uniform(0.5, 1.2, parts)
    kinds = apart * random.normal(size=(n_classes, parts))
    kinds[1::2] = kinds[::2] + 0.5 * apart * random.normal(size=(n_classes // 2, parts))
    # How well it was fed makes all parts long or short.
    lengths = kinds[:, None] + unlike * sizes[:, None] * loads
    means = (steps / 2 + spread * lengths).reshape(-1, parts)
    weights = part_weights(priors_to_a_tenth(random, n_classes), np.exp(-0.5 * sizes**2))
    logs = step_logs(steps, means, spread)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = means[part] + spread * generator.normal(size=(n, parts))
        return np.clip(X.round(), 0, steps - 1), part // len(sizes)

    def scores(X):
        return class_scores(step_scores(X, logs) + np.log(weights), n_classes)

    text = f"parts={parts} K={n_classes} steps={steps} apart={apart:.2f} unlike={unlike:.1f}"
    return text, Generative(sample, scores)


def fly_wings(random):
    """Places where the veins of a wing meet, turned and scaled a little: which fly is it?"""
    marks, n_classes = int(random.choice([4, 9, 20])), int(random.choice([2, 4, 10]))
    noise = random.uniform(0.008, 0.03)
    apart = noise * random.uniform(0.6, 2.4) * np.sqrt(6 / marks)
    places = random.normal(size=(marks, 2)) * np.array([0.5, 0.2])
    forms = places + apart * random.normal(size=(n_classes, marks, 2))
    turned = places @ np.array([[0, 1], [-1, 0]])
    sexes = 0.012 * random.normal(size=(marks, 2))  # male or female, which nobody notes
    loads = np.stack([0.06 * places, random.uniform(0.01, 0.1) * turned])
    loads = np.concatenate([loads, np.tile(np.eye(2)[:, None] * 0.03, (1, marks, 1))])
    loads = loads.reshape(4, -1)
    covariance = loads.T @ loads + noise**2 * np.eye(2 * marks)
    factor = np.linalg.cholesky(covariance)
    means = np.stack([forms - sexes, forms + sexes], axis=1).reshape(2 * n_classes, -1)
    weights = part_weights(priors_to_a_tenth(random, n_classes), [1, 1])
    white = np.linalg.solve(factor, means.T).T

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        return 100 * (means[part] + generator.normal(size=(n, 2 * marks)) @ factor.T), part // 2

    def scores(X):
        X = np.linalg.solve(factor, X.T / 100).T
        return class_scores(template_scores(X, white) + np.log(weights), n_classes)

    text = f"marks={marks} K={n_classes} apart={apart:.3f} noise={noise:.3f}"
    return text, Generative(sample, scores)
