"""Classes that depend on one or a few projections of rotated columns, with noise by region."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import two_classes, with_noise


def _directions(random, d, n):
    """Orthonormal directions, as columns."""
    return np.linalg.qr(random.normal(size=(d, n)))[0]


def _points(random, d):
    """How columns are drawn: normal, correlated, heavy-tailed, or uniform."""
    kind = str(random.choice(["normal", "correlated", "heavy", "even"]))
    mixed = np.eye(d) + 0.6 * random.normal(size=(d, d)) / np.sqrt(d)

    def draw(generator, n):
        if kind == "heavy":
            return generator.standard_t(4, (n, d)) / np.sqrt(2)
        if kind == "even":
            return generator.uniform(-np.sqrt(3), np.sqrt(3), (n, d))
        X = generator.normal(size=(n, d))
        return X @ mixed if kind == "correlated" else X

    return kind, draw


def single_index(random):
    """A class by a wave, a band or a step along one direction."""
    d, kind = int(random.integers(5, 16)), str(random.choice(["wave", "band", "step"]))
    (w,), (how, points) = _directions(random, d, 1).T, _points(random, d)
    sharp, pace = random.choice([3.0, 10.0, 40.0]), random.uniform(1.2, 3.0)

    def draw(generator, n):
        X = points(generator, n)
        along = X @ w
        level = {"wave": np.sin(pace * along), "band": 0.7 - np.abs(along), "step": along}[kind]
        return X, two_classes(expit(sharp * level))

    return f"d={d} {kind} {how} sharp={sharp:.0f}", draw


def two_indices(random):
    """Wedges, rings or products in a plane of rotated columns."""
    d, kind = int(random.integers(5, 16)), str(random.choice(["wedges", "ring", "product"]))
    W, (how, points) = _directions(random, d, 2), _points(random, d)
    sharp, wedges = random.choice([3.0, 10.0, 40.0]), int(random.choice([2, 3]))

    def draw(generator, n):
        X = points(generator, n)
        u, v = (X @ W).T
        if kind == "wedges":
            level = np.cos(wedges * np.arctan2(v, u))
        else:
            level = u * v if kind == "product" else np.hypot(u, v) - 1.18
        return X, two_classes(expit(sharp * level))

    return f"d={d} {kind} {how} sharp={sharp:.0f}", draw


def bent_border(random):
    """A border that waves along a second direction, with noise that a third one decides."""
    d = int(random.integers(3, 15))
    W, bend, pace = _directions(random, d, 3), random.uniform(0.3, 0.8), random.uniform(1.5, 3)
    low, high = random.uniform(0, 0.05), random.uniform(0.05, 0.35)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        u, v, w = (X @ W).T
        wrong = np.where(w > 0.3, high, low)
        return X, two_classes(np.where(u + bend * np.sin(pace * v) > 0, 1 - wrong, wrong))

    return f"d={d} bend={bend:.2f} pace={pace:.1f} noise={low:.2f}/{high:.2f}", draw


def sums_of_ridges(random):
    """Log-odds that are a sum of bent projections."""
    d, terms = int(random.integers(5, 16)), int(random.choice([2, 3, 5]))
    W, (how, points) = random.normal(size=(d, terms)) / np.sqrt(d), _points(random, d)
    paces, shifts = random.uniform(1, 3, terms), random.uniform(0, 6, terms)
    sharp = random.choice([2.0, 5.0, 15.0])

    def draw(generator, n):
        X = points(generator, n)
        return X, two_classes(expit(sharp * np.sin(X @ W * paces + shifts).sum(axis=1)))

    return f"d={d} terms={terms} {how} sharp={sharp:.0f}", draw


def teacher_network(random):
    """Classes that a random network with one hidden layer gives."""
    d, hidden = int(random.integers(4, 16)), int(random.choice([4, 8, 20]))
    n_classes, sharp = int(random.choice([2, 3, 5])), random.choice([1.0, 3.0, 10.0])
    first, second = random.normal(size=(d, hidden)), random.normal(size=(hidden, n_classes))
    first *= random.uniform(1, 2.5) / np.sqrt(d)
    (how, points), start = _points(random, d), random.normal(size=hidden)

    def draw(generator, n):
        X = points(generator, n)
        out = np.maximum(X @ first + start, 0) @ second * np.sqrt(2 / hidden)
        return X, softmax(sharp * (out - (start.clip(0) @ second) * np.sqrt(2 / hidden)), axis=1)

    return f"d={d} hidden={hidden} K={n_classes} {how} sharp={sharp:.0f}", draw


def noisy_half(random):
    """Normal columns and a straight border; on one side of another direction labels are noisy."""
    d, n_classes = int(random.choice([3, 6, 12, 25])), int(random.choice([2, 3, 4]))
    W, noise = random.normal(size=(d, n_classes)) / np.sqrt(d), random.uniform(0.2, 0.9)
    side, start = random.normal(size=d) / np.sqrt(d), random.uniform(-0.5, 1.0)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        clean, noisy = (with_noise((X @ W).argmax(axis=1), n_classes, p) for p in (0.02, noise))
        return X, np.where((X @ side > start)[:, None], noisy, clean)

    return f"d={d} K={n_classes} noise={noise:.2f}", draw


def noise_by_column(random):
    """A clinic or annotator, given as a number, whose labels are wrong more or less often."""
    d, sites = int(random.choice([4, 8, 16])), int(random.choice([3, 8, 20]))
    noise, pairs = random.beta(0.7, 2.5, sites), random.normal(size=(d, 2)) / np.sqrt(d)

    def draw(generator, n):
        X, site = generator.normal(size=(n, d)), generator.integers(0, sites, n)
        u, v = (X @ pairs).T
        wrong = noise[site] / 2
        chance = np.where(u + 0.7 * np.abs(v) > 0.4, 1 - wrong, wrong)
        return np.column_stack([X, site]), two_classes(chance)

    return f"d={d} sites={sites} noise={noise.mean():.2f}", draw


def short_rule_lists(random):
    """A list of three to six rules on one or two columns each; the first that holds decides."""
    d, rules = int(random.choice([4, 8, 15, 30])), int(random.integers(3, 7))
    n_classes, noise = int(random.choice([2, 3])), random.choice([0.0, 0.02, 0.1])
    used = random.integers(0, d, (rules, 2))
    above, cuts = random.random((rules, 2)) < 0.5, random.normal(scale=0.7, size=(rules, 2))
    says = np.r_[random.permutation(n_classes), random.integers(0, n_classes, rules)]

    def draw(generator, n):
        X = generator.normal(size=(n, d)) if d < 20 else generator.exponential(size=(n, d)) - 0.7
        which = np.full(n, says[rules])
        for k in reversed(range(rules)):
            holds = ((X[:, used[k]] > cuts[k]) == above[k]).all(axis=1)
            which[holds] = says[k]
        return X, with_noise(which, n_classes, noise)

    return f"d={d} rules={rules} K={n_classes} noise={noise}", draw


# For evaluation.


def noisy_saddles(random):
    """The sign of a product of two projections plus a third; noise grows towards the centre."""
    d = int(random.integers(4, 13))
    how, points = _points(random, d)
    W, tilt, noise = _directions(random, d, 3), random.uniform(0.2, 1.2), random.uniform(0.05, 0.4)

    def draw(generator, n):
        X = points(generator, n)
        u, v, w = (X @ W).T
        wrong = noise * np.exp(-(X**2).sum(axis=1) / d)
        return X, two_classes(np.where(u * v + tilt * w > 0, 1 - wrong, wrong))

    return f"d={d} {how} tilt={tilt:.1f} noise={noise:.2f}", draw


def folded_index(random):
    """Classes in turn along one direction of skewed columns, as stripes."""
    d, n_classes = int(random.integers(3, 12)), int(random.choice([2, 3, 4]))
    (w,), pace = _directions(random, d, 1).T, random.uniform(0.8, 2.5)
    blur, root = random.choice([0.05, 0.15, 0.3]), random.choice([1.0, 2.0])

    def draw(generator, n):
        X = generator.gamma(root, 1 / np.sqrt(root), (n, d))
        place = (pace * (X @ w)) % n_classes
        away = np.abs(place[:, None] - 0.5 - np.arange(n_classes))
        return X, softmax(-np.minimum(away, n_classes - away) / blur, axis=1)

    return f"d={d} K={n_classes} pace={pace:.1f} blur={blur}", draw


def oblique_trees(random):
    """A tree of depth three whose cuts are along directions; each leaf has its own noise."""
    d, n_classes = int(random.integers(4, 14)), int(random.choice([2, 3]))
    W, cuts = random.normal(size=(d, 7)) / np.sqrt(d), random.normal(scale=0.4, size=7)
    leaves = np.r_[random.permutation(n_classes), random.integers(0, n_classes, 8 - n_classes)]
    noise = random.beta(0.6, 4, 8)
    how, points = _points(random, d)

    def draw(generator, n):
        X, node = points(generator, n), np.zeros(n, dtype=int)
        right = cuts < X @ W
        for _ in range(3):
            node = 2 * node + 1 + right[np.arange(n), node]
        leaf = node - 7
        share = noise[leaf][:, None]
        return X, (1 - share) * np.eye(n_classes)[leaves[leaf]] + share / n_classes

    return f"d={d} K={n_classes} {how} noise={noise.mean():.2f}", draw


def rotated_corners(random):
    """Inside the corner of two or three half-spaces or not, with more noise near one wall."""
    d, walls = int(random.integers(4, 14)), int(random.choice([2, 3]))
    W, starts = _directions(random, d, walls), random.uniform(-0.9, 0.1, walls)
    noise, reach = random.uniform(0.02, 0.3), random.uniform(0.2, 1.0)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        away = X @ W - starts
        wrong = 0.01 + noise * np.exp(-np.abs(away[:, 0]) / reach)
        return X, two_classes(np.where((away > 0).all(axis=1), 1 - wrong, wrong))

    return f"d={d} walls={walls} noise={noise:.2f} reach={reach:.1f}", draw


def deep_teacher(random):
    """Classes of a random network with two hidden layers of bounded units."""
    d, hidden = int(random.integers(3, 11)), int(random.choice([5, 10]))
    n_classes, sharp = int(random.choice([2, 4])), random.choice([2.0, 6.0, 20.0])
    first = random.normal(size=(d, hidden)) * random.uniform(0.8, 1.6) / np.sqrt(d)
    second = random.normal(size=(hidden, hidden)) * 1.5 / np.sqrt(hidden)
    last = random.normal(size=(hidden, n_classes)) / np.sqrt(hidden)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, softmax(sharp * np.tanh(np.tanh(X @ first) @ second) @ last, axis=1)

    return f"d={d} hidden={hidden} K={n_classes} sharp={sharp:.0f}", draw


def factor_rules(random):
    """Many correlated columns of three hidden factors; a rule of two of them, as columns say it."""
    d, noise = int(random.choice([10, 20, 40])), random.uniform(0.2, 0.6)
    loadings, kind = random.normal(size=(3, d)), int(random.integers(3))
    read, sharp = np.linalg.pinv(loadings), random.choice([3.0, 12.0])

    def draw(generator, n):
        X = generator.normal(size=(n, 3)) @ loadings + noise * generator.normal(size=(n, d))
        u, v, _ = (X @ read).T
        level = (u**2 + v**2 - 1.4, u * v, np.abs(u) - np.abs(v))[kind]
        return X, two_classes(expit(sharp * level))

    return f"d={d} noise={noise:.2f} rule={kind} sharp={sharp:.0f}", draw


def islands_of_noise(random):
    """Normal classes of one covariance; in a few balls labels are drawn evenly."""
    d, n_classes = int(random.choice([2, 4, 8])), int(random.choice([2, 3]))
    n_balls, share = int(random.choice([1, 3, 6])), random.uniform(0.4, 1.0)
    centres = random.normal(size=(n_classes, d)) * 1.4
    balls, radius = random.normal(size=(n_balls, d)) * 1.2, random.uniform(0.5, 0.9) * np.sqrt(d)

    def draw(generator, n):
        X = centres[generator.integers(0, n_classes, n)] + generator.normal(size=(n, d))
        chances = softmax(X @ centres.T - 0.5 * (centres**2).sum(axis=1), axis=1)
        near = ((X[:, None] - balls) ** 2).sum(axis=2).min(axis=1) < radius**2
        part = share * near[:, None]
        return X, (1 - part) * chances + part / n_classes

    return f"d={d} K={n_classes} balls={n_balls} share={share:.2f}", draw
