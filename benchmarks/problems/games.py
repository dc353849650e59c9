"""Games and sports: cards, scores and calendars."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

from .building import named, two_classes, with_noise


def card_tables(random):
    """Two cards of a player and one of the bank at blackjack: who wins, or is it a draw?"""
    stand, three = int(random.integers(13, 19)), random.random() < 0.6
    tens, shown = int(random.choice([4, 4, 10])), random.random() < 0.4
    extra = int(random.choice([0, 3]))
    deck = np.append(np.ones(9), tens) / (9 + tens)  # ace, 2, …, 10

    @cache
    def ends(total, soft, until):
        """Chances of each final total, 22 for more than 21, of who draws below `until`."""
        if total > 21 and soft:
            return ends(total - 10, False, until)
        if total >= until:
            return np.eye(23)[min(total, 22)]
        result = np.zeros(23)
        for card, chance in enumerate(deck, start=1):
            ace = card == 1 and total + 11 <= 21 and not soft
            result += chance * ends(total + (11 if ace else card), soft or ace, until)
        return result

    def first(cards):
        soft = 1 in cards and sum(cards) + 10 <= 21
        return sum(cards) + 10 * soft, soft

    bank = [ends(*first((card,)), 17) for card in range(1, 11)]
    table = np.empty((10, 10, 10, 3))
    for one in range(1, 11):
        for two in range(1, 11):
            mine = ends(*first((one, two)), stand)
            for up in range(1, 11):
                both = np.outer(mine[:22], bank[up - 1])
                wins = np.tril(both[:, :22], -1).sum() + both[:, 22].sum()
                draws = np.trace(both[:, :22])
                table[one - 1, two - 1, up - 1] = [max(1 - wins - draws, 0), draws, wins]

    def draw(generator, n):
        cards = generator.choice(10, (n, 3), p=deck)
        chances = table[tuple(cards.T)]
        X = np.eye(10)[cards].reshape(n, -1) if shown else cards + 1
        X = np.hstack([X, generator.integers(1, 6, (n, extra))]) * 1.0
        return X, chances if three else two_classes(chances[:, 2])

    return f"stand={stand} three={three} tens={tens} shown={shown} extra={extra}", draw


def running_scores(random):
    """The score of a game and how good both players are: who gets to the last point first?"""
    goal, ahead = int(random.choice([4, 11, 21])), random.random() < 0.6
    steep, known = random.choice([0.3, 1.0, 3.0]), random.random() < 0.7
    extra, serve = int(random.choice([0, 5])), random.choice([0.0, 0.6])

    def draw(generator, n):
        ratings, surface = generator.normal(size=(n, 2)), generator.integers(0, 3, n)
        points, serves = generator.integers(0, goal, (n, 2)), generator.integers(0, 2, n)
        better = (ratings[:, 0] - ratings[:, 1]) * (surface + 1) / 2 if known else np.zeros(n)
        one = expit(steep * better / np.sqrt(goal) + serve * (serves - 0.5))
        wins = np.zeros((goal + 1, goal + 1, n))
        wins[goal] = 1
        for a in range(goal - 1, -1, -1):
            for b in range(goal - 1, -1, -1):
                wins[a, b] = one * wins[a + 1, b] + (1 - one) * wins[a, b + 1]
                if ahead and a == b == goal - 1:  # who is two points ahead wins
                    wins[a, b] = one**2 / (one**2 + (1 - one) ** 2)
        X = np.column_stack([points, serves, surface, 1500 + 200 * ratings])
        X = np.hstack([X, generator.normal(size=(n, extra))])
        return X, two_classes(wins[points[:, 0], points[:, 1], np.arange(n)])

    return f"goal={goal} ahead={ahead} steep={steep} known={known} extra={extra}", draw


def month_lengths(random):
    """Year and month: how many days has the month, leap years and a few slips included?"""
    noise, years = random.choice([0.0, 0.0, 0.1]), int(random.choice([8, 100, 2000]))
    extra, start = int(random.choice([0, 2])), int(random.integers(1, 1900))
    days = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])

    def draw(generator, n):
        year, month = start + generator.integers(0, years, n), generator.integers(0, 12, n)
        leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
        which = days[month] - 28 + (leap & (month == 1))
        X = np.column_stack([year, month + 1, generator.integers(1, 8, (n, extra))])
        return X * 1.0, with_noise(which, 4, noise)

    return f"years={years} noise={noise} extra={extra}", draw


FAMILIES = named(card_tables, running_scores, month_lengths)
