"""Recipes of simulated problems: points, and the probabilities of the classes at each.

A recipe takes a generator for its parameters and gives them in words, and a function
``draw(random, n)`` that gives points and probabilities.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import t as student


def draw_labels(random, chances):
    """A class for each row, drawn from its probabilities."""
    return (chances.cumsum(axis=1)[:, :-1] < random.random(len(chances))[:, None]).sum(axis=1)


def _mixture(centres, owners, log_density, noise, weights=None):
    """Points around centres, each of which belongs to a class.

    `log_density` is that of the noise around each centre, of shape (n, centres); `noise`
    draws it for given centres.
    """
    weights = np.full(len(centres), 1 / len(centres)) if weights is None else np.asarray(weights)
    n_classes = max(owners) + 1

    def draw(random, n):
        which = random.choice(len(centres), n, p=weights)
        X = centres[which] + noise(random, which)
        logs = log_density(X) + np.log(weights)
        logs -= logs.max(axis=1, keepdims=True)
        parts = np.exp(logs)
        chances = np.stack(
            [parts[:, np.asarray(owners) == k].sum(axis=1) for k in range(n_classes)], axis=1
        )
        return X, chances / chances.sum(axis=1, keepdims=True)

    return draw


def _normal_mixture(centres, owners, weights=None, factors=None):
    """Normal clusters; `factors[c]` turns white noise into that of centre c."""
    n_centres, d = centres.shape
    if factors is None:
        factors = np.repeat(np.eye(d)[None], n_centres, axis=0)
    inverses = np.linalg.inv(factors)
    log_volumes = np.linalg.slogdet(factors)[1]

    def log_density(X):
        logs = np.empty((len(X), n_centres))
        for c in range(n_centres):
            white = (X - centres[c]) @ inverses[c].T
            logs[:, c] = -0.5 * np.einsum("ij,ij->i", white, white) - log_volumes[c]
        return logs

    def noise(random, which):
        white = random.normal(size=(len(which), d))
        for c in range(n_centres):
            white[which == c] = white[which == c] @ factors[c].T
        return white

    return _mixture(centres, owners, log_density, noise, weights)


def _white_mixture(centres, owners, density, noise, weights=None):
    """Clusters with independent noise of one density in every column."""

    def log_density(X):
        return np.stack([density(X - centre).sum(axis=1) for centre in centres], axis=1)

    return _mixture(
        centres, owners, log_density,
        lambda random, which: noise(random, (len(which), centres.shape[1])), weights,
    )  # fmt: skip


def _centres(random, n_centres, d, apart):
    """Random centres whose typical distance is `apart`, in at most ten directions."""
    live = min(d, 10)
    centres = np.zeros((n_centres, d))
    centres[:, :live] = random.normal(size=(n_centres, live)) * apart / np.sqrt(2 * live)
    if n_centres == 2:
        gap = centres[1] - centres[0]
        centres[1] = centres[0] + gap * apart / np.linalg.norm(gap)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    return centres @ turn


def two_classes(chance):
    """The probabilities of two classes, from those of the second one."""
    return np.stack([1 - chance, chance], axis=1)


def _with_noise_columns(extra):
    """Columns of pure noise behind the two that matter."""
    return lambda X, generator: np.hstack([X, generator.normal(size=(len(X), extra))])


# ------------------------------------------------------------------------------ design families


def shift(random):
    d, n_classes = int(random.choice([2, 3, 5, 10, 20, 50, 100])), int(random.choice([2, 2, 3, 5]))
    apart = random.uniform(0.7, 4)
    centres = _centres(random, n_classes, d, apart)
    return f"d={d} K={n_classes} apart={apart:.2f}", _normal_mixture(centres, range(n_classes))


def covariance(random):
    d, n_classes = int(random.choice([2, 4, 8, 15, 30])), int(random.choice([2, 2, 3]))
    apart = random.uniform(0, 2)
    factors = []
    for _ in range(n_classes):
        turn = np.linalg.qr(random.normal(size=(d, d)))[0]
        factors.append(turn * np.exp(random.normal(scale=0.5, size=d)))
    centres = _centres(random, n_classes, d, apart)
    draw = _normal_mixture(centres, range(n_classes), factors=np.array(factors))
    return f"d={d} K={n_classes} apart={apart:.2f}", draw


def clusters(random):
    d, n_classes = int(random.choice([2, 5, 10, 20])), int(random.choice([2, 3]))
    each, apart = int(random.integers(2, 5)), random.uniform(2, 5)
    centres = _centres(random, n_classes * each, d, apart)
    owners = np.repeat(np.arange(n_classes), each)
    return f"d={d} K={n_classes} clusters={each} apart={apart:.2f}", _normal_mixture(
        centres, owners
    )


def heavy(random):
    d, n_classes = int(random.choice([2, 5, 10, 30])), int(random.choice([2, 3]))
    freedom, apart = int(random.choice([2, 3, 5])), random.uniform(1, 5)
    centres = _centres(random, n_classes, d, apart)
    draw = _white_mixture(
        centres, range(n_classes), lambda u: student.logpdf(u, freedom),
        lambda generator, shape: generator.standard_t(freedom, shape),
    )  # fmt: skip
    return f"d={d} K={n_classes} freedom={freedom} apart={apart:.2f}", draw


def rings(random):
    n_classes, extra = int(random.choice([2, 3])), int(random.choice([0, 0, 2, 6]))
    width = random.uniform(0.1, 0.5)
    add = _with_noise_columns(extra)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        angle = generator.uniform(0, 2 * np.pi, n)
        radius = np.abs(1 + which + width * generator.normal(size=n))
        # The density of a radius is folded at 0; that of the plane divides all classes alike.
        gaps = radius[:, None] - 1 - np.arange(n_classes)
        folded = -radius[:, None] - 1 - np.arange(n_classes)
        chances = np.exp(-0.5 * (gaps / width) ** 2) + np.exp(-0.5 * (folded / width) ** 2)
        chances += 1e-300
        X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return add(X, generator), chances / chances.sum(axis=1, keepdims=True)

    return f"K={n_classes} extra={extra} width={width:.2f}", draw


def checkerboard(random):
    fields, extra = int(random.choice([2, 3, 4, 6])), int(random.choice([0, 0, 1, 3]))
    flip = random.choice([0.0, 0.05, 0.15, 0.25])
    add = _with_noise_columns(extra)

    def draw(generator, n):
        X = generator.uniform(0, fields, (n, 2))
        odd = np.floor(X).sum(axis=1) % 2
        return add(X, generator), two_classes(flip + (1 - 2 * flip) * odd)

    return f"fields={fields} extra={extra} flip={flip}", draw


def one_hot(random):
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


def logistic(random):
    d, strength = int(random.choice([3, 10, 30, 100])), random.uniform(0.5, 6)
    offset = random.choice([0.0, 0.0, 1.0])
    weights = random.normal(size=d)
    weights *= strength / np.linalg.norm(weights)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(X @ weights + offset))

    return f"d={d} strength={strength:.2f} offset={offset}", draw


def rare(random):
    d, apart = int(random.choice([2, 5, 10, 20])), random.uniform(1, 4)
    spread = random.choice([1.0, 0.5, 1.5])
    centres = _centres(random, 2, d, apart)
    factors = np.stack([np.eye(d), spread * np.eye(d)])
    draw = _normal_mixture(centres, [0, 1], weights=[20 / 21, 1 / 21], factors=factors)
    return f"d={d} apart={apart:.2f} spread={spread}", draw


def many_classes(random):
    d, n_classes = int(random.choice([2, 5, 16, 30])), int(random.choice([10, 15, 26]))
    apart = random.uniform(2, 7)
    centres = _centres(random, n_classes, d, apart)
    return f"d={d} K={n_classes} apart={apart:.2f}", _normal_mixture(centres, range(n_classes))


def no_signal(random):
    d, n_classes = int(random.choice([2, 5, 20, 100])), int(random.choice([2, 3, 10]))
    shares = random.dirichlet(np.full(n_classes, 8.0))

    def draw(generator, n):
        return generator.normal(size=(n, d)), np.repeat(shares[None], n, axis=0)

    return f"d={d} K={n_classes}", draw


def separable(random):
    d, n_classes = int(random.choice([2, 5, 20, 100])), int(random.choice([2, 3, 6]))
    gap = random.uniform(0.5, 3)
    axes = np.linalg.qr(random.normal(size=(d, d)))[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.normal(size=(n, d))
        X[:, 0] = which * (1 + gap) + generator.uniform(0, 1, n)
        return X @ axes, np.eye(n_classes)[which]

    return f"d={d} K={n_classes} gap={gap:.2f}", draw


# For evaluation only.


def spirals(random):
    arms, extra = int(random.choice([2, 3])), int(random.choice([0, 0, 2, 6]))
    width, turns = random.uniform(0.1, 0.6), random.choice([1.0, 1.5])
    grid = np.linspace(0.25, 1, 400)  # along an arm
    add = _with_noise_columns(extra)

    def arm(place, which):
        angle = 2 * np.pi * (turns * place + which / arms)
        return 4 * place[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    paths = [arm(grid, np.full(len(grid), k)) for k in range(arms)]

    def draw(generator, n):
        which, step = generator.integers(0, arms, n), generator.integers(0, len(grid), n)
        X = np.stack(paths)[which, step] + width * generator.normal(size=(n, 2))
        chances = np.empty((n, arms))
        for k, path in enumerate(paths):
            squares = ((X[:, None] - path[None]) ** 2).sum(axis=2)
            chances[:, k] = np.exp(-squares / (2 * width**2)).sum(axis=1) + 1e-300
        return add(X, generator), chances / chances.sum(axis=1, keepdims=True)

    return f"arms={arms} extra={extra} width={width:.2f} turns={turns}", draw


def parity(random):
    bits, d = int(random.choice([2, 3])), int(random.choice([3, 5, 8, 12]))
    apart = random.uniform(0.8, 2.5)

    def draw(generator, n):
        signs = generator.choice([-1.0, 1.0], (n, bits))
        X = generator.normal(size=(n, d))
        X[:, :bits] += apart * signs
        # The mean product of the signs given the columns is the product of their means.
        return X, two_classes((1 + np.tanh(apart * X[:, :bits]).prod(axis=1)) / 2)

    return f"bits={bits} d={d} apart={apart:.2f}", draw


def radius(random):
    d, ratio = int(random.choice([3, 10, 20, 50])), random.uniform(1.1, 1.8)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d)) * np.where(which, ratio, 1.0)[:, None]
        squares = (X**2).sum(axis=1)
        return X, two_classes(expit(0.5 * squares * (1 - 1 / ratio**2) - d * np.log(ratio)))

    return f"d={d} ratio={ratio:.2f}", draw


def one_column(random):
    d, apart = int(random.choice([10, 50, 100, 200])), random.uniform(1, 4.5)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d))
        X[:, 0] += apart * which
        return X, two_classes(expit(apart * (X[:, 0] - apart / 2)))

    return f"d={d} apart={apart:.2f}", draw


def wrong_labels(random):
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 5, 10]))
    noise, apart = random.uniform(0.05, 0.6), random.uniform(6, 12)
    centres = _centres(random, n_classes, d, apart)
    clean = _normal_mixture(centres, range(n_classes))

    def draw(generator, n):
        X, chances = clean(generator, n)
        return X, (1 - noise) * chances + noise / n_classes

    return f"d={d} K={n_classes} noise={noise:.2f} apart={apart:.2f}", draw


def sheet(random):
    wide, waves = int(random.choice([10, 50, 200])), random.uniform(1, 3)
    strength = random.uniform(1, 6)
    turn = random.normal(size=(6, wide)) / np.sqrt(wide)

    def draw(generator, n):
        place = generator.uniform(-1, 1, (n, 2))
        bent = np.hstack([place, place**2, np.sin(3 * place)])
        X = bent @ turn + 0.01 * generator.normal(size=(n, wide))
        return X, two_classes(expit(strength * np.sin(waves * place).sum(axis=1)))

    return f"d={wide} waves={waves:.2f} strength={strength:.2f}", draw


def boxes(random):
    d, n_cuts = int(random.choice([2, 5, 10])), int(random.choice([3, 6, 10]))
    n_classes = int(random.choice([2, 3]))
    columns, places = random.integers(0, min(d, 4), n_cuts), random.uniform(0.2, 0.8, n_cuts)
    tables = random.dirichlet(np.full(n_classes, random.choice([0.1, 0.5])), 2**n_cuts)
    powers = 2 ** np.arange(n_cuts)

    def draw(generator, n):
        X = generator.uniform(size=(n, d))
        return X, tables[(X[:, columns] > places) @ powers]

    return f"d={d} K={n_classes} cuts={n_cuts}", draw


def skewed(random):
    d, apart = int(random.choice([2, 5, 12])), random.uniform(0.3, 1.5)
    rates = np.exp(apart * random.normal(size=(2, d)) / np.sqrt(d) * 1.5)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.exponential(size=(n, d)) / rates[which]
        logs = np.log(rates).sum(axis=1) - X @ rates.T
        return X, two_classes(expit(logs[:, 1] - logs[:, 0]))

    return f"d={d} apart={apart:.2f}", draw


def counts(random):
    d, n_classes = int(random.choice([2, 6, 20])), int(random.choice([2, 4]))
    means = np.exp(random.normal(0.7, random.uniform(0.2, 0.7), (n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(means[which]).astype(float)
        logs = X @ np.log(means).T - means.sum(axis=1)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"d={d} K={n_classes}", draw


def waves(random):
    live, extra = int(random.choice([1, 2])), int(random.choice([0, 2, 5]))
    speed, height = random.uniform(1, 6), random.uniform(0.4, 1)

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, live + extra))
        product = np.sin(speed * X[:, :live]).prod(axis=1)
        return X, two_classes(0.5 + 0.5 * height * product)

    return f"live={live} extra={extra} speed={speed:.2f} height={height:.2f}", draw


def rare_three(random):
    d, apart = int(random.choice([2, 5, 15])), random.uniform(1, 4)
    centres = _centres(random, 3, d, apart)
    factors = np.eye(d) * np.array([1.0, 0.7, 1.4])[:, None, None]
    draw = _normal_mixture(centres, range(3), weights=[0.85, 0.1, 0.05], factors=factors)
    return f"d={d} apart={apart:.2f}", draw
