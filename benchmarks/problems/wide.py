"""More columns than rows, most of them with strong common factors."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax

from .building import Generative, priors_to_a_tenth, two_classes, with_noise
from .described import LogNormal, described


def _factor_classes(means, loadings, noise, priors):
    """Normal classes: a mean, loadings of shape (factors, columns), and noise of one variance."""
    # By Woodbury's identity: with G = LL' + s² I, x' (L'L + s² I)^-1 x = (x'x - |G^-½ L x|²) / s².
    inner = [each @ each.T + noise**2 * np.eye(len(each)) for each in loadings]
    roots = [np.linalg.inv(np.linalg.cholesky(each)) for each in inner]
    volumes = [np.linalg.slogdet(each)[1] for each in inner]
    factors = len(loadings[0])

    def sample(generator, n):
        which = generator.choice(len(priors), n, p=priors)
        Z = generator.normal(size=(n, 1, factors))
        X = means[which] + noise * generator.normal(size=(n, means.shape[1]))
        for k, each in enumerate(loadings):
            X[which == k] += Z[which == k, 0] @ each
        return X, which

    def scores(X):
        logs = np.empty((len(X), len(priors)))
        for k, (mean, each) in enumerate(zip(means, loadings, strict=True)):
            away = X - mean
            inside = ((away @ each.T @ roots[k].T) ** 2).sum(axis=1)
            logs[:, k] = -0.5 * ((away**2).sum(axis=1) - inside) / noise**2 - 0.5 * volumes[k]
        return logs + np.log(priors)

    return Generative(sample, scores)


def _loadings(random, d, factors):
    strength = random.uniform(0.3, 1.5)
    return (
        strength
        * random.normal(size=(factors, d))
        * np.sqrt(2.0 / (1 + np.arange(factors)))[:, None]
    )


def batch_effects(random):
    """Classes differ in a few of very many columns, which batches move together."""
    d, n_classes = int(random.choice([200, 500, 1000])), int(random.choice([2, 3]))
    factors, useful = int(random.choice([2, 5, 10])), int(random.choice([5, 30]))
    means = np.zeros((n_classes, d))
    means[:, :useful] = random.normal(size=(n_classes, useful)) * random.uniform(0.3, 1.0)
    shared = [_loadings(random, d, factors)] * n_classes
    priors = priors_to_a_tenth(random, n_classes)
    text = f"d={d} K={n_classes} factors={factors} useful={useful}"
    return text, _factor_classes(means, shared, 1.0, priors)


def modules_of_genes(random):
    """Each class has factors of its own: columns go together in other ways."""
    d, n_classes = int(random.choice([150, 400, 800])), int(random.choice([2, 3]))
    factors, apart = int(random.choice([1, 3])), random.choice([0.0, 0.05, 0.15])
    loadings = [_loadings(random, d, factors) * (random.random(d) < 0.3) for _ in range(n_classes)]
    means = apart * random.normal(size=(n_classes, d))
    priors = np.full(n_classes, 1 / n_classes)
    text = f"d={d} K={n_classes} factors={factors} apart={apart}"
    return text, _factor_classes(means, loadings, 2.0, priors)


def wide_spectra(random):
    """Smooth curves with a slope and an offset of their own; classes differ in small bands."""
    d, n_classes = int(random.choice([250, 700])), int(random.choice([2, 4]))
    at, noise = np.linspace(0, 1, d), random.uniform(0.3, 1.0)
    smooth = np.stack([np.ones(d), at - 0.5, np.sin(6 * at), np.cos(11 * at)]) * random.uniform(
        1, 4
    )
    bands = np.exp(-0.5 * ((at - random.random((n_classes, 1))) / 0.03) ** 2)
    means = bands * random.uniform(0.2, 0.8)
    priors = priors_to_a_tenth(random, n_classes)
    text = f"d={d} K={n_classes} noise={noise:.1f}"
    return text, _factor_classes(means, [smooth] * n_classes, noise, priors)


def polygenic_scores(random):
    """Counts of alleles at hundreds of sites of two peoples; many small effects make a case."""
    d, used = int(random.choice([200, 600])), int(random.choice([10, 60, 200]))
    often = random.uniform(0.1, 0.9, (2, d))
    often[1] = np.clip(often[0] + random.uniform(0, 0.3) * random.normal(size=d), 0.05, 0.95)
    effects = np.zeros(d)
    effects[:used] = random.normal(size=used) * random.uniform(1, 4) / np.sqrt(used)
    middle, people = 2 * often.mean(axis=0) @ effects, random.uniform(0, 1)

    def draw(generator, n):
        who = generator.integers(0, 2, n)
        X = generator.binomial(2, often[who]).astype(float)
        return X, two_classes(expit(1.5 * (X @ effects - middle) + people * (X[:, 0] - 1)))

    return f"d={d} used={used}", draw


# For evaluation.


def mass_peaks(random):
    """Heights of peaks whose logarithms share the amount of tissue; few peaks differ."""
    d, n_classes = int(random.choice([150, 400])), int(random.choice([2, 3]))
    useful, factors = int(random.choice([4, 20])), int(random.choice([1, 4]))
    means = np.zeros((n_classes, d))
    means[1:, :useful] = random.uniform(0.4, 1.2) * random.choice([-1, 1], (n_classes - 1, useful))
    shared = _loadings(random, d, factors) + random.uniform(0.3, 1.0)
    whole = _factor_classes(means, [shared] * n_classes, 0.8, np.full(n_classes, 1 / n_classes))

    def draw(generator, n):
        X, chances = whole(generator, n)
        return np.exp(np.clip(X, -20, 20)), chances

    return f"d={d} K={n_classes} useful={useful} factors={factors}", draw


def hidden_interaction(random):
    """Two or three of hundreds of columns decide by their product."""
    d, used = int(random.choice([100, 300])), int(random.choice([2, 3]))
    noise, binary = random.choice([0.0, 0.1]), random.random() < 0.5
    places = random.permutation(d)[:used]

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        X = (X > 0) * 1.0 if binary else X
        product = (X[:, places] - 0.5 * binary).prod(axis=1)
        return X, with_noise((product > 0).astype(int), 2, noise)

    return f"d={d} used={used} noise={noise} binary={binary}", draw


def blocks_of_probes(random):
    """Blocks of columns that repeat one quantity each; some of the quantities decide."""
    blocks, each = int(random.choice([10, 40])), int(random.choice([10, 20]))
    useful, noise = int(random.choice([1, 4])), random.uniform(0.5, 2)
    weights = random.normal(size=useful) * random.uniform(1, 3)
    bent = random.random() < 0.5

    def draw(generator, n):
        Z = generator.normal(size=(n, blocks))
        # The mean of a block is all that it says about its quantity.
        X = np.repeat(Z, each, axis=1) + noise * generator.normal(size=(n, blocks * each))
        mean = X.reshape(n, blocks, each).mean(axis=2)[:, :useful]
        level = (np.abs(mean) - 0.7 if bent else mean) @ weights
        return X, two_classes(expit(2 * level))

    return f"blocks={blocks}x{each} useful={useful} noise={noise:.1f} bent={bent}", draw


def many_assays(random):
    """Positive measurements; each class moves a different small part of them a little."""
    d, n_classes = int(random.choice([120, 400])), int(random.choice([2, 4, 6]))
    moved = random.random((n_classes, d)) < random.choice([0.02, 0.1])
    means = random.normal(size=d) + moved * random.uniform(0.3, 1.2)
    spread = np.broadcast_to(random.uniform(0.5, 1.5, d), means.shape)
    columns = LogNormal(means, spread)
    text = f"d={d} K={n_classes} moved={moved.mean():.2f}"
    return text, described(priors_to_a_tenth(random, n_classes), [columns])


def sites_of_scanners(random):
    """Regions of a brain, moved by the scanner and by age together, and by the disease."""
    d, factors = int(random.choice([90, 300])), int(random.choice([3, 8]))
    shared, disease = (
        _loadings(random, d, factors),
        random.normal(size=d) * (random.random(d) < 0.2),
    )
    sharp, noise = random.uniform(0.2, 1.0), random.choice([0.05, 0.2])
    disease /= np.linalg.norm(disease) + 1e-9

    def draw(generator, n):
        X = generator.normal(size=(n, factors)) @ shared + generator.normal(size=(n, d))
        along = X @ disease / np.sqrt(1 + ((shared @ disease) ** 2).sum())
        chance = softmax(
            np.column_stack([0 * along, 3 * sharp * along, 6 * sharp * (along - 1)]), axis=1
        )
        return X, (1 - noise) * chance + noise / 3

    return f"d={d} factors={factors} sharp={sharp:.1f} noise={noise}", draw
