"""Minds in a laboratory: how fast people react, and how sure they are."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    halving_priors,
    part_weights,
    priors_to_a_tenth,
)


def reaction_times(random):
    """Times of a person's reactions, in frames of a screen up to a limit: which group is it?"""
    trials, n_classes = int(random.choice([4, 12, 40])), int(random.choice([2, 3, 4]))
    apart, unlike = random.uniform(0.2, 1.0), random.uniform(0.1, 0.8)
    lapses, limit = random.choice([0.0, 0.03, 0.1]), int(random.choice([60, 120]))
    # In frames: middle and spread of a normal part, and the mean of an exponential one.
    middles = 22 * np.exp(0.25 * apart * random.normal(size=n_classes))
    spreads = 4 * np.exp(0.5 * apart * random.normal(size=n_classes))
    tails = 7 * np.exp(0.8 * apart * random.normal(size=n_classes))
    slow = np.linspace(-2, 2, 7)
    factors = np.exp(0.2 * unlike * slow)
    scale = np.stack([middles, spreads, tails], axis=1)[:, None] * factors[:, None]
    scale = scale.reshape(-1, 3)
    weights = part_weights(halving_priors(random, n_classes), np.exp(-0.5 * slow**2))
    logs = np.log(_frames(*scale.T, limit) * (1 - lapses) + lapses / (limit + 1))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        middle, spread, tail = scale[part].T[:, :, None]
        time = middle + spread * generator.normal(size=(n, trials))
        time = np.clip((time + tail * generator.exponential(size=(n, trials))).round(), 0, limit)
        lapse = generator.random((n, trials)) < lapses
        time = np.where(lapse, generator.integers(0, limit + 1, (n, trials)), time)
        return 1000 * time / 60, part // len(slow)

    def scores(X):
        frames = (X * 60 / 1000).round().astype(int)
        counts = np.zeros((len(X), limit + 1))
        np.add.at(counts, (np.arange(len(X))[:, None], frames), 1)
        return class_scores(counts @ logs + np.log(weights), n_classes)

    text = f"trials={trials} K={n_classes} apart={apart:.2f} unlike={unlike:.2f} lapses={lapses}"
    return text, Generative(sample, scores)


def _frames(middle, spread, tail, limit):
    """Chances of the frames 0 to limit, the ends open: a normal and an exponential time."""
    edge = np.arange(limit)[:, None] + 0.5
    white = (edge - middle) / spread
    rest = np.exp(np.minimum((spread / tail) ** 2 / 2 - (edge - middle) / tail, 700))
    below = ndtr(white) - rest * ndtr(white - spread / tail)
    return np.diff(np.maximum.accumulate(below.clip(0, 1)), axis=0, prepend=0, append=1) + 1e-12


def confidence_ratings(random):
    """How often someone rates old and new pictures from 1 to 6: memory, familiarity or a guess?"""
    items, n_classes = int(random.choice([8, 30, 120])), int(random.choice([2, 3, 4]))
    strong, unlike = random.uniform(0.5, 2.2), random.uniform(0.2, 1.0)
    priors = priors_to_a_tenth(random, n_classes)
    # Shift and spread of old pictures, and the share that is recalled and surely rated 6.
    kinds = np.array([[strong, 1, 0.0], [0.6 * strong, 1.3, 0.25], [0.1, 1, 0], [strong, 1.8, 0]])
    kinds = kinds[:n_classes]
    bias, wide = np.meshgrid(unlike * np.linspace(-1, 1, 5), [0.6, 1.0, 1.5])
    bias, wide = bias.ravel(), wide.ravel()
    cuts = strong / 2 + wide[:, None] * np.linspace(-1, 1, 5) + bias[:, None]

    def ratings(shift, spread, recalled):
        steps = np.diff(ndtr((cuts - shift) / spread), axis=1, prepend=0, append=1)
        return (1 - recalled) * steps + recalled * np.eye(6)[5]

    tables = np.array([[ratings(*kind), ratings(0, 1, 0)] for kind in kinds])
    tables = tables.transpose(0, 2, 1, 3).reshape(-1, 12).clip(1e-9)
    weights = part_weights(priors, np.exp(-0.5 * (bias / unlike * 1.5) ** 2))
    shown = random.random() < 0.5  # as a mean and a spread beside the counts

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        halves = tables[part].reshape(n, 2, 6)
        halves = halves / halves.sum(axis=2, keepdims=True)
        X = generator.multinomial(items, halves).reshape(n, 12) * 1.0
        if shown:
            X = np.column_stack([X, *(_moments(half) for half in np.split(X, 2, axis=1))])
        return X, part // len(bias)

    def scores(X):
        return class_scores(X[:, :12] @ np.log(tables).T + np.log(weights), n_classes)

    text = f"items={items} K={n_classes} strong={strong:.1f} unlike={unlike:.1f} moments={shown}"
    return text, Generative(sample, scores)


def _moments(counts):
    """Mean and standard deviation of ratings, from how often each is given."""
    levels, number = np.arange(1, 7), counts.sum(axis=1)
    mean = counts @ levels / number
    return np.column_stack([mean, np.sqrt((counts @ levels**2 / number - mean**2).clip(0))])


def risky_choices(random):
    """Wins, losses and choices in rounds of a game with four decks: which strategy is played?"""
    rounds, n_classes = int(random.choice([6, 15, 40])), int(random.choice([2, 3, 4]))
    firm, luck = random.uniform(0.5, 0.95), random.uniform(0.2, 0.6)
    wins = luck + random.uniform(-0.15, 0.15, 4)
    priors = priors_to_a_tenth(random, n_classes)

    def next_deck(last, won, used, gains):
        """The chances of each deck in a round by every strategy: shape (strategies, n, 4)."""
        same = np.eye(4)[last]
        shifts = np.where(won[:, None] == 1, same, (1 - same) / 3)  # win: stay, lose: shift
        best = softmax(8 * (gains + 0.5) / (used + 1), axis=1)
        ways = [shifts, best, np.full((len(last), 4), 0.25), np.eye(4)[(last + 1) % 4]]
        return firm * np.stack(ways[:n_classes]) + (1 - firm) / 4

    def sample(generator, n):
        which, rows = generator.choice(n_classes, n, p=priors), np.arange(n)
        decks, won = np.zeros((2, n, rounds), dtype=int)
        used, gains = np.zeros((2, n, 4))
        for at in range(rounds):
            if at:
                chances = next_deck(decks[:, at - 1], won[:, at - 1], used, gains)[which, rows]
            else:
                chances = np.full((n, 4), 0.25)
            decks[:, at] = draw_labels(generator, chances)
            won[:, at] = generator.random(n) < wins[decks[:, at]]
            used[rows, decks[:, at]] += 1
            gains[rows, decks[:, at]] += won[:, at]
        return np.hstack([decks + 1, won]) * 1.0, which

    def scores(X):
        decks, won = X[:, :rounds].astype(int) - 1, X[:, rounds:]
        logs, rows = np.tile(np.log(priors), (len(X), 1)), np.arange(len(X))
        used, gains = np.zeros((2, len(X), 4))
        for at in range(1, rounds):
            used[rows, decks[:, at - 1]] += 1
            gains[rows, decks[:, at - 1]] += won[:, at - 1]
            chances = next_deck(decks[:, at - 1], won[:, at - 1], used, gains)
            logs += np.log(chances[:, rows, decks[:, at]]).T
        return logs

    return f"rounds={rounds} K={n_classes} firm={firm:.2f} luck={luck:.2f}", Generative(
        sample, scores
    )
