"""Recipes of problems by an author who had not seen those of `recipes`.

As there, each gives its parameters in words and a function ``draw(random, n)`` that gives points
and the probabilities of the classes at each.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.special import expit, logsumexp, ndtri, softmax

from .recipes import two_classes


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


def ellipsoids(random):
    """Two shells around one centre, stretched and turned."""
    d, prior = int(random.choice([3, 5, 8])), random.choice([0.5, 0.2])
    radii, thick = np.array([1, random.uniform(1.3, 2.2)]), random.uniform(0.08, 0.3)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    stretch = np.diag(np.exp(0.7 * random.normal(size=d))) @ turn

    def draw(generator, n):
        which = (generator.random(n) < prior).astype(int)
        directions = generator.normal(size=(n, d))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radius = radii[which] * np.exp(thick * generator.normal(size=n))
        away = (np.log(radius)[:, None] - np.log(radii)) / thick
        X = (directions * radius[:, None]) @ stretch.T
        return X, softmax(np.log([1 - prior, prior]) - away**2 / 2, axis=1)

    return f"d={d} prior={prior} thick={thick:.2f}", draw


def periodic(random):
    """Stripes: the sign of a sine along one direction."""
    d, periods = int(random.choice([1, 2, 4])), random.choice([1, 3, 6])
    steep, along = random.choice([2.0, 10.0]), random.normal(size=d)
    along /= np.abs(along).sum()

    def draw(generator, n):
        X = generator.random((n, d))
        return X, two_classes(expit(steep * np.sin(2 * np.pi * periods * X @ along)))

    return f"d={d} periods={periods} steep={steep:.0f}", draw


def parity_of_a_count(random):
    """Whether a count is odd."""
    mean, d = random.choice([1.0, 3.0, 8.0]), int(random.choice([1, 3]))
    noise = random.choice([0.02, 0.15])

    def draw(generator, n):
        X = generator.poisson(mean, (n, d)).astype(float)
        return X, two_classes(noise + (1 - 2 * noise) * (X[:, 0] % 2))

    return f"mean={mean:.0f} d={d} noise={noise}", draw


def negative_binomial(random):
    """Counts that vary more than Poisson's."""
    d, n_classes = int(random.choice([2, 6, 15])), int(random.choice([2, 4]))
    means = np.exp(random.normal(1, 0.6, (1, d)) + random.normal(0, 0.5, (n_classes, d)))
    shape = random.uniform(0.5, 4)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.poisson(generator.gamma(shape, means[which] / shape)).astype(float)
        scores = X[:, None] * np.log(means / (means + shape))
        scores += shape * np.log(shape / (means + shape))
        return X, softmax(scores.sum(axis=2), axis=1)

    return f"d={d} K={n_classes} shape={shape:.1f}", draw


def cauchy(random):
    """Columns without a mean; one shifts, and all may spread."""
    d, shift = int(random.choice([1, 3, 8])), random.uniform(0.5, 2.5)
    spread = random.choice([1.0, 3.0])

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.standard_cauchy((n, d)) * np.where(which, spread, 1)[:, None]
        X[:, 0] += shift * which
        back = X.copy()
        back[:, 0] -= shift
        scores = [-np.log1p(X**2).sum(1), -(np.log1p((back / spread) ** 2) + np.log(spread)).sum(1)]
        return X, softmax(np.column_stack(scores), axis=1)

    return f"d={d} shift={shift:.1f} spread={spread:.0f}", draw


def products(random):
    """A logistic regression on products of columns."""
    d, first, second = int(random.choice([4, 8, 16])), random.uniform(1, 5), random.uniform(0, 3)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        return X, two_classes(expit(first * X[:, 0] * X[:, 1] + second * X[:, 2] * X[:, 3] - 0.5))

    return f"d={d} first={first:.1f} second={second:.1f}", draw


def ordinal(random):
    """Ordered classes along a line; half of the columns are lognormal."""
    d, n_classes = int(random.choice([3, 8, 20])), int(random.choice([3, 5, 7]))
    along, steep = random.normal(size=d), random.uniform(2, 12)
    along /= np.linalg.norm(along)
    cuts = ndtri(np.arange(1, n_classes) / n_classes)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        below = expit(steep * (cuts - (X @ along)[:, None]))
        below = np.column_stack([np.zeros(n), below, np.ones(n)])
        X[:, ::2] = np.exp(X[:, ::2])
        return X, np.diff(below, axis=1)

    return f"d={d} K={n_classes} steep={steep:.1f}", draw


def fifty_clusters(random):
    """Fifty normal clusters in each of two classes."""
    d, spread = int(random.choice([2, 4, 8])), random.uniform(0.03, 0.2)
    centres = random.uniform(-1, 1, (2, 50, d))

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = centres[which, generator.integers(0, 50, n)] + spread * generator.normal(size=(n, d))
        squares = ((X[:, None] - centres.reshape(-1, d)) ** 2).sum(axis=2).reshape(n, 2, 50)
        return X, softmax(logsumexp(-squares / (2 * spread**2), axis=2), axis=1)

    return f"d={d} spread={spread:.2f}", draw


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


def embeddings(random):
    """Normal classes in few dimensions, seen through a random network, of length 1."""
    inner, d = int(random.choice([4, 8])), int(random.choice([64, 256]))
    n_classes = int(random.choice([3, 10]))
    centres = random.normal(size=(n_classes, inner)) * random.uniform(0.8, 1.8)
    first, second = random.normal(size=(inner, 32)) / np.sqrt(inner), random.normal(size=(32, d))

    def draw(generator, n):
        Z = centres[generator.integers(0, n_classes, n)] + generator.normal(size=(n, inner))
        X = np.tanh(Z @ first) @ second
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return X, softmax(-((Z[:, None] - centres) ** 2).sum(axis=2) / 2, axis=1)

    return f"inner={inner} d={d} K={n_classes}", draw


def calendar(random):
    """Hours and weekdays, perhaps with one column of numbers."""
    effects = random.normal(size=(24, 7)) * random.uniform(0.3, 1.5)
    effects += 2 * np.sin(np.arange(24) / 24 * 2 * np.pi + random.uniform(0, 6))[:, None]
    extra = int(random.choice([0, 1]))

    def draw(generator, n):
        hour, day = generator.integers(0, 24, n), generator.integers(0, 7, n)
        other = generator.normal(size=(n, extra))
        X = np.column_stack([hour, day, other]).astype(float)
        return X, two_classes(expit(effects[hour, day] + other.sum(axis=1)))

    return f"extra={extra}", draw


def voronoi(random):
    """Cells of a plane, each with its class, and wrong labels."""
    n_cells, n_classes = int(random.choice([10, 40, 150])), int(random.choice([2, 3, 5]))
    centres, owners = random.random((n_cells, 2)), random.integers(0, n_classes, n_cells)
    owners[:n_classes] = np.arange(n_classes)
    noise = random.choice([0, 0.1, 0.3])

    def draw(generator, n):
        X = generator.random((n, 2))
        nearest = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        chances = np.full((n, n_classes), noise / (n_classes - 1))
        chances[np.arange(n), owners[nearest]] = 1 - noise
        return X, chances

    return f"cells={n_cells} K={n_classes} noise={noise}", draw


def imputed(random):
    """Values that are missing more often in one class, filled in by the mean."""
    d = int(random.choice([4, 10]))
    missing = np.array([random.uniform(0.05, 0.3), random.uniform(0.2, 0.6)])
    shift = random.normal(size=d) * random.uniform(0.2, 0.8)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d)) + which[:, None] * shift
        gone = generator.random((n, d)) < missing[which][:, None]
        scores = [
            np.where(gone, np.log(m), np.log(1 - m) - (X - k * shift) ** 2 / 2).sum(axis=1)
            for k, m in enumerate(missing)
        ]
        X[gone] = np.broadcast_to(shift / 2, X.shape)[gone]
        return X, softmax(np.column_stack(scores), axis=1)

    return f"d={d} missing={missing.round(2).tolist()}", draw


def shapes_anywhere(random):
    """Pictures of a short line, upright or flat, at any place."""
    height, side = random.uniform(1.5, 4), int(random.choice([5, 8]))
    lines = np.zeros((2, side - 2, side - 2, side, side))
    for i, j in itertools.product(range(side - 2), repeat=2):
        lines[0, i, j, i + 1, j : j + 3] = lines[1, i, j, i : i + 3, j + 1] = height
    lines = lines.reshape(2, -1, side * side)

    def draw(generator, n):
        which, place = generator.integers(0, 2, n), generator.integers(0, lines.shape[1], n)
        X = lines[which, place] + generator.normal(size=(n, side * side))
        scores = [logsumexp(X @ each.T - (each**2).sum(axis=1) / 2, axis=1) for each in lines]
        return X, softmax(np.column_stack(scores), axis=1)

    return f"height={height:.1f} side={side}", draw


def one_in_a_hundred(random):
    """A rare class that shifts one column."""
    d, shift = int(random.choice([2, 5, 10])), random.uniform(1.5, 4)
    prior = random.choice([0.01, 0.02])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        X[:, 0] += shift * (generator.random(n) < prior)
        return X, two_classes(expit(np.log(prior / (1 - prior)) + shift * X[:, 0] - shift**2 / 2))

    return f"d={d} shift={shift:.1f} prior={prior}", draw


def genes(random):
    """Hundreds of columns, a few of which shift."""
    d, telling = int(random.choice([300, 1000])), int(random.choice([3, 20]))
    shift = np.zeros(d)
    shift[:telling] = random.normal(size=telling) * random.uniform(0.3, 1.2)

    def draw(generator, n):
        X = generator.normal(size=(n, d)) + generator.integers(0, 2, n)[:, None] * shift
        return X, two_classes(expit(X @ shift - shift @ shift / 2))

    return f"d={d} telling={telling} shift={np.linalg.norm(shift):.2f}", draw


def slopes_by_category(random):
    """A logistic regression with other slopes in every category, one-hot."""
    n_categories = int(random.choice([3, 10, 25]))
    slopes = random.normal(size=(n_categories, 2)) * random.uniform(1, 4)
    offsets = random.normal(size=n_categories)

    def draw(generator, n):
        own, Z = generator.integers(0, n_categories, n), generator.normal(size=(n, 2))
        X = np.column_stack([np.eye(n_categories)[own], Z])
        return X, two_classes(expit(offsets[own] + (slopes[own] * Z).sum(axis=1)))

    return f"categories={n_categories}", draw


def rankings(random):
    """Permutations around the ranking of each class (Mallows)."""
    length, n_classes = int(random.choice([4, 5, 6])), int(random.choice([2, 3]))
    decay = random.uniform(0.15, 0.8)
    centres = np.array([random.permutation(length) for _ in range(n_classes)])
    every = np.array(list(itertools.permutations(range(length))))
    i, j = np.triu_indices(length, 1)
    swapped = (every[:, i] < every[:, j])[:, None] != (centres[:, i] < centres[:, j])
    scores = -decay * swapped.sum(axis=2)
    mixture = np.exp(scores).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(every), n, p=mixture / mixture.sum())
        return every[which].astype(float), softmax(scores[which], axis=1)

    return f"length={length} K={n_classes} decay={decay:.2f}", draw


def directions(random):
    """Angles around that of each class, as sines and cosines."""
    d, n_classes = int(random.choice([1, 3])), int(random.choice([2, 4]))
    means, strength = random.uniform(0, 2 * np.pi, (n_classes, d)), random.uniform(0.5, 6)

    def draw(generator, n):
        angles = generator.vonmises(means[generator.integers(0, n_classes, n)], strength)
        scores = strength * np.cos(angles[:, None] - means).sum(axis=2)
        return np.column_stack([np.sin(angles), np.cos(angles)]), softmax(scores, axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


def majority_of_xors(random):
    """Whether two or three of three pairs of bits differ."""
    d, share = int(random.choice([8, 12])), random.choice([0.5, 0.3])
    noise = random.choice([0, 0.1])

    def draw(generator, n):
        X = (generator.random((n, d)) < share).astype(float)
        differ = (X[:, 0:6:2] != X[:, 1:6:2]).sum(axis=1) > 1
        return X, two_classes(noise + (1 - 2 * noise) * differ)

    return f"d={d} share={share} noise={noise}", draw


def unequal_scales(random):
    """Columns in units of any size, one of which tells; they are not scaled."""
    d, shift = int(random.choice([3, 6, 12])), random.uniform(1, 3)
    units = 10.0 ** random.integers(-3, 4, d)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        X[:, 0] += shift * (generator.random(n) < 0.5)
        return X * units, two_classes(expit(shift * X[:, 0] - shift**2 / 2))

    return f"d={d} shift={shift:.1f} unit={units[0]:g} of {units.max():g}", draw


UNSEEN = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        xor_of_ten, ellipsoids, periodic, parity_of_a_count, negative_binomial, cauchy, products,
        ordinal, fifty_clusters, autoregression, embeddings, calendar, voronoi, imputed,
        shapes_anywhere, one_in_a_hundred, genes, slopes_by_category, rankings, directions,
        majority_of_xors, unequal_scales,
    )
}  # fmt: skip
