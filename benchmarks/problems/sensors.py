"""Instruments and machines: meters, receivers and mills."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr, softmax

from .building import Generative, priors_to_a_tenth, two_classes, with_noise


def power_meters(random):
    """The total power of a household, hour by hour, of what is on: what kind of household?"""
    hours, n_classes = int(random.choice([2, 6, 12])), int(random.choice([2, 3, 6]))
    devices, error = 4, random.choice([0.05, 0.2, 0.6])
    watts = np.exp(random.uniform(-2.5, 1.0, devices))
    habit = random.choice([1.0, 4.0])
    used = random.beta(habit, 1.5 * habit, (n_classes, devices)) * 0.9 + 0.05
    states = np.arange(2**devices)[:, None] >> np.arange(devices) & 1
    levels = 0.1 + states @ watts
    likely = np.exp(np.log(used) @ states.T + np.log1p(-used) @ (1 - states).T)
    priors = random.dirichlet(np.full(n_classes, 4.0))

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        on = generator.random((n, hours, devices)) < used[which][:, None]
        return 0.1 + on @ watts + error * generator.normal(size=(n, hours)), which

    def scores(X):
        fits = -0.5 * ((X[:, :, None] - levels) / error) ** 2
        top = fits.max(axis=2, keepdims=True)
        logs = np.log(np.maximum(np.exp(fits - top) @ likely.T, 1e-300)) + top
        return logs.sum(axis=1) + np.log(priors)

    words = f"hours={hours} K={n_classes} error={error} watts={watts.round(2)}"
    return words, Generative(sample, scores)


def radio_rooms(random):
    """How strong several transmitters are, if they are heard at all: in which room is it?"""
    n_classes, d = int(random.choice([3, 6, 12])), int(random.choice([2, 5, 15]))
    fading, weakest = random.choice([2.0, 5.0, 9.0]), random.choice([-90.0, -75.0])
    wall, silent = random.uniform(0, 6), -100.0
    rooms = np.stack([np.arange(n_classes) % 4, np.arange(n_classes) // 4], axis=1) * 5.0
    senders = random.uniform(-1, 20, (d, 2)) * [1, (n_classes // 4 + 1) / 4]
    corners = np.stack(np.meshgrid([1.0, 2.5, 4.0], [1.0, 2.5, 4.0]), axis=2).reshape(-1, 2)
    spots = (rooms[:, None] + corners).reshape(-1, 2)
    far = np.linalg.norm(spots[:, None] - senders, axis=2)
    crossed = np.abs(spots[:, None] // 5 - senders // 5).sum(axis=2)
    strength = -38 - 28 * np.log10(1 + far) - wall * crossed
    used = random.dirichlet(np.full(n_classes, 4.0))
    weights = np.repeat(used, 9) / 9

    def sample(generator, n):
        which = generator.choice(len(spots), n, p=weights)
        X = strength[which] + fading * generator.normal(size=(n, d))
        return np.where(weakest <= X, X, silent), which // 9

    def scores(X):
        logs = np.zeros((len(X), len(spots)))
        for column, middle in zip(X.T, strength.T, strict=True):
            heard = -0.5 * ((column[:, None] - middle) / fading) ** 2
            unheard = log_ndtr((weakest - middle) / fading) + np.log(fading * np.sqrt(2 * np.pi))
            logs += np.where(column[:, None] == silent, unheard, heard)
        logs += np.log(weights)
        return logsumexp(logs.reshape(len(X), n_classes, 9), axis=2)

    words = f"d={d} K={n_classes} fading={fading:.0f} weakest={weakest:.0f} wall={wall:.1f}"
    return words, Generative(sample, scores)


def milling_failures(random):
    """Heat, speed, torque and wear of a mill: does it run, overheat, stall, break or wear out?"""
    several, noise = random.random() < 0.5, random.choice([0.0, 0.01, 0.1])
    extra, strict = int(random.choice([0, 6])), random.uniform(0.7, 1.3)
    limits = strict * np.array([8.6, 3500.0, 11000.0, 200.0])

    def draw(generator, n):
        quality = generator.choice(3, n, p=[0.6, 0.3, 0.1])
        air = generator.normal(300, 2, n).round(1)
        heat = (air + generator.normal(10, 1, n)).round(1)
        torque = np.maximum(generator.normal(40, 10, n), 4).round(1)
        speed = (1500 + 8 * (40 - torque) + generator.gamma(2, 60, n)).round()
        wear = generator.integers(0, 250, n)
        power = torque * speed * 2 * np.pi / 60
        faults = [
            (heat - air < limits[0]) & (speed < 1450),
            (power < limits[1]) | (power > 9000),
            wear * torque > limits[2] + 1000 * quality,
            wear > limits[3],
        ]
        which = np.select(faults, [1, 2, 3, 4], 0)
        n_classes = 5 if several else 2
        X = np.column_stack([quality, air, heat, speed, torque, wear])
        X = np.hstack([X, generator.normal(size=(n, extra))])
        return X, with_noise(np.minimum(which, n_classes - 1), n_classes, noise)

    return f"several={several} noise={noise} extra={extra} strict={strict:.2f}", draw


def coarse_sensors(random):
    """Normal classes, read by instruments with coarse steps that saturate."""
    d, n_classes = int(random.choice([2, 5, 15])), int(random.choice([2, 3]))
    step, most = random.choice([0.5, 1.0, 2.0]), random.choice([1.0, 2.0, 4.0])
    means = random.normal(scale=random.uniform(0.3, 1.2), size=(n_classes, d))
    edges = np.arange(-most + step / 2, most, step)

    def draw(generator, n):
        which = generator.integers(0, n_classes, n)
        seen = np.searchsorted(edges, means[which] + generator.normal(size=(n, d)))
        logs = np.zeros((n, n_classes))
        for k in range(n_classes):
            inside = ndtr(np.r_[edges, np.inf][:, None] - means[k])
            inside -= ndtr(np.r_[-np.inf, edges][:, None] - means[k])
            logs[:, k] = np.log(np.maximum(inside, 1e-300))[seen, np.arange(d)].sum(axis=1)
        return seen * step, softmax(logs, axis=1)

    return f"d={d} K={n_classes} step={step} most={most}", draw


def faulty_sensors(random):
    """Sensors that see one state; in some rows one of them is off, or jumps."""
    d, shared = int(random.choice([4, 12, 40])), random.choice([0.0, 1.0, 3.0])
    off, jump = random.uniform(1.5, 5), random.uniform(3, 30)
    priors = np.array([[0.5, 0.5], [0.9, 0.1], [0.6, 0.2, 0.2]][random.integers(3)])
    inverse = np.eye(d) - shared**2 / (1 + d * shared**2)
    own = inverse[0, 0]

    def draw(generator, n):
        which, place = generator.choice(len(priors), n, p=priors), generator.integers(0, d, n)
        X = generator.normal(size=(n, d)) + shared * generator.normal(size=(n, 1))
        sizes = np.sqrt(jump) * generator.normal(size=n)
        X[np.arange(n), place] += np.select([which == 1, which == 2], [off, sizes], 0.0)
        match = X @ inverse
        logs = [np.zeros(n), logsumexp(off * match - 0.5 * off**2 * own, axis=1) - np.log(d)]
        squares = 0.5 * jump * match**2 / (1 + jump * own) - 0.5 * np.log1p(jump * own)
        logs.append(logsumexp(squares, axis=1) - np.log(d))
        return X, softmax(np.stack(logs[: len(priors)], axis=1) + np.log(priors), axis=1)

    return f"d={d} shared={shared} off={off:.1f} priors={priors}", draw


def gas_sensors(random):
    """Sensors that age from batch to batch: which gas is it, at an unknown concentration?"""
    d, n_classes, batches = int(random.choice([4, 8, 16])), int(random.choice([2, 4, 6])), 10
    apart, noise = random.uniform(0.4, 1.2), random.choice([0.2, 0.5])
    ageing, as_read = random.choice([0.0, 0.3]), random.random() < 0.5
    levels = apart * random.normal(size=(n_classes, d))
    slopes = random.normal(1, 0.3, (n_classes, d))
    moved = ageing * random.normal(size=(batches, d)).cumsum(axis=0)
    fading = np.exp(-ageing * random.uniform(0, 0.4, (batches, d)).cumsum(axis=0))
    humid, priors = 0.5 * random.normal(size=d), priors_to_a_tenth(random, n_classes)
    means = fading[:, None] * levels + moved[:, None]
    loads = fading[:, None] * slopes
    shared = noise**2 * np.eye(d) + np.outer(humid, humid)
    covariances = shared + loads[..., None] * loads[:, :, None]
    factors, inverses = np.linalg.cholesky(covariances), np.linalg.inv(covariances)
    volumes = np.linalg.slogdet(covariances)[1]

    def draw(generator, n):
        which, batch = generator.choice(n_classes, n, p=priors), generator.integers(0, batches, n)
        X, logs = generator.normal(size=(n, d)), np.empty((n, n_classes))
        for b, k in product(range(batches), range(n_classes)):
            rows = (which == k) & (batch == b)
            X[rows] = means[b, k] + X[rows] @ factors[b, k].T
        for b, k in product(range(batches), range(n_classes)):
            away = X[batch == b] - means[b, k]
            logs[batch == b, k] = -0.5 * ((away @ inverses[b, k]) * away).sum(axis=1)
        logs += np.log(priors) - 0.5 * volumes[batch]
        return np.column_stack([np.exp(X) if as_read else X, batch]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} apart={apart:.2f} noise={noise} ageing={ageing}", draw


def machine_vibrations(random):
    """Power in frequency bands of a machine at one of several speeds: which part is worn?"""
    bands, n_classes = int(random.choice([8, 20, 50])), int(random.choice([2, 3, 4]))
    strength, freedom = random.uniform(0.5, 4.0), int(random.choice([1, 4]))
    shown, priors = random.random() < 0.5, priors_to_a_tenth(random, n_classes)
    speeds, places = np.linspace(0.07, 0.16, 8) * bands, np.arange(bands)
    orders = random.uniform(0.8, 3.0, n_classes)
    peaks = np.zeros((n_classes, len(speeds), bands))
    for k, (s, speed) in product(range(n_classes), enumerate(speeds)):
        peaks[k, s] = sum(np.exp(-0.5 * ((places - h * speed) / 0.6) ** 2) for h in (1, 2)) / 2
        if k:  # the first class is sound
            for h in (1, 2, 3):
                middle = h * orders[k] * speed
                peaks[k, s] += strength / h * np.exp(-0.5 * ((places - middle) / 0.8) ** 2)
    profiles = (0.2 + peaks) * np.exp(-places / bands)

    def draw(generator, n):
        which, pace = generator.choice(n_classes, n, p=priors), generator.integers(0, 8, n)
        power = profiles[which, pace] * generator.gamma(freedom, 1 / freedom, (n, bands))
        fits = -freedom * power @ (1 / profiles).reshape(-1, bands).T
        fits = fits.reshape(n, n_classes, -1) - freedom * np.log(profiles).sum(axis=2)
        if shown:
            fits = np.where(np.arange(8) == pace[:, None, None], fits, -np.inf)
        fits += np.log(priors)[:, None]
        chances = softmax(fits.reshape(n, -1), axis=1).reshape(fits.shape).sum(axis=2)
        X = 10 * np.log10(power)
        return np.column_stack([X, 60 * speeds[pace]]) if shown else X, chances

    return f"bands={bands} K={n_classes} strength={strength:.1f} speed shown={shown}", draw


def tolerances(random):
    """Parts measured with an error: good, to be reworked, or scrap, by limits on every size?"""
    d, error = int(random.choice([2, 6, 15])), random.choice([0.05, 0.3, 0.8])
    three, warm = random.random() < 0.5, random.choice([0.0, 0.8])
    usual, spreads = random.uniform(5, 50, d), np.exp(random.normal(-2, 0.7, d))
    room = random.uniform(0.8, 1.3) * np.sqrt(2 * np.log(2 * d + 1))
    low, high = -room * random.uniform(0.7, 1.3, d), room * random.uniform(0.7, 1.3, d)
    grows, left = warm * random.uniform(0, 1, d), error / np.sqrt(1 + error**2)

    def draw(generator, n):
        heat = generator.normal(size=(n, 1))  # of the shop, which makes parts larger
        true = grows * heat + generator.normal(size=(n, d))
        read = true + error * generator.normal(size=(n, d))
        likely = grows * heat + (read - grows * heat) / (1 + error**2)
        above_low, below_high = ndtr((likely - low) / left), ndtr((high - likely) / left)
        large_enough = above_low.prod(axis=1)
        good = np.maximum(above_low + below_high - 1, 0).prod(axis=1)
        X = np.column_stack([usual + spreads * read, 21 + 3 * heat])
        if not three:
            return X, two_classes(1 - good)
        return X, np.stack([good, large_enough - good, 1 - large_enough], axis=1).clip(0, 1)

    return f"d={d} error={error} three={three} warm={warm}", draw


def solar_panels(random):
    """Power of solar panels by the hour, and the day: clean, shaded, dirty, or a part is broken?"""
    hours, n_classes = int(random.choice([5, 9, 24])), int(random.choice([2, 3, 4]))
    noise, cloudy = random.uniform(0.03, 0.3), random.choice([0.3, 1.0])
    priors, time = priors_to_a_tenth(random, n_classes), np.linspace(-1, 1, hours)
    states = np.ones((4, hours))
    states[1, time < random.uniform(-0.5, 0.0)] = random.uniform(0.3, 0.7)
    states[2:] *= random.uniform(0.6, 0.95, (2, 1))
    states[3] = np.minimum(states[3], np.cos(time * np.pi / 2) ** 0.5)
    states = states[random.permutation(4)[:n_classes]]
    skies = 1 - cloudy * np.linspace(0, 0.8, 12)  # one for the whole day, seen by nobody
    weights = softmax(-np.arange(12) * random.uniform(0, 0.4))

    def clear(day):
        length = 1 + 0.35 * np.cos(2 * np.pi * (day - 172) / 365)[:, None]
        return length * np.cos(np.clip(time / length, -1, 1) * np.pi / 2)

    def sample(generator, n):
        which, day = generator.choice(n_classes, n, p=priors), generator.integers(1, 366, n)
        power = clear(day) * skies[generator.choice(12, n, p=weights)][:, None] * states[which]
        return np.column_stack([day, power + noise * generator.normal(size=(n, hours))]), which

    def scores(X):
        light, logs = clear(X[:, 0])[:, None] * states, []
        for sky, weight in zip(skies, weights, strict=True):
            away = (X[:, None, 1:] - sky * light) / noise
            logs.append(-0.5 * (away**2).sum(axis=2) + np.log(weight))
        return logsumexp(logs, axis=0) + np.log(priors)

    text = f"hours={hours} K={n_classes} noise={noise:.2f} cloudy={cloudy}"
    return text, Generative(sample, scores)


def coins(random):
    """Weight, and perhaps width and height, of worn coins on coarse scales: which coin is it?"""
    d, n_classes = int(random.choice([1, 1, 2, 3])), int(random.choice([2, 4, 8]))
    worn, priors = random.uniform(0.01, 0.09), priors_to_a_tenth(random, n_classes)
    means = np.array([5.0, 22.0, 1.8])[:d] * np.exp(0.25 * random.normal(size=(n_classes, d)))
    if random.random() < 0.5:  # a counterfeit is nearly right
        means[-1] = means[0] * (1 + random.uniform(-2, 2, d) * worn)
    spreads, steps = means * worn * random.uniform(0.5, 1.5, d), np.array([0.05, 0.2, 0.05])[:d]

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        exact = means[which] + spreads[which] * generator.normal(size=(n, d))
        return np.round(exact / steps) * steps, which

    def scores(X):
        away, half = -np.abs(X[:, None] - means) / spreads, steps / spreads / 2
        inside = ndtr(away + half) - ndtr(away - half)
        return np.log(inside + 1e-300).sum(axis=2) + np.log(priors)

    return f"d={d} K={n_classes} worn={worn:.3f}", Generative(sample, scores)
