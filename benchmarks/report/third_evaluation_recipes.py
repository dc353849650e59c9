"""Recipes that were the third ones for evaluation, and have been looked at twice since.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import expit, gammaln, logsumexp, softmax
from scipy.stats import vonmises_fisher
from sklearn.datasets import load_digits

from .recipes import draw_labels, two_classes


def change_points(random):
    """Series whose level rises, falls or stays, at a time that nobody knows."""
    length, wander = int(random.choice([10, 25, 60])), random.choice([0.0, 1.5])
    signs = [(0, 1), (-1, 1), (-1, 0, 1)][random.integers(3)]
    step = random.uniform(1.0, 4.0) / np.sqrt(length / 4)
    shapes = step * (np.arange(length) >= np.arange(2, length - 1)[:, None])
    inverse = np.eye(length) - wander**2 / (1 + length * wander**2)  # of each row's own level

    def draw(generator, n):
        which, place = generator.integers(0, len(signs), n), generator.integers(0, len(shapes), n)
        X = np.array(signs)[which, None] * shapes[place] + wander * generator.normal(size=(n, 1))
        X += generator.normal(size=(n, length))
        match = X @ inverse @ shapes.T
        power = 0.5 * ((shapes @ inverse) * shapes).sum(axis=1)
        logs = [logsumexp(sign * match - sign**2 * power, axis=1) for sign in signs]
        return X, softmax(np.stack(logs, axis=1), axis=1)

    return f"length={length} signs={signs} step={step:.2f} wander={wander}", draw


def block_networks(random):
    """The edges of small networks: nodes of one half know each other more, or less, or not."""
    nodes, rate = int(random.choice([6, 8, 10])), random.uniform(0.3, 0.6)
    tilts = [(0.0, 0.25), (-0.2, 0.25), (-0.2, 0.0, 0.25)][random.integers(3)]
    others = np.array(list(combinations(range(1, nodes), nodes // 2 - 1)))
    halves = (others[:, :, None] == np.arange(nodes)).any(axis=1)
    halves[:, 0] = True
    rows, columns = np.triu_indices(nodes, 1)
    inside = halves[:, rows] == halves[:, columns]
    chances = np.stack([np.where(inside, rate + tilt, rate - tilt) for tilt in tilts])
    logs_of_one, logs_of_none = np.log(chances), np.log1p(-chances)

    def draw(generator, n):
        which, half = generator.integers(0, len(tilts), n), generator.integers(0, len(halves), n)
        X = (generator.random((n, len(rows))) < chances[which, half]).astype(float)
        logs = [
            logsumexp(X @ (one - none).T + none.sum(axis=1), axis=1)
            for one, none in zip(logs_of_one, logs_of_none, strict=True)
        ]
        return X, softmax(np.stack(logs, axis=1), axis=1)

    return f"nodes={nodes} rate={rate:.2f} tilts={tilts}", draw


def unit_vectors(random):
    """Directions in up to 200 dimensions around those of up to twenty classes."""
    d, n_classes = int(random.choice([3, 10, 50, 200])), int(random.choice([2, 5, 20]))
    strength = random.uniform(2, 7) * np.sqrt(d)
    means = random.normal(size=(n_classes, d))
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    priors = _priors(random, n_classes)

    def draw(generator, n):
        counts = generator.multinomial(n, priors)
        X = np.concatenate([
            np.atleast_2d(vonmises_fisher.rvs(mean, strength, count, random_state=generator))
            for mean, count in zip(means, counts, strict=True) if count
        ])  # fmt: skip
        X = generator.permutation(X)
        return X, softmax(strength * X @ means.T + np.log(priors), axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


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


def volatile_returns(random):
    """Returns of a calm or a nervous market: large moves follow large ones (ARCH)."""
    length, n_classes = int(random.choice([15, 40, 100])), int(random.choice([2, 3]))
    memory = np.sort(random.uniform(0, 0.95, n_classes))
    level = np.exp(random.choice([0.0, 0.3]) * random.normal(size=n_classes))
    base = level * (1 - memory)  # the variance far from the start is the level

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), generator.normal(size=(n, length))
        for t in range(1, length):
            X[:, t] *= np.sqrt(base[which] + memory[which] * X[:, t - 1] ** 2)
        variances = base + memory * X[:, :-1, None] ** 2
        logs = -0.5 * (X[:, 1:, None] ** 2 / variances + np.log(variances)).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"length={length} memory={memory.round(2)} level={level.round(2)}", draw


def occluded_digits(random):
    """Written digits with noise, of which a square is hidden somewhere."""
    noise, side = random.choice([3.0, 6.0, 10.0]), int(random.choice([0, 3, 4]))
    chosen = np.sort(random.choice(10, int(random.choice([2, 5, 10])), replace=False))
    images, labels = load_digits(return_X_y=True)
    rows = [random.choice(np.flatnonzero(labels == k), 8) for k in chosen]
    shown = images[np.concatenate(rows)]
    masks = np.ones((9 if side else 1, 8, 8))
    for place in range(9 if side else 0):
        row, column = (8 - side) * (place // 3) // 2, (8 - side) * (place % 3) // 2
        masks[place, row : row + side, column : column + side] = 0
    centres = (shown[:, None] * masks.reshape(-1, 64)).reshape(-1, 64)
    power = 0.5 * (centres**2).sum(axis=1)

    def draw(generator, n):
        X = centres[generator.integers(0, len(centres), n)] + noise * generator.normal(size=(n, 64))
        parts = softmax((X @ centres.T - power) / noise**2, axis=1)
        return X, parts.reshape(n, len(chosen), -1).sum(axis=2)

    return f"digits={chosen.tolist()} noise={noise:.0f} hidden={side}", draw


def known_errors(random):
    """Measurements with an error of their own, which stands beside each."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 7]))
    means = random.uniform(0.5, 2.0) * random.normal(size=(n_classes, d))
    spreads = np.exp(random.choice([0.0, 0.5]) * random.normal(size=(n_classes, d)) - 0.3)
    wide, priors = random.choice([0.5, 1.2]), _priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        errors = 0.7 * np.exp(wide * generator.normal(size=(n, d)))
        deviations = np.sqrt(spreads**2 + errors[:, None] ** 2)
        X = means[which] + deviations[np.arange(n), which] * generator.normal(size=(n, d))
        logs = -0.5 * ((X[:, None] - means) / deviations) ** 2 - np.log(deviations)
        return np.column_stack([X, errors]), softmax(logs.sum(axis=2) + np.log(priors), axis=1)

    return f"d={d} K={n_classes} wide={wide}", draw


def planted_motifs(random):
    """Sequences of four letters, one-hot, with the motif of a class at any place."""
    length, width = int(random.choice([15, 30, 50])), int(random.choice([4, 6, 9]))
    n_classes, pure = int(random.choice([2, 3, 4])), random.choice([0.6, 0.8, 0.97])
    motifs = random.integers(0, 4, (n_classes, width))
    ratios = np.log(4 * np.where(motifs[:, :, None] == np.arange(4), pure, (1 - pure) / 3))
    starts = length - width + 1

    def draw(generator, n):
        which, place = generator.integers(0, n_classes, n), generator.integers(0, starts, n)
        letters = generator.integers(0, 4, (n, length))
        changed = generator.random((n, width)) >= pure
        own = (motifs[which] + changed * generator.integers(1, 4, changed.shape)) % 4
        letters[np.arange(n)[:, None], place[:, None] + np.arange(width)] = own
        logs = np.zeros((n, n_classes, starts))
        for j in range(width):
            logs += ratios[:, j][:, letters[:, j : j + starts]].transpose(1, 0, 2)
        return np.eye(4)[letters].reshape(n, -1), softmax(logsumexp(logs, axis=2), axis=1)

    return f"length={length} width={width} K={n_classes} pure={pure}", draw


def dice_hands(random):
    """Dice: nothing, a pair, two pairs or more of a kind; some answers are wrong."""
    dice, noise = int(random.choice([3, 4, 5])), random.choice([0.0, 0.1, 0.3])
    ordered, extra = random.random() < 0.5, int(random.choice([0, 3]))

    def draw(generator, n):
        X = generator.integers(1, 7, (n, dice))
        if ordered:
            X = np.sort(X, axis=1)
        equal = ((X[:, :, None] == X[:, None]).sum(axis=(1, 2)) - dice) // 2
        kinds = np.array([0, 1, 2, 3] if dice > 3 else [0, 1, 3])  # three of a kind: three pairs
        sure = np.eye(len(kinds))[np.searchsorted(kinds, np.minimum(equal, 3))]
        X = np.column_stack([X, generator.integers(1, 7, (n, extra))]).astype(float)
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"dice={dice} noise={noise} ordered={ordered} extra={extra}", draw


def populations(random):
    """Where people come from, by up to 200 genes with two variants each."""
    d, n_classes = int(random.choice([20, 60, 200])), int(random.choice([3, 8, 20]))
    apart, priors = random.choice([0.01, 0.04, 0.12]), _priors(random, n_classes)
    common, size = random.uniform(0.1, 0.9, d), (1 - apart) / apart
    rates = np.clip(random.beta(size * common, size * (1 - common), (n_classes, d)), 0.01, 0.99)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = generator.binomial(2, rates[which]).astype(float)
        logs = X @ np.log(rates).T + (2 - X) @ np.log1p(-rates).T
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} apart={apart}", draw


def faulty_sensors(random):
    """Sensors that see one state; in some rows one of them is off, or jumps."""
    d, shared = int(random.choice([4, 12, 40])), random.choice([0.0, 1.0, 3.0])
    off, jump = random.uniform(1.5, 5), random.uniform(3, 30)
    priors = np.array([[0.5, 0.5], [0.9, 0.1], [0.6, 0.2, 0.2]][random.integers(3)])
    inverse = np.eye(d) - shared**2 / (1 + d * shared**2)
    own = inverse[0, 0]

    def draw(generator, n):
        which, place = generator.choice(len(priors), n, p=priors), generator.integers(0, d, n)
        X = generator.normal(size=(n, d)) + shared * generator.normal(size=(n, 1))
        sizes = np.sqrt(jump) * generator.normal(size=n)
        X[np.arange(n), place] += np.select([which == 1, which == 2], [off, sizes], 0.0)
        match = X @ inverse
        logs = [np.zeros(n), logsumexp(off * match - 0.5 * off**2 * own, axis=1) - np.log(d)]
        squares = 0.5 * jump * match**2 / (1 + jump * own) - 0.5 * np.log1p(jump * own)
        logs.append(logsumexp(squares, axis=1) - np.log(d))
        return X, softmax(np.stack(logs[: len(priors)], axis=1) + np.log(priors), axis=1)

    return f"d={d} shared={shared} off={off:.1f} priors={priors}", draw


def click_paths(random):
    """How often a visitor went from one page to another one."""
    pages, length = int(random.choice([3, 5, 7])), int(random.choice([10, 30, 80]))
    n_classes, tilt = int(random.choice([2, 5, 12])), random.uniform(0.2, 0.9)
    scores = random.normal(size=(pages, pages))
    moves = softmax(scores + tilt * random.normal(size=(n_classes, pages, pages)), axis=2)

    def draw(generator, n):
        which, here = generator.integers(0, n_classes, n), generator.integers(0, pages, n)
        X = np.zeros((n, pages, pages))
        for _ in range(length):
            after = draw_labels(generator, moves[which, here])
            X[np.arange(n), here, after] += 1
            here = after
        X = X.reshape(n, -1)
        return X, softmax(X @ np.log(moves).reshape(n_classes, -1).T, axis=1)

    return f"pages={pages} length={length} K={n_classes} tilt={tilt:.2f}", draw


def same_or_other(random):
    """Two measurements: of one thing, or of two things."""
    d, prior = int(random.choice([2, 8, 30, 100])), random.choice([0.5, 0.2])
    noise = random.uniform(0.4, 1.5) * (d / 2) ** 0.25
    between = np.exp(0.4 * random.normal(size=d))  # variance of things
    folded = random.random() < 0.5

    def draw(generator, n):
        same = generator.random(n) < prior
        first, second = np.sqrt(between) * generator.normal(size=(2, n, d))
        second = np.where(same[:, None], first, second)
        first, second = (each + noise * generator.normal(size=(n, d)) for each in (first, second))
        gap, total = (first - second) ** 2, (first + second) ** 2
        apart, alike, whole = 2 * (between + noise**2), 2 * noise**2, 4 * between + 2 * noise**2
        logs = gap * (1 / apart - 1 / alike) + total * (1 / apart - 1 / whole)
        logs += 2 * np.log(apart) - np.log(alike) - np.log(whole)
        X = [np.sqrt(gap), np.sqrt(total)] if folded else [first, second]
        return np.hstack(X), two_classes(
            expit(0.5 * logs.sum(axis=1) + np.log(prior / (1 - prior)))
        )

    return f"d={d} prior={prior} noise={noise:.2f} folded={folded}", draw


def accident_numbers(random):
    """None, one or more accidents in a part of a year, by age, distance and region."""
    base, strength = random.choice([0.3, 1.0, 3.0]), random.choice([0.5, 1.0, 2.0])
    regions, n_classes = int(random.choice([3, 12])), int(random.choice([2, 3, 5]))
    by_region, age_of_least = random.normal(size=regions), random.uniform(35, 60)
    numbers = np.arange(n_classes - 1)

    def draw(generator, n):
        age, region = generator.uniform(18, 85, n), generator.integers(0, regions, n)
        miles, exposure = np.exp(generator.normal(size=n)), generator.uniform(0.1, 1, n)
        score = ((age - age_of_least) / 20) ** 2 - 0.8 + 0.5 * np.log(miles) + by_region[region]
        score += 0.5 * (age < 25) * np.log(miles)
        rate = (base * exposure * np.exp(strength * score))[:, None]
        exact = np.exp(numbers * np.log(rate) - rate - gammaln(numbers + 1))
        X = np.column_stack([age, miles, exposure, np.eye(regions)[region]])
        rest = np.maximum(1 - exact.sum(axis=1, keepdims=True), 0)
        return X, np.hstack([exact, rest])

    return f"base={base} strength={strength} regions={regions} K={n_classes}", draw


def annotators(random):
    """Clusters, labelled by people of whom some are careful and others guess."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 4, 8]))
    people, apart = int(random.choice([3, 10, 30])), random.uniform(1.5, 5)
    centres = apart * random.normal(size=(n_classes, d)) / np.sqrt(d)
    careful, codes = random.beta(3, 1, people), random.random() < 0.5

    def draw(generator, n):
        which, who = generator.integers(0, n_classes, n), generator.integers(0, people, n)
        X = centres[which] + generator.normal(size=(n, d))
        clean = softmax(-0.5 * ((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
        known = careful[who, None]
        X = np.column_stack([X, who if codes else np.eye(people)[who]])
        return X, known * clean + (1 - known) / n_classes

    return f"d={d} K={n_classes} people={people} apart={apart:.1f} codes={codes}", draw


def exams(random):
    """Right and wrong answers of pupils of several grades, whose abilities overlap."""
    items, n_classes = int(random.choice([10, 30, 80])), int(random.choice([2, 3, 5]))
    gap, guessed = random.uniform(0.5, 2), random.choice([0.0, 0.25])
    slopes, places = np.exp(0.4 * random.normal(size=items)), 1.2 * random.normal(size=items)
    levels = np.linspace(-6, 6, 41)  # an ability is one of these
    middles = gap * (np.arange(n_classes) - (n_classes - 1) / 2)
    weights = softmax(-0.5 * ((levels - middles[:, None]) / 0.7) ** 2, axis=1)
    right = guessed + (1 - guessed) * expit(slopes * (levels[:, None] - places))
    right = np.clip(right, 1e-6, 1 - 1e-6)

    def draw(generator, n):
        counts = np.bincount(generator.integers(0, n_classes, n), minlength=n_classes)
        ability = np.concatenate([
            generator.choice(len(levels), count, p=each)
            for count, each in zip(counts, weights, strict=True)
        ])  # fmt: skip
        ability = generator.permutation(ability)
        X = (generator.random((n, items)) < right[ability]).astype(float)
        logs = X @ (np.log(right) - np.log1p(-right)).T + np.log1p(-right).sum(axis=1)
        chances = softmax(logs, axis=1) @ weights.T
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"items={items} K={n_classes} gap={gap:.2f} guessed={guessed}", draw


def knight_moves(random):
    """In how many moves a knight, or a king, gets from one square to another one."""
    board, noise = int(random.choice([5, 8])), random.choice([0.0, 0.1, 0.25])
    extra, king = int(random.choice([0, 2])), random.random() < 0.3
    squares = np.stack(np.divmod(np.arange(board**2), board), axis=1)
    gaps = np.abs(squares[:, None] - squares)
    near = gaps.max(axis=2) == 1 if king else (gaps.prod(axis=2) == 2)
    moves = np.where(np.eye(len(squares), dtype=bool), 0, -1)
    for step in range(1, len(squares)):
        reached = ((moves == step - 1).astype(int) @ near > 0) & (moves < 0)
        if not reached.any():
            break
        moves[reached] = step
    n_classes = int(moves.max()) + 1

    def draw(generator, n):
        start, end = generator.integers(0, len(squares), (2, n))
        sure = np.eye(n_classes)[moves[start, end]]
        X = [squares[start], squares[end], generator.integers(0, board, (n, extra))]
        return np.hstack(X).astype(float), (1 - noise) * sure + noise / n_classes

    return f"board={board} noise={noise} extra={extra} king={king}", draw


def _priors(random, n_classes):
    """Even, or each class 0.7 times as frequent as the one before, but at least a tenth as much."""
    sizes = np.maximum(random.choice([0.7, 1.0]) ** np.arange(n_classes), 0.1)
    return sizes / sizes.sum()


THIRD_EVALUATION = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        change_points, block_networks, unit_vectors, segments, belief_networks, volatile_returns,
        occluded_digits, known_errors, planted_motifs, dice_hands, populations, faulty_sensors,
        click_paths, same_or_other, accident_numbers, annotators, exams, knight_moves,
    )
}  # fmt: skip
