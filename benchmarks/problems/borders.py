"""Borders of any form between classes: boards, stripes, trees, networks, fields."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, ndtri, softmax

from .building import noise_columns, two_classes, with_noise


def checkerboard(random):
    """A checkerboard in two columns, perhaps with wrong labels and columns of noise."""
    fields, extra = int(random.choice([2, 3, 4, 6])), int(random.choice([0, 0, 1, 3]))
    flip = random.choice([0.0, 0.05, 0.15, 0.25])
    add = noise_columns(extra)

    def draw(generator, n):
        X = generator.uniform(0, fields, (n, 2))
        odd = np.floor(X).sum(axis=1) % 2
        return add(X, generator), two_classes(flip + (1 - 2 * flip) * odd)

    return f"fields={fields} extra={extra} flip={flip}", draw


def waves(random):
    """The probability is a product of sines of one or two columns."""
    live, extra = int(random.choice([1, 2])), int(random.choice([0, 2, 5]))
    speed, height = random.uniform(1, 6), random.uniform(0.4, 1)

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, live + extra))
        product = np.sin(speed * X[:, :live]).prod(axis=1)
        return X, two_classes(0.5 + 0.5 * height * product)

    return f"live={live} extra={extra} speed={speed:.2f} height={height:.2f}", draw


def ripples(random):
    """Fine sinusoidal borders across a few columns, beside columns of noise."""
    live, extra = int(random.choice([1, 2, 3])), int(random.choice([0, 1, 4]))
    direction, speed = random.normal(size=live), random.uniform(4, 14)
    direction /= np.linalg.norm(direction)
    steepness = random.choice([2.0, 8.0])

    def draw(generator, n):
        X = generator.uniform(-1, 1, (n, live + extra))
        height = np.sin(speed * X[:, :live] @ direction)
        return X, softmax(np.stack([-steepness * height, steepness * height], axis=1) / 2, axis=1)

    return f"live={live} extra={extra} speed={speed:.1f} steepness={steepness:.0f}", draw


def periodic(random):
    """Stripes: the sign of a sine along one direction."""
    d, periods = int(random.choice([1, 2, 4])), random.choice([1, 3, 6])
    steep, along = random.choice([2.0, 10.0]), random.normal(size=d)
    along /= np.abs(along).sum()

    def draw(generator, n):
        X = generator.random((n, d))
        return X, two_classes(expit(steep * np.sin(2 * np.pi * periods * X @ along)))

    return f"d={d} periods={periods} steep={steep:.0f}", draw


def striped(random):
    """Stripes along one direction take turns in the classes; a line tells a part of the rest."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3]))
    stripes, steep = random.choice([2.0, 4.0, 8.0]), random.choice([1.0, 2.0, 5.0])
    line, directions = random.choice([0.0, 1.0]), random.normal(size=(2, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)

    def draw(generator, n):
        X = generator.uniform(-1.7, 1.7, size=(n, d))
        turns = np.floor(stripes * X @ directions[0]).astype(int) % n_classes
        scores = np.eye(n_classes)[turns] + line * np.outer(X @ directions[1], range(n_classes))
        return X, softmax(steep * scores, axis=1)

    return f"d={d} K={n_classes} stripes={stripes:.0f} steep={steep:.0f} line={line:.0f}", draw


def turned_boards(random):
    """A checkerboard in a few directions, none of them along a column."""
    d, used = int(random.choice([2, 4, 10])), int(random.choice([1, 2, 3]))
    n_classes, cell = int(random.choice([2, 3])), random.choice([0.4, 0.8, 1.5])
    noise, used = random.choice([0.0, 0.1, 0.4]), min(used, d)
    axes = np.linalg.qr(random.normal(size=(d, d)))[0][:, :used]

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        which = np.floor(X @ axes / cell).sum(axis=1).astype(int) % n_classes
        return X, with_noise(which, n_classes, noise)

    return f"d={d} used={used} K={n_classes} cell={cell} noise={noise}", draw


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


def smooth_borders(random):
    """Each class has a smooth random function of a few columns; the largest one wins."""
    d, used = int(random.choice([2, 6, 15, 30])), int(random.choice([2, 3, 5]))
    n_classes, steep = int(random.choice([2, 3, 5, 10])), random.choice([1.0, 3.0, 10.0])
    used, waves = min(used, d), 30
    slopes = random.normal(scale=random.choice([0.5, 1.0, 2.0]), size=(used, waves))
    starts, heights = random.uniform(0, 2 * np.pi, waves), random.normal(size=(waves, n_classes))

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        values = np.cos(X[:, :used] @ slopes + starts) @ heights / np.sqrt(waves / 2)
        return X, softmax(steep * values, axis=1)

    return f"d={d} used={used} K={n_classes} steep={steep:.0f}", draw


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


def boxes(random):
    """Cuts of a few uniform columns make boxes, each with probabilities of its own."""
    d, n_cuts = int(random.choice([2, 5, 10])), int(random.choice([3, 6, 10]))
    n_classes = int(random.choice([2, 3]))
    columns, places = random.integers(0, min(d, 4), n_cuts), random.uniform(0.2, 0.8, n_cuts)
    tables = random.dirichlet(np.full(n_classes, random.choice([0.1, 0.5])), 2**n_cuts)
    powers = 2 ** np.arange(n_cuts)

    def draw(generator, n):
        X = generator.uniform(size=(n, d))
        return X, tables[(X[:, columns] > places) @ powers]

    return f"d={d} K={n_classes} cuts={n_cuts}", draw


def decisions(random):
    """A random decision tree over a few of the columns, with its own probabilities in each leaf."""
    d, n_classes = int(random.choice([3, 6, 12, 25])), int(random.choice([2, 3]))
    depth = int(random.choice([2, 4, 6]))
    live = min(d, int(random.choice([2, 4, 6])))
    columns = random.integers(0, live, 2**depth)
    places = random.uniform(-1, 1, 2**depth)
    leaves = random.dirichlet(np.full(n_classes, random.choice([0.15, 0.6])), 2**depth)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        node = np.ones(n, dtype=np.intp)
        for _ in range(depth):
            node = 2 * node + (X[np.arange(n), columns[node]] > places[node])
        return X, leaves[node - 2**depth]

    return f"d={d} K={n_classes} depth={depth} live={live}", draw


def cells_of_three(random):
    """A random table over three levels of three of some uniform columns."""
    d, strength = int(random.choice([3, 6, 9])), random.choice([1.0, 2.0, 4.0])
    table = expit(strength * random.normal(size=(3, 3, 3)))

    def draw(generator, n):
        X = generator.random((n, d))
        levels = np.minimum((3 * X[:, :3]).astype(int), 2)
        return X, two_classes(table[tuple(levels.T)])

    return f"d={d} strength={strength:.0f}", draw


def committees(random):
    """Hundreds of small votes, each by a threshold on one or two columns, add up to the logits."""
    d, n_classes = int(random.choice([4, 12, 40])), int(random.choice([2, 3, 8]))
    votes, steep = int(random.choice([30, 200])), random.choice([1.0, 3.0, 8.0])
    columns, cuts = random.integers(0, d, (2, votes)), random.normal(size=(2, votes))
    cuts[1, random.random(votes) < 0.5] = -9  # half of them look at one column
    heights = random.normal(size=(votes, n_classes))
    heavy = random.random() < 0.5

    def draw(generator, n):
        X = generator.standard_t(3, (n, d)) if heavy else generator.normal(size=(n, d))
        on = (X[:, columns[0]] > cuts[0]) & (X[:, columns[1]] > cuts[1])
        return X, softmax(steep * (on - 0.4) @ heights / np.sqrt(votes / 4), axis=1)

    return f"d={d} K={n_classes} votes={votes} steep={steep:.0f} heavy={heavy}", draw


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


def exceptions(random):
    """One column decides on one side of another one, and a product of two on its other side."""
    d, steep = int(random.choice([4, 8, 12])), random.choice([1.0, 3.0, 10.0])
    share = random.choice([0.3, 0.6, 0.9])
    border = ndtri(share)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        decides = np.where(X[:, 0] < border, X[:, 1], X[:, 2] * X[:, 3])
        return X, two_classes(expit(steep * decides))

    return f"d={d} steep={steep:.0f} share={share}", draw


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
