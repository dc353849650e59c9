"""Recipes for evaluation only that draw a point and give the probabilities of the classes there."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, ndtr, softmax

from .recipes import two_classes


def dose_response(random):
    """Doses of two drugs, age and weight: is a patient cured, not cured, or harmed?"""
    steep, together = random.uniform(0.8, 5.0), random.choice([-1.5, 0.0, 4.0])
    fixed, harm = random.random() < 0.5, random.random() < 0.5
    cured_anyway, extra = random.choice([0.02, 0.25]), int(random.choice([0, 4, 12]))
    halves, slower = np.exp(random.uniform(1.5, 3.5, 2)), random.uniform(0, 1)
    toxic = random.uniform(60, 150)

    def draw(generator, n):
        doses = 10 ** generator.uniform(0, 2, (n, 2))
        if fixed:
            doses = generator.choice([0.0, 1.0, 3.0, 10.0, 30.0, 100.0], (n, 2))
        age, sex = generator.integers(18, 90, n), generator.integers(0, 2, n)
        weight = generator.normal(66 + 14 * sex, 10).clip(40, 140)
        reach = doses / halves * (70 / weight * np.exp(slower * (age - 50) / 30))[:, None]
        effect = reach.sum(axis=1) + together * np.sqrt(reach.prod(axis=1))
        works = 1 - (1 - cured_anyway) / (1 + np.maximum(effect, 0) ** steep)
        X = np.column_stack([doses, age, sex, weight, generator.normal(size=(n, extra))])
        if not harm:
            return X, two_classes(works)
        hurt = expit(2 * steep * np.log((doses.sum(axis=1) + 1) * 70 / weight / toxic))
        return X, np.stack([(1 - hurt) * (1 - works), (1 - hurt) * works, hurt], axis=1)

    return f"steep={steep:.1f} together={together} fixed={fixed} harm={harm} extra={extra}", draw


def scorecards(random):
    """Applicants for credit in bins of age, income and so on: who fails to pay back?"""
    d, rate = int(random.choice([5, 10, 20])), random.choice([0.08, 0.2, 0.5])
    strength, pair = random.uniform(0.5, 3.0), random.choice([0.0, 1.5])
    shown, telling = d < 20 and random.random() < 0.4, int(random.integers(3, d + 1))
    sizes, loads = random.integers(2, 9, d), random.uniform(-0.7, 0.7, d)
    edges = [np.sort(random.normal(size=size - 1)) for size in sizes]
    scores = [np.sort(random.normal(size=size)) for size in sizes]
    for j in np.flatnonzero(random.random(d) < 0.3):  # bad at both ends
        scores[j] = np.abs(scores[j])
    interplay = pair * random.normal(size=(sizes[0], sizes[1]))

    def draw(generator, n):
        X = generator.normal(size=(n, d)) * np.sqrt(1 - loads**2)
        X += generator.normal(size=(n, 1)) * loads
        X = [np.digitize(column, edge) for column, edge in zip(X.T, edges, strict=True)]
        total = sum(scores[j][X[j]] for j in range(telling)) / np.sqrt(telling)
        total += interplay[X[0], X[1]]
        if shown:
            columns = [np.eye(size)[column] for size, column in zip(sizes, X, strict=True)]
            return np.hstack(columns), two_classes(expit(logit(rate) + strength * total))
        return np.stack(X, axis=1) * 1.0, two_classes(expit(logit(rate) + strength * total))

    return f"d={d} telling={telling} rate={rate} strength={strength:.1f} pair={pair}", draw


def dialects(random):
    """Where people live and how old they are: which dialect do they speak?"""
    n_classes, near = int(random.choice([3, 6, 12])), random.choice([0.15, 0.4, 1.0])
    moving, ridge = random.choice([0.0, 0.3, 0.6]), random.choice([0.0, 1.5])
    towns = np.stack([random.uniform(5, 15, 30), random.uniform(45, 55, 30)], axis=1)
    people, seats = random.dirichlet(np.full(30, 0.7)), random.choice(30, n_classes, replace=False)
    sizes = random.dirichlet(np.full(n_classes, 3.0))
    middle, slope = towns.mean(axis=0), random.normal(size=2)

    def draw(generator, n):
        home = towns[generator.choice(30, n, p=people)] + 0.4 * generator.normal(size=(n, 2))
        age = generator.integers(16, 95, n)
        far = np.linalg.norm(home[:, None] - towns[seats], axis=2)
        sides = (home - middle) @ slope > 0, (towns[seats] - middle) @ slope > 0
        far += ridge * (sides[0][:, None] != sides[1])  # the way over the mountains
        local = softmax(np.log(sizes) - far / near, axis=1)
        moved = (moving * (95 - age) / 79)[:, None]
        return np.column_stack([home, age]), (1 - moved) * local + moved * sizes

    return f"K={n_classes} near={near} moving={moving} ridge={ridge}", draw


def card_tricks(random):
    """The cards of a trick in the order in which they are played: who takes it?"""
    players, ranks = int(random.choice([2, 3, 4])), int(random.choice([6, 8, 13]))
    trumps, noise = random.random() < 0.6, random.choice([0.0, 0.05, 0.2, 0.4])
    follow, shown = random.choice([0.0, 0.7]), random.random() < 0.5

    def draw(generator, n):
        cards = generator.random((n, 4 * ranks)).argsort(axis=1)[:, :players]
        suit, rank = cards // ranks, cards % ranks
        # Most players have a card of the suit that was led.
        suit = np.where(generator.random(suit.shape) < follow, suit[:, :1], suit)
        value = rank + 100 * (suit == suit[:, :1]) + 1000 * (trumps & (suit == 0))
        value = value - 0.01 * np.arange(players)  # of two equal cards the first one counts
        sure = np.eye(players)[value.argmax(axis=1)]
        suits = np.eye(4)[suit].reshape(n, -1) if shown else suit
        return np.hstack([suits, rank]) * 1.0, (1 - noise) * sure + noise / players

    return f"players={players} ranks={ranks} trumps={trumps} noise={noise}", draw


def chemical_series(random):
    """Substructures of molecules, a core with two groups: inactive, active, or toxic?"""
    cores, groups = int(random.choice([3, 8, 20])), int(random.choice([4, 12]))
    n_classes, rare = int(random.choice([2, 2, 3])), random.choice([0.0, 2.5])
    strength, cliffs = random.uniform(0.7, 3.0), random.choice([0.0, 1.0, 2.0])
    extra, popular = int(random.choice([0, 15, 35])), random.dirichlet(np.ones(cores))
    codes = [_unlike_bits(random, size, 8) for size in (cores, groups, groups)]
    of_core = random.normal(size=(cores, n_classes))
    of_groups = 0.7 * random.normal(size=(2, groups, n_classes))
    of_both = 0.7 * cliffs * random.normal(size=(cores, groups, n_classes))
    offset = np.append(rare, np.zeros(n_classes - 1))
    rates = random.uniform(0.02, 0.4, extra)

    def draw(generator, n):
        core = generator.choice(cores, n, p=popular)
        one, two = generator.integers(0, groups, (2, n))
        scores = of_core[core] + of_groups[0, one] + of_groups[1, two] + of_both[core, one]
        others = generator.random((n, extra)) < rates
        X = np.hstack([codes[0][core], codes[1][one], codes[2][two], others])
        return X * 1.0, softmax(offset + strength * scores, axis=1)

    return f"cores={cores} groups={groups} K={n_classes} cliffs={cliffs} extra={extra}", draw


def _unlike_bits(random, count, width):
    """Rows of bits, no two alike."""
    codes = random.choice(2**width, count, replace=False)
    return codes[:, None] >> np.arange(width) & 1


def tolerances(random):
    """Parts measured with an error: good, to be reworked, or scrap, by limits on every size?"""
    d, error = int(random.choice([2, 6, 15])), random.choice([0.05, 0.3, 0.8])
    three, warm = random.random() < 0.5, random.choice([0.0, 0.8])
    usual, spreads = random.uniform(5, 50, d), np.exp(random.normal(-2, 0.7, d))
    room = random.uniform(0.8, 1.3) * np.sqrt(2 * np.log(2 * d + 1))
    low, high = -room * random.uniform(0.7, 1.3, d), room * random.uniform(0.7, 1.3, d)
    grows, left = warm * random.uniform(0, 1, d), error / np.sqrt(1 + error**2)

    def draw(generator, n):
        heat = generator.normal(size=(n, 1))  # of the shop, which makes parts larger
        true = grows * heat + generator.normal(size=(n, d))
        read = true + error * generator.normal(size=(n, d))
        likely = grows * heat + (read - grows * heat) / (1 + error**2)
        above_low, below_high = ndtr((likely - low) / left), ndtr((high - likely) / left)
        large_enough = above_low.prod(axis=1)
        good = np.maximum(above_low + below_high - 1, 0).prod(axis=1)
        X = np.column_stack([usual + spreads * read, 21 + 3 * heat])
        if not three:
            return X, two_classes(1 - good)
        return X, np.stack([good, large_enough - good, 1 - large_enough], axis=1).clip(0, 1)

    return f"d={d} error={error} three={three} warm={warm}", draw


def competing_risks(random):
    """Age, stage, treatment and markers of patients: what happens first within some years?"""
    causes, markers = int(random.choice([1, 2, 3])), int(random.choice([2, 5, 15]))
    strength, years = random.uniform(0.4, 2.0), random.choice([0.3, 1.0, 3.0])
    helps, extra = random.choice([0.5, 1.5]), int(random.choice([0, 10]))
    ages, stages = random.uniform(0, 1, causes), random.uniform(0, 1, causes)
    slopes = strength * random.normal(size=(markers, causes)) / np.sqrt(markers)

    def draw(generator, n):
        age, stage = generator.integers(30, 85, n), 1 + generator.binomial(3, 0.4, n)
        treated, blood = generator.integers(0, 2, n), generator.normal(size=(n, markers))
        logs = strength * (np.outer((age - 58) / 16, ages) + np.outer(stage - 2.2, stages))
        logs += blood @ slopes - 0.5
        # The treatment works in those whose first marker is high, and harms the others a little.
        logs[:, 0] -= helps * treated * np.where(blood[:, 0] > 0, 1.5, -0.3)
        rates = np.exp(logs)
        total = rates.sum(axis=1, keepdims=True)
        nothing = np.exp(-years * total)
        X = [age, stage, treated, np.exp(0.6 * blood), generator.normal(size=(n, extra))]
        return np.column_stack(X), np.hstack([nothing, (1 - nothing) * rates / total])

    return f"causes={causes} markers={markers} strength={strength:.1f} years={years}", draw


def colour_names(random):
    """Red, green and blue from 0 to 255: what do people call the colour?"""
    n_classes, steep = int(random.choice([3, 7, 12])), random.choice([4.0, 12.0, 40.0])
    slips, natural = random.choice([0.0, 0.05, 0.2]), random.random() < 0.5
    named = np.array([
        [0, 0, 0], [255, 255, 255], [128, 128, 128], [220, 20, 20], [30, 160, 30], [30, 60, 220],
        [250, 230, 40], [250, 140, 20], [130, 40, 160], [250, 150, 190], [120, 70, 30],
        [40, 200, 210],
    ])[random.choice(12, n_classes, replace=False)]  # fmt: skip
    common, darker = random.dirichlet(np.full(n_classes, 3.0)), random.uniform(0.5, 1.0, 3)

    def draw(generator, n):
        X = generator.integers(0, 256, (n, 3))
        if natural:  # dull colours, which light makes brighter or darker together
            light = generator.beta(2, 2, (n, 1))
            X = 255 * light * darker + 45 * generator.normal(size=(n, 3))
            X = X.round().clip(0, 255)
        far = ((_cone(X)[:, None] - _cone(named)) ** 2).sum(axis=2)
        chances = softmax(np.log(common) - steep * far, axis=1)
        return X * 1.0, (1 - slips) * chances + slips / n_classes

    return f"K={n_classes} steep={steep:.0f} slips={slips} natural={natural}", draw


def _cone(colours):
    """Hue as an angle, strength of the colour as a radius, and lightness."""
    red, green, blue = colours.T / 255
    hue = np.arctan2(np.sqrt(3) * (green - blue), 2 * red - green - blue)
    top, bottom = colours.max(axis=1) / 255, colours.min(axis=1) / 255
    radius = np.sqrt(top - bottom)
    return np.stack([radius * np.cos(hue), radius * np.sin(hue), (top + bottom) / 2], axis=1)


def party_votes(random):
    """Age, income, schooling, region and so on of voters: for which party do they vote?"""
    n_classes, regions = int(random.choice([2, 4, 7])), int(random.choice([5, 16]))
    sharp, extra = random.uniform(0.3, 3.0), int(random.choice([0, 6]))
    strongholds, shown = random.choice([0.3, 1.2]), random.random() < 0.4
    parties, appeal = random.normal(size=(n_classes, 2)), 0.7 * random.normal(size=n_classes)
    local = strongholds * random.normal(size=(regions, n_classes))
    living, rural = random.dirichlet(np.full(regions, 2.0)), random.uniform(0.2, 0.8, regions)

    def draw(generator, n):
        region, age = generator.choice(regions, n, p=living), generator.integers(18, 95, n)
        village, school = generator.random(n) < rural[region], generator.binomial(4, 0.5, n)
        income = np.exp(7.4 + 0.2 * (school - 2) + 0.5 * generator.normal(size=n))
        faith = generator.binomial(10, expit((age - 65) / 25 + 0.8 * village))
        rich, old = (np.log(income) - 7.4) / 0.55, (age - 55) / 20
        economy = 0.9 * rich - 0.4 * (school - 2) * (old < 0) - 0.5
        values = 0.25 * (faith - 5) + 0.4 * old * village - 0.4 * (school - 2)
        place = np.stack([economy, values], axis=1)
        far = ((place[:, None] - parties) ** 2).sum(axis=2)
        scores = appeal + local[region] - 0.5 * sharp * far
        where = np.eye(regions)[region] if shown else region
        X = [age, income, school, faith, village, where, generator.integers(0, 5, (n, extra))]
        return np.column_stack(X) * 1.0, softmax(scores, axis=1)

    return f"K={n_classes} regions={regions} sharp={sharp:.1f} strongholds={strongholds}", draw


POSTERIORS = (
    dose_response, scorecards, dialects, card_tricks, chemical_series, tolerances, competing_risks,
    colour_names, party_votes,
)  # fmt: skip
