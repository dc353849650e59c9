"""Technical plants: parts, disks, grids, turbines, steel and radio signals."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaln, logsumexp

from .building import Generative, halving_priors, normal_scores, slowly_falling_priors


def redundant_parts(random):
    """Ages of the parts of a plant, load and heat: how many parts fail in the next month?"""
    parts, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 3, 4]))
    wear, mean = random.choice([1.0, 3.0, 8.0]), random.uniform(0.6, 2.5)
    lives, strain = random.uniform(0.6, 1.6, parts), random.uniform(0, 5)
    needed = random.random() < 0.5  # does the plant run at all, or how many parts fail?

    def draw(generator, n):
        age, load = generator.beta(1, 1.5, (n, parts)) * 1.5 * lives, generator.beta(3, 2, n)
        heat = generator.normal(60, 10, n).round()
        harder = np.exp(0.08 * (heat - 60) + strain * (load - 0.6))
        # Weibull lifetimes: the hazard of this month rises with the age to the power wear - 1.
        hazard = wear * (age / lives) ** (wear - 1) * mean / parts * harder[:, None]
        fails = 1 - np.exp(-hazard)
        number = np.eye(parts + 1)[np.zeros(n, dtype=int)]
        for chance in fails.T[:, :, None]:
            number[:, 1:] = number[:, 1:] * (1 - chance) + number[:, :-1] * chance
            number[:, :1] *= 1 - chance
        first = 1 + int(mean) if needed else 1  # failures that the plant does not survive
        last = number[:, first + n_classes - 2 :].sum(axis=1)
        between = number[:, first : first + n_classes - 2]
        X = np.column_stack([age, load, heat])
        return X, np.column_stack([number[:, :first].sum(axis=1), between, last])

    return f"parts={parts} K={n_classes} wear={wear} mean={mean:.1f} needed={needed}", draw


def disk_counters(random):
    """Age of a disk and its counts of many rare errors: is it sound, worn or about to fail?"""
    d, n_classes = int(random.choice([4, 15, 60])), int(random.choice([2, 3]))
    same, apart = random.choice([0.4, 2.0, 20.0]), random.uniform(0.3, 1.2)
    rates = np.tile(np.exp(random.normal(-2, 1.2, d)), (n_classes, 1))
    rates *= np.exp(apart * random.normal(size=(n_classes, d)) * (random.random(d) < 0.4))
    rates *= np.exp(random.uniform(0.2, 0.8) * np.arange(n_classes))[:, None]
    priors = np.array([0.75, 0.25, 0.12][:n_classes]) / sum([0.75, 0.25, 0.12][:n_classes])

    def sample(generator, n):
        which, age = generator.choice(n_classes, n, p=priors), generator.gamma(2, 1.5, n)
        frail = generator.gamma(same, 1 / same, n)  # some disks have more errors of every kind
        counts = generator.poisson(rates[which] * (frail * age)[:, None])
        return np.column_stack([age, counts]), which

    def scores(X):
        age, counts = X[:, :1], X[:, 1:]
        all_of_them = same + counts.sum(axis=1, keepdims=True)
        logs = counts @ np.log(rates).T - all_of_them * np.log(same + age * rates.sum(axis=1))
        return logs + np.log(priors)

    return f"d={d} K={n_classes} same={same} apart={apart:.2f}", Generative(sample, scores)


def grid_faults(random):
    """Voltages and currents of three phases: which of them touch each other or the ground?"""
    n_classes, noise = int(random.choice([4, 7, 11])), random.uniform(0.05, 0.35)
    weakest, grounded = random.choice([0.05, 0.2, 0.5]), random.random() < 0.7
    phases = [(), (0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2), (0, 1), (1, 2), (0, 2)]
    hit = np.array([[phase in each for phase in range(3)] for each in phases[:n_classes]])
    ground = np.array([0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1])[:n_classes]
    often = np.array([6, 3, 3, 3, 1, 1, 1, 0.5, 1, 1, 1])[:n_classes]
    priors, strong = often / often.sum(), np.linspace(weakest, 1, 15)
    effect = np.column_stack([-0.7 * hit, 1.5 * hit, 1.0 * ground])
    centres = np.r_[1, 1, 1, 0, 0, 0, 0] + strong[:, None, None] * effect  # by strength and class
    spreads = noise * np.array([1, 1, 1, 3, 3, 3, 1.5])
    seen = 7 if grounded else 6

    def sample(generator, n):
        which, degree = generator.choice(n_classes, n, p=priors), generator.integers(0, 15, n)
        X = (centres[degree, which] + spreads * generator.normal(size=(n, 7)))[:, :seen]
        X[:, 3:6] = np.exp(X[:, 3:6])
        return X, which

    def scores(X):
        values = np.column_stack([X[:, :3], np.log(X[:, 3:6]), X[:, 6:]])
        flat = centres.reshape(-1, 7)[:, :seen]
        logs = normal_scores(values, flat, np.tile(spreads[:seen], (len(flat), 1)))
        return logsumexp(logs.reshape(len(X), 15, n_classes), axis=1) + np.log(priors)

    text = f"K={n_classes} noise={noise:.2f} weakest={weakest} grounded={grounded}"
    return text, Generative(sample, scores)


def wind_turbines(random):
    """Wind, power, pitch, heat and vibration of a turbine: sound, iced, throttled or askew?"""
    n_classes = int(random.choice([2, 3, 4]))
    priors = halving_priors(random, n_classes)
    lost, noise = random.uniform(0.05, 0.4), random.uniform(0.02, 0.15)
    cap, cold = random.uniform(0.4, 0.8), random.uniform(0, 12)
    factors = np.array([1, 1 - lost, 1, 1 - lost / 2])[:n_classes]
    caps = np.array([1, 1, cap, 1])[:n_classes]
    means = np.array([[2, 8, 0], [2, 8 - cold, 0.4], [3, 8, -0.2], [2.2, 8, 0.3]])[:n_classes]
    spreads = np.tile([1.0, 6.0, 0.6], (n_classes, 1))

    def power(wind):
        """Mean and spread by class, as fractions of the rated power."""
        free = np.clip((wind**3 - 27) / (12**3 - 27), 0, 1)[:, None] * factors
        middle = np.minimum(free, caps)
        return middle, 0.01 + noise * middle

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        wind = (8 * generator.weibull(2, n)).round(1)
        middle, spread = (each[np.arange(n), which] for each in power(wind))
        others = means[which] + spreads[which] * generator.normal(size=(n, 3))
        others[:, 2] = np.exp(others[:, 2])
        return np.column_stack([wind, middle + spread * generator.normal(size=n), others]), which

    def scores(X):
        middle, spread = power(X[:, 0])
        logs = -0.5 * ((X[:, 1:2] - middle) / spread) ** 2 - np.log(spread)
        others = np.column_stack([X[:, 2:4], np.log(X[:, 4])])
        return logs + normal_scores(others, means, spreads) + np.log(priors)

    text = f"K={n_classes} lost={lost:.2f} noise={noise:.2f} cap={cap:.2f} cold={cold:.0f}"
    return text, Generative(sample, scores)


def steel_grades(random):
    """Shares of alloying elements, within the limits of a standard: which grade of steel is it?"""
    d, n_classes = int(random.choice([3, 6, 12])), int(random.choice([3, 6, 12]))
    wide, mistaken = random.uniform(0.4, 1.6), random.choice([0.0, 0.01, 0.06])
    most, shape = np.exp(random.uniform(-3, 3, d)), random.choice([1.5, 3.0])
    low = most * random.random((n_classes, d)) ** 2
    length = most * wide * random.uniform(0.2, 1, (n_classes, d))
    least = 0.25 * most * (random.random(d) < 0.5)  # the instrument sees no smaller share
    priors = slowly_falling_priors(random, n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        changed = generator.random(n) < mistaken  # another steel than the label says
        steel = np.where(changed, generator.integers(0, n_classes, n), which)
        X = low[steel] + length[steel] * generator.beta(shape, shape, (n, d))
        return np.maximum(X, least), which

    def scores(X):
        logs = np.empty((len(X), n_classes))
        for k in range(n_classes):
            place = (X - low[k]) / length[k]
            inside = np.clip(place, 1e-12, 1 - 1e-12)
            density = (shape - 1) * (np.log(inside) + np.log1p(-inside)) - betaln(shape, shape)
            density = np.where((place > 0) & (place < 1), density, -1e4) - np.log(length[k])
            unseen = betainc(shape, shape, np.clip((least - low[k]) / length[k], 0, 1))
            atom = np.where(unseen > 0, np.log(np.maximum(unseen, 1e-300)), -1e4)
            logs[:, k] = np.where(least >= X, atom, density).sum(axis=1)
        if mistaken:
            anything = logsumexp(logs, axis=1, keepdims=True) - np.log(n_classes)
            logs = np.logaddexp(np.log1p(-mistaken) + logs, np.log(mistaken) + anything)
        return logs + np.log(priors)

    return f"d={d} K={n_classes} wide={wide:.2f} mistaken={mistaken}", Generative(sample, scores)


def modulations(random):
    """Two parts of each of several radio symbols, turned by any angle: which code sends them?"""
    symbols, n_classes = int(random.choice([3, 8, 20])), int(random.choice([2, 3, 4]))
    noise, priors = random.uniform(0.12, 0.45), slowly_falling_priors(random, n_classes)
    grid = np.array([-3, -1, 1, 3]) / np.sqrt(10)
    codes = [np.exp(2j * np.pi * np.arange(number) / number) for number in (2, 4, 8)]
    codes = [codes[1], codes[2], (grid[:, None] + 1j * grid).ravel(), codes[0]][:n_classes]
    # An angle is a multiple of 1/16 of a turn; those that map a code to itself need no sum.
    turns = [np.exp(2j * np.pi * np.arange(count) / 16) for count in (4, 2, 4, 8)]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        sent = np.empty((n, symbols), dtype=complex)
        for k, code in enumerate(codes):
            rows = np.flatnonzero(which == k)
            angles = np.exp(2j * np.pi * generator.integers(0, 16, (len(rows), 1)) / 16)
            sent[rows] = generator.choice(code, (len(rows), symbols)) * angles
        X = np.hstack([sent.real, sent.imag])
        return X + noise * generator.normal(size=X.shape), which

    def scores(X):
        real, imaginary, logs = X[:, :symbols], X[:, symbols:], []
        for code, angles in zip(codes, turns[:n_classes], strict=True):
            of_angle = []
            for angle in angles:
                parts = np.full(real.shape, 1e-300)
                for point in code * angle:
                    gap = (real - point.real) ** 2 + (imaginary - point.imag) ** 2
                    parts += np.exp(-0.5 * gap / noise**2)
                of_angle.append(np.log(parts / len(code)).sum(axis=1))
            logs.append(logsumexp(of_angle, axis=0) - np.log(len(angles)))
        return np.stack(logs, axis=1) + np.log(priors)

    return f"symbols={symbols} K={n_classes} noise={noise:.2f}", Generative(sample, scores)
