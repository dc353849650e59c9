"""Numbers that stand for something else: article numbers, days of a roster, hidden messages."""

from __future__ import annotations

import numpy as np

from .building import Generative, two_classes


def article_numbers(random):
    """The digits of an article number, the last one a check: is it right, or typed wrongly?"""
    digits, spoilt = int(random.choice([3, 5, 12])), random.uniform(0.15, 0.5)
    factors = np.tile(random.choice([1, 3, 7, 9], 2, replace=False), digits)[:digits]
    makers, careless = int(random.choice([2, 5])), random.uniform(0, 1.2)
    seen, errors = (
        random.choice([0.0, 0.5, 1.0]) * random.uniform(0.02, 0.2),
        careless * random.normal(size=10),
    )
    popular = random.dirichlet(np.full(makers, 2.0))
    first = random.permutation(10)[:makers]

    def draw(generator, n):
        X = generator.integers(0, 10, (n, digits))
        X[:, 0] = first[generator.choice(makers, n, p=popular)]  # whose articles they are
        right = (10 - X @ factors) % 10
        odds = spoilt / (1 - spoilt) * np.exp(errors[X[:, 0]])
        wrong = generator.random(n) < odds / (1 + odds)
        check = np.where(wrong, (right + generator.integers(1, 10, n)) % 10, right)
        # Who labels them overlooks some errors, and doubts some that are right.
        return np.column_stack([X, check]) * 1.0, two_classes(np.where(wrong, 1 - seen, seen))

    return f"digits={digits} makers={makers} spoilt={spoilt:.2f} seen={seen:.2f}", draw


def shift_rosters(random):
    """The day, its weekday and the hour, in a factory with a roster: who is on duty?"""
    teams, turn = int(random.choice([3, 4, 5])), int(random.choice([1, 2, 4, 7]))
    days, swaps = int(random.choice([60, 365, 1500])), random.uniform(0.02, 0.4)
    order, weekend = random.permutation(teams), random.random() < 0.5
    shifts, start = int(random.choice([2, 3])), int(random.integers(700_000, 740_000))

    def draw(generator, n):
        day, hour = generator.integers(0, days, n), generator.integers(0, 24, n)
        weekday = (start + day) % 7
        shift = hour * shifts // 24
        team = order[(day // turn + shift) % teams]
        if weekend:  # the first team works on Sundays
            team = np.where(weekday == 6, order[0], team)
        chances = (1 - swaps) * np.eye(teams)[team] + swaps / teams
        return np.column_stack([start + day, weekday, hour]) * 1.0, chances

    text = f"teams={teams} turn={turn} days={days} shifts={shifts} swaps={swaps:.2f}"
    return f"{text} weekend={weekend}", draw


def hidden_messages(random):
    """Grey values of neighbouring pixels: is a message hidden in the last bits of some pictures?"""
    pixels, n_classes = int(random.choice([12, 40, 100])), int(random.choice([2, 3]))
    uneven, full = random.uniform(0.5, 3), random.uniform(0.5, 1.0)
    # A camera that was made brighter leaves out or prefers grey values, more in some places.
    odd = random.beta(1 / uneven, 1 / uneven, 128).clip(0.02, 0.98)
    shares = full * np.array([0, 1, 0.5])[:n_classes]  # of the pixels that carry a bit
    chance = (1 - shares[:, None]) * odd + shares[:, None] / 2
    priors = np.array([[0.6, 0.4], [0.5, 0.25, 0.25]][n_classes - 2])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        steps = generator.normal(0, 3, (n, pixels))
        half = np.cumsum(steps, axis=1) + generator.uniform(20, 108, (n, 1))
        half = np.clip(half.round(), 0, 127).astype(int)
        bit = generator.random((n, pixels)) < chance[which[:, None], half]
        return 2.0 * half + bit, which

    def scores(X):
        half, bit = X.astype(int) // 2, X.astype(int) % 2
        logs = [np.where(bit, np.log(each)[half], np.log1p(-each)[half]) for each in chance]
        return np.stack([each.sum(axis=1) for each in logs], axis=1) + np.log(priors)

    return f"pixels={pixels} K={n_classes} uneven={uneven:.1f} full={full:.2f}", Generative(
        sample, scores
    )
