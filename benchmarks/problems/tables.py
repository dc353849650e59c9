"""Tables of categories, flags, numbers and gaps."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, softmax

from .building import (
    Generative,
    draw_labels,
    halving_priors,
    normal_classes,
    priors_to_a_tenth,
    random_centres,
    two_classes,
)


def one_hot(random):
    """Independent categories, one-hot: each class has chances of its own for their levels."""
    n_columns, n_levels = int(random.choice([4, 8, 15])), int(random.choice([2, 3, 5]))
    n_classes, strength = int(random.choice([2, 3, 5])), random.uniform(0.3, 1.5)
    tables = random.normal(scale=strength, size=(n_columns, n_classes, n_levels))
    tables = np.exp(tables) / np.exp(tables).sum(axis=2, keepdims=True)

    def draw(generator, n):
        y = generator.integers(0, n_classes, n)
        blocks, logs = [], np.zeros((n, n_classes))
        for table in tables:
            level = draw_labels(generator, table[y])
            blocks.append(np.eye(n_levels)[level])
            logs += np.log(table[:, level]).T
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.hstack(blocks), chances / chances.sum(axis=1, keepdims=True)

    return f"columns={n_columns}x{n_levels} K={n_classes} strength={strength:.2f}", draw


def table(random):
    """Columns of a few levels, whose twos and threes act together on the class."""
    d, n_classes = int(random.choice([4, 6, 10, 15])), int(random.choice([2, 3, 4]))
    levels, strength = random.integers(2, 6, d), random.uniform(0.7, 3)
    together = [random.choice(d, int(random.choice([1, 2, 3])), replace=False) for _ in range(5)]
    effects = [
        random.normal(scale=strength, size=(*levels[columns], n_classes)) for columns in together
    ]

    def draw(generator, n):
        X = generator.integers(0, levels, (n, d))
        scores = sum(
            effect[tuple(X[:, columns].T)]
            for columns, effect in zip(together, effects, strict=True)
        )
        return X.astype(float), softmax(scores, axis=1)

    return f"d={d} K={n_classes} strength={strength:.2f}", draw


def mixed_tables(random):
    """Skewed amounts, dates, flags and categories in one table, some of which interact."""
    n_amounts, n_flags = int(random.choice([3, 6])), int(random.choice([2, 5]))
    levels, steep = int(random.choice([3, 8])), random.choice([1.0, 2.0, 5.0])
    by_level = random.normal(size=levels)
    weights, effects = random.normal(size=n_amounts), random.normal(size=n_flags)
    cross = random.choice([0.0, 1.0])

    def draw(generator, n):
        logs = generator.normal(size=(n, n_amounts))
        flags = (generator.random((n, n_flags)) < 0.3).astype(float)
        level = generator.integers(0, levels, n)
        day = generator.integers(0, 7, n)
        scores = logs @ weights / 2 + (flags - 0.3) @ effects + by_level[level]
        scores += cross * (flags[:, 0] - 0.3) * 3 * logs[:, 0] + 0.5 * (day >= 5)
        X = np.column_stack([np.exp(logs), flags, np.eye(levels)[level], day])
        return X, two_classes(expit(steep * scores / 1.5))

    return f"amounts={n_amounts} flags={n_flags} levels={levels} steep={steep} x={cross}", draw


def nominal_codes(random):
    """Categories as arbitrary whole numbers, independent within each of up to ten classes."""
    d, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 4, 10]))
    levels, even = int(random.choice([3, 6, 15])), random.choice([0.3, 1.0, 4.0])
    base = random.dirichlet(np.full(levels, 2.0), d)
    tables = np.array(
        [[random.dirichlet(1e-3 + 5 * even * each) for each in base] for _ in range(n_classes)]
    )
    tables = 0.9 * tables + 0.1 / levels
    priors = halving_priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        steps = tables[which].cumsum(axis=2)
        X = np.minimum((generator.random((n, d, 1)) > steps).sum(axis=2), levels - 1)
        logs = sum(np.log(tables[:, j, X[:, j]]) for j in range(d)).T
        return X.astype(float), softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} levels={levels} even={even}", draw


def belief_networks(random):
    """Columns of two to four levels that depend on one or two others, in some by class."""
    d, n_classes = int(random.choice([5, 10, 20])), int(random.choice([2, 3, 6]))
    telling, sharp = random.choice([0.3, 1.0]), random.choice([0.7, 1.5])
    levels = random.integers(2, 5, d)
    parents = [random.choice(j, min(j, 2), replace=False) if j else [] for j in range(d)]
    tables = []
    for level, known in zip(levels, parents, strict=True):
        shape = (*levels[known], level) if len(known) else (level,)
        scores = sharp * random.normal(size=(1, *shape)).repeat(n_classes, axis=0)
        if random.random() < telling:
            scores += 0.6 * random.normal(size=scores.shape)
        tables.append(softmax(scores, axis=-1))

    def draw(generator, n):
        which, logs = generator.integers(0, n_classes, n), np.zeros((n, n_classes))
        X = np.zeros((n, d), dtype=int)
        for j, (table, known) in enumerate(zip(tables, parents, strict=True)):
            chances = table[:, *X[:, known].T] if len(known) else table[:, None].repeat(n, axis=1)
            X[:, j] = draw_labels(generator, chances[which, np.arange(n)])
            logs += np.log(chances[:, np.arange(n), X[:, j]]).T
        return X.astype(float), softmax(logs, axis=1)

    return f"d={d} K={n_classes} telling={telling} sharp={sharp}", draw


def popular_items(random):
    """Rows of a catalogue, few of them popular, each with a habit of its own, and a number."""
    items, d = int(random.choice([10, 60, 400])), int(random.choice([2, 6]))
    n_classes, slope = int(random.choice([2, 3])), random.choice([0.0, 1.5])
    catalogue = random.normal(size=(items, d))
    popular = 1 / np.arange(1, items + 1) ** random.choice([0.5, 1.2])
    habits = random.normal(size=(items, n_classes)) * random.choice([1.0, 2.5])
    directions = slope * random.normal(size=n_classes)

    def draw(generator, n):
        item, number = (
            generator.choice(items, n, p=popular / popular.sum()),
            generator.normal(size=n),
        )
        number = number.round(1)
        X = np.column_stack([catalogue[item], number])
        return X, softmax(habits[item] + np.outer(number, directions), axis=1)

    return f"items={items} d={d} K={n_classes} slope={slope}", draw


def slopes_by_category(random):
    """A logistic regression with other slopes in every category, one-hot."""
    n_categories = int(random.choice([3, 10, 25]))
    slopes = random.normal(size=(n_categories, 2)) * random.uniform(1, 4)
    offsets = random.normal(size=n_categories)

    def draw(generator, n):
        own, Z = generator.integers(0, n_categories, n), generator.normal(size=(n, 2))
        X = np.column_stack([np.eye(n_categories)[own], Z])
        return X, two_classes(expit(offsets[own] + (slopes[own] * Z).sum(axis=1)))

    return f"categories={n_categories}", draw


def imputed(random):
    """Values that are missing more often in one class, filled in by the mean."""
    d = int(random.choice([4, 10]))
    missing = np.array([random.uniform(0.05, 0.3), random.uniform(0.2, 0.6)])
    shift = random.normal(size=d) * random.uniform(0.2, 0.8)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d)) + which[:, None] * shift
        gone = generator.random((n, d)) < missing[which][:, None]
        scores = [
            np.where(gone, np.log(m), np.log(1 - m) - (X - k * shift) ** 2 / 2).sum(axis=1)
            for k, m in enumerate(missing)
        ]
        X[gone] = np.broadcast_to(shift / 2, X.shape)[gone]
        return X, softmax(np.column_stack(scores), axis=1)

    return f"d={d} missing={missing.round(2).tolist()}", draw


def lost_values(random):
    """Normal classes; any value may be lost, and then reads zero."""
    d, n_classes = int(random.choice([3, 8, 25])), int(random.choice([2, 3, 5]))
    lost, apart = random.choice([0.1, 0.3, 0.6]), random.uniform(0.5, 3.0)
    means = random.normal(size=(n_classes, d)) * apart / np.sqrt(d) + random.choice([0.0, 2.0])
    spreads = np.exp(random.choice([0.0, 0.3]) * random.normal(size=(n_classes, d)))
    priors = halving_priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        kept = generator.random((n, d)) >= lost
        away = (X[:, None] - means) / spreads
        logs = ((-0.5 * away**2 - np.log(spreads)) * kept[:, None]).sum(axis=2)
        return X * kept, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} lost={lost} apart={apart:.2f}", draw


def calendar(random):
    """Hours and weekdays, perhaps with one column of numbers."""
    effects = random.normal(size=(24, 7)) * random.uniform(0.3, 1.5)
    effects += 2 * np.sin(np.arange(24) / 24 * 2 * np.pi + random.uniform(0, 6))[:, None]
    extra = int(random.choice([0, 1]))

    def draw(generator, n):
        hour, day = generator.integers(0, 24, n), generator.integers(0, 7, n)
        other = generator.normal(size=(n, extra))
        X = np.column_stack([hour, day, other]).astype(float)
        return X, two_classes(expit(effects[hour, day] + other.sum(axis=1)))

    return f"extra={extra}", draw


def record_pairs(random):
    """Which fields of two records agree, in full or in part: are they of one person?"""
    fields, prior = int(random.choice([4, 8, 15])), random.choice([0.5, 0.1, 0.02])
    sharp = random.choice([0.7, 1.5, 3.0])
    other = random.dirichlet([6, 2, 1], fields)
    one = softmax(np.log(other) + sharp * random.uniform(0, 1, (fields, 1)) * np.arange(3), axis=1)
    tables = np.stack([other, one])

    def draw(generator, n):
        which = (generator.random(n) < prior).astype(int)
        agree = [draw_labels(generator, tables[which, j]) for j in range(fields)]
        logs = sum(np.log(tables[:, j, agree[j]]) for j in range(fields)).T
        chances = softmax(logs + np.log([1 - prior, prior]), axis=1)
        return np.stack(agree, axis=1) / 2, chances

    return f"fields={fields} prior={prior} sharp={sharp}", draw


def segments(random):
    """Customers of a few unseen segments: amounts, numbers of orders and a category."""
    n_classes, parts = int(random.choice([2, 3, 5])), int(random.choice([2, 4]))
    amounts, orders = int(random.choice([2, 6])), int(random.choice([2, 8]))
    levels, apart = int(random.choice([3, 8])), random.uniform(0.3, 1.2)
    shape = n_classes * parts
    means = apart * random.normal(size=(shape, amounts))
    rates = np.exp(0.7 * apart * random.normal(size=(shape, orders)))
    tables = softmax(apart * random.normal(size=(shape, levels)), axis=1)
    shares = random.dirichlet(np.full(parts, 3.0), n_classes).ravel() / n_classes

    def draw(generator, n):
        which = generator.choice(shape, n, p=shares)
        money = means[which] + generator.normal(size=(n, amounts))
        numbers = generator.poisson(rates[which]).astype(float)
        level = draw_labels(generator, tables[which])
        logs = np.log(shares) - 0.5 * ((money[:, None] - means) ** 2).sum(axis=2)
        logs += numbers @ np.log(rates).T - rates.sum(axis=1) + np.log(tables[:, level]).T
        X = np.column_stack([np.exp(money), numbers, np.eye(levels)[level]])
        return X, softmax(logs, axis=1).reshape(n, n_classes, parts).sum(axis=2)

    return f"K={n_classes} parts={parts} columns={amounts}+{orders}+{levels}", draw


def choices(random):
    """Someone chooses one of several offers by its price and qualities, with some noise."""
    offers, qualities = int(random.choice([2, 3, 5])), int(random.choice([1, 3, 6]))
    steep, bent = random.choice([1.0, 3.0, 10.0]), random.choice([0.0, 1.0])
    tastes = random.normal(size=qualities)
    bias = random.normal(size=offers) * random.choice([0.0, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, offers, qualities))
        worth = (X @ tastes + bent * X.min(axis=2)) / np.sqrt(qualities)
        return X.reshape(n, -1), softmax(steep * worth + bias, axis=1)

    return f"offers={offers} qualities={qualities} steep={steep:.0f} bent={bent:.0f}", draw


def percentiles(random):
    """Each column as the share of all cases below it, from 0 to 1: normal classes, made flat."""
    d, n_classes = int(random.choice([2, 6, 15])), int(random.choice([2, 3, 6]))
    apart, turned = random.uniform(0.8, 3.5), random.random() < 0.5
    priors = halving_priors(random, n_classes)
    means = random_centres(random, n_classes, d, apart)
    mixed = random.uniform(0.5, 1.2) * random.normal(size=(n_classes, d, d)) / np.sqrt(d)
    mixed = mixed[:1] if turned else mixed
    covariances = np.eye(d) + np.broadcast_to(mixed @ mixed.transpose(0, 2, 1), (n_classes, d, d))
    normal, spreads = (
        normal_classes(means, covariances, priors),
        np.sqrt(np.diagonal(covariances, axis1=1, axis2=2)),
    )

    def draw(generator, n):
        X, chances = normal(generator, n)
        below = ndtr((X[:, None] - means) / spreads)
        return np.einsum("nkd,k->nd", below, priors), chances

    return f"d={d} K={n_classes} apart={apart:.1f} one={turned}", draw


def derived_columns(random):
    """A few amounts and, as further columns, their sums, shares, ratios and logarithms."""
    base, n_classes = int(random.choice([3, 5, 9])), int(random.choice([2, 3]))
    sharp, hidden = random.uniform(0.8, 6), random.random() < 0.5
    pairs = np.array([(i, j) for i in range(base) for j in range(i)])
    pairs = pairs[random.permutation(len(pairs))[:12]]
    used = random.permutation(len(pairs))[:2]
    slopes = random.normal(size=(2, n_classes)) * sharp
    whole = 0.5 * sharp * random.normal(size=n_classes)
    digits = int(random.choice([1, 2, 6]))

    def draw(generator, n):
        amounts = np.exp(1.5 + 0.8 * generator.normal(size=(n, base))).round(digits) + 0.1
        one, two = amounts[:, pairs[:, 0]], amounts[:, pairs[:, 1]]
        total = amounts.sum(axis=1)
        logits = np.tanh(np.log(one / two)[:, used]) @ slopes
        logits += np.outer(np.log(total / base) - 1.7, whole)
        X = [total, amounts / total[:, None], np.log(amounts), one + two, one / two]
        X = X if hidden else [amounts, *X]  # the shares and the total give the amounts back
        return np.column_stack(X), softmax(logits, axis=1)

    return f"base={base} K={n_classes} sharp={sharp:.1f} hidden={hidden} digits={digits}", draw


def unknown_codes(random):
    """Amounts and codes of a form, -1 or 999 where a part of it was not filled in: which class?"""
    d, n_classes = int(random.choice([4, 10, 30])), int(random.choice([2, 3, 5]))
    apart, blank = random.uniform(0.2, 0.9), random.choice([0.1, 0.3, 0.6])
    informed = random.choice([0.0, 0.0, 0.5, 1.0])  # by how much classes differ in what is blank
    sheets = np.sort(random.integers(0, 3, d))
    means = apart * random.normal(size=(n_classes, d))
    spreads = np.exp(0.3 * random.normal(size=(n_classes, d)))
    gaps = expit(np.log(blank / (1 - blank)) + informed * random.normal(size=(n_classes, 3)))
    single = 0.05
    filler = random.choice([-1.0, 999.0], d)
    long = random.random(d) < 0.5  # amounts with a long tail
    priors = priors_to_a_tenth(random, n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        X = np.where(long, np.exp(X), 10 * X)
        none = generator.random((n, 3)) < gaps[which]
        none = none[:, sheets] | (generator.random((n, d)) < single)
        return np.where(none, filler, X), which

    def scores(X):
        seen = filler != X
        raw = np.where(seen, X, 1)
        raw = np.where(long, np.log(np.where(long, raw, 1)), raw / 10)[:, None]
        near = -0.5 * ((raw - means) / spreads) ** 2 - np.log(spreads)
        logs = np.log(priors) + np.where(seen[:, None], near, 0).sum(axis=2)
        for sheet in range(3):
            own = seen[:, sheets == sheet]
            number, gap = own.shape[1], gaps[:, sheet]
            if number:  # an empty sheet may be one of which each field alone is blank
                alone = (1 - gap) * single**number
                empty = np.log(gap + alone)
                logs += np.where(own.any(axis=1)[:, None], np.log1p(-gap), empty)
        return logs

    text = f"d={d} K={n_classes} apart={apart:.2f} blank={blank} informed={informed}"
    return text, Generative(sample, scores)
