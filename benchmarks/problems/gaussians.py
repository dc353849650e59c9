"""Normal classes, plain, unequal, rare or seen through a transformation."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, softmax
from scipy.stats import vonmises_fisher

from .building import (
    gaussian_scores,
    halving_priors,
    normal_classes,
    normal_mixture,
    normal_scores,
    random_centres,
    slowly_falling_priors,
    two_classes,
)


def shift(random):
    """Normal classes of one covariance around random centres."""
    d, n_classes = int(random.choice([2, 3, 5, 10, 20, 50, 100])), int(random.choice([2, 2, 3, 5]))
    apart = random.uniform(0.7, 4)
    centres = random_centres(random, n_classes, d, apart)
    return f"d={d} K={n_classes} apart={apart:.2f}", normal_mixture(centres, range(n_classes))


def covariance(random):
    """Normal classes whose covariances differ, their centres less."""
    d, n_classes = int(random.choice([2, 4, 8, 15, 30])), int(random.choice([2, 2, 3]))
    apart = random.uniform(0, 2)
    factors = []
    for _ in range(n_classes):
        turn = np.linalg.qr(random.normal(size=(d, d)))[0]
        factors.append(turn * np.exp(random.normal(scale=0.5, size=d)))
    centres = random_centres(random, n_classes, d, apart)
    draw = normal_mixture(centres, range(n_classes), factors=np.array(factors))
    return f"d={d} K={n_classes} apart={apart:.2f}", draw


def one_in_twenty(random):
    """Two normal classes, of which one has one in twenty-one of the samples."""
    d, apart = int(random.choice([2, 5, 10, 20])), random.uniform(1, 4)
    spread = random.choice([1.0, 0.5, 1.5])
    centres = random_centres(random, 2, d, apart)
    factors = np.stack([np.eye(d), spread * np.eye(d)])
    draw = normal_mixture(centres, [0, 1], weights=[20 / 21, 1 / 21], factors=factors)
    return f"d={d} apart={apart:.2f} spread={spread}", draw


def rare_three_classes(random):
    """Three normal classes, of which two are rare."""
    d, apart = int(random.choice([2, 5, 15])), random.uniform(1, 4)
    centres = random_centres(random, 3, d, apart)
    factors = np.eye(d) * np.array([1.0, 0.7, 1.4])[:, None, None]
    draw = normal_mixture(centres, range(3), weights=[0.85, 0.1, 0.05], factors=factors)
    return f"d={d} apart={apart:.2f}", draw


def many_classes(random):
    """Ten to twenty-six normal classes."""
    d, n_classes = int(random.choice([2, 5, 16, 30])), int(random.choice([10, 15, 26]))
    apart = random.uniform(2, 7)
    centres = random_centres(random, n_classes, d, apart)
    return f"d={d} K={n_classes} apart={apart:.2f}", normal_mixture(centres, range(n_classes))


def one_column(random):
    """One of many columns shifts, the others are noise."""
    d, apart = int(random.choice([10, 50, 100, 200])), random.uniform(1, 4.5)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d))
        X[:, 0] += apart * which
        return X, two_classes(expit(apart * (X[:, 0] - apart / 2)))

    return f"d={d} apart={apart:.2f}", draw


def five_uneven(random):
    """Five normal classes, of which one has four fifths of the samples."""
    d, apart = int(random.choice([2, 5, 12])), random.uniform(1.5, 5)
    weights = np.array([0.8, 0.1, 0.05, 0.03, 0.02])
    means = random.normal(size=(5, d)) * apart / np.sqrt(2 * min(d, 4))
    spreads = np.exp(random.normal(scale=0.3, size=(5, 1))) * np.ones(d)

    def draw(generator, n):
        which = generator.choice(5, n, p=weights)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        return X, softmax(normal_scores(X, means, spreads) + np.log(weights), axis=1)

    return f"d={d} apart={apart:.2f}", draw


def noise_by_class(random):
    """A few columns shift; the others are noise, whose size may differ between classes."""
    d, live = int(random.choice([6, 15, 40])), int(random.choice([1, 2, 4]))
    shift, ratio = random.uniform(0.5, 3), random.choice([1.0, 1.15, 1.5])
    means, spreads = np.zeros((2, d)), np.ones((2, d))
    means[1, :live] = shift / np.sqrt(live)
    spreads[1, live:] = ratio
    scales = np.exp(random.normal(scale=random.choice([0.0, 0.5]), size=d))

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        return X * scales, softmax(normal_scores(X, means, spreads), axis=1)

    return f"d={d} live={live} shift={shift:.2f} ratio={ratio}", draw


def family_tree(random):
    """Eight classes, of which pairs are near, pairs of pairs farther, with sizes that differ."""
    d, near = int(random.choice([3, 6, 15])), random.uniform(0.8, 2.5)
    means = np.zeros((8, d))
    for level, apart in enumerate([near * 4, near * 2, near]):
        steps = random.normal(size=(2**level, d))
        steps *= apart / 2 / np.linalg.norm(steps, axis=1, keepdims=True)
        for k in range(8):
            means[k] += steps[k >> (3 - level)] * (1 if (k >> (2 - level)) & 1 else -1)
    weights = random.dirichlet(np.full(8, 3.0))
    spreads = np.ones((8, d))

    def draw(generator, n):
        which = generator.choice(8, n, p=weights)
        X = means[which] + generator.normal(size=(n, d))
        return X, softmax(normal_scores(X, means, spreads) + np.log(weights), axis=1)

    return f"d={d} near={near:.2f}", draw


def hidden_factors(random):
    """Many columns that a few factors move: how they load, or their means, differ by class."""
    d, factors = int(random.choice([10, 30, 60])), int(random.choice([1, 3]))
    n_classes, turned = int(random.choice([2, 4])), random.uniform(0.0, 0.8)
    shared = random.normal(size=(d, factors))
    loads = [shared + turned * random.normal(size=(d, factors)) for _ in range(n_classes)]
    means = random.normal(size=(n_classes, d)) * random.choice([0.0, 1.0, 2.5]) / np.sqrt(d)
    covariances = [each @ each.T + np.eye(d) for each in loads]
    return (
        f"d={d} factors={factors} K={n_classes} turned={turned:.2f}",
        normal_classes(means, covariances, halving_priors(random, n_classes)),
    )


def lognormal(random):
    """Amounts of all magnitudes: normal logarithms whose means and spreads differ by class."""
    d, n_classes = int(random.choice([2, 5, 10, 25])), int(random.choice([2, 3]))
    means = random.normal(scale=random.uniform(0.1, 0.8), size=(n_classes, d))
    spreads = 0.8 * np.exp(random.normal(scale=random.choice([0.0, 0.3]), size=(n_classes, d)))

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        logs = means[which] + spreads[which] * generator.normal(size=(n, d))
        return np.exp(logs), softmax(normal_scores(logs, means, spreads), axis=1)

    return f"d={d} K={n_classes}", draw


def separable(random):
    """Classes side by side along one direction, with a gap between them."""
    d, n_classes = int(random.choice([2, 5, 20, 100])), int(random.choice([2, 3, 6]))
    gap = random.uniform(0.5, 3)
    axes = np.linalg.qr(random.normal(size=(d, d)))[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.normal(size=(n, d))
        X[:, 0] = which * (1 + gap) + generator.uniform(0, 1, n)
        return X @ axes, np.eye(n_classes)[which]

    return f"d={d} K={n_classes} gap={gap:.2f}", draw


def genes(random):
    """Hundreds of columns, a few of which shift."""
    d, telling = int(random.choice([300, 1000])), int(random.choice([3, 20]))
    shift = np.zeros(d)
    shift[:telling] = random.normal(size=telling) * random.uniform(0.3, 1.2)

    def draw(generator, n):
        X = generator.normal(size=(n, d)) + generator.integers(0, 2, n)[:, None] * shift
        return X, two_classes(expit(X @ shift - shift @ shift / 2))

    return f"d={d} telling={telling} shift={np.linalg.norm(shift):.2f}", draw


def one_in_a_hundred(random):
    """A rare class that shifts one column."""
    d, shift = int(random.choice([2, 5, 10])), random.uniform(1.5, 4)
    prior = random.choice([0.01, 0.02])

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        X[:, 0] += shift * (generator.random(n) < prior)
        return X, two_classes(expit(np.log(prior / (1 - prior)) + shift * X[:, 0] - shift**2 / 2))

    return f"d={d} shift={shift:.1f} prior={prior}", draw


def unequal_scales(random):
    """Columns in units of any size, one of which tells; they are not scaled."""
    d, shift = int(random.choice([3, 6, 12])), random.uniform(1, 3)
    units = 10.0 ** random.integers(-3, 4, d)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        X[:, 0] += shift * (generator.random(n) < 0.5)
        return X * units, two_classes(expit(shift * X[:, 0] - shift**2 / 2))

    return f"d={d} shift={shift:.1f} unit={units[0]:g} of {units.max():g}", draw


def log_ratios(random):
    """Shares that sum to 1, of normal log ratios: means and covariances differ by class."""
    d, n_classes = int(random.choice([3, 5, 10, 20])), int(random.choice([2, 3, 4]))
    means = random.normal(scale=random.uniform(0.2, 1.0), size=(n_classes, d))
    spread = random.choice([0.0, 0.3, 0.6])
    factors = np.stack([_turned(random, np.exp(spread * random.normal(size=d)), d) for _ in means])
    if not spread:
        factors[:] = factors[0]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        logs = means[which] + np.einsum("nij,nj->ni", factors[which], generator.normal(size=(n, d)))
        X = softmax(np.column_stack([logs, np.zeros(n)]), axis=1)
        return X, softmax(gaussian_scores(logs, means, factors), axis=1)

    return f"d={d} K={n_classes} spread={spread}", draw


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


def unit_vectors(random):
    """Directions in up to 200 dimensions around those of up to twenty classes."""
    d, n_classes = int(random.choice([3, 10, 50, 200])), int(random.choice([2, 5, 20]))
    strength = random.uniform(2, 7) * np.sqrt(d)
    means = random.normal(size=(n_classes, d))
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    priors = slowly_falling_priors(random, n_classes)

    def draw(generator, n):
        counts = generator.multinomial(n, priors)
        X = np.concatenate(
            [
                np.atleast_2d(vonmises_fisher.rvs(mean, strength, count, random_state=generator))
                for mean, count in zip(means, counts, strict=True)
                if count
            ]
        )
        X = generator.permutation(X)
        return X, softmax(strength * X @ means.T + np.log(priors), axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


def drifting_classes(random):
    """Classes that move round with the time, which stands beside the measurements."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 5]))
    turns, apart = random.choice([0.3, 1.0, 3.0]), random.uniform(1.0, 4.0)
    starts = 2 * np.pi * np.arange(n_classes) / n_classes
    axes = np.linalg.qr(random.normal(size=(d, 2)))[0]

    def draw(generator, n):
        which, time = generator.integers(0, n_classes, n), generator.random(n)
        angles = starts + 2 * np.pi * turns * time[:, None]
        centres = apart * (
            np.cos(angles)[:, :, None] * axes[:, 0] + np.sin(angles)[:, :, None] * axes[:, 1]
        )
        X = centres[np.arange(n), which] + generator.normal(size=(n, d))
        logs = -0.5 * ((X[:, None] - centres) ** 2).sum(axis=2)
        return np.column_stack([X, 10 * time]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} turns={turns} apart={apart:.1f}", draw


def admissions(random):
    """Scores of those who were admitted only: their weighted sum passed a threshold."""
    d, n_classes = int(random.choice([2, 5, 12])), int(random.choice([2, 3, 4]))
    centres = random.uniform(0.5, 1.5) * random.normal(size=(n_classes, d))
    spreads, cut = np.exp(0.3 * random.normal(size=(n_classes, d))), random.choice([0.0, 1.0])
    weights = random.dirichlet(np.ones(d)) * np.sqrt(d)

    def draw(generator, n):
        kept, found = np.empty((0, d)), 0
        while found < n:
            which = generator.integers(0, n_classes, 4 * n + 100)
            X = centres[which] + spreads[which] * generator.normal(size=(len(which), d))
            kept = np.concatenate([kept, X[X @ weights > cut]])
            found = len(kept)
        X = kept[:n]
        logs = -0.5 * (((X[:, None] - centres) / spreads) ** 2).sum(axis=2)
        return X, softmax(logs - np.log(spreads).sum(axis=1), axis=1)

    return f"d={d} K={n_classes} cut={cut:.0f}", draw


def two_units(random):
    """Lengths, all in one row in inches or all in centimetres, which nobody wrote down."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3, 6]))
    factor, rare = random.choice([1.5, 2.54, 10.0]), random.choice([0.1, 0.5])
    means = random.uniform(0.3, 1.0) * random.normal(size=(n_classes, d))
    shift, spread = np.log(factor), random.choice([0.3, 0.6])

    def draw(generator, n):
        which, other = generator.integers(0, n_classes, n), generator.random(n) < rare
        logs_of_X = means[which] + spread * generator.normal(size=(n, d)) + shift * other[:, None]
        both = np.stack([logs_of_X, logs_of_X - shift], axis=1)[:, :, None]  # each read as one unit
        fits = -0.5 * (((both - means) / spread) ** 2).sum(axis=3)
        fits += np.log([1 - rare, rare])[:, None]
        return np.exp(logs_of_X), softmax(logsumexp(fits, axis=1), axis=1)

    return f"d={d} K={n_classes} factor={factor} rare={rare} spread={spread}", draw


def radius(random):
    """Two normal classes around one centre that differ in their spread alone."""
    d, ratio = int(random.choice([3, 10, 20, 50])), random.uniform(1.1, 1.8)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.normal(size=(n, d)) * np.where(which, ratio, 1.0)[:, None]
        squares = (X**2).sum(axis=1)
        return X, two_classes(expit(0.5 * squares * (1 - 1 / ratio**2) - d * np.log(ratio)))

    return f"d={d} ratio={ratio:.2f}", draw


def _turned(random, sizes, d):
    """A factor of a covariance with these standard deviations in random directions."""
    return np.linalg.qr(random.normal(size=(d, d)))[0] * sizes
