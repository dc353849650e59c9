"""Instruments and machines: meters, receivers and mills."""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr, logsumexp

from .building import Generative, named, with_noise


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


FAMILIES = named(power_meters, radio_rooms, milling_failures)
