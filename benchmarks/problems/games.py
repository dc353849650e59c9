"""Games and sports: cards, scores and calendars."""

from __future__ import annotations

from functools import cache
from itertools import permutations

import numpy as np
from scipy.special import expit, softmax

from .building import draw_labels, two_classes, with_noise


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


def matches(random):
    """Two players with several skills each: who wins, or is it a draw?"""
    skills, steep = int(random.choice([1, 3, 8])), random.choice([0.5, 1.5, 4.0])
    drawn, counter = random.choice([0.0, 0.3, 1.0]), random.choice([0.0, 1.0])
    weights = random.dirichlet(np.ones(skills))
    beats = random.normal(size=(skills, skills)) / np.sqrt(skills)
    beats -= beats.T  # a style that beats another one loses against it if they change places

    def draw(generator, n):
        one, other = generator.normal(size=(2, n, skills))
        ahead = (one - other) @ weights + counter * ((one @ beats) * other).sum(axis=1)
        X = np.hstack([one, other])
        if not drawn:
            return X, two_classes(expit(steep * ahead))
        scores = np.stack([0.5 * steep * ahead, np.full(n, np.log(drawn)), -0.5 * steep * ahead])
        return X, softmax(scores.T, axis=1)

    return f"skills={skills} steep={steep} drawn={drawn} counter={counter:.0f}", draw


def card_tricks(random):
    """The cards of a trick in the order in which they are played: who takes it?"""
    players, ranks = int(random.choice([2, 3, 4])), int(random.choice([6, 8, 13]))
    trumps, noise = random.random() < 0.6, random.choice([0.0, 0.05, 0.2, 0.4])
    follow, shown = random.choice([0.0, 0.7]), random.random() < 0.5

    def draw(generator, n):
        cards = generator.random((n, 4 * ranks)).argsort(axis=1)[:, :players]
        suit, rank = cards // ranks, cards % ranks
        # Most players have a card of the suit that was led.
        suit = np.where(generator.random(suit.shape) < follow, suit[:, :1], suit)
        value = rank + 100 * (suit == suit[:, :1]) + 1000 * (trumps & (suit == 0))
        value = value - 0.01 * np.arange(players)  # of two equal cards the first one counts
        sure = np.eye(players)[value.argmax(axis=1)]
        suits = np.eye(4)[suit].reshape(n, -1) if shown else suit
        return np.hstack([suits, rank]) * 1.0, (1 - noise) * sure + noise / players

    return f"players={players} ranks={ranks} trumps={trumps} noise={noise}", draw


def dice_hands(random):
    """Dice: nothing, a pair, two pairs or more of a kind; some answers are wrong."""
    dice, noise = int(random.choice([3, 4, 5])), random.choice([0.0, 0.1, 0.3])
    ordered, extra = random.random() < 0.5, int(random.choice([0, 3]))

    def draw(generator, n):
        X = generator.integers(1, 7, (n, dice))
        if ordered:
            X = np.sort(X, axis=1)
        equal = ((X[:, :, None] == X[:, None]).sum(axis=(1, 2)) - dice) // 2
        kinds = np.array([0, 1, 2, 3] if dice > 3 else [0, 1, 3])  # three of a kind: three pairs
        sure = np.eye(len(kinds))[np.searchsorted(kinds, np.minimum(equal, 3))]
        X = np.column_stack([X, generator.integers(1, 7, (n, extra))]).astype(float)
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"dice={dice} noise={noise} ordered={ordered} extra={extra}", draw


def knight_moves(random):
    """In how many moves a knight, or a king, gets from one square to another one."""
    board, noise = int(random.choice([5, 8])), random.choice([0.0, 0.1, 0.25])
    extra, king = int(random.choice([0, 2])), random.random() < 0.3
    squares = np.stack(np.divmod(np.arange(board**2), board), axis=1)
    gaps = np.abs(squares[:, None] - squares)
    near = gaps.max(axis=2) == 1 if king else (gaps.prod(axis=2) == 2)
    moves = np.where(np.eye(len(squares), dtype=bool), 0, -1)
    for step in range(1, len(squares)):
        reached = ((moves == step - 1).astype(int) @ near > 0) & (moves < 0)
        if not reached.any():
            break
        moves[reached] = step
    n_classes = int(moves.max()) + 1

    def draw(generator, n):
        start, end = generator.integers(0, len(squares), (2, n))
        sure = np.eye(n_classes)[moves[start, end]]
        X = [squares[start], squares[end], generator.integers(0, board, (n, extra))]
        return np.hstack(X).astype(float), (1 - noise) * sure + noise / n_classes

    return f"board={board} noise={noise} extra={extra} king={king}", draw


def living_cells(random):
    """A cell and its eight neighbours: does it live in the next round of the game of life?"""
    rate, noise = random.uniform(0.25, 0.55), random.choice([0.0, 0.1, 0.3])
    extra, blurred = int(random.choice([0, 7, 16])), random.choice([0.0, 0.15])

    def draw(generator, n):
        alive = generator.random((n, 9 + extra)) < rate
        around = alive[:, 1:9].sum(axis=1)
        lives = (around == 3) | ((around == 2) & alive[:, 0])
        X = alive + blurred * generator.uniform(-1, 1, alive.shape)
        return X, two_classes(noise / 2 + (1 - noise) * lives)

    return f"rate={rate:.2f} noise={noise} extra={extra} blurred={blurred}", draw


def three_in_a_row(random):
    """Boards with crosses, noughts and gaps: who has three in a row, if anybody?"""
    gaps, noise = random.uniform(0.05, 0.4), random.choice([0.0, 0.1, 0.3])
    shown, plain = random.random() < 0.5, random.random() < 0.5
    board = np.arange(9).reshape(3, 3)
    lines = [*board, *board.T, np.diag(board), np.diag(board[::-1])]

    def draw(generator, n):
        X = draw_labels(generator, np.tile([0.5 - gaps / 2, gaps, 0.5 - gaps / 2], (9 * n, 1)))
        X = X.reshape(n, 9) - 1  # noughts, gaps, crosses
        sums = np.stack([X[:, line].sum(axis=1) for line in lines], axis=1)
        crosses, noughts = (sums == 3).any(axis=1), (sums == -3).any(axis=1)
        which = np.where(crosses & ~noughts, 2, np.where(noughts & ~crosses, 1, 0))
        sure = np.eye(2)[crosses * 1] if plain else np.eye(3)[which]
        X = np.eye(3)[X + 1].reshape(n, -1) if shown else X.astype(float)
        return X, (1 - noise) * sure + noise / sure.shape[1]

    return f"gaps={gaps:.2f} noise={noise} one-hot={shown} crosses only={plain}", draw


def rankings(random):
    """Permutations around the ranking of each class (Mallows)."""
    length, n_classes = int(random.choice([4, 5, 6])), int(random.choice([2, 3]))
    decay = random.uniform(0.15, 0.8)
    centres = np.array([random.permutation(length) for _ in range(n_classes)])
    every = np.array(list(permutations(range(length))))
    i, j = np.triu_indices(length, 1)
    swapped = (every[:, i] < every[:, j])[:, None] != (centres[:, i] < centres[:, j])
    scores = -decay * swapped.sum(axis=2)
    mixture = np.exp(scores).sum(axis=1)

    def draw(generator, n):
        which = generator.choice(len(every), n, p=mixture / mixture.sum())
        return every[which].astype(float), softmax(scores[which], axis=1)

    return f"length={length} K={n_classes} decay={decay:.2f}", draw


def tossed_coins(random):
    """Thrower, side that is up before, height and spins of a toss: heads or tails? Hardly known."""
    people, wobble = int(random.choice([2, 10, 40])), random.choice([0.0, 0.1, 0.25])
    extra, edge = int(random.choice([0, 4, 15])), random.uniform(0.005, 0.05)
    bias = edge + wobble * random.beta(0.5, 2, people)

    def draw(generator, n):
        person, up = generator.integers(0, people, n), generator.random(n) < 0.5
        height = generator.gamma(6, 7, n).round()  # centimetres
        spins = generator.poisson(height / 6)
        same = 0.5 + bias[person] * np.where(height < 30, 1.6, 0.8)
        X = [person, up, height, spins, generator.integers(1, 7, (n, extra))]
        return np.column_stack(X) * 1.0, two_classes(np.where(up, same, 1 - same))

    return f"people={people} wobble={wobble} edge={edge:.3f} extra={extra}", draw


def opening_bids(random):
    """Points and suits of a hand of bridge, or its 52 cards: which bid opens the auction?"""
    cards, n_classes = random.random() < 0.3, int(random.choice([2, 4, 6]))
    style, slips = random.uniform(0.1, 1.2), random.choice([0.0, 0.05, 0.2])
    honours = np.r_[4, 3, 2, 1, np.zeros(9)]

    def draw(generator, n):
        hand = np.argsort(generator.random((n, 52)), axis=1) < 13
        suits = hand.reshape(n, 4, 13)
        lengths, points = suits.sum(axis=2), (suits @ honours).sum(axis=1)
        two = np.sort(lengths, axis=1)[:, 2:].sum(axis=1)
        opens = expit((points + (two - 8) / 2 - 11.5) / style)[:, None]
        even = (lengths.min(axis=1) >= 2) & (lengths.max(axis=1) <= 5) & (two <= 9)
        notrump = even * expit((points - 14.5) / style) * expit((17.5 - points) / style)
        major = lengths[:, 2:].max(axis=1) >= 5
        spades = major & (lengths[:, 3] >= lengths[:, 2])
        weak = expit((lengths.max(axis=1) - 6.5) / style * 2)  # a long suit is worth a high bid
        one = [notrump, (1 - notrump) * spades, (1 - notrump) * (major & ~spades)]
        one.append((1 - notrump) * ~major)
        bids = np.column_stack([(1 - opens[:, 0]) * (1 - weak), (1 - opens[:, 0]) * weak])
        bids = np.column_stack([bids, opens * np.stack(one, axis=1)])  # pass, weak, 1NT, S, H, m
        if n_classes == 2:
            bids = np.column_stack([bids[:, 0], bids[:, 1:].sum(axis=1)])
        elif n_classes == 4:
            bids = np.column_stack([bids[:, :3], bids[:, 3:].sum(axis=1)])
        chances = (1 - slips) * bids + slips / n_classes
        return (hand if cards else np.column_stack([points, lengths])) * 1.0, chances

    return f"cards={cards} K={n_classes} style={style:.1f} slips={slips}", draw
