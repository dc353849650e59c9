"""Recipes that were the second ones for evaluation, and have been looked at since.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, logsumexp, softmax

from .recipes import draw_labels, two_classes


def waiting_times(random):
    """Gamma columns, whose shapes and scales differ by class; some classes are rare."""
    d, n_classes = int(random.choice([2, 4, 10, 30])), int(random.choice([2, 3, 6]))
    spread = random.uniform(0.2, 1.0) / d**0.25
    shapes = random.choice([0.7, 2.0, 6.0]) * np.exp(spread * random.normal(size=(n_classes, d)))
    scales = np.exp(spread * random.normal(size=(n_classes, d)))
    priors = _priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = scales[which] * generator.gamma(shapes[which]) + 1e-9
        logs = np.log(X) @ (shapes - 1).T - X @ (1 / scales).T
        logs -= (gammaln(shapes) + shapes * np.log(scales)).sum(axis=1)
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} spread={spread:.2f}", draw


def spin_grids(random):
    """Spins on a small grid, up or down: classes differ in coupling and field (Ising)."""
    shape = [(3, 3), (2, 6), (3, 4)][random.integers(3)]
    n_classes = int(random.choice([2, 3]))
    couplings = random.uniform(-0.6, 0.9, n_classes)
    fields = random.normal(size=n_classes) * random.choice([0.0, 0.15, 0.4])
    states = np.array(list(product([-1, 1], repeat=shape[0] * shape[1])))
    grids = states.reshape(-1, *shape)
    bonds = (grids[:, 1:] * grids[:, :-1]).sum((1, 2)) + (grids[:, :, 1:] * grids[:, :, :-1]).sum(
        (1, 2)
    )
    logs = np.outer(couplings, bonds) + np.outer(fields, states.sum(axis=1))
    chances = softmax(logs, axis=1)

    def draw(generator, n):
        which = np.bincount(generator.integers(0, n_classes, n), minlength=n_classes)
        places = np.concatenate([
            generator.choice(len(states), count, p=each)
            for count, each in zip(which, chances, strict=True)
        ])  # fmt: skip
        places = generator.permutation(places)
        return states[places].astype(float), (chances[:, places] / chances[:, places].sum(axis=0)).T

    return f"grid={shape} K={n_classes} couplings={couplings.round(2)}", draw


def nominal_codes(random):
    """Categories as arbitrary whole numbers, independent within each of up to ten classes."""
    d, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 4, 10]))
    levels, even = int(random.choice([3, 6, 15])), random.choice([0.3, 1.0, 4.0])
    base = random.dirichlet(np.full(levels, 2.0), d)
    tables = np.array([[random.dirichlet(1e-3 + 5 * even * each) for each in base]
                       for _ in range(n_classes)])  # fmt: skip
    tables = 0.9 * tables + 0.1 / levels
    priors = _priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        steps = tables[which].cumsum(axis=2)
        X = np.minimum((generator.random((n, d, 1)) > steps).sum(axis=2), levels - 1)
        logs = sum(np.log(tables[:, j, X[:, j]]) for j in range(d)).T
        return X.astype(float), softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} levels={levels} even={even}", draw


def wards(random):
    """Flags choose the means of measurements: both tell of a condition that is often rare."""
    d, flags = int(random.choice([2, 5, 12])), int(random.choice([1, 2, 4]))
    prior = random.choice([0.5, 0.2, 0.05])
    rates = expit(random.normal(size=(2, flags)) * random.choice([0.3, 1.0]))
    slopes = random.normal(size=(flags, d))
    shifts = random.normal(size=(2**flags, d)) * random.uniform(0.2, 1.2) / np.sqrt(d)

    def draw(generator, n):
        sick = generator.random(n) < prior
        given = (generator.random((n, flags)) < rates[sick.astype(int)]).astype(float)
        group = (given @ 2 ** np.arange(flags)).astype(int)
        X = given @ slopes + sick[:, None] * shifts[group] + generator.normal(size=(n, d))
        away = X - given @ slopes
        score = (away * shifts[group]).sum(axis=1) - 0.5 * (shifts[group] ** 2).sum(axis=1)
        score += given @ np.log(rates[1] / rates[0])
        score += (1 - given) @ np.log((1 - rates[1]) / (1 - rates[0]))
        return np.column_stack([X, given]), two_classes(expit(score + np.log(prior / (1 - prior))))

    return f"d={d} flags={flags} prior={prior}", draw


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
        _normal(means, covariances, np.full(n_classes, 1 / n_classes)),
    )


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
        _normal(means, covariances, _priors(random, n_classes)),
    )


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


def any_cause(random):
    """Each of some columns may cause the event on its own once it passes a threshold."""
    used, extra = int(random.choice([2, 4, 8])), int(random.choice([0, 4, 30]))
    strength, steep = random.choice([0.5, 0.8, 0.99]), random.choice([2.0, 10.0])
    cuts = random.normal(size=used) * 0.4 + np.sqrt(used) * 0.7

    def draw(generator, n):
        X = generator.normal(size=(n, used + extra))
        spared = 1 - strength * expit(steep * (X[:, :used] - cuts))
        return X, two_classes(1 - 0.98 * spared.prod(axis=1))

    return f"used={used} extra={extra} strength={strength} steep={steep:.0f}", draw


def lost_values(random):
    """Normal classes; any value may be lost, and then reads zero."""
    d, n_classes = int(random.choice([3, 8, 25])), int(random.choice([2, 3, 5]))
    lost, apart = random.choice([0.1, 0.3, 0.6]), random.uniform(0.5, 3.0)
    means = random.normal(size=(n_classes, d)) * apart / np.sqrt(d) + random.choice([0.0, 2.0])
    spreads = np.exp(random.choice([0.0, 0.3]) * random.normal(size=(n_classes, d)))
    priors = _priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = means[which] + spreads[which] * generator.normal(size=(n, d))
        kept = generator.random((n, d)) >= lost
        away = (X[:, None] - means) / spreads
        logs = ((-0.5 * away**2 - np.log(spreads)) * kept[:, None]).sum(axis=2)
        return X * kept, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} lost={lost} apart={apart:.2f}", draw


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


def urns(random):
    """Counts of colours drawn from urns that favour the colours drawn before (Pólya)."""
    d, n_classes = int(random.choice([3, 8, 30])), int(random.choice([2, 4, 7]))
    drawn, size = int(random.choice([5, 20, 100])), random.choice([1.0, 5.0, 30.0])
    starts = size * random.dirichlet(np.full(d, random.choice([0.5, 3.0])), n_classes) + 0.01
    priors = _priors(random, n_classes)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        rates = generator.gamma(starts[which]) + 1e-300
        X = generator.multinomial(drawn, rates / rates.sum(axis=1, keepdims=True)).astype(float)
        logs = (gammaln(X[:, None] + starts) - gammaln(starts)).sum(axis=2)
        totals = starts.sum(axis=1)
        logs += gammaln(totals) - gammaln(totals + drawn)
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} drawn={drawn} size={size:.0f}", draw


def symbol_strings(random):
    """Strings of symbols, one-hot: which symbol follows which differs by class."""
    length, symbols = int(random.choice([4, 8, 15])), int(random.choice([2, 3, 4]))
    n_classes, even = int(random.choice([2, 3, 6])), random.choice([1.0, 3.0, 10.0])
    follow = random.dirichlet(np.full(symbols, even), (n_classes, symbols))
    follow = 0.95 * follow + 0.05 / symbols

    def draw(generator, n):
        which, last = generator.integers(0, n_classes, n), generator.integers(0, symbols, n)
        logs, columns = np.zeros((n, n_classes)), [last]
        for _ in range(length - 1):
            after = draw_labels(generator, follow[which, last])
            logs += np.log(follow[:, last, after]).T
            last = after
            columns.append(last)
        X = np.eye(symbols)[np.array(columns).T].reshape(n, -1)
        return X, softmax(logs, axis=1)

    return f"length={length} symbols={symbols} K={n_classes} even={even:.0f}", draw


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


def choices(random):
    """Someone chooses one of several offers by its price and qualities, with some noise."""
    offers, qualities = int(random.choice([2, 3, 5])), int(random.choice([1, 3, 6]))
    steep, bent = random.choice([1.0, 3.0, 10.0]), random.choice([0.0, 1.0])
    tastes = random.normal(size=qualities)
    bias = random.normal(size=offers) * random.choice([0.0, 1.0])

    def draw(generator, n):
        X = generator.normal(size=(n, offers, qualities))
        worth = (X @ tastes + bent * X.min(axis=2)) / np.sqrt(qualities)
        return X.reshape(n, -1), softmax(steep * worth + bias, axis=1)

    return f"offers={offers} qualities={qualities} steep={steep:.0f} bent={bent:.0f}", draw


def popular_items(random):
    """Rows of a catalogue, few of them popular, each with a habit of its own, and a number."""
    items, d = int(random.choice([10, 60, 400])), int(random.choice([2, 6]))
    n_classes, slope = int(random.choice([2, 3])), random.choice([0.0, 1.5])
    catalogue = random.normal(size=(items, d))
    popular = 1 / np.arange(1, items + 1) ** random.choice([0.5, 1.2])
    habits = random.normal(size=(items, n_classes)) * random.choice([1.0, 2.5])
    directions = slope * random.normal(size=n_classes)

    def draw(generator, n):
        item, number = (
            generator.choice(items, n, p=popular / popular.sum()),
            generator.normal(size=n),
        )
        number = number.round(1)
        X = np.column_stack([catalogue[item], number])
        return X, softmax(habits[item] + np.outer(number, directions), axis=1)

    return f"items={items} d={d} K={n_classes} slope={slope}", draw


def _priors(random, n_classes):
    """Even, or each class half as frequent as the one before, up to one in twenty of the first."""
    if random.random() < 0.5:
        return np.full(n_classes, 1 / n_classes)
    sizes = np.maximum(0.5 ** np.arange(n_classes), 0.05)
    return sizes / sizes.sum()


def _normal(means, covariances, priors):
    """Draws from normal classes."""
    factors = np.linalg.cholesky(np.array(covariances))
    inverses = np.linalg.inv(factors)
    volumes = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(priors), n, p=priors)
        X, logs = generator.normal(size=(n, means.shape[1])), np.empty((n, len(priors)))
        for k, factor in enumerate(factors):
            X[which == k] = X[which == k] @ factor.T + means[k]
        for k, inverse in enumerate(inverses):
            logs[:, k] = -0.5 * (((X - means[k]) @ inverse.T) ** 2).sum(axis=1) - volumes[k]
        return X, softmax(logs + np.log(priors), axis=1)

    return draw


SECOND_EVALUATION = {
    recipe.__name__.replace("_", " "): recipe
    for recipe in (
        waiting_times, spin_grids, nominal_codes, wards, rough_curves, hidden_factors,
        leaning_columns, committees, prototypes, any_cause, lost_values, shared_frailty, urns,
        symbol_strings, outliers, choices, popular_items,
    )
}  # fmt: skip
