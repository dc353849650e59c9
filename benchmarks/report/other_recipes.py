"""Recipes of simulated problems of kinds that none of the other recipes has.

As in `recipes`, each gives its parameters in words and a function
``draw(random, n)`` that gives points and the probabilities of the classes at each. Which of them
are for design and which for evaluation was written down in `families` before any was run.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_ndtr, log_softmax, ndtr, softmax

from .recipes import draw_labels, two_classes

# ------------------------------------------------------------------------------------ for design


def lognormal(random):
    """Amounts of all magnitudes: normal logarithms whose means and spreads differ by class."""
    d, n_classes = int(random.choice([2, 5, 10, 25])), int(random.choice([2, 3]))
    means = random.normal(scale=random.uniform(0.1, 0.8), size=(n_classes, d))
    spreads = 0.8 * np.exp(random.normal(scale=random.choice([0.0, 0.3]), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        logs = means[which] + spreads[which] * generator.normal(size=(n, d))
        return np.exp(logs), softmax(_normal_scores(logs, means, spreads), axis=1)

    return f"d={d} K={n_classes}", draw


def xor_of_many(random):
    """The sign of a product of a few of twenty columns, sharp or blurred."""
    bits, d = int(random.choice([2, 2, 3])), 20
    columns, steepness = random.choice(d, bits, replace=False), random.choice([3.0, 8.0, 50.0])
    noise = random.choice([0.0, 0.1, 0.2])

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, d))
        odd = (1 + np.tanh(steepness * X[:, columns] / 2).prod(axis=1)) / 2
        return X, two_classes(noise + (1 - 2 * noise) * odd)

    return f"bits={bits} d={d} steepness={steepness:.0f} noise={noise}", draw


def shells(random):
    """Shells within shells around one centre, each of a thickness of its own."""
    d, n_classes = int(random.choice([2, 3, 6, 12])), int(random.choice([2, 3, 4]))
    thickness, extra = random.uniform(0.1, 0.5, n_classes), int(random.choice([0, 0, 3]))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        directions = generator.normal(size=(n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radius = 1 + which + thickness[which] * generator.normal(size=n)
        # A negative radius is on the other side: the density of its size is folded.
        size = np.abs(radius)[:, None]
        folded = [
            -0.5 * ((sign * size - 1 - np.arange(n_classes)) / thickness) ** 2 - np.log(thickness)
            for sign in (1, -1)
        ]
        X = np.hstack([directions * radius[:, None], generator.normal(size=(n, extra))])
        return X, softmax(np.logaddexp(*folded), axis=1)

    return f"d={d} K={n_classes} extra={extra}", draw


def five_uneven(random):
    """Five normal classes, of which one has four fifths of the samples."""
    d, apart = int(random.choice([2, 5, 12])), random.uniform(1.5, 5)
    weights = np.array([0.8, 0.1, 0.05, 0.03, 0.02])
    means = random.normal(size=(5, d)) * apart / np.sqrt(2 * min(d, 4))
    spreads = np.exp(random.normal(scale=0.3, size=(5, 1))) * np.ones(d)

    def draw(generator, n):
        which = generator.choice(5, n, p=weights)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        return X, softmax(_normal_scores(X, means, spreads) + np.log(weights), axis=1)

    return f"d={d} apart={apart:.2f}", draw


def series(random):
    """Columns that go together as in a series of first order; means, or how much, differ."""
    d, n_classes = int(random.choice([5, 15, 40])), int(random.choice([2, 3]))
    memory = random.uniform(-0.2, 0.95, n_classes)
    if random.random() < 0.5:
        memory[:] = memory[0]
    waves = np.cos(np.outer(random.uniform(0.1, 1, n_classes), np.arange(d)))
    means = random.uniform(0, 1.2) * waves

    def innovations(X, k):
        centred = X - means[k]
        return np.column_stack([centred[:, :1], centred[:, 1:] - memory[k] * centred[:, :-1]])

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        step = np.sqrt(1 - memory[which] ** 2)
        noise = generator.normal(size=(n, d))
        X = noise.copy()
        for column in range(1, d):
            X[:, column] = memory[which] * X[:, column - 1] + step * noise[:, column]
        X += means[which]
        logs = []
        for k in range(n_classes):
            spread = np.r_[1.0, np.full(d - 1, np.sqrt(1 - memory[k] ** 2))]
            logs.append((-0.5 * (innovations(X, k) / spread) ** 2 - np.log(spread)).sum(axis=1))
        return X, softmax(np.stack(logs, axis=1), axis=1)

    return f"d={d} K={n_classes} memory={np.round(memory, 2).tolist()}", draw


def noise_by_class(random):
    """A few columns shift; the others are noise, whose size may differ between classes."""
    d, live = int(random.choice([6, 15, 40])), int(random.choice([1, 2, 4]))
    shift, ratio = random.uniform(0.5, 3), random.choice([1.0, 1.15, 1.5])
    means, spreads = np.zeros((2, d)), np.ones((2, d))
    means[1, :live] = shift / np.sqrt(live)
    spreads[1, live:] = ratio
    scales = np.exp(random.normal(scale=random.choice([0.0, 0.5]), size=d))

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        return X * scales, softmax(_normal_scores(X, means, spreads), axis=1)

    return f"d={d} live={live} shift={shift:.2f} ratio={ratio}", draw


def tiny_clusters(random):
    """A broad cluster for each class, and many tiny ones of the other class inside of it."""
    d, n_tiny = int(random.choice([2, 3, 6])), int(random.choice([4, 12, 30]))
    share, size = random.uniform(0.1, 0.5), random.uniform(0.03, 0.2)
    apart = random.uniform(0, 2.5)
    broad = np.zeros((2, d))
    broad[1, 0] = apart
    tiny = random.normal(size=(n_tiny, d)) + np.repeat(broad, [n_tiny // 2, n_tiny // 2], axis=0)
    owners = np.r_[0, 1, np.repeat([1, 0], n_tiny // 2)]
    centres = np.vstack([broad, tiny])
    spreads = np.repeat(np.r_[1.0, 1.0, np.full(n_tiny, size)][:, None], d, axis=1)
    weights = np.r_[np.full(2, (1 - share) / 2), np.full(n_tiny, share / n_tiny)]

    def draw(generator, n):
        which = generator.choice(len(weights), n, p=weights)
        X = centres[which] + spreads[which] * generator.normal(size=(n, d))
        parts = softmax(_normal_scores(X, centres, spreads) + np.log(weights), axis=1)
        return X, two_classes(parts[:, owners == 1].sum(axis=1))

    return f"d={d} tiny={n_tiny} share={share:.2f} size={size:.2f} apart={apart:.2f}", draw


def moons(random):
    """Two half circles that reach into each other, with noise, and perhaps other columns."""
    width, extra = random.uniform(0.1, 0.45), int(random.choice([0, 0, 2, 8]))
    angle = np.linspace(0, np.pi, 300)
    paths = np.stack(
        [
            np.column_stack([np.cos(angle), np.sin(angle)]),
            np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle)]),
        ]
    )
    share = random.choice([0.5, 0.5, 0.2])

    def draw(generator, n):
        which, place = generator.random(n) < share, generator.integers(0, len(angle), n)
        X = paths[which.astype(int), place] + width * generator.normal(size=(n, 2))
        near = [
            np.exp(-((X[:, None] - path) ** 2).sum(axis=2) / (2 * width**2)).sum(axis=1) + 1e-300
            for path in paths
        ]
        second = share * near[1]
        X = np.hstack([X, generator.normal(size=(n, extra))])
        return X, two_classes(second / (second + (1 - share) * near[0]))

    return f"width={width:.2f} extra={extra} share={share}", draw


# For evaluation only.


def survey(random):
    """Normal columns that go together, many seen in a few steps only; the label by a score."""
    d, n_classes = int(random.choice([4, 8, 20])), int(random.choice([2, 3]))
    mixed = random.normal(size=(d, d)) * 0.6 + np.eye(d)
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    steps = [random.choice([1, 2, 4, 0]) for _ in range(d)]  # 0: seen as it is
    cuts = [np.sort(random.normal(scale=0.8, size=each)) for each in steps]
    slopes = random.normal(scale=random.uniform(0.4, 1.5), size=(d, n_classes))
    pairs = random.normal(scale=random.choice([0.0, 0.7]), size=(3, 3, n_classes))
    centre = np.array(steps) / 2

    def draw(generator, n):
        X = generator.normal(size=(n, d)) @ mixed.T
        for column, each in enumerate(cuts):
            if len(each):
                X[:, column] = np.searchsorted(each, X[:, column])
        scores = (X - centre) @ slopes / np.sqrt(d)
        first = X[:, :3]
        scores += np.einsum("ni,nj,ijk->nk", first, first, pairs) / 3
        return X, softmax(2 * scores, axis=1)

    return f"d={d} K={n_classes} seen={sum(each == 0 for each in steps)}", draw


def flipped(random):
    """Classes that lie apart, whose labels are changed with another probability in each."""
    d, n_classes = int(random.choice([2, 5, 20])), int(random.choice([2, 3, 6]))
    gap = random.uniform(0.3, 2)
    flips = random.uniform(0, 0.35, n_classes)
    other = (np.arange(n_classes) + 1) % n_classes
    table = np.eye(n_classes) * (1 - flips)[:, None]
    table[np.arange(n_classes), other] += flips
    axes = np.linalg.qr(random.normal(size=(d, d)))[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.uniform(-1, 1, size=(n, d))
        X[:, 0] = which * (1 + gap) + generator.uniform(0, 1, n)
        return X @ axes, table[which]

    return f"d={d} K={n_classes} flips={flips.mean():.2f}", draw


def family_tree(random):
    """Eight classes, of which pairs are near, pairs of pairs farther, with sizes that differ."""
    d, near = int(random.choice([3, 6, 15])), random.uniform(0.8, 2.5)
    means = np.zeros((8, d))
    for level, apart in enumerate([near * 4, near * 2, near]):
        steps = random.normal(size=(2**level, d))
        steps *= apart / 2 / np.linalg.norm(steps, axis=1, keepdims=True)
        for k in range(8):
            means[k] += steps[k >> (3 - level)] * (1 if (k >> (2 - level)) & 1 else -1)
    weights = random.dirichlet(np.full(8, 3.0))
    spreads = np.ones((8, d))

    def draw(generator, n):
        which = generator.choice(8, n, p=weights)
        X = means[which] + generator.normal(size=(n, d))
        return X, softmax(_normal_scores(X, means, spreads) + np.log(weights), axis=1)

    return f"d={d} near={near:.2f}", draw


def topics(random):
    """Sparse counts: each class mixes a few topics, each topic has rates of its own."""
    d, n_classes = int(random.choice([15, 40, 100])), int(random.choice([2, 3]))
    n_topics = int(random.choice([3, 5]))
    rates = random.gamma(0.4, random.uniform(0.3, 1.5), (n_topics, d)) + 0.02
    mixes = random.dirichlet(np.full(n_topics, 0.4), n_classes)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        topic = draw_labels(generator, mixes[which])
        X = generator.poisson(rates[topic]).astype(float)
        of_topics = softmax(X @ np.log(rates).T - rates.sum(axis=1), axis=1)
        chances = of_topics @ mixes.T
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"d={d} K={n_classes} topics={n_topics}", draw


def loop(random):
    """A closed curve in many columns; the class goes up and down along it."""
    wide, speed = int(random.choice([3, 10, 40])), int(random.choice([1, 2, 4, 8]))
    height, extra = random.uniform(1, 6), int(random.choice([0, 1, 3]))
    turn = random.normal(size=(6, wide)) / np.sqrt(3)

    def draw(generator, n):
        angle = generator.uniform(0, 2 * np.pi, n)
        bent = np.column_stack([f(k * angle) for k in (1, 2, 3) for f in (np.cos, np.sin)])
        X = np.hstack([bent @ turn, 0.3 * generator.normal(size=(n, extra))])
        return X, two_classes(expit(height * np.sin(speed * angle)))

    return f"d={wide} extra={extra} speed={speed} height={height:.1f}", draw


def coarse_sensors(random):
    """Normal classes, read by instruments with coarse steps that saturate."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 3]))
    step, most = random.choice([0.5, 1.0, 2.0]), random.choice([1.0, 2.0, 4.0])
    means = random.normal(scale=random.uniform(0.3, 1.2), size=(n_classes, d))
    edges = np.arange(-most + step / 2, most, step)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        seen = np.searchsorted(edges, means[which] + generator.normal(size=(n, d)))
        logs = np.zeros((n, n_classes))
        for k in range(n_classes):
            inside = ndtr(np.r_[edges, np.inf][:, None] - means[k])
            inside -= ndtr(np.r_[-np.inf, edges][:, None] - means[k])
            logs[:, k] = np.log(np.maximum(inside, 1e-300))[seen, np.arange(d)].sum(axis=1)
        return seen * step, softmax(logs, axis=1)

    return f"d={d} K={n_classes} step={step} most={most}", draw


def overlapping_blocks(random):
    """Uniform classes: certain where only one of them is, even where several are."""
    d, n_classes = int(random.choice([1, 2, 4, 8])), int(random.choice([2, 3]))
    starts = random.uniform(0, random.uniform(0.2, 0.8), (n_classes, d))
    sides = random.uniform(0.6, 1.2, (n_classes, d))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = starts[which] + sides[which] * generator.random((n, d))
        inside = ((X[:, None] >= starts) & (X[:, None] <= starts + sides)).all(axis=2)
        density = inside / sides.prod(axis=1)
        return X, density / density.sum(axis=1, keepdims=True)

    return f"d={d} K={n_classes}", draw


def thresholds(random):
    """Selected samples: the label by a latent score, columns seen through a bent lens."""
    d, n_classes = int(random.choice([3, 8, 20])), 2
    slopes = random.normal(size=d)
    slopes *= random.uniform(0.7, 4) / np.linalg.norm(slopes)
    offset = random.choice([0.0, 1.0, 2.0])
    powers = random.choice([0.5, 1.0, 3.0], d)

    def draw(generator, n):
        latent = generator.normal(size=(n, d))
        low, high = log_ndtr(-(latent @ slopes - offset)), log_ndtr(latent @ slopes - offset)
        chances = np.exp(log_softmax(np.column_stack([low, high]), axis=1))
        return np.sign(latent) * np.abs(latent) ** powers, chances

    return f"d={d} K={n_classes} offset={offset}", draw


def _normal_scores(X, means, spreads):
    """Log densities of independent normal columns, up to a constant, shape (n, K)."""
    return np.stack(
        [
            (-0.5 * ((X - mean) / spread) ** 2 - np.log(spread)).sum(axis=1)
            for mean, spread in zip(means, spreads, strict=True)
        ],
        axis=1,
    )
