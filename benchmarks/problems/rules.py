"""Rules: parities, remainders, tables of bits and other logic."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from .building import two_classes, with_noise


def parity(random):
    """Whether the number of raised columns among two or three is odd, the columns blurred."""
    bits, d = int(random.choice([2, 3])), int(random.choice([3, 5, 8, 12]))
    apart = random.uniform(0.8, 2.5)

    def draw(generator, n):
        signs = generator.choice([-1.0, 1.0], (n, bits))
        X = generator.normal(size=(n, d))
        X[:, :bits] += apart * signs
        # The mean product of the signs given the columns is the product of their means.
        return X, two_classes((1 + np.tanh(apart * X[:, :bits]).prod(axis=1)) / 2)

    return f"bits={bits} d={d} apart={apart:.2f}", draw


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


def xor_of_ten(random):
    """The sign of the product of two or three of ten normal columns, perhaps correlated."""
    k, steep = int(random.choice([2, 3])), random.choice([2.0, 6.0, 1e3])
    shared, noise = random.choice([0, 0.5]), random.choice([0, 0.1])

    def draw(generator, n):
        X = np.sqrt(1 - shared) * generator.normal(size=(n, 10))
        X += np.sqrt(shared) * generator.normal(size=(n, 1))
        odd = (1 + np.tanh(steep * X[:, :k]).prod(axis=1)) / 2
        return X, two_classes(noise + (1 - 2 * noise) * odd)

    return f"k={k} steep={steep:.0f} shared={shared} noise={noise}", draw


def parity_of_a_count(random):
    """Whether a count is odd."""
    mean, d = random.choice([1.0, 3.0, 8.0]), int(random.choice([1, 3]))
    noise = random.choice([0.02, 0.15])

    def draw(generator, n):
        X = generator.poisson(mean, (n, d)).astype(float)
        return X, two_classes(noise + (1 - 2 * noise) * (X[:, 0] % 2))

    return f"mean={mean:.0f} d={d} noise={noise}", draw


def parity_of_bits(random):
    """Whether the sum of a few of several bits is odd, with some noise."""
    d, used = int(random.choice([4, 6, 9, 12])), int(random.choice([2, 3, 4]))
    noise, chance = random.choice([0.0, 0.1, 0.25]), random.choice([0.5, 0.5, 0.3])

    def draw(generator, n):
        X = (generator.random((n, d)) < chance).astype(float)
        odd = X[:, :used].sum(axis=1) % 2
        return X, two_classes(noise + (1 - 2 * noise) * odd)

    return f"d={d} used={used} noise={noise} chance={chance}", draw


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


def majority_of_xors(random):
    """Whether two or three of three pairs of bits differ."""
    d, share = int(random.choice([8, 12])), random.choice([0.5, 0.3])
    noise = random.choice([0, 0.1])

    def draw(generator, n):
        X = (generator.random((n, d)) < share).astype(float)
        differ = (X[:, 0:6:2] != X[:, 1:6:2]).sum(axis=1) > 1
        return X, two_classes(noise + (1 - 2 * noise) * differ)

    return f"d={d} share={share} noise={noise}", draw


def bits(random):
    """Ten bits or so, with a probability for each pattern that is partly a line in the bits."""
    d, table = int(random.choice([5, 8, 10, 12])), random.choice([0.0, 0.5, 1.5])
    weights, patterns = random.normal(size=d), random.normal(scale=table, size=2**d)
    chances_of_one = random.uniform(0.1, 0.9, d)
    powers = 2 ** np.arange(d)

    def draw(generator, n):
        X = (generator.random((n, d)) < chances_of_one).astype(int)
        scores = (X - chances_of_one) @ weights + patterns[X @ powers]
        return X.astype(float), two_classes(expit(1.5 * scores))

    return f"d={d} table={table}", draw


def modular_sums(random):
    """The remainder of a weighted sum of whole numbers."""
    base, used = int(random.choice([2, 3, 5])), int(random.choice([1, 2, 3, 4]))
    top, extra = int(random.choice([4, 9, 30])), int(random.choice([0, 3]))
    noise, weights = random.choice([0.0, 0.1, 0.4]), random.integers(1, base, used)

    def draw(generator, n):
        X = generator.integers(0, top, (n, used + extra))
        return X.astype(float), with_noise(X[:, :used] @ weights % base, base, noise)

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
        return shown.astype(float), with_noise(which, n_classes, noise)

    return f"things={things} noise={noise} parity={parity} ranks={ranks}", draw


def secret_tables(random):
    """Some bits are the key of a table that nobody can guess; a part of it may be guessed."""
    used, extra = int(random.choice([4, 6, 8, 10])), int(random.choice([0, 2, 8]))
    n_classes, noise = int(random.choice([2, 3, 6])), random.choice([0.0, 0.1, 0.4])
    scores = random.choice([0.0, 0.5]) * random.normal(size=(used, n_classes))
    keys = np.arange(2**used)[:, None] >> np.arange(used) & 1
    table = (keys @ scores + random.gumbel(size=(2**used, n_classes))).argmax(axis=1)

    def draw(generator, n):
        X = generator.integers(0, 2, (n, used + extra))
        return X.astype(float), with_noise(
            table[X[:, :used] @ 2 ** np.arange(used)], n_classes, noise
        )

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
        return X.astype(float), with_noise(moves[(X[:, 0] - X[:, 1]) % places], n_classes, noise)

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
        return np.stack(X, axis=1).astype(float), with_noise(which.astype(int), n_classes, noise)

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


def remainders(random):
    """The remainder of a sum of two whole numbers among other columns, with some noise."""
    n_classes, others = int(random.choice([2, 3])), int(random.choice([0, 3, 6]))
    top, noise = int(random.choice([3, 5])), random.choice([0, 0.1, 0.3])

    def draw(generator, n):
        X = generator.integers(0, top, size=(n, 2 + others)).astype(float)
        sure = np.eye(n_classes)[((X[:, 0] + X[:, 1]) % n_classes).astype(int)]
        X += generator.uniform(-0.4, 0.4, X.shape)
        return X, (1 - noise) * sure + noise / n_classes

    return f"K={n_classes} others={others} top={top} noise={noise}", draw


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
