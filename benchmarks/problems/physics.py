"""Physics and chemistry: counters, spectra, curves and chaos."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, logsumexp, softmax
from scipy.stats import binom

from .building import Generative, with_noise


def decay_counts(random):
    """What a counter shows, minute by minute, above its background: which isotope decays?"""
    minutes, n_classes = int(random.choice([5, 20, 50])), int(random.choice([2, 3, 5]))
    lives = random.uniform(2, 8) * np.cumprod(random.uniform(1.3, 3.0, n_classes))
    background, strong = random.choice([0.5, 5.0]), random.choice([3.0, 20.0])
    starts = strong * np.geomspace(0.2, 5, 12)  # nobody knows how much there was
    weights = random.dirichlet(np.full(12, 3.0))
    fall = np.exp(-np.arange(minutes) / lives[:, None])
    rates = background + starts[:, None] * fall[:, None]
    flat = rates.reshape(-1, minutes)

    def sample(generator, n):
        which, start = generator.integers(0, n_classes, n), generator.choice(12, n, p=weights)
        return generator.poisson(rates[which, start]).astype(float), which

    def scores(X):
        logs = (X @ np.log(flat).T - flat.sum(axis=1)).reshape(len(X), n_classes, 12)
        return logsumexp(logs + np.log(weights), axis=2)

    words = f"minutes={minutes} lives={lives.round(1)} background={background} strong={strong:.0f}"
    return words, Generative(sample, scores)


def tremors(random):
    """Size, depth, hour, weekday and wave heights of a tremor: earthquake, blast or collapse?"""
    n_classes, stations = int(random.choice([2, 3])), int(random.choice([1, 4, 12]))
    priors = np.array([0.75, 0.2, 0.05])[:n_classes]
    if random.random() < 0.5:
        priors = np.ones(n_classes)
    priors = priors / priors.sum()
    steep, gap = np.array([2.3, 4.0, 3.0])[:n_classes], random.uniform(0.1, 0.8)
    deep = np.array([0.95, 0.1, 0.3])[:n_classes]  # how often there is a depth above 0
    usual = np.array([9.0, 0.6, 1.0])[:n_classes]
    hours, weekdays = np.ones((3, 24)), np.ones((3, 7))
    hours[1, 8:17], weekdays[1, 5:] = random.uniform(3, 30), 0.1
    hours = (hours / hours.sum(axis=1, keepdims=True))[:n_classes]
    weekdays = (weekdays / weekdays.sum(axis=1, keepdims=True))[:n_classes]
    ratios = gap * random.normal(size=(n_classes, stations))

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        size = generator.exponential(1 / steep[which])
        depth = generator.exponential(usual[which]) * (generator.random(n) < deep[which])
        clock = (hours[which].cumsum(axis=1)[:, :-1] < generator.random((n, 1))).sum(axis=1)
        day = (weekdays[which].cumsum(axis=1)[:, :-1] < generator.random((n, 1))).sum(axis=1)
        heights = ratios[which] + generator.normal(size=(n, stations))
        return np.column_stack([size, depth, clock, day, heights]), which

    def scores(X):
        size, depth, clock, day = X[:, :4].T
        logs = (
            np.log(steep)
            - size[:, None] * steep
            - 0.5 * ((X[:, None, 4:] - ratios) ** 2).sum(axis=2)
        )
        at_depth = np.log(deep / usual) - depth[:, None] / usual
        logs += np.where(depth[:, None] > 0, at_depth, np.log1p(-deep))
        logs += np.log(hours[:, clock.astype(int)] * weekdays[:, day.astype(int)]).T
        return logs + np.log(priors)

    return f"K={n_classes} stations={stations} gap={gap:.2f}", Generative(sample, scores)


def chaotic_maps(random):
    """Start and parameter of a chaotic map: in which part is it some steps later?"""
    steps, n_classes = int(random.choice([1, 2, 4, 7])), int(random.choice([2, 3, 5]))
    noise, extra = random.choice([0.0, 0.1, 0.3]), int(random.choice([0, 2, 8]))
    low, high = random.choice([3.2, 3.7]), 4.0
    cuts = np.sin(np.pi / 2 * np.arange(1, n_classes) / n_classes) ** 2

    def draw(generator, n):
        X = generator.random((n, 2 + extra))
        X[:, 1] = low + (high - low) * X[:, 1]
        place = X[:, 0]
        for _ in range(steps):
            place = X[:, 1] * place * (1 - place)
        return X, with_noise(np.digitize(place, cuts), n_classes, noise)

    return f"steps={steps} K={n_classes} low={low} noise={noise} extra={extra}", draw


def titrations(random):
    """How acid a solution is after each drop of base: which acid is it, at any strength?"""
    drops, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 4, 8]))
    error, offset = random.choice([0.1, 0.4, 1.0]), random.choice([0.05, 0.5])
    constants = np.sort(random.uniform(2.5, 8.0, n_classes))
    strengths = np.linspace(0.06, 0.14, 9)
    added = np.linspace(0, 1.5, drops)
    acid, base = strengths[:, None] / (1 + added), 0.1 * added / (1 + added)
    low, high = np.zeros((n_classes, 9, drops)), np.full((n_classes, 9, drops), 14.0)
    for _ in range(50):  # bisection of the balance of charges, which falls with the pH
        middle = (low + high) / 2
        protons, free = 10.0**-middle, 10.0 ** -constants[:, None, None]
        charge = protons + base - acid * free / (free + protons) - 1e-14 / protons
        low, high = np.where(charge > 0, middle, low), np.where(charge > 0, high, middle)
    curves = low.reshape(-1, drops)
    covariance = error**2 * np.eye(drops) + offset**2  # the electrode is off by the same each time
    factor, inverse = np.linalg.cholesky(covariance), np.linalg.inv(covariance)
    power = 0.5 * ((curves @ inverse) * curves).sum(axis=1)

    def sample(generator, n):
        which = generator.integers(0, len(curves), n)
        return curves[which] + generator.normal(size=(n, drops)) @ factor.T, which // 9

    def scores(X):
        logs = X @ inverse @ curves.T - power
        return logsumexp(logs.reshape(len(X), n_classes, 9), axis=2)

    words = f"drops={drops} K={n_classes} error={error} offset={offset}"
    return words, Generative(sample, scores)


def isotope_patterns(random):
    """Ions at neighbouring masses: how many atoms of chlorine and bromine has the molecule?"""
    n_classes, ions = int(random.choice([2, 5, 9])), int(random.choice([20, 100, 1000]))
    dirt, width = random.choice([0.01, 0.2]), 12
    formulas = [(c, b) for c in range(3) for b in range(3)]
    formulas = [formulas[place] for place in random.choice(9, n_classes, replace=False)]
    carbons = np.arange(4, 34, 3)  # of any number, of which one in ninety is heavier by one
    patterns = np.empty((n_classes, len(carbons), width))
    for k, (chlorine, bromine) in enumerate(formulas):
        heavy = np.zeros(width)
        by_two = np.convolve(
            binom.pmf(np.arange(3), chlorine, 0.2424), binom.pmf(np.arange(3), bromine, 0.4931)
        )
        heavy[0:10:2] = by_two
        for place, count in enumerate(carbons):
            light = binom.pmf(np.arange(5), count, 0.0107)
            patterns[k, place] = np.convolve(heavy, light)[:width]
    patterns /= patterns.sum(axis=2, keepdims=True)
    patterns = ((1 - dirt) * patterns + dirt / width).reshape(-1, width)
    priors = random.dirichlet(np.full(n_classes, 3.0))
    weights = np.repeat(priors, len(carbons)) / len(carbons)

    def sample(generator, n):
        which = generator.choice(len(weights), n, p=weights)
        return generator.multinomial(ions, patterns[which]).astype(float), which // len(carbons)

    def scores(X):
        logs = X @ np.log(patterns).T + np.log(weights)
        return logsumexp(logs.reshape(len(X), n_classes, -1), axis=2)

    return f"K={n_classes} ions={ions} dirt={dirt}", Generative(sample, scores)


def robot_arms(random):
    """The angles of an arm's joints: which part of the plane does its hand reach?"""
    joints, n_classes = int(random.choice([2, 3, 5])), int(random.choice([2, 4, 6]))
    sharp, degrees = random.choice([1.0, 4.0, 20.0]), random.random() < 0.5
    lengths = random.dirichlet(np.full(joints, 4.0))
    extra, reach = int(random.choice([0, 4])), random.choice([np.pi / 2, np.pi])
    goals, appeal = random.uniform(-1, 1, (n_classes, 2)), 0.3 * random.normal(size=n_classes)

    def draw(generator, n):
        angles = generator.uniform(-reach, reach, (n, joints))
        turned = angles.cumsum(axis=1)
        hand = np.stack([np.cos(turned) @ lengths, np.sin(turned) @ lengths], axis=1)
        far = ((hand[:, None] - goals) ** 2).sum(axis=2)
        X = np.rad2deg(angles) if degrees else angles
        X = np.hstack([X, generator.normal(size=(n, extra))])
        return X, softmax(sharp * (appeal - far), axis=1)

    return f"joints={joints} K={n_classes} sharp={sharp:.0f} reach={reach:.1f}", draw


def particle_pairs(random):
    """The momenta of two particles: do they come from the decay of a third one, or by chance?"""
    n_classes, rare = int(random.choice([2, 3])), random.choice([0.1, 0.5])
    sharp, boost = random.choice([3.0, 8.0, 25.0]), random.choice([0.3, 1.0, 3.0])
    polar, summed = random.random() < 0.5, random.random() < 0.4
    priors = np.append(1 - rare, np.full(n_classes - 1, rare / (n_classes - 1)))
    shapes = np.append(2.0, np.full(n_classes - 1, sharp**2))
    scales = np.append(1.0, random.uniform(0.6, 3.0, n_classes - 1)) / np.append(1, shapes[1:])

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        mass = np.maximum(generator.gamma(shapes[which], scales[which]), 1e-6)
        logs = np.log(mass)[:, None] * (shapes - 1) - mass[:, None] / scales
        logs += np.log(priors) - gammaln(shapes) - shapes * np.log(scales)
        axis, total = generator.normal(size=(n, 3)), boost * generator.normal(size=(n, 3))
        axis *= mass[:, None] / 2 / np.linalg.norm(axis, axis=1, keepdims=True)
        energy = np.hypot(mass, np.linalg.norm(total, axis=1))
        along = (axis * total).sum(axis=1) / mass / (energy + mass)  # Lorentz boost of the axis
        first = axis + (along + 0.5)[:, None] * total
        pair = [first, total - first]
        if polar:
            pair = [_polar(each) for each in pair]
        X = np.hstack([*pair, total[:, :2]] if summed else pair)
        return X, softmax(logs, axis=1)

    return f"K={n_classes} rare={rare} sharp={sharp:.0f} boost={boost} polar={polar}", draw


def chemical_series(random):
    """Substructures of molecules, a core with two groups: inactive, active, or toxic?"""
    cores, groups = int(random.choice([3, 8, 20])), int(random.choice([4, 12]))
    n_classes, rare = int(random.choice([2, 2, 3])), random.choice([0.0, 2.5])
    strength, cliffs = random.uniform(0.7, 3.0), random.choice([0.0, 1.0, 2.0])
    extra, popular = int(random.choice([0, 15, 35])), random.dirichlet(np.ones(cores))
    codes = [_unlike_bits(random, size, 8) for size in (cores, groups, groups)]
    of_core = random.normal(size=(cores, n_classes))
    of_groups = 0.7 * random.normal(size=(2, groups, n_classes))
    of_both = 0.7 * cliffs * random.normal(size=(cores, groups, n_classes))
    offset = np.append(rare, np.zeros(n_classes - 1))
    rates = random.uniform(0.02, 0.4, extra)

    def draw(generator, n):
        core = generator.choice(cores, n, p=popular)
        one, two = generator.integers(0, groups, (2, n))
        scores = of_core[core] + of_groups[0, one] + of_groups[1, two] + of_both[core, one]
        others = generator.random((n, extra)) < rates
        X = np.hstack([codes[0][core], codes[1][one], codes[2][two], others])
        return X * 1.0, softmax(offset + strength * scores, axis=1)

    return f"cores={cores} groups={groups} K={n_classes} cliffs={cliffs} extra={extra}", draw


def _unlike_bits(random, count, width):
    """Rows of bits, no two alike."""
    codes = random.choice(2**width, count, replace=False)
    return codes[:, None] >> np.arange(width) & 1


def _polar(momenta):
    """Size across the beam, how far forward, and the angle around it."""
    x, y, z = momenta.T
    across = np.hypot(x, y)
    return np.stack([across, np.arcsinh(z / np.maximum(across, 1e-9)), np.arctan2(y, x)], axis=1)


def reaction_orders(random):
    """How much of a substance is left at some times: is the reaction of order zero, one or two?"""
    times, n_classes = int(random.choice([3, 6, 15])), int(random.choice([2, 3]))
    noise, wide = random.uniform(0.005, 0.1), random.uniform(0.3, 1.2)
    priors = random.dirichlet(np.full(n_classes, 5.0))
    when, logs_of_rates = np.linspace(0.2, 2, times), wide * np.linspace(-2, 2, 13)
    weights = softmax(-0.5 * (logs_of_rates / wide) ** 2)

    def curves(start, rate):
        fast = rate * when + 0 * start
        none = np.maximum(1 - 0.5 * fast, 0)
        return start * np.stack([none, np.exp(-fast), 1 / (1 + start * fast)])[:n_classes]

    def sample(generator, n):
        which, start = generator.choice(n_classes, n, p=priors), generator.lognormal(0, 0.4, (n, 1))
        rate = np.exp(logs_of_rates[generator.choice(13, n, p=weights)])[:, None]
        left = curves(start, rate)[which, np.arange(n)]
        return np.hstack([start, left + noise * generator.normal(size=(n, times))]), which

    def scores(X):
        logs = []
        for rate, weight in zip(np.exp(logs_of_rates), weights, strict=True):
            away = (X[:, 1:] - curves(X[:, :1], rate)) / noise
            logs.append(-0.5 * (away**2).sum(axis=2).T + np.log(weight))
        return logsumexp(logs, axis=0) + np.log(priors)

    text = f"times={times} K={n_classes} noise={noise:.3f} wide={wide:.1f}"
    return text, Generative(sample, scores)
