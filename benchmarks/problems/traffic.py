"""Roads, rails and runways: trains, crashes, buses and aeroplanes."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr, softmax


def train_delays(random):
    """Minutes late at the last stops, line, hour and passengers: how late is a train at the end?"""
    stops, lines = int(random.choice([2, 5, 12])), int(random.choice([3, 12]))
    n_classes, ahead = int(random.choice([2, 3, 4])), int(random.choice([1, 4]))
    spread, rush = random.uniform(0.3, 4), random.uniform(0.5, 3)
    slack, cuts = random.uniform(0.2, 1.5, lines), np.array([3, 7, 15])[: n_classes - 1]

    def draw(generator, n):
        line, hour = generator.integers(0, lines, n), generator.uniform(5, 24, n).round(1)
        load = generator.beta(2, 3, n)
        peak = np.exp(-0.5 * ((hour - 8) / 1.5) ** 2) + np.exp(-0.5 * ((hour - 17) / 2) ** 2)
        busy, delay, seen = 1 + rush * peak * load, np.zeros(n), []
        for _ in range(stops):
            shock = generator.exponential(4 * busy) * (generator.random(n) < 0.35)
            delay = (np.maximum(delay - slack[line], 0) + shock).round()
            seen.append(delay)
        middle = np.maximum(delay - ahead * slack[line], 0) + 0.3 * ahead * busy
        # The delay at the end follows a Gumbel distribution: long delays are not rare.
        below = np.exp(-np.exp(-np.maximum((cuts - middle[:, None]) / spread, -300)))
        chances = np.diff(below, axis=1, prepend=0, append=1)
        return np.column_stack([line, hour, load, *seen]), chances.clip(0)

    return f"stops={stops} lines={lines} K={n_classes} ahead={ahead} spread={spread:.1f}", draw


def crash_injuries(random):
    """Speeds, weights, angle, belts and ages in a crash: unhurt, hurt, badly hurt or killed?"""
    n_classes, extra = int(random.choice([2, 3, 4])), int(random.choice([0, 6, 25]))
    sharp, belted = random.uniform(1, 6), random.uniform(0.5, 0.95)
    steps, belt = sharp * np.array([0.0, 0.8, 1.6])[: n_classes - 1], random.uniform(0.2, 0.7)
    bag = random.uniform(0, 0.5)

    def draw(generator, n):
        own, other = generator.gamma(4, 13, n).round(), generator.gamma(4, 13, n).round()
        angle = generator.choice(np.arange(0, 181, 15), n)
        masses = np.exp(generator.normal([7.1, 7.2], [0.25, 0.5], (n, 2))).round(-1)
        belts, bags = generator.random(n) < belted, generator.random(n) < 0.6
        age = generator.gamma(6, 7, n).round()
        closing = own**2 + other**2 - 2 * own * other * np.cos(np.deg2rad(angle))
        change = np.sqrt(np.maximum(closing, 1)) * masses[:, 1] / masses.sum(axis=1)
        risk = np.log(change / 30) - belt * belts - bag * bags * belts + 0.3 * (age > 65)
        below = expit(steps - sharp * risk[:, None])
        chances = np.diff(below, axis=1, prepend=0, append=1)
        X = [own, other, angle, masses, belts, bags, age, generator.gamma(1.5, 1, (n, extra))]
        return np.column_stack(X) * 1.0, chances.clip(0)

    return f"K={n_classes} sharp={sharp:.1f} belted={belted:.2f} extra={extra}", draw


def bus_stops(random):
    """Line, hour and minute at which one comes to a stop: does the bus come now, soon or later?"""
    lines, n_classes = int(random.choice([1, 4, 10])), int(random.choice([2, 3]))
    late, extra = random.uniform(0.3, 4), int(random.choice([0, 3]))
    every = random.choice([7, 10, 12, 15, 18, 20], lines)
    offsets, cuts = random.uniform(0, every), [4, 9][: n_classes - 1]
    wraps = np.arange(-3, 4)

    def draw(generator, n):
        line, minute = generator.integers(0, lines, n), generator.integers(0, 60, n)
        hour = generator.integers(6, 22, n)
        gap = every[line]
        wait = (offsets[line] - 60 * hour - minute) % gap
        ends = np.stack([0 * gap, *(np.minimum(cut, gap) for cut in cuts), gap], axis=1)
        # Buses come early or late, each with a normal delay: the wait is wrapped normal.
        places = ends[:, :, None] + gap[:, None, None] * wraps - wait[:, None, None]
        chances = np.diff(ndtr(places / late), axis=1).sum(axis=2)
        X = [line, hour, minute, generator.normal(12, 8, (n, extra)).round(1)]
        return np.column_stack(X) * 1.0, chances / chances.sum(axis=1, keepdims=True)

    return f"lines={lines} K={n_classes} late={late:.1f} extra={extra}", draw


def runways(random):
    """Wind, gusts, hour and clouds at an airport: which runway do aeroplanes land on?"""
    strips, sharp = int(random.choice([1, 2, 3])), random.uniform(0.1, 1.0)
    first, cross = random.uniform(0, np.pi), random.uniform(0, 0.6)
    headings = (first + np.arange(strips) * random.uniform(0.5, 1.2))[:, None] + [0, np.pi]
    headings, n_classes = headings.ravel(), 2 * strips
    liked, quiet = random.normal(0, 3, n_classes), random.normal(0, 4, n_classes)  # knots
    prevailing, steady = random.uniform(0, 2 * np.pi), random.uniform(0, 1.5)
    extra = int(random.choice([0, 4]))

    def draw(generator, n):
        wind, speed = generator.vonmises(prevailing, steady, n), generator.weibull(1.8, n) * 9
        degrees = np.degrees(wind).round(-1) % 360
        gusts = speed * (1 + generator.exponential(0.3, n))
        hour, clouds = generator.integers(0, 24, n), generator.exponential(900, n).round(-2)
        angle = np.radians(degrees)[:, None] - headings
        ahead, across = speed[:, None] * np.cos(angle), gusts[:, None] * np.abs(np.sin(angle))
        night = (hour >= 22) | (hour < 6)  # fewer people live behind some of the runways
        worth = ahead - cross * across + liked + night[:, None] * quiet
        worth[:, 0] += 8 * (clouds < 300)  # only there aeroplanes land without sight
        X = [degrees, speed, gusts, hour, clouds, generator.normal(size=(n, extra))]
        return np.column_stack(X), softmax(sharp * worth, axis=1)

    return f"K={n_classes} sharp={sharp:.2f} cross={cross:.2f} steady={steady:.1f}", draw
