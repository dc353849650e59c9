"""Columns of other distributions than the normal one: heavy tails, shares, lifetimes."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit, gammaln, log_ndtr, softmax
from scipy.stats import t as student

from .building import Generative, halving_priors, random_centres, two_classes, white_mixture


def heavy_tails(random):
    """Student's t in every column around the centre of each class."""
    d, n_classes = int(random.choice([2, 5, 10, 30])), int(random.choice([2, 3]))
    freedom, apart = int(random.choice([2, 3, 5])), random.uniform(1, 5)
    centres = random_centres(random, n_classes, d, apart)
    draw = white_mixture(
        centres,
        range(n_classes),
        lambda u: student.logpdf(u, freedom),
        lambda generator, shape: generator.standard_t(freedom, shape),
    )
    return f"d={d} K={n_classes} freedom={freedom} apart={apart:.2f}", draw


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


def copula(random):
    """Heavy tails, the same in every class: classes differ in how columns go together."""
    d, n_classes = int(random.choice([2, 3, 5, 10])), int(random.choice([2, 3]))
    freedom = int(random.choice([2, 4]))
    factors = []
    for _ in range(n_classes):
        mixed = random.normal(size=(d, d)) * random.uniform(0.3, 1.5) + np.eye(d)
        matrix = mixed @ mixed.T
        scale = np.sqrt(np.diag(matrix))
        factors.append(np.linalg.cholesky(matrix / np.outer(scale, scale)))
    inverses = [np.linalg.inv(each) for each in factors]
    volumes = [np.log(np.diag(each)).sum() for each in factors]

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        white = generator.normal(size=(n, d))
        X = np.stack(
            [each @ row for each, row in zip(np.array(factors)[which], white, strict=True)]
        )
        X /= np.sqrt(generator.chisquare(freedom, (n, 1)) / freedom)
        logs = [
            -(freedom + d) / 2 * np.log1p(((X @ inverse.T) ** 2).sum(axis=1) / freedom) - volume
            for inverse, volume in zip(inverses, volumes, strict=True)
        ]
        return np.sign(X) * np.abs(X) ** 1.5, softmax(np.stack(logs, axis=1), axis=1)

    return f"d={d} K={n_classes} freedom={freedom}", draw


def skewed(random):
    """Exponential columns whose rates differ between two classes."""
    d, apart = int(random.choice([2, 5, 12])), random.uniform(0.3, 1.5)
    rates = np.exp(apart * random.normal(size=(2, d)) / np.sqrt(d) * 1.5)

    def draw(generator, n):
        which = generator.integers(0, 2, n)
        X = generator.exponential(size=(n, d)) / rates[which]
        logs = np.log(rates).sum(axis=1) - X @ rates.T
        return X, two_classes(expit(logs[:, 1] - logs[:, 0]))

    return f"d={d} apart={apart:.2f}", draw


def waiting_times(random):
    """Gamma columns, whose shapes and scales differ by class; some classes are rare."""
    d, n_classes = int(random.choice([2, 4, 10, 30])), int(random.choice([2, 3, 6]))
    spread = random.uniform(0.2, 1.0) / d**0.25
    shapes = random.choice([0.7, 2.0, 6.0]) * np.exp(spread * random.normal(size=(n_classes, d)))
    scales = np.exp(spread * random.normal(size=(n_classes, d)))
    priors = halving_priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = scales[which] * generator.gamma(shapes[which]) + 1e-9
        logs = np.log(X) @ (shapes - 1).T - X @ (1 / scales).T
        logs -= (gammaln(shapes) + shapes * np.log(scales)).sum(axis=1)
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} spread={spread:.2f}", draw


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


def leaning_columns(random):
    """Skew normal columns, turned: classes differ in where they lie and how far they lean."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 3, 5]))
    leans = random.normal(size=(n_classes, d)) * random.choice([1.0, 5.0])
    centres = random.normal(size=(n_classes, d)) * random.uniform(0.1, 1.0)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0]
    cosines = leans / np.sqrt(1 + leans**2)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        part = cosines[which]
        X = part * np.abs(generator.normal(size=(n, d)))
        X += np.sqrt(1 - part**2) * generator.normal(size=(n, d)) + centres[which]
        away = X[:, None] - centres
        logs = (-0.5 * away**2 + log_ndtr(leans * away)).sum(axis=2)
        return X @ turn, softmax(logs, axis=1)

    return f"d={d} K={n_classes}", draw


def shared_frailty(random):
    """Lifetimes with long tails that one unseen frailty makes short or long together."""
    d, n_classes = int(random.choice([2, 4, 10])), int(random.choice([2, 3]))
    shapes = random.choice([1.0, 3.0]) * np.exp(random.choice([0, 0.5]) * np.arange(n_classes))
    scales = np.exp(random.uniform(0.2, 1.0) * random.normal(size=(n_classes, d)))
    logarithms = random.random() < 0.5

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        frailty = generator.gamma(shapes[which])[:, None] + 1e-12
        X = np.clip(scales[which] * generator.exponential(size=(n, d)) / frailty, 1e-9, 1e9)
        logs = -(shapes + d) * np.log1p(X @ (1 / scales).T)
        logs += gammaln(shapes + d) - gammaln(shapes) - np.log(scales).sum(axis=1)
        return np.log(X) if logarithms else X, softmax(logs, axis=1)

    return f"d={d} K={n_classes} shapes={shapes.round(1)} logarithms={logarithms}", draw


def compositions(random):
    """Shares that sum to 1: Dirichlet classes."""
    d, n_classes = int(random.choice([3, 5, 10, 20])), int(random.choice([2, 3, 4]))
    strength = random.uniform(2, 12)
    alphas = strength * random.dirichlet(np.full(d, 3.0), n_classes) + 0.3
    constants = gammaln(alphas.sum(axis=1)) - gammaln(alphas).sum(axis=1)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = generator.gamma(alphas[which]) + 1e-12
        X /= X.sum(axis=1, keepdims=True)
        return X, softmax(np.log(X) @ (alphas - 1).T + constants, axis=1)

    return f"d={d} K={n_classes} strength={strength:.1f}", draw


def balances(random):
    """A logistic curve in a contrast of the logarithms of a few of several shares."""
    d, used = int(random.choice([4, 8, 15])), int(random.choice([2, 3, 4]))
    steep, alpha = random.choice([1.0, 3.0, 10.0]), random.uniform(0.5, 3)
    weights = np.zeros(d)
    weights[:used] = random.normal(size=used)
    weights[:used] -= weights[:used].mean()
    weights /= np.linalg.norm(weights)

    def draw(generator, n):
        X = generator.gamma(alpha, size=(n, d)) + 1e-9
        X /= X.sum(axis=1, keepdims=True)
        return X, two_classes(expit(steep * np.log(X) @ weights))

    return f"d={d} used={used} steep={steep:.0f} alpha={alpha:.1f}", draw


def zipf_sizes(random):
    """Sizes of which few are huge: in each class they fall off by a power of its own."""
    d, n_classes = int(random.choice([3, 10, 40])), int(random.choice([2, 3, 5]))
    powers = 1.3 + np.sort(random.uniform(0, random.choice([0.6, 1.5]), n_classes))
    tops = np.arange(1, 2001)
    tables = tops ** -powers[:, None]
    totals = tables.sum(axis=1, keepdims=True)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        X = np.empty((n, d))
        for k, table in enumerate(tables):
            X[which == k] = 1 + generator.choice(
                len(tops), ((which == k).sum(), d), p=table / totals[k]
            )
        logs = -powers * np.log(X).sum(axis=1)[:, None] - d * np.log(totals[:, 0])
        return X, softmax(logs, axis=1)

    return f"d={d} powers={powers.round(2)}", draw


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


def same_moments(random):
    """Columns of mean 0 and variance 1 in all classes: normal, even, peaked, two humps or askew?"""
    d, n_classes = int(random.choice([1, 3, 8, 20])), int(random.choice([2, 3, 4]))
    shapes, priors = random.permutation(5)[:n_classes], halving_priors(random, n_classes)
    turn = np.linalg.qr(random.normal(size=(d, d)))[0] if random.random() < 0.3 else np.eye(d)
    hump, edge = np.sqrt(1 - 0.5**2), np.sqrt(3)
    noise = int(random.choice([0, 0, 10]))

    def columns(generator, shape, size):
        if shape == 0:
            return generator.normal(size=size)
        if shape == 1:
            return generator.uniform(-edge, edge, size)
        if shape == 2:
            return generator.laplace(0, np.sqrt(0.5), size)
        if shape == 3:
            return generator.normal(generator.choice([-hump, hump], size), 0.5)
        return generator.exponential(1, size) - 1

    def log_density(shape, x):
        with np.errstate(divide="ignore"):
            if shape == 1:
                return np.log((np.abs(x) <= edge) / (2 * edge))
            if shape == 4:
                return np.where(x >= -1, -x - 1, -np.inf)
        if shape == 2:
            return -np.sqrt(2) * np.abs(x) - np.log(np.sqrt(2))
        middles, width = ([-hump, hump], 0.5) if shape == 3 else ([0, 0], 1)
        two = [-0.5 * ((x - middle) / width) ** 2 for middle in middles]
        return np.logaddexp(*two) - np.log(2 * width * np.sqrt(2 * np.pi))

    def sample(generator, n):
        which, X = generator.choice(n_classes, n, p=priors), np.empty((n, d))
        for k, shape in enumerate(shapes):
            X[which == k] = columns(generator, shape, (np.sum(which == k), d))
        return np.hstack([X @ turn.T, generator.normal(size=(n, noise))]), which

    def scores(X):
        back = X[:, :d] @ turn
        logs = [log_density(shape, back).sum(axis=1) for shape in shapes]
        return np.stack(logs, axis=1) + np.log(priors)

    turned = not np.array_equal(turn, np.eye(d))
    text = f"d={d} shapes={shapes} turned={turned} noise={noise}"
    return text, Generative(sample, scores)
