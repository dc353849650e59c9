"""Buying and selling: houses, auctions, hotel rooms, goods sent back and bank notes."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp, ndtr, stdtr

from .building import Generative


def house_prices(random):
    """Place, size, age, floor, garden and so on of a dwelling: in which bracket is its price?"""
    n_classes, noise = int(random.choice([2, 3, 6])), random.uniform(0.04, 0.5)
    quarters, extra = int(random.choice([2, 6, 15])), int(random.choice([0, 6, 40]))
    middles, worth = random.random((quarters, 2)), 0.5 * random.normal(size=quarters)
    loved, modern = random.uniform(1870, 1930), random.uniform(0, 0.5)

    def houses(generator, n):
        place, area = generator.random((n, 2)).round(3), np.exp(generator.normal(4.4, 0.45, n))
        rooms = 1 + generator.poisson(area / 32)
        year = (2024 - generator.gamma(2, 28, n)).round()
        floor, lift = generator.poisson(1.8, n), generator.random(n) < 0.4
        garden = np.exp(generator.normal(5, 1, n)) * (generator.random(n) < 0.3)
        energy = np.clip(((2030 - year) / 18 + generator.normal(size=n)).round(), 0, 7)
        near = np.exp(-0.5 * ((place[:, None] - middles) ** 2).sum(axis=2) / 0.15**2)
        price = 0.85 * np.log(area) + near @ worth - 0.04 * energy
        price += modern * ((year > 2010) + (year < loved)) - 0.1 * floor * ~lift * (floor > 2)
        price += 0.05 * np.log1p(garden) * (1 - near.max(axis=1))  # a garden counts outside
        X = [place, area.round(), rooms, year, floor, lift, garden.round(), energy]
        return np.column_stack([*X, np.exp(generator.normal(size=(n, extra)))]), price

    many = houses(random, 4000)[1]
    cuts = np.quantile(many, np.sort(random.uniform(0.1, 0.9, n_classes - 1)))

    def draw(generator, n):
        X, price = houses(generator, n)
        below = stdtr(3, (cuts - price[:, None]) / noise)  # some prices are far from all others
        return X, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} noise={noise:.2f} quarters={quarters} extra={extra}", draw


def auction_lots(random):
    """Estimate, reserve, bidders and state of a lot: unsold, cheap or dear by the second bid?"""
    n_classes, kinds = int(random.choice([2, 3, 4])), int(random.choice([3, 10, 25]))
    spread, known = random.uniform(0.1, 0.9), random.uniform(0.1, 0.6)
    fashion, extra = known * random.normal(size=kinds), int(random.choice([0, 8]))
    dear = np.array([1.0, 1.6])[: max(n_classes - 2, 0)]

    def draw(generator, n):
        estimate = np.exp(generator.normal(6, 1.2, n)).round(-1) + 10
        reserve = estimate * generator.choice([0.5, 0.6, 0.7, 0.8, 0.9], n)
        bidders, state = 2 + generator.poisson(2.5, n), generator.integers(1, 6, n)
        kind, online = generator.integers(0, kinds, n), generator.random(n) < 0.5
        value = fashion[kind] + known * 0.4 * (state - 3) - 0.25 - known * online * (state < 3)
        limits = np.column_stack([reserve / estimate, np.tile(dear, (n, 1))])
        bid = ndtr((np.log(limits) - value[:, None]) / spread)
        others = bid ** (bidders - 1)[:, None]
        below = others * (bid + bidders[:, None] * (1 - bid))  # at most one bid is higher
        X = [estimate, reserve, bidders, state, kind, online, generator.gamma(1, 5, (n, extra))]
        return np.column_stack(X), np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"K={n_classes} kinds={kinds} spread={spread:.2f} known={known:.2f} extra={extra}", draw


def hotel_bookings(random):
    """Lead time, deposit, channel, guests and price of a booking: stay, cancel or not show up?"""
    channels, extra = int(random.choice([3, 8])), int(random.choice([0, 5, 30]))
    often, sharp = random.choice([0.02, 0.06, 0.15]), random.uniform(0.4, 2.2)
    third, loyal = random.random() < 0.5, sharp * random.normal(size=channels)
    groups, slope = random.integers(channels), random.uniform(0.4, 0.9)

    def draw(generator, n):
        lead, nights = np.exp(generator.normal(3.3, 1.3, n)).round(), 1 + generator.poisson(2, n)
        channel, month = generator.integers(0, channels, n), generator.integers(1, 13, n)
        deposit, guests = generator.random(n) < 0.2, 1 + generator.poisson(0.9, n)
        price = generator.gamma(6, 16 + 5 * np.cos(2 * np.pi * (month - 7) / 12))
        wishes = generator.poisson(0.6, n)
        before = generator.poisson(2, n) * (generator.random(n) < 0.06)
        # Who pays in advance hardly ever cancels, but groups do.
        paid = np.where(channel == groups, 2.0, -3.0) * deposit
        index = loyal[channel] + sharp * (np.log(price / 95) + (before > 0) - 0.5 * wishes) + paid
        stays = np.exp(-often * lead**slope * np.exp(np.minimum(index, 20)))
        absent = expit(-2.5 + sharp * (0.8 * (nights == 1) - 1.5 * deposit + 0.5 * (lead < 3)))
        X = [lead, nights, channel, month, deposit, guests, price, wishes, before]
        X = np.column_stack([*X, generator.poisson(1, (n, extra))]) * 1.0
        if not third:
            return X, np.stack([stays, 1 - stays], axis=1)
        return X, np.stack([stays * (1 - absent), 1 - stays, stays * absent], axis=1)

    return f"channels={channels} often={often} sharp={sharp:.1f} K={2 + third} extra={extra}", draw


def bank_notes(random):
    """Sizes, inks and marks of worn bank notes: genuine, or which forger has made them?"""
    sizes, inks, marks = random.choice([[2, 1, 1], [4, 4, 3], [10, 25, 8]])
    n_classes, genuine = int(random.choice([2, 3, 6])), random.choice([0.5, 0.85])
    apart, faded = random.uniform(0.4, 2), random.uniform(0, 2)
    priors = np.r_[genuine, np.full(n_classes - 1, (1 - genuine) / (n_classes - 1))]
    d = sizes + inks
    means = apart * random.normal(size=(n_classes, d)) / np.sqrt(d / 3)
    careless = np.exp(0.4 * random.random(n_classes) * (np.arange(n_classes) > 0))
    wear, fade = np.linspace(-1.5, 1.5, 7), faded * np.abs(random.normal(size=d))
    has = np.clip(random.random((n_classes, marks)).round(), 0.08, 0.92)
    units = np.r_[np.full(sizes, 0.2), np.full(inks, 0.3)]

    def sample(generator, n):
        which, worn = generator.choice(n_classes, n, p=priors), generator.choice(wear, n)
        values = means[which] + worn[:, None] * fade
        values += careless[which][:, None] * generator.normal(size=(n, d))
        values = values * units
        values[:, sizes:] = np.exp(values[:, sizes:])
        return np.hstack([values, generator.random((n, marks)) < has[which]]), which

    def scores(X):
        values = np.hstack([X[:, :sizes], np.log(X[:, sizes:d])]) / units
        logs = np.empty((len(X), n_classes, len(wear)))
        for k, w in np.ndindex(n_classes, len(wear)):
            gaps = (values - means[k] - wear[w] * fade) / careless[k]
            logs[:, k, w] = -0.5 * (gaps**2).sum(axis=1) - d * np.log(careless[k])
        seen = X[:, d:]
        signs = seen @ np.log(has).T + (1 - seen) @ np.log1p(-has).T
        return logsumexp(logs, axis=2) + signs + np.log(priors)

    text = f"sizes={sizes} inks={inks} marks={marks} K={n_classes} apart={apart:.1f}"
    return f"{text} faded={faded:.1f}", Generative(sample, scores)


def returned_goods(random):
    """Article, size, price, discount and what a buyer sent back before: kept, swapped, returned?"""
    articles, n_classes = int(random.choice([6, 40, 300])), int(random.choice([2, 3]))
    sharp, habit = random.uniform(0.6, 3.5), random.uniform(0.3, 1.6)
    kind = random.integers(0, 5, articles)
    cuts, dear = random.normal(0, 1.2, articles), random.uniform(0, 0.8)
    risk = np.sort(random.normal(-0.5, 1, 5))
    extra = int(random.choice([0, 5, 25]))

    def draw(generator, n):
        article, weekday = generator.integers(0, articles, n), generator.integers(0, 7, n)
        size = np.clip((38 + 2.5 * generator.normal(size=n)) // 2 * 2, 32, 46)
        usual = np.where(generator.random(n) < 0.7, size, size + generator.choice([-2, 2], n))
        orders = generator.geometric(0.12, n)
        back = generator.binomial(orders, generator.beta(1.2, 2.2, n))
        price = np.exp(generator.normal(3.2 + 0.2 * kind[article], 0.6)).round() - 0.01
        discount = generator.choice([0, 10, 20, 50], n, p=[0.6, 0.2, 0.15, 0.05])
        misfit = np.abs((size - usual) / 2 - cuts[article])  # some articles are cut small
        wears = kind[article] < 3  # what is worn has to fit
        keen = habit * (np.log((back + 0.5) / (orders - back + 0.8)) + 0.6)
        score = risk[kind[article]] + keen + dear * (np.log(price) - 3.6) - 0.02 * discount
        score = sharp * (score + wears * (misfit - 0.9))
        sends = expit(score)
        swaps = sends * expit(2 * sharp * (misfit - 1)) * wears
        X = [article, kind[article], size, usual, price, discount, orders, back, weekday]
        X = np.column_stack([*X, generator.poisson(2, (n, extra))]) * 1.0
        if n_classes == 2:
            return X, np.stack([1 - sends, sends], axis=1)
        return X, np.stack([1 - sends, sends - swaps, swaps], axis=1)

    return f"articles={articles} K={n_classes} sharp={sharp:.1f} habit={habit:.1f}", draw
