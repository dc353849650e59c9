"""Series and sounds."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, softmax

from .building import Generative, draw_labels, normal_classes, priors_to_a_tenth


def chords(random):
    """The energy of the twelve notes, in one or more octaves: major, minor or another chord?"""
    n_classes, octaves = int(random.choice([2, 3, 5])), int(random.choice([1, 2, 5]))
    loud, shape = random.choice([1.5, 3.0, 8.0]), random.choice([0.7, 2.0])
    kinds = [(0, 4, 7), (0, 3, 7), (0, 3, 6), (0, 5, 7), (0, 4, 7, 10)][:n_classes]
    notes = np.zeros((n_classes, 12, 12))
    for k, kind in enumerate(kinds):
        for root in range(12):
            notes[k, root, (np.array(kind) + root) % 12] = 1
    roots = random.dirichlet(np.full(12, random.choice([0.5, 5.0])))
    priors = random.dirichlet(np.full(n_classes, 6.0))

    def sample(generator, n):
        which, root = generator.choice(n_classes, n, p=priors), generator.choice(12, n, p=roots)
        scale = np.tile(1 + (loud - 1) * notes[which, root], octaves)
        return generator.gamma(shape, scale), which

    def scores(X):
        gain = X * (1 - 1 / loud) - shape * np.log(loud)  # of a note that sounds over one that not
        gain = gain.reshape(len(X), octaves, 12).sum(axis=1)
        logs = np.einsum("nj,krj->nkr", gain, notes) + np.log(roots)
        return logsumexp(logs, axis=2) + np.log(priors)

    words = f"K={n_classes} octaves={octaves} loud={loud} shape={shape}"
    return words, Generative(sample, scores)


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


def tones(random):
    """Short series of one tone each, of any phase, in noise; classes are frequencies."""
    d, n_classes = int(random.choice([12, 24, 48])), int(random.choice([2, 3]))
    noise = random.uniform(0.5, 2.5)
    frequencies = random.uniform(0.5, 2.5, n_classes)
    phases = 2 * np.pi * np.arange(16) / 16
    steps = np.arange(d)
    centres = np.cos(frequencies[:, None, None] * steps + phases[:, None]).reshape(-1, d)
    owners = np.repeat(np.arange(n_classes), 16)

    def draw(generator, n):
        which = generator.integers(0, len(centres), n)
        X = centres[which] + noise * generator.normal(size=(n, d))
        squared = (centres**2).sum(axis=1) - 2 * X @ centres.T
        parts = softmax(-squared / (2 * noise**2), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"d={d} K={n_classes} noise={noise:.2f}", draw


def autoregression(random):
    """Series of different persistence, value by value."""
    length = int(random.choice([10, 40]))
    persistence = np.array([random.uniform(0, 0.5), random.uniform(0.5, 0.9)])

    def draw(generator, n):
        own = persistence[generator.integers(0, 2, n)]
        X = generator.normal(size=(n, length))
        X[:, 0] /= np.sqrt(1 - own**2)
        for t in range(1, length):
            X[:, t] += own * X[:, t - 1]
        scores = [
            np.log(1 - p**2) - X[:, 0] ** 2 * (1 - p**2) - ((X[:, 1:] - p * X[:, :-1]) ** 2).sum(1)
            for p in persistence
        ]
        return X, softmax(np.column_stack(scores) / 2, axis=1)

    return f"length={length} persistence={persistence.round(2).tolist()}", draw


def hidden_chains(random):
    """Hidden Markov chains: classes differ in how states follow each other."""
    length, n_states = int(random.choice([8, 15, 30])), int(random.choice([2, 3]))
    n_classes, noise = int(random.choice([2, 3])), random.uniform(0.3, 1.2)
    steady = random.uniform(0.5, 6, n_classes)
    moves = np.stack(
        [random.dirichlet(np.ones(n_states), n_states) + s * np.eye(n_states) for s in steady]
    )
    moves /= moves.sum(axis=2, keepdims=True)
    levels = np.arange(n_states) - (n_states - 1) / 2

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        state = generator.integers(0, n_states, n)
        X = np.empty((n, length))
        for step in range(length):
            X[:, step] = levels[state] + noise * generator.normal(size=n)
            state = draw_labels(generator, moves[which, state])
        seen = np.exp(-0.5 * ((X[:, :, None] - levels) / noise) ** 2) + 1e-300
        logs = np.zeros((n, n_classes))
        for k in range(n_classes):
            forward = np.full((n, n_states), 1 / n_states)
            for step in range(length):
                forward = forward * seen[:, step]
                total = forward.sum(axis=1, keepdims=True)
                logs[:, k] += np.log(total[:, 0])
                forward = forward / total @ moves[k]
        return X, softmax(logs, axis=1)

    return f"length={length} states={n_states} K={n_classes} noise={noise:.2f}", draw


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


def rough_curves(random):
    """Random curves: classes differ in how smooth they are, and perhaps in their mean."""
    length, n_classes = int(random.choice([8, 20, 60])), int(random.choice([2, 3]))
    times = np.linspace(0, 1, length)
    gaps = np.abs(times[:, None] - times)
    scales = random.choice([0.1, 0.3]) * np.exp(random.uniform(0.05, 0.4) * np.arange(n_classes))
    power, noise = random.choice([1.0, 1.7]), random.choice([0.1, 0.4])
    means = random.choice([0.0, 0.7]) * np.sin(np.outer(np.arange(n_classes), 2 * np.pi * times))
    covariances = [np.exp(-((gaps / each) ** power)) + noise**2 * np.eye(length) for each in scales]
    return (
        f"length={length} K={n_classes} scales={scales.round(2)} noise={noise}",
        normal_classes(means, covariances, np.full(n_classes, 1 / n_classes)),
    )


def spectra(random):
    """Smooth curves: a peak whose place varies within a class, on correlated noise."""
    d, n_classes = int(random.choice([30, 60, 120])), int(random.choice([2, 3]))
    noise, width = random.uniform(0.1, 0.6), random.uniform(2, 6)
    grid = np.arange(d)
    places = np.sort(random.uniform(0.25, 0.75, n_classes)) * d
    heights, wander = random.uniform(0.7, 1.3, n_classes), random.choice([0.5, 2.0, 6.0])
    offsets = np.linspace(-2, 2, 9)
    weights = np.exp(-(offsets**2) / 2)
    weights /= weights.sum()
    covariance = np.exp(-np.abs(grid[:, None] - grid) / random.choice([1.0, 5.0]))
    factor = noise * np.linalg.cholesky(covariance + 1e-6 * np.eye(d))
    centres = np.stack(
        [
            height * np.exp(-(((grid - place - wander * offset) / width) ** 2) / 2)
            for place, height in zip(places, heights, strict=True)
            for offset in offsets
        ]
    )
    white_centres = np.linalg.solve(factor, centres.T).T
    priors = np.tile(np.log(weights), n_classes)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n) * 9 + generator.choice(9, n, p=weights)
        white = white_centres[which] + generator.normal(size=(n, d))
        logs = priors - 0.5 * (white_centres**2).sum(axis=1) + white @ white_centres.T
        return white @ factor.T, softmax(logs, axis=1).reshape(n, n_classes, 9).sum(axis=2)

    return f"d={d} K={n_classes} noise={noise:.2f} wander={wander}", draw


def carried_forward(random):
    """A patient's values, hour by hour; a missing one is filled with the last: how does it go?"""
    hours, n_classes = int(random.choice([6, 16, 48])), int(random.choice([2, 3, 4]))
    lost, apart = random.uniform(0.1, 0.8), random.uniform(0.2, 1.5)
    at = np.linspace(0, 1, hours)
    # Steady, worse, better, and one crisis; beside a level and a persistence of its own.
    curves = apart * np.array([0 * at, 2 * at, -2 * at, 1.5 * np.exp(-20 * (at - 0.6) ** 2)])
    curves = curves[:n_classes] + 0.3 * apart * random.normal(size=(n_classes, 1))
    holds = random.uniform(0.3, 0.95, n_classes)
    spreads = np.exp(0.3 * apart * random.normal(size=n_classes))
    seen = np.clip((1 - lost) * np.exp(random.normal(0, 0.3, n_classes)), 0.05, 0.95)
    priors, unit = priors_to_a_tenth(random, n_classes), random.choice([1.0, 12.0])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        hold, state = holds[which], generator.normal(size=n)
        X = np.empty((n, hours))
        for hour in range(hours):
            if hour:
                state = hold * state + np.sqrt(1 - hold**2) * generator.normal(size=n)
            X[:, hour] = curves[which, hour] + spreads[which] * state
            if hour:
                gone = generator.random(n) >= seen[which]
                X[gone, hour] = X[gone, hour - 1]
        return 80 + unit * X, which

    def scores(X):
        X = (X - 80) / unit
        state = (X[:, :1] - curves[:, 0]) / spreads
        logs = np.log(priors) - np.log(spreads) - 0.5 * state**2
        gap = np.ones((len(X), 1))  # hours since the last value
        for hour in range(1, hours):
            new = (X[:, hour] != X[:, hour - 1])[:, None]
            here = (X[:, hour, None] - curves[:, hour]) / spreads
            hold = holds**gap
            deviation = np.sqrt(1 - hold**2)
            step = -0.5 * ((here - hold * state) / deviation) ** 2
            step += np.log(seen / spreads / deviation)
            logs += np.where(new, step, np.log1p(-seen))
            state, gap = np.where(new, here, state), np.where(new, 1, gap + 1)
        return logs

    text = f"hours={hours} K={n_classes} lost={lost:.2f} apart={apart:.1f}"
    return text, Generative(sample, scores)
