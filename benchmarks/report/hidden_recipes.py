"""Recipes of problems with a signal that is hidden, some with another one that is easy to see.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each. With few samples every classifier settles at
the part that is easy to see, and the interval must not take that for the best possible. Beside them
stand those that look alike and hide nothing.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .recipes import two_classes


def line_and_product(random):
    """A line in some columns, and the product of two or three others."""
    d, used = int(random.choice([5, 10, 30])), int(random.choice([2, 3]))
    steep, line = random.choice([1.0, 3.0, 10.0]), random.choice([0.0, 0.5, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(steep * (X[:, :used].prod(axis=1) + line * X[:, used])))

    return f"d={d} used={used} steep={steep:.0f} line={line}", draw


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


def parity_beside_a_line(random):
    """Whether three to six columns have an odd number of signs, and a line in another one."""
    d, used = int(random.choice([8, 15, 30])), int(random.choice([3, 4, 6]))
    steep, line = random.choice([0.5, 1.0, 3.0]), random.choice([0.0, 0.5, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(
            expit(2 * steep * (np.sign(X[:, :used]).prod(axis=1) + line * X[:, used]))
        )

    return f"d={d} used={used} steep={steep} line={line}", draw


def modular_sums(random):
    """The remainder of a weighted sum of whole numbers."""
    base, used = int(random.choice([2, 3, 5])), int(random.choice([1, 2, 3, 4]))
    top, extra = int(random.choice([4, 9, 30])), int(random.choice([0, 3]))
    noise, weights = random.choice([0.0, 0.1, 0.4]), random.integers(1, base, used)

    def draw(generator, n):
        X = generator.integers(0, top, (n, used + extra))
        return X.astype(float), _with_noise(X[:, :used] @ weights % base, base, noise)

    return f"base={base} used={used} top={top} extra={extra} noise={noise}", draw


def permutations(random):
    """Orders of a few things: even or odd, or by the number of cycles."""
    things, noise = int(random.choice([3, 4, 5, 7])), random.choice([0.0, 0.1, 0.3])
    parity, ranks = random.random() < 0.6, random.random() < 0.7

    def draw(generator, n):
        X = generator.random((n, things)).argsort(axis=1)
        swapped = np.triu(X[:, :, None] > X[:, None], 1).sum(axis=(1, 2))
        fixed = np.minimum((np.arange(things) == X).sum(axis=1), 2)
        which, n_classes = (swapped % 2, 2) if parity else (fixed, 3)
        shown = X if ranks else np.eye(things)[X].reshape(n, -1)
        return shown.astype(float), _with_noise(which, n_classes, noise)

    return f"things={things} noise={noise} parity={parity} ranks={ranks}", draw


def turned_boards(random):
    """A checkerboard in a few directions, none of them along a column."""
    d, used = int(random.choice([2, 4, 10])), int(random.choice([1, 2, 3]))
    n_classes, cell = int(random.choice([2, 3])), random.choice([0.4, 0.8, 1.5])
    noise, used = random.choice([0.0, 0.1, 0.4]), min(used, d)
    axes = np.linalg.qr(random.normal(size=(d, d)))[0][:, :used]

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        which = np.floor(X @ axes / cell).sum(axis=1).astype(int) % n_classes
        return X, _with_noise(which, n_classes, noise)

    return f"d={d} used={used} K={n_classes} cell={cell} noise={noise}", draw


def secret_tables(random):
    """Some bits are the key of a table that nobody can guess; a part of it may be guessed."""
    used, extra = int(random.choice([4, 6, 8, 10])), int(random.choice([0, 2, 8]))
    n_classes, noise = int(random.choice([2, 3, 6])), random.choice([0.0, 0.1, 0.4])
    scores = random.choice([0.0, 0.5]) * random.normal(size=(used, n_classes))
    keys = np.arange(2**used)[:, None] >> np.arange(used) & 1
    table = (keys @ scores + random.gumbel(size=(2**used, n_classes))).argmax(axis=1)

    def draw(generator, n):
        X = generator.integers(0, 2, (n, used + extra))
        return X.astype(float), _with_noise(table[X[:, :used] @ 2 ** np.arange(used)], n_classes,
                                            noise)  # fmt: skip

    return f"used={used} extra={extra} K={n_classes} noise={noise}", draw


def round_trips(random):
    """In how many steps of two given sizes one gets from one place on a circle to another one."""
    places, noise = int(random.choice([11, 24, 60])), random.choice([0.0, 0.1, 0.3])
    steps, extra = random.choice(np.arange(1, places // 2), 2, replace=False), random.choice([0, 2])
    moves, reached, here = np.full(places, -1), 0, np.zeros(1, dtype=int)
    while len(here):
        moves[here] = reached
        near = np.unique((here[:, None] + np.concatenate([steps, -steps])) % places)
        here, reached = near[moves[near] < 0], reached + 1
    moves = np.where(moves < 0, reached, moves)
    n_classes = int(moves.max()) + 1

    def draw(generator, n):
        X = generator.integers(0, places, (n, 2 + extra))
        return X.astype(float), _with_noise(moves[(X[:, 0] - X[:, 1]) % places], n_classes, noise)

    return f"places={places} steps={steps} extra={extra} noise={noise}", draw


def sign_products(random):
    """The product of the signs of a few mixtures of all columns, and perhaps a line."""
    d, used = int(random.choice([3, 6, 15])), int(random.choice([2, 3, 4]))
    noise, line = random.choice([0.0, 0.1, 0.4]), random.choice([0.0, 0.3])
    used = min(used, d)
    axes = np.linalg.qr(random.normal(size=(d, d)))[0]

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        odd = np.sign(X @ axes[:, :used]).prod(axis=1)
        return X, two_classes(
            np.clip(0.5 + (0.5 - noise / 2) * ((1 - line) * odd + line * np.sign(X[:, 0])), 0, 1)
        )

    return f"d={d} used={used} noise={noise} line={line}", draw


def arithmetic(random):
    """Two whole numbers and a question: their product's last digit, a common divisor, a square."""
    top, noise = int(random.choice([10, 30, 100])), random.choice([0.0, 0.1, 0.3])
    question, digits = int(random.integers(3)), random.random() < 0.5
    base = int(random.choice([2, 4]))

    def draw(generator, n):
        a, b = generator.integers(1, top + 1, (2, n))
        whole = np.sqrt(a**2 + b**2)
        which = [a * b % base, np.gcd(a, b) > 1, np.floor(whole).astype(int) % 2][question]
        X = [a // 10, a % 10, b // 10, b % 10] if digits else [a, b]
        n_classes = base if question == 0 else 2
        return np.stack(X, axis=1).astype(float), _with_noise(which.astype(int), n_classes, noise)

    return f"top={top} noise={noise} question={question} base={base} digits={digits}", draw


def rare_patterns(random):
    """One class, but where a pattern of a few of many columns is complete, often another one."""
    d, used = int(random.choice([8, 20, 60])), int(random.choice([2, 3, 4]))
    rate, sure = random.choice([0.5, 0.3]), random.choice([0.6, 0.8, 1.0])
    base = random.choice([0.02, 0.1, 0.3])
    pattern = random.integers(0, 2, used)

    def draw(generator, n):
        X = (generator.random((n, d)) < rate).astype(float)
        return X, two_classes(np.where((X[:, :used] == pattern).all(axis=1), sure, base))

    return f"d={d} used={used} rate={rate} sure={sure} base={base}", draw


def hardly_any(random):
    """Numbers, bits or levels of which one or two tell a little: the rest is noise."""
    d, n_classes = int(random.choice([2, 8, 30])), int(random.choice([2, 3, 10]))
    kind, slope = int(random.integers(3)), random.choice([0.05, 0.15, 0.4, 0.8])
    priors = np.maximum(random.choice([0.5, 1.0]) ** np.arange(n_classes), 0.05)
    weights = slope * random.normal(size=(2, n_classes))

    def draw(generator, n):
        X = [
            generator.normal(size=(n, d)),
            generator.integers(0, 2, (n, d)).astype(float),
            generator.integers(0, 6, (n, d)).astype(float),
        ][kind]
        scores = (X[:, :2] - (0, 0.5, 2.5)[kind]) @ weights
        return X, softmax(scores + np.log(priors), axis=1)

    return f"d={d} K={n_classes} kind={kind} slope={slope}", draw


def mostly_guessed(random):
    """Clear clusters of which most labels are guessed: little can be avoided, and all is seen."""
    d, n_classes = int(random.choice([2, 5, 20])), int(random.choice([2, 3, 6]))
    guessed, apart = random.choice([0.5, 0.7, 0.85, 0.95]), random.uniform(2, 6)
    centres = apart * random.normal(size=(3 * n_classes, d)) / np.sqrt(d)

    def draw(generator, n):
        X = centres[generator.integers(0, len(centres), n)] + generator.normal(size=(n, d))
        parts = softmax(-0.5 * ((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
        clean = parts.reshape(n, n_classes, 3).sum(axis=2)
        return X, (1 - guessed) * clean + guessed / n_classes

    return f"d={d} K={n_classes} guessed={guessed} apart={apart:.1f}", draw


def _with_noise(which, n_classes, noise):
    """Probabilities of labels of which a fraction is drawn evenly from all classes."""
    return (1 - noise) * np.eye(n_classes)[which] + noise / n_classes


HIDDEN = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        line_and_product, smooth_borders, striped, parity_beside_a_line, modular_sums, permutations,
        turned_boards, secret_tables, round_trips, sign_products, arithmetic, rare_patterns,
        hardly_any, mostly_guessed,
    )
}  # fmt: skip
