"""Embeddings: clusters of directions in many columns, several in each class."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp, softmax

from .building import Generative, priors_to_a_tenth, with_noise
from .described import Flags, Gamma, described


def _unit(X):
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def _around(generator, centres, strength):
    """Von Mises–Fisher directions around given centres: Wood's method for the cosine."""
    n, d = centres.shape
    b = (np.sqrt(4 * strength**2 + (d - 1) ** 2) - 2 * strength) / (d - 1)
    start = (1 - b) / (1 + b)
    c = strength * start + (d - 1) * np.log1p(-(start**2))
    cosine, left = np.empty(n), np.arange(n)
    while len(left):
        z = generator.beta((d - 1) / 2, (d - 1) / 2, len(left))
        found = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        level = strength * found + (d - 1) * np.log1p(-start * found) - c
        kept = level >= np.log(generator.random(len(left)))
        cosine[left[kept]] = found[kept]
        left = left[~kept]
    side = generator.normal(size=(n, d))
    side -= (side * centres).sum(axis=1, keepdims=True) * centres
    return cosine[:, None] * centres + np.sqrt(1 - cosine[:, None] ** 2) * _unit(side)


def _mixture(centres, owners, weights, strength):
    """Clusters of directions, all equally tight, whose densities have one constant."""

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        return _around(generator, centres[part], strength), owners[part]

    def scores(X):
        logs = strength * (X @ centres.T) + np.log(weights)
        return np.stack(
            [logsumexp(logs[:, owners == k], axis=1) for k in np.unique(owners)], axis=1
        )

    return Generative(sample, scores)


def _shape(random, n_classes=(2, 3, 5, 10)):
    return int(random.choice([100, 300, 384, 768])), int(random.choice(n_classes))


def directional_clusters(random):
    """One to four clusters of directions a class, anywhere on the sphere."""
    (d, n_classes), each = _shape(random), int(random.choice([1, 2, 4]))
    strength = random.uniform(1.5, 5) * np.sqrt(d)
    owners = np.repeat(np.arange(n_classes), each)
    centres = _unit(random.normal(size=(len(owners), d)))
    weights = random.dirichlet(np.full(len(owners), 4.0))
    text = f"d={d} K={n_classes} clusters={each} strength={strength:.0f}"
    return text, _mixture(centres, owners, weights, strength)


def topics_of_classes(random):
    """Many clusters of directions in few hidden ones, dealt to the classes at random."""
    d, n_classes = _shape(random, (2, 4))
    hidden, n_clusters = int(random.choice([5, 15, 40])), int(random.choice([8, 20]))
    basis = np.linalg.qr(random.normal(size=(d, hidden)))[0]
    centres = _unit(random.normal(size=(n_clusters, hidden)) @ basis.T)
    owners = np.r_[np.arange(n_classes), random.integers(0, n_classes, n_clusters - n_classes)]
    strength = random.uniform(2, 8) * np.sqrt(d)
    weights = random.dirichlet(np.full(n_clusters, 2.0))
    text = f"d={d} K={n_classes} hidden={hidden} clusters={n_clusters} strength={strength:.0f}"
    return text, _mixture(centres, owners, weights, strength)


def embedded_clusters(random):
    """Normal clusters in a few hidden directions of many noisy columns."""
    d, n_classes = _shape(random)
    hidden, each = int(random.choice([4, 8, 16])), int(random.choice([2, 3, 5]))
    owners, noise = np.repeat(np.arange(n_classes), each), random.uniform(0.1, 0.6)
    inside = random.normal(size=(len(owners), hidden)) * random.uniform(0.8, 2.2)
    basis = np.linalg.qr(random.normal(size=(d, hidden)))[0]
    priors = np.repeat(priors_to_a_tenth(random, n_classes) / each, each)

    def sample(generator, n):
        part = generator.choice(len(owners), n, p=priors)
        Z = inside[part] + generator.normal(size=(n, hidden))
        return Z @ basis.T + noise * generator.normal(size=(n, d)), owners[part]

    def scores(X):
        away = ((X @ basis)[:, None] - inside) ** 2
        logs = -0.5 * away.sum(axis=2) / (1 + noise**2) + np.log(priors)
        return logsumexp(logs.reshape(len(X), n_classes, each), axis=2)

    text = f"d={d} K={n_classes} hidden={hidden} clusters={each} noise={noise:.1f}"
    return text, Generative(sample, scores)


def mislabelled_topics(random):
    """Clusters of directions, each with its own shares of the classes."""
    d, n_classes = _shape(random, (2, 3))
    n_clusters, strength = int(random.choice([6, 15])), random.uniform(3, 8) * np.sqrt(d)
    centres = _unit(
        random.normal(size=(n_clusters, d)) + random.uniform(0, 1) * random.normal(size=d)
    )
    shares = random.dirichlet(np.full(n_classes, random.choice([0.1, 0.4])), n_clusters)

    def draw(generator, n):
        X = _around(generator, centres[generator.integers(0, n_clusters, n)], strength)
        return X, softmax(strength * (X @ centres.T), axis=1) @ shares

    return f"d={d} K={n_classes} clusters={n_clusters} strength={strength:.0f}", draw


def neighbouring_directions(random):
    """Classes whose directions are near each other, seen through a random curved layer."""
    d, n_classes = int(random.choice([300, 500])), int(random.choice([2, 3, 6]))
    hidden, apart = int(random.choice([6, 12])), random.uniform(1.0, 2.5)
    layer = random.normal(size=(hidden, d)) / np.sqrt(hidden)
    owners = np.repeat(np.arange(n_classes), 2)
    inside = apart * random.normal(size=(len(owners), hidden)) / np.sqrt(2)

    def draw(generator, n):
        Z = inside[generator.integers(0, len(owners), n)] + generator.normal(size=(n, hidden))
        parts = softmax(Z @ inside.T - 0.5 * (inside**2).sum(axis=1), axis=1)
        # The layer is one to one, so that X says all that Z does.
        return np.tanh(Z @ layer), parts.reshape(n, n_classes, 2).sum(axis=2)

    return f"d={d} K={n_classes} hidden={hidden} apart={apart:.1f}", draw


# For evaluation.


def nested_directions(random):
    """Clusters of directions around those of classes, which lie around those of groups."""
    d, n_classes = _shape(random, (4, 8))
    group = _unit(random.normal(size=(2, d)))
    owners, near = np.repeat(np.arange(n_classes), 3), random.uniform(0.5, 1.5)
    of_class = _unit(
        group[np.arange(n_classes) % 2] + near * _unit(random.normal(size=(n_classes, d)))
    )
    centres = _unit(of_class[owners] + 0.7 * _unit(random.normal(size=(len(owners), d))))
    strength = random.uniform(2, 7) * np.sqrt(d)
    weights = np.full(len(owners), 1 / len(owners))
    text = f"d={d} K={n_classes} near={near:.1f} strength={strength:.0f}"
    return text, _mixture(centres, owners, weights, strength)


def hashed_images(random):
    """Binary codes of 64 to 512 bits: each class has several prototypes whose bits flip."""
    bits, n_classes = int(random.choice([64, 256, 512])), int(random.choice([2, 5, 10]))
    each, flips = int(random.choice([1, 3])), random.uniform(0.25, 0.45)
    owners = np.repeat(np.arange(n_classes), each)
    shared = random.random(bits) < 0.5
    own = np.where(random.random((len(owners), bits)) < 0.3, ~shared, shared)
    columns = Flags(np.where(own, 1 - flips, flips))
    priors = np.repeat(priors_to_a_tenth(random, n_classes) / each, each)
    text = f"bits={bits} K={n_classes} prototypes={each} flips={flips:.2f}"
    return text, described(priors, [columns], owners)


def activations(random):
    """Positive activations of many units; a few units fire more strongly in a cluster."""
    d, n_classes = int(random.choice([128, 512])), int(random.choice([2, 4, 8]))
    each, firing = int(random.choice([1, 3])), random.uniform(0.01, 0.05)
    owners, root = np.repeat(np.arange(n_classes), each), random.choice([0.6, 1.5])
    on = random.random((len(owners), d)) < firing
    columns = Gamma(np.full((len(owners), d), root), np.where(on, random.uniform(1.6, 3.0), 1.0))
    priors = np.full(len(owners), 1 / len(owners))
    text = f"d={d} K={n_classes} clusters={each} firing={firing:.2f}"
    return text, described(priors, [columns], owners)


def speakers(random):
    """Directions of a few speakers a class, who lean towards the direction of a channel."""
    d, n_classes = int(random.choice([192, 512])), int(random.choice([2, 5]))
    voices, channels = int(random.choice([2, 6])), int(random.choice([2, 3]))
    voice = _unit(random.normal(size=(n_classes * voices, 1, d)).reshape(-1, d))
    channel, lean = _unit(random.normal(size=(channels, d))), random.uniform(0.5, 2)
    centres = _unit((voice[:, None] + lean * channel).reshape(-1, d))
    owners = np.repeat(np.arange(n_classes), voices * channels)
    strength = random.uniform(2.5, 8) * np.sqrt(d)
    weights = np.full(len(owners), 1 / len(owners))
    text = f"d={d} K={n_classes} voices={voices} lean={lean:.1f} strength={strength:.0f}"
    return text, _mixture(centres, owners, weights, strength)


def sentiment_axis(random):
    """Directions of any topic; the class is the sign along one axis, and noisy for one topic."""
    d, n_topics = int(random.choice([300, 768])), int(random.choice([3, 10]))
    topic, strength = _unit(random.normal(size=(n_topics, d))), random.uniform(3, 8) * np.sqrt(d)
    axis, noise = _unit(random.normal(size=(1, d)))[0], random.uniform(0.1, 0.6)

    def draw(generator, n):
        X = _around(generator, topic[generator.integers(0, n_topics, n)], strength)
        clean, noisy = (with_noise((X @ axis > 0).astype(int), 2, p) for p in (0.02, noise))
        return X, np.where(((X @ topic.T).argmax(axis=1) == 0)[:, None], noisy, clean)

    return f"d={d} topics={n_topics} strength={strength:.0f} noise={noise:.2f}", draw
