"""Recipes of further kinds, written for evaluation; what they showed has since led to changes.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import betaln, expit, gammaln, softmax

from .recipes import two_classes


def random_networks(random):
    """A random network of two layers gives the logits of the classes."""
    d, n_classes = int(random.choice([2, 5, 10, 20])), int(random.choice([2, 3, 5]))
    hidden, steep = int(random.choice([5, 20, 50])), random.choice([2.0, 5.0, 15.0])
    first = random.normal(size=(d, hidden)) * random.choice([1.0, 2.0]) / np.sqrt(d)
    offsets, second = random.normal(size=hidden), random.normal(size=(hidden, n_classes))

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        logits = np.tanh(X @ first + offsets) @ second / np.sqrt(hidden)
        return X, softmax(steep * logits, axis=1)

    return f"d={d} K={n_classes} hidden={hidden} steep={steep:.0f}", draw


def additive_curves(random):
    """A sum of one bent curve for each of some columns, beside columns of noise."""
    used, extra = int(random.choice([2, 4, 8])), int(random.choice([0, 5, 20]))
    steep = random.choice([1.0, 3.0, 8.0])
    frequencies = random.uniform(0.5, 3, (used, 3))
    phases, heights = random.uniform(0, 6.3, (used, 3)), random.normal(size=(used, 3))

    def draw(generator, n):
        X = generator.uniform(-1.7, 1.7, (n, used + extra))
        curves = heights * np.sin(frequencies * X[:, :used, None] + phases)
        return X, two_classes(expit(steep * curves.sum(axis=(1, 2)) / np.sqrt(used)))

    return f"used={used} extra={extra} steep={steep:.0f}", draw


def covariance_matrices(random):
    """Sample covariances of a few measurements: Wishart matrices, entry by entry."""
    size, n_classes = int(random.choice([2, 3, 4])), int(random.choice([2, 3]))
    freedom, spread = int(random.choice([6, 12, 30])), random.uniform(0.15, 0.5)
    factors = []
    for _ in range(n_classes):
        turn = np.linalg.qr(random.normal(size=(size, size)))[0]
        factors.append(turn * np.exp(spread * random.normal(size=size)))
    factors = np.array(factors)
    inverses = np.linalg.inv(factors @ factors.transpose(0, 2, 1))
    volumes = np.linalg.slogdet(factors)[1]
    rows, columns = np.triu_indices(size)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        seen = generator.normal(size=(n, freedom, size)) @ factors[which].transpose(0, 2, 1)
        S = seen.transpose(0, 2, 1) @ seen
        logs = -0.5 * np.einsum("kij,nji->nk", inverses, S) - freedom * volumes
        return S[:, rows, columns] / freedom, softmax(logs, axis=1)

    return f"size={size} K={n_classes} freedom={freedom} spread={spread:.2f}", draw


def ten_way_logits(random):
    """Ten classes or so by a multinomial logistic model in correlated columns."""
    d, n_classes = int(random.choice([4, 10, 30])), int(random.choice([6, 10, 20]))
    steep, shared = random.uniform(1, 8), random.choice([0.0, 0.6])
    weights = random.normal(size=(d, n_classes)) / np.sqrt(d)

    def draw(generator, n):
        X = np.sqrt(1 - shared) * generator.normal(size=(n, d))
        X += np.sqrt(shared) * generator.normal(size=(n, 1))
        return X, softmax(steep * X @ weights, axis=1)

    return f"d={d} K={n_classes} steep={steep:.1f} shared={shared}", draw


def random_fields(random):
    """The sign of a random smooth field over a few columns, sharp or blurred."""
    d, extra = int(random.choice([1, 2, 3, 5])), int(random.choice([0, 0, 3]))
    length, steep = random.choice([0.3, 0.7, 1.5]), random.choice([1.0, 3.0, 30.0])
    frequencies = random.normal(size=(d, 60)) / length
    phases = random.uniform(0, 2 * np.pi, 60)

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, d + extra))
        field = np.cos(X[:, :d] @ frequencies + phases).sum(axis=1) / np.sqrt(30)
        return X, two_classes(expit(steep * field))

    return f"d={d} extra={extra} length={length} steep={steep:.0f}", draw


def point_patterns(random):
    """Counts of points in 36 cells, with a hot spot somewhere; classes differ in its size."""
    n_classes, rate = int(random.choice([2, 3])), random.uniform(0.3, 1.5)
    heights = np.sort(random.uniform(0, 6, n_classes))
    width = random.uniform(0.6, 1.6)
    cells = np.array(list(product(range(6), range(6))), dtype=float)
    spots = np.exp(-((cells[:, None] - cells) ** 2).sum(axis=2) / (2 * width**2))
    means = rate + heights[:, None, None] * spots  # class, place, cell
    logs_of, totals = np.log(means), means.sum(axis=2)

    def draw(generator, n):
        which, place = generator.integers(0, n_classes, n), generator.integers(0, 36, n)
        X = generator.poisson(means[which, place]).astype(float)
        logs = np.einsum("nc,kpc->nkp", X, logs_of, optimize=True) - totals
        chances = softmax(logs.reshape(n, -1), axis=1).reshape(n, n_classes, 36)
        return X, chances.sum(axis=2)

    return f"K={n_classes} rate={rate:.2f} width={width:.2f}", draw


def random_walks(random):
    """Walks of some steps: drift or volatility differ by class."""
    length, n_classes = int(random.choice([10, 25, 60])), int(random.choice([2, 3]))
    drifts = random.normal(size=n_classes) * random.choice([0.0, 1.5]) / np.sqrt(length)
    sizes = np.exp(random.normal(size=n_classes) * random.choice([0.05, 0.2]))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        steps = drifts[which, None] + sizes[which, None] * generator.normal(size=(n, length))
        away = (steps[:, :, None] - drifts) / sizes
        logs = -0.5 * (away**2).sum(axis=1) - length * np.log(sizes)
        return steps.cumsum(axis=1), softmax(logs, axis=1)

    return f"length={length} K={n_classes}", draw


def censored_lifetimes(random):
    """Weibull times of several parts, cut off at the end of a study, with flags."""
    d, shape = int(random.choice([2, 4, 8])), random.choice([0.7, 1.0, 2.5])
    scales = np.exp(random.normal(size=(2, d)) * random.uniform(0.2, 0.8))
    prior = random.choice([0.5, 0.25])

    def draw(generator, n):
        which = (generator.random(n) < prior).astype(int)
        times = scales[which] * generator.weibull(shape, (n, d))
        ends = generator.uniform(0.3, 3, (n, 1))
        seen, X = times <= ends, np.minimum(times, ends)
        logs = np.tile(np.log([1 - prior, prior]), (n, 1))
        for k in range(2):
            ratio = X / scales[k] + 1e-12
            hazard = np.log(shape / scales[k]) + (shape - 1) * np.log(ratio)
            logs[:, k] += (np.where(seen, hazard, 0) - ratio**shape).sum(axis=1)
        return np.column_stack([X, seen]), softmax(logs, axis=1)

    return f"d={d} shape={shape} prior={prior}", draw


def order_statistics(random):
    """Several draws, sorted; classes differ in the distribution that they come from."""
    size, freedom = int(random.choice([5, 12, 30])), random.choice([0.5, 1.0, 3.0])
    shift, wider = random.choice([0.0, 0.3]), random.uniform(1.0, 1.6)
    normalise = gammaln((freedom + 1) / 2) - gammaln(freedom / 2) - np.log(freedom * np.pi) / 2

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        tailed = generator.standard_t(freedom, (n, size))
        plain = shift + wider * generator.normal(size=(n, size))
        X = np.clip(np.where(which[:, None], plain, tailed), -1e4, 1e4)
        logs = normalise - (freedom + 1) / 2 * np.log1p(X**2 / freedom)
        others = -0.5 * ((X - shift) / wider) ** 2 - np.log(wider * np.sqrt(2 * np.pi))
        return np.sort(X, axis=1), two_classes(expit((others - logs).sum(axis=1)))

    return f"size={size} freedom={freedom} shift={shift} wider={wider:.2f}", draw


def circuits(random):
    """A random Boolean function of a few bits that are read as blurred voltages."""
    used, extra = int(random.choice([2, 3, 4])), int(random.choice([0, 3, 8]))
    blur, noise = random.uniform(0.1, 0.6), random.choice([0.0, 0.1])
    states = np.array(list(product([0, 1], repeat=used)), dtype=float)
    outputs = random.random(len(states)) < 0.5
    outputs[0], outputs[-1] = False, True

    def draw(generator, n):
        X = blur * generator.normal(size=(n, used + extra))
        X += generator.integers(0, 2, X.shape)
        squares = ((X[:, None, :used] - states) ** 2).sum(axis=2)
        one = softmax(-squares / (2 * blur**2), axis=1) @ outputs
        return X, two_classes(noise + (1 - 2 * noise) * one)

    return f"used={used} extra={extra} blur={blur:.2f} noise={noise}", draw


def experts(random):
    """Which of a few logistic regressions decides depends on another few columns."""
    d, n_experts = int(random.choice([4, 8, 16])), int(random.choice([2, 3, 5]))
    steep, sharp = random.choice([1.5, 4.0]), random.choice([1.0, 5.0])
    gates = random.normal(size=(d, n_experts)) / np.sqrt(d)
    weights = random.normal(size=(d, n_experts)) / np.sqrt(d)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        chance = softmax(sharp * X @ gates, axis=1) * expit(steep * 2 * X @ weights)
        return X, two_classes(chance.sum(axis=1))

    return f"d={d} experts={n_experts} steep={steep} sharp={sharp:.0f}", draw


def pulses(random):
    """A pulse at any time in noise: its sign, or whether there is one at all."""
    length, noise = int(random.choice([12, 24, 40])), random.uniform(0.3, 0.9)
    signs = (0.0, 1.0) if random.random() < 0.5 else (-1.0, 1.0)
    pulse = np.array([0.5, 1.0, 0.5])
    places = length - len(pulse) + 1
    templates = np.stack([np.pad(pulse, (p, places - 1 - p)) for p in range(places)])

    def draw(generator, n):
        which, place = generator.integers(0, 2, n), generator.integers(0, places, n)
        X = np.array(signs)[which, None] * templates[place] + noise * generator.normal(
            size=(n, length)
        )
        match = X @ templates.T / noise**2
        power = (pulse**2).sum() / (2 * noise**2)
        logs = [sign * match - sign**2 * power for sign in signs]
        return X, softmax(np.stack([np.logaddexp.reduce(each, axis=1) for each in logs], 1), axis=1)

    return f"length={length} noise={noise:.2f} signs={signs}", draw


def tori(random):
    """Places on a torus, turned into many columns; the class goes round with both angles."""
    wide, turns = int(random.choice([3, 10, 40])), random.integers(1, 4, 2)
    n_classes, steep = int(random.choice([2, 3])), random.choice([1.0, 3.0, 10.0])
    turn = np.linalg.qr(random.normal(size=(max(wide, 3), 3)))[0]
    noise = random.choice([0.0, 0.02])

    def draw(generator, n):
        angles = generator.uniform(0, 2 * np.pi, (n, 2))
        ring = 2 + 0.8 * np.cos(angles[:, 1])
        place = np.column_stack(
            [ring * np.cos(angles[:, 0]), ring * np.sin(angles[:, 0]), 0.8 * np.sin(angles[:, 1])]
        )
        phases = (angles @ turns)[:, None] + 2 * np.pi * np.arange(n_classes) / n_classes
        X = place @ turn.T + noise * generator.normal(size=(n, len(turn)))
        return X, softmax(steep * np.cos(phases), axis=1)

    return f"d={wide} K={n_classes} turns={turns.tolist()} steep={steep:.0f} noise={noise}", draw


def genotypes(random):
    """Numbers 0, 1, 2 that go together along a chromosome; a few of them act, some in pairs."""
    d, used = int(random.choice([20, 60, 150])), int(random.choice([3, 8]))
    steep, pairs = random.choice([0.7, 1.5, 4.0]), random.choice([0.0, 1.0])
    common, kept = random.uniform(0.15, 0.5, d), random.uniform(0.3, 0.9, d)
    places = random.choice(d, used, replace=False)
    effects = random.normal(size=used)

    def draw(generator, n):
        X = np.zeros((n, d))
        for _ in range(2):
            last = generator.random(n)
            for j in range(d):
                fresh = generator.random(n)
                last = np.where(generator.random(n) < kept[j], last, fresh)
                X[:, j] += last < common[j]
        own = X[:, places] - 2 * common[places]
        scores = own @ effects + pairs * 2 * own[:, 0] * own[:, 1]
        return X, two_classes(expit(steep * scores))

    return f"d={d} used={used} steep={steep} pairs={pairs:.0f}", draw


def beta_rates(random):
    """Fractions between 0 and 1, Beta in every column, often near the ends."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 6]))
    spread, size = random.uniform(0.2, 0.8), random.choice([0.5, 2.0, 8.0])
    a, b = (size * np.exp(spread * random.normal(size=(n_classes, d))) for _ in range(2))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.clip(generator.beta(a[which], b[which]), 1e-6, 1 - 1e-6)
        logs = np.log(X) @ (a - 1).T + np.log1p(-X) @ (b - 1).T - betaln(a, b).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} spread={spread:.2f} size={size}", draw


def sharp_peaks(random):
    """Laplace columns around the centre of each class, of another width in each."""
    d, n_classes = int(random.choice([2, 6, 15])), int(random.choice([2, 4]))
    centres = random.normal(size=(n_classes, d)) * random.uniform(0.3, 1.5)
    widths = np.exp(random.choice([0.0, 0.4]) * random.normal(size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = centres[which] + widths[which] * generator.laplace(size=(n, d))
        logs = -np.abs((X[:, None] - centres) / widths) - np.log(widths)
        return X, softmax(logs.sum(axis=2), axis=1)

    return f"d={d} K={n_classes}", draw


FORMER_EVALUATION = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        random_networks, additive_curves, covariance_matrices, ten_way_logits, random_fields,
        point_patterns, random_walks, censored_lifetimes, order_statistics, circuits, experts,
        pulses, tori, genotypes, beta_rates, sharp_peaks,
    )
}  # fmt: skip
