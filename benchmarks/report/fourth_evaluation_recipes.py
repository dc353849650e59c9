"""Recipes that were the fourth ones for evaluation, and have been looked at since.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, softmax

from .recipes import draw_labels, two_classes


def matches(random):
    """Two players with several skills each: who wins, or is it a draw?"""
    skills, steep = int(random.choice([1, 3, 8])), random.choice([0.5, 1.5, 4.0])
    drawn, counter = random.choice([0.0, 0.3, 1.0]), random.choice([0.0, 1.0])
    weights = random.dirichlet(np.ones(skills))
    beats = random.normal(size=(skills, skills)) / np.sqrt(skills)
    beats -= beats.T  # a style that beats another one loses against it if they change places

    def draw(generator, n):
        one, other = generator.normal(size=(2, n, skills))
        ahead = (one - other) @ weights + counter * ((one @ beats) * other).sum(axis=1)
        X = np.hstack([one, other])
        if not drawn:
            return X, two_classes(expit(steep * ahead))
        scores = np.stack([0.5 * steep * ahead, np.full(n, np.log(drawn)), -0.5 * steep * ahead])
        return X, softmax(scores.T, axis=1)

    return f"skills={skills} steep={steep} drawn={drawn} counter={counter:.0f}", draw


def contagious_counts(random):
    """Daily numbers of cases, many after many: classes differ in how catching they are."""
    days, n_classes = int(random.choice([8, 20, 60])), int(random.choice([2, 3, 5]))
    catching = np.sort(random.uniform(0, 0.95, n_classes))
    level = random.uniform(1, 6) * np.exp(random.choice([0.0, 0.2]) * random.normal(size=n_classes))
    base = level * (1 - catching)

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), np.zeros((n, days))
        X[:, 0] = generator.poisson(3.0, n)
        for day in range(1, days):
            X[:, day] = generator.poisson(base[which] + catching[which] * X[:, day - 1])
        rates = base + catching * X[:, :-1, None]
        logs = (X[:, 1:, None] * np.log(rates) - rates).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"days={days} catching={catching.round(2)} level={level.round(1)}", draw


def triangles(random):
    """Three corners in the plane: is the triangle acute, or which way round does it go?"""
    question, noise = int(random.integers(3)), random.choice([0.0, 0.1, 0.3])
    spread, extra = random.choice([0.0, 2.0]), int(random.choice([0, 4]))

    def draw(generator, n):
        corners = generator.normal(size=(n, 3, 2))
        sides = corners - np.roll(corners, 1, axis=1)
        angles = -(sides * np.roll(sides, -1, axis=1)).sum(axis=2)  # cosines times lengths
        turn = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
        longest = (sides**2).sum(axis=2).argmax(axis=1)
        sure = [np.eye(2)[(angles > 0).all(axis=1) * 1], np.eye(2)[(turn > 0) * 1],
                np.eye(3)[longest]][question]  # fmt: skip
        X = (corners + spread * generator.normal(size=(n, 1, 2))).reshape(n, 6)
        X = np.column_stack([X, generator.normal(size=(n, extra))])
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"question={question} noise={noise} spread={spread:.0f} extra={extra}", draw


def brackets(random):
    """Rows of opening and closing brackets: are they closed in order, and how deep do they go?"""
    half, noise = int(random.choice([2, 3, 5])), random.choice([0.0, 0.1, 0.3])
    depth, even = random.random() < 0.4, random.random() < 0.7

    def draw(generator, n):
        X = generator.integers(0, 2, (n, 2 * half))
        if even:  # as many are closed as are opened
            X = (generator.random((n, 2 * half)).argsort(axis=1) < half).astype(int)
        height = (2 * X - 1).cumsum(axis=1)
        closed = (height.min(axis=1) >= 0) & (height[:, -1] == 0)
        sure = np.eye(3)[np.clip(height.max(axis=1) - 1, 0, 2)] if depth else np.eye(2)[closed * 1]
        return X.astype(float), (1 - noise) * sure + noise / sure.shape[1]

    return f"half={half} noise={noise} depth={depth} even={even}", draw


def transits(random):
    """The light of a star: a planet dims it again and again, a wave moves it, or neither."""
    length, n_classes = int(random.choice([24, 60, 120])), int(random.choice([2, 3]))
    strength, slow = random.uniform(2.0, 6.0), random.choice([0.0, 1.0])
    times, shapes, owners = np.arange(length), [np.zeros(length)], [0]
    for period in (length // 4, length // 3, length // 2):
        for phase in range(0, period, 2):
            dips = -1.0 * ((times - phase) % period < max(period // 6, 1))
            waves = np.sin(2 * np.pi * (times - phase) / period)
            for kind, shape in enumerate((dips, waves)[: n_classes - 1], start=1):
                shapes.append(shape * strength / np.linalg.norm(shape))
                owners.append(kind)
    shapes, owners = np.array(shapes), np.array(owners)
    weights = 1 / np.bincount(owners)[owners] / n_classes
    inverse = np.eye(length) - slow**2 / (1 + length * slow**2)  # of each star's own brightness
    power = 0.5 * ((shapes @ inverse) * shapes).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(shapes), n, p=weights)
        X = shapes[which] + generator.normal(size=(n, length))
        X += slow * generator.normal(size=(n, 1))
        parts = softmax(X @ inverse @ shapes.T - power + np.log(weights), axis=1)
        return X, parts @ np.eye(n_classes)[owners]

    return f"length={length} K={n_classes} strength={strength:.1f} slow={slow:.0f}", draw


def beacons(random):
    """How far it is to each of several beacons, and what grows at the place."""
    d, n_beacons = int(random.choice([2, 3])), int(random.choice([4, 8, 20]))
    n_classes, steep = int(random.choice([2, 3, 6])), random.choice([1.0, 3.0, 8.0])
    places, squared = random.uniform(-1, 1, (n_beacons, d)), random.random() < 0.5
    hills, heights = random.uniform(-1, 1, (12, d)), random.normal(size=(12, n_classes))

    def draw(generator, n):
        here = generator.uniform(-1, 1, (n, d))
        far = ((here[:, None] - places) ** 2).sum(axis=2)
        near = np.exp(-4 * ((here[:, None] - hills) ** 2).sum(axis=2))
        return far if squared else np.sqrt(far), softmax(steep * near @ heights, axis=1)

    return f"d={d} beacons={n_beacons} K={n_classes} steep={steep:.0f} squared={squared}", draw


def living_cells(random):
    """A cell and its eight neighbours: does it live in the next round of the game of life?"""
    rate, noise = random.uniform(0.25, 0.55), random.choice([0.0, 0.1, 0.3])
    extra, blurred = int(random.choice([0, 7, 16])), random.choice([0.0, 0.15])

    def draw(generator, n):
        alive = generator.random((n, 9 + extra)) < rate
        around = alive[:, 1:9].sum(axis=1)
        lives = (around == 3) | ((around == 2) & alive[:, 0])
        X = alive + blurred * generator.uniform(-1, 1, alive.shape)
        return X, two_classes(noise / 2 + (1 - noise) * lives)

    return f"rate={rate:.2f} noise={noise} extra={extra} blurred={blurred}", draw


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


def drifting_classes(random):
    """Classes that move round with the time, which stands beside the measurements."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 5]))
    turns, apart = random.choice([0.3, 1.0, 3.0]), random.uniform(1.0, 4.0)
    starts = 2 * np.pi * np.arange(n_classes) / n_classes
    axes = np.linalg.qr(random.normal(size=(d, 2)))[0]

    def draw(generator, n):
        which, time = generator.integers(0, n_classes, n), generator.random(n)
        angles = starts + 2 * np.pi * turns * time[:, None]
        centres = apart * (
            np.cos(angles)[:, :, None] * axes[:, 0] + np.sin(angles)[:, :, None] * axes[:, 1]
        )
        X = centres[np.arange(n), which] + generator.normal(size=(n, d))
        logs = -0.5 * ((X[:, None] - centres) ** 2).sum(axis=2)
        return np.column_stack([X, 10 * time]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} turns={turns} apart={apart:.1f}", draw


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


def admissions(random):
    """Scores of those who were admitted only: their weighted sum passed a threshold."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 4]))
    centres = random.uniform(0.5, 1.5) * random.normal(size=(n_classes, d))
    spreads, cut = np.exp(0.3 * random.normal(size=(n_classes, d))), random.choice([0.0, 1.0])
    weights = random.dirichlet(np.ones(d)) * np.sqrt(d)

    def draw(generator, n):
        kept, found = np.empty((0, d)), 0
        while found < n:
            which = generator.integers(0, n_classes, 4 * n + 100)
            X = centres[which] + spreads[which] * generator.normal(size=(len(which), d))
            kept = np.concatenate([kept, X[X @ weights > cut]])
            found = len(kept)
        X = kept[:n]
        logs = -0.5 * (((X[:, None] - centres) / spreads) ** 2).sum(axis=2)
        return X, softmax(logs - np.log(spreads).sum(axis=1), axis=1)

    return f"d={d} K={n_classes} cut={cut:.0f}", draw


def heaped_ages(random):
    """Stated whole numbers, which many people round to fives or tens, some more than others."""
    d, n_classes = int(random.choice([1, 3, 8])), int(random.choice([2, 3]))
    apart, ages = random.uniform(0.0, 8.0), np.arange(100)
    middles = 45 + apart * random.normal(size=(n_classes, d))
    habits = random.dirichlet([2, 1, 1], n_classes)  # exact, to fives, to tens
    tables = softmax(-0.5 * ((ages - middles[..., None]) / 14) ** 2, axis=2)
    stated = np.zeros_like(tables)
    for step, place in ((1, 0), (5, 1), (10, 2)):
        shown = np.minimum(step * np.round(ages / step), 99).astype(int)
        for age in ages:
            stated[:, :, shown[age]] += habits[:, place, None] * tables[:, :, age]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.stack([draw_labels(generator, stated[which, j]) for j in range(d)], axis=1)
        logs = sum(np.log(np.maximum(stated[:, j, X[:, j]], 1e-300)) for j in range(d)).T
        return X.astype(float), softmax(logs, axis=1)

    return f"d={d} K={n_classes} apart={apart:.1f}", draw


def two_units(random):
    """Lengths, all in one row in inches or all in centimetres, which nobody wrote down."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 6]))
    factor, rare = random.choice([1.5, 2.54, 10.0]), random.choice([0.1, 0.5])
    means = random.uniform(0.3, 1.0) * random.normal(size=(n_classes, d))
    shift, spread = np.log(factor), random.choice([0.3, 0.6])

    def draw(generator, n):
        which, other = generator.integers(0, n_classes, n), generator.random(n) < rare
        logs_of_X = means[which] + spread * generator.normal(size=(n, d)) + shift * other[:, None]
        both = np.stack([logs_of_X, logs_of_X - shift], axis=1)[:, :, None]  # each read as one unit
        fits = -0.5 * (((both - means) / spread) ** 2).sum(axis=3)
        fits += np.log([1 - rare, rare])[:, None]
        return np.exp(logs_of_X), softmax(logsumexp(fits, axis=1), axis=1)

    return f"d={d} K={n_classes} factor={factor} rare={rare} spread={spread}", draw


def bags_of_items(random):
    """Several items in any order, one of which is of the kind that gives the class."""
    items, d = int(random.choice([2, 4, 8])), int(random.choice([1, 2, 4]))
    n_classes, narrow = int(random.choice([2, 3])), random.choice([0.2, 0.5])
    centres = 1.5 * random.normal(size=(n_classes, d))

    def draw(generator, n):
        which, place = generator.integers(0, n_classes, n), generator.integers(0, items, n)
        X = 1.5 * generator.normal(size=(n, items, d))
        X[np.arange(n), place] = centres[which] + narrow * generator.normal(size=(n, d))
        broad = -0.5 * ((X / 1.5) ** 2).sum(axis=2) - d * np.log(1.5)
        own = -0.5 * (((X[:, :, None] - centres) / narrow) ** 2).sum(axis=3) - d * np.log(narrow)
        return X.reshape(n, -1), softmax(logsumexp(own - broad[..., None], axis=1), axis=1)

    return f"items={items} d={d} K={n_classes} narrow={narrow}", draw


def zipf_sizes(random):
    """Sizes of which few are huge: in each class they fall off by a power of its own."""
    d, n_classes = int(random.choice([3, 10, 40])), int(random.choice([2, 3, 5]))
    powers = 1.3 + np.sort(random.uniform(0, random.choice([0.6, 1.5]), n_classes))
    tops = np.arange(1, 2001)
    tables = tops ** -powers[:, None]
    totals = tables.sum(axis=1, keepdims=True)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.empty((n, d))
        for k, table in enumerate(tables):
            X[which == k] = 1 + generator.choice(
                len(tops), ((which == k).sum(), d), p=table / totals[k]
            )
        logs = -powers * np.log(X).sum(axis=1)[:, None] - d * np.log(totals[:, 0])
        return X, softmax(logs, axis=1)

    return f"d={d} powers={powers.round(2)}", draw


def typos(random):
    """Two short codes: at how many places do they differ?"""
    length, letters = int(random.choice([2, 3, 5])), int(random.choice([3, 6, 10]))
    changed, noise = random.choice([0.2, 0.5]), random.choice([0.0, 0.1, 0.3])
    top, shown = int(random.choice([1, 2])), random.random() < 0.4

    def draw(generator, n):
        first = generator.integers(0, letters, (n, length))
        moved = generator.integers(1, letters, (n, length))
        second = (first + moved * (generator.random((n, length)) < changed)) % letters
        sure = np.eye(top + 1)[np.minimum((first != second).sum(axis=1), top)]
        X = np.hstack([first, second])
        X = np.eye(letters)[X].reshape(n, -1) if shown else X.astype(float)
        return X, (1 - noise) * sure + noise / (top + 1)

    return f"length={length} letters={letters} top={top} noise={noise} one-hot={shown}", draw


def three_in_a_row(random):
    """Boards with crosses, noughts and gaps: who has three in a row, if anybody?"""
    gaps, noise = random.uniform(0.05, 0.4), random.choice([0.0, 0.1, 0.3])
    shown, plain = random.random() < 0.5, random.random() < 0.5
    board = np.arange(9).reshape(3, 3)
    lines = [*board, *board.T, np.diag(board), np.diag(board[::-1])]

    def draw(generator, n):
        X = draw_labels(generator, np.tile([0.5 - gaps / 2, gaps, 0.5 - gaps / 2], (9 * n, 1)))
        X = X.reshape(n, 9) - 1  # noughts, gaps, crosses
        sums = np.stack([X[:, line].sum(axis=1) for line in lines], axis=1)
        crosses, noughts = (sums == 3).any(axis=1), (sums == -3).any(axis=1)
        which = np.where(crosses & ~noughts, 2, np.where(noughts & ~crosses, 1, 0))
        sure = np.eye(2)[crosses * 1] if plain else np.eye(3)[which]
        X = np.eye(3)[X + 1].reshape(n, -1) if shown else X.astype(float)
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"gaps={gaps:.2f} noise={noise} one-hot={shown} crosses only={plain}", draw


def tides(random):
    """The time of several days: is the water high, by the sun and the moon together?"""
    days, steep = random.choice([3.0, 15.0, 60.0]), random.choice([1.0, 3.0, 10.0])
    shares, clock = random.dirichlet([2, 2, 1]), random.random() < 0.5
    phases, periods = random.uniform(0, 2 * np.pi, 3), np.array([0.5, 0.5175, 1.0])

    def draw(generator, n):
        time = generator.uniform(0, days, n)
        waves = np.cos(2 * np.pi * time[:, None] / periods + phases)
        X = [np.floor(time), 24 * (time % 1)] if clock else [time, generator.normal(size=n)]
        return np.stack(X, axis=1), two_classes(expit(steep * waves @ shares * 1.5))

    return f"days={days:.0f} steep={steep:.0f} clock={clock}", draw


FOURTH_EVALUATION = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        matches, contagious_counts, triangles, brackets, transits, beacons, living_cells, species,
        drifting_classes, record_pairs, admissions, heaped_ages, two_units, bags_of_items,
        zipf_sizes, typos, three_in_a_row, tides,
    )
}  # fmt: skip
