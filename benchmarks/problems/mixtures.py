"""Several clusters in each class."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit, logsumexp, softmax
from sklearn import datasets
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from .building import (
    gaussian_scores,
    normal_mixture,
    normal_scores,
    random_centres,
    slowly_falling_priors,
    two_classes,
)


def clusters(random):
    """Several normal clusters in each class."""
    d, n_classes = int(random.choice([2, 5, 10, 20])), int(random.choice([2, 3]))
    each, apart = int(random.integers(2, 5)), random.uniform(2, 5)
    centres = random_centres(random, n_classes * each, d, apart)
    owners = np.repeat(np.arange(n_classes), each)
    return f"d={d} K={n_classes} clusters={each} apart={apart:.2f}", normal_mixture(centres, owners)


def nested_mixture(random):
    """Clusters of clusters of clusters, each level narrower; classes belong to the last level."""
    d, n_classes = int(random.choice([2, 4, 8, 16])), int(random.choice([2, 3, 5]))
    wide, narrow = random.uniform(3, 8), random.uniform(1.5, 4)
    top = random.normal(scale=wide, size=(3, 1, 1, d))
    middle = random.normal(scale=narrow, size=(3, 2, 1, d))
    last = random.normal(scale=1.5, size=(3, 2, 3, d))
    centres = (top + middle + last).reshape(-1, d) / np.sqrt(min(d, 6) / 2)
    owners = np.concatenate([np.arange(n_classes), random.integers(0, n_classes, 18 - n_classes)])
    widths = np.exp(random.normal(scale=0.4, size=18))

    def draw(generator, n):
        which = generator.integers(0, 18, n)
        X = centres[which] + widths[which, None] * generator.normal(size=(n, d))
        squared = ((X[:, None] - centres) ** 2).sum(axis=2)
        parts = softmax(-squared / (2 * widths**2) - d * np.log(widths), axis=1)
        return X, np.stack([parts[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return f"d={d} K={n_classes} wide={wide:.1f} narrow={narrow:.1f}", draw


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
        parts = softmax(normal_scores(X, centres, spreads) + np.log(weights), axis=1)
        return X, two_classes(parts[:, owners == 1].sum(axis=1))

    return f"d={d} tiny={n_tiny} share={share:.2f} size={size:.2f} apart={apart:.2f}", draw


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


def fitted_mixtures(random):
    """Normal mixtures fitted to iris, wine, breast cancer or digits, wider or narrower."""
    name = str(random.choice(["iris", "wine", "breast_cancer", "digits"]))
    parts, wider = int(random.choice([1, 2, 4])), random.choice([0.8, 1.2, 1.8])
    draw = fitted_draw(name, int(random.choice([4, 10, 30])), parts, wider)
    return f"{name} parts={parts} wider={wider}", draw


def heavy_mixtures(random):
    """Three classes of two Student distributions each, of three degrees of freedom."""
    d, apart = int(random.choice([2, 4, 8])), random.uniform(1.5, 4)
    centres = apart * random.normal(size=(3, 2, d)) / np.sqrt(d)

    def draw(generator, n):
        which, part = generator.integers(0, 3, n), generator.integers(0, 2, n)
        scale = np.sqrt(generator.chisquare(3, n) / 3)
        X = centres[which, part] + generator.normal(size=(n, d)) / scale[:, None]
        squared = ((X[:, None, None] - centres) ** 2).sum(axis=3)
        densities = ((1 + squared / 3) ** (-(3 + d) / 2)).sum(axis=2)
        return X, densities / densities.sum(axis=1, keepdims=True)

    return f"d={d} apart={apart:.2f}", draw


def prototypes(random):
    """Points in a cube belong to the classes of near prototypes, by sums of differences."""
    d, n_classes = int(random.choice([2, 4, 8, 20])), int(random.choice([2, 4, 10]))
    each, sharp = int(random.choice([1, 3, 6])), random.choice([3.0, 8.0, 25.0])
    places = random.random((n_classes * each, d))

    def draw(generator, n):
        X = generator.random((n, d))
        apart = np.abs(X[:, None] - places).sum(axis=2)
        near = softmax(-sharp * apart / np.sqrt(d), axis=1)
        return X, near.reshape(n, n_classes, each).sum(axis=2)

    return f"d={d} K={n_classes} prototypes={each} sharp={sharp:.0f}", draw


def outliers(random):
    """A rare class spread evenly over a box, around the clusters of a frequent one."""
    d, clusters = int(random.choice([2, 3, 6, 12])), int(random.choice([1, 4]))
    prior, width = random.choice([0.02, 0.1, 0.3]), random.choice([0.3, 0.6, 1.0])
    centres = random.uniform(-1, 1, (clusters, d))
    reach = 1.5 + width

    def draw(generator, n):
        rare = generator.random(n) < prior
        X = centres[generator.integers(0, clusters, n)] + width * generator.normal(size=(n, d))
        X[rare] = generator.uniform(-reach, reach, (rare.sum(), d))
        squares = ((X[:, None] - centres) ** 2).sum(axis=2)
        usual = logsumexp(-squares / (2 * width**2), axis=1) - np.log(clusters)
        usual -= d * np.log(width * np.sqrt(2 * np.pi))
        box = np.where(np.abs(X).max(axis=1) <= reach, -d * np.log(2 * reach), -np.inf)
        return X, two_classes(expit(box - usual + np.log(prior / (1 - prior))))

    return f"d={d} clusters={clusters} prior={prior} width={width}", draw


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


def same_or_other(random):
    """Two measurements: of one thing, or of two things."""
    d, prior = int(random.choice([2, 8, 30, 100])), random.choice([0.5, 0.2])
    noise = random.uniform(0.4, 1.5) * (d / 2) ** 0.25
    between = np.exp(0.4 * random.normal(size=d))  # variance of things
    folded = random.random() < 0.5

    def draw(generator, n):
        same = generator.random(n) < prior
        first, second = np.sqrt(between) * generator.normal(size=(2, n, d))
        second = np.where(same[:, None], first, second)
        first, second = (each + noise * generator.normal(size=(n, d)) for each in (first, second))
        gap, total = (first - second) ** 2, (first + second) ** 2
        apart, alike, whole = 2 * (between + noise**2), 2 * noise**2, 4 * between + 2 * noise**2
        logs = gap * (1 / apart - 1 / alike) + total * (1 / apart - 1 / whole)
        logs += 2 * np.log(apart) - np.log(alike) - np.log(whole)
        X = [np.sqrt(gap), np.sqrt(total)] if folded else [first, second]
        return np.hstack(X), two_classes(
            expit(0.5 * logs.sum(axis=1) + np.log(prior / (1 - prior)))
        )

    return f"d={d} prior={prior} noise={noise:.2f} folded={folded}", draw


@cache
def _fitted(name, n_components, parts):
    """Normal mixtures fitted to the classes of a real set in some principal components."""
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name != "digits":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    X = PCA(min(n_components, X.shape[1]), random_state=0).fit_transform(X)
    centres, factors, weights, owners = [], [], [], []
    for k in np.unique(y):
        own = X[y == k]
        found = GaussianMixture(parts, reg_covar=0.02 * X.var(), random_state=0).fit(own)
        centres.append(found.means_)
        factors.append(np.linalg.cholesky(found.covariances_))
        weights.append(found.weights_ * len(own) / len(X))
        owners += [k] * parts
    return (*map(np.concatenate, (centres, factors, weights)), np.array(owners))


def fitted_draw(name, n_components, parts, wider):
    centres, factors, weights, owners = _fitted(name, n_components, parts)
    factors = wider * factors

    def draw(generator, n):
        which = generator.choice(len(weights), n, p=weights / weights.sum())
        X = np.empty((n, centres.shape[1]))
        for each in np.unique(which):
            rows = np.flatnonzero(which == each)
            X[rows] = (
                centres[each] + generator.normal(size=(len(rows), X.shape[1])) @ factors[each].T
            )
        parts_of = softmax(gaussian_scores(X, centres, factors) + np.log(weights), axis=1)
        n_classes = owners.max() + 1
        return X, np.stack([parts_of[:, owners == k].sum(axis=1) for k in range(n_classes)], axis=1)

    return draw


def bananas(random):
    """Bent normal classes: all columns follow the square of one, in another direction in each."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 5]))
    apart, bend = random.uniform(0.3, 2), random.uniform(0.3, 1.5)
    centres = random_centres(random, n_classes, d, apart)
    turns = np.linalg.qr(random.normal(size=(n_classes, d, d)))[0]
    bends = np.insert(random.normal(size=(n_classes, d - 1)), 0, 0, axis=1)
    bends *= bend / np.linalg.norm(bends, axis=1, keepdims=True)
    long = np.r_[random.uniform(1, 2.5), np.ones(d - 1)]
    priors = slowly_falling_priors(random, n_classes)

    def draw(generator, n):
        which, white = generator.choice(n_classes, n, p=priors), generator.normal(size=(n, d))
        X = long * white + (white[:, :1] ** 2 - 1) * bends[which]
        X = np.einsum("nij,nj->ni", turns[which], X) + centres[which]
        logs = np.empty((n, n_classes))
        for k in range(n_classes):
            back = (X - centres[k]) @ turns[k]
            first = back[:, :1] / long[0]
            logs[:, k] = -0.5 * (((back - (first**2 - 1) * bends[k]) / long) ** 2).sum(axis=1)
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} apart={apart:.1f} bend={bend:.1f}", draw
