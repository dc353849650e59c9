"""Money: companies, ledgers, bills and markets."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, logsumexp, ndtr, softmax

from .building import (
    Generative,
    draw_labels,
    normal_scores,
    two_classes,
)


def company_defaults(random):
    """Balance sheets: a company fails when what it owns falls below what it owes."""
    sectors, extra = int(random.choice([3, 9])), int(random.choice([0, 5, 20]))
    years, safe = random.choice([1.0, 5.0]), random.uniform(0.2, 1.2)
    cycles = random.choice([0.0, 0.5]) * random.normal(size=sectors)
    calm = 0.3 * np.exp(0.3 * random.normal(size=sectors))

    def draw(generator, n):
        sector = generator.integers(0, sectors, n)
        assets = np.exp(generator.normal(4, 2, n))
        debt = assets * np.exp(-safe + 0.5 * generator.normal(size=n))
        moves = calm[sector] * np.exp(0.3 * generator.normal(size=n))
        growth = generator.normal(0.05, 0.08, n)
        away = np.log(assets / debt) + (growth - moves**2 / 2) * years + cycles[sector]
        fails = ndtr(-away / (moves * np.sqrt(years)))
        X = [assets, debt, moves, growth, np.eye(sectors)[sector]]
        return np.column_stack([*X, generator.lognormal(size=(n, extra))]), two_classes(fails)

    return f"sectors={sectors} extra={extra} years={years:.0f} safe={safe:.2f}", draw


def ledgers(random):
    """Amounts of a ledger: do their digits follow Benford's law, or has somebody made them up?"""
    amounts, n_classes = int(random.choice([2, 10, 40])), int(random.choice([2, 3]))
    made_up, prior = random.uniform(0.1, 0.9), random.choice([0.5, 0.9])
    first = np.arange(100, 1000)  # three digits
    honest = np.log10(1 + 1 / first)
    even = np.full(900, 1 / 900)
    rounded = np.where(first % 100 == 0, 20.0, np.where(first % 10 == 0, 4.0, 0.5))
    tables = [
        honest,
        *(
            made_up * each / each.sum() + (1 - made_up) * honest
            for each in (even, rounded * honest)[: n_classes - 1]
        ),
    ]
    tables = np.array(tables) / np.sum(tables, axis=1, keepdims=True)
    logs = np.log(tables).T
    priors = np.append(prior, np.full(n_classes - 1, (1 - prior) / (n_classes - 1)))

    def sample(generator, n):
        which, digits = generator.choice(n_classes, n, p=priors), np.empty((n, amounts), dtype=int)
        for k, table in enumerate(tables):
            rows = which == k
            digits[rows] = generator.choice(first, (rows.sum(), amounts), p=table)
        return digits * 10.0 ** generator.integers(0, 4, (n, amounts)), which

    def scores(X):
        size = np.floor(np.log10(X) + 1e-9) - 2
        digits = np.rint(X / 10**size).astype(int) - 100
        return sum(logs[column] for column in digits.T) + np.log(priors)

    return f"amounts={amounts} K={n_classes} made_up={made_up:.2f}", Generative(sample, scores)


def next_day_moves(random):
    """Prices and volumes of the last days: does the price rise, fall or hardly move tomorrow?"""
    days, n_classes = int(random.choice([3, 10, 40])), int(random.choice([2, 2, 3]))
    signal, crowd = random.choice([0.05, 0.2, 0.6]), random.choice([0.0, 0.5])
    drift, still = random.choice([0.0, 0.15]), random.uniform(-1, 0.5)
    fades = 0.7 ** np.arange(days)

    def draw(generator, n):
        returns = generator.standard_t(4, (n, days))
        volume = np.exp(0.5 * generator.normal(size=(n, days)) + 0.3 * np.abs(returns))
        trend = np.tanh(returns) @ fades
        turn = np.sign(returns[:, 0]) * (volume[:, 0] > 2)
        score = drift + signal * (trend - 2 * crowd * turn)
        X = np.hstack([0.01 * returns, volume])
        if n_classes == 2:
            return X, two_classes(expit(score))
        quiet = still - 0.3 * np.abs(returns[:, :3]).mean(axis=1)
        return X, softmax(np.stack([-score / 2, quiet, score / 2], axis=1), axis=1)

    return f"days={days} K={n_classes} signal={signal} crowd={crowd}", draw


def travel_modes(random):
    """Length, speed, stops and weather of a trip: on foot, by bicycle, car, bus or train?"""
    n_classes, extra = int(random.choice([3, 4, 5])), int(random.choice([0, 3]))
    blurred, jams = random.uniform(0.15, 0.5), random.choice([0.1, 0.4])
    speeds = np.log([4.5, 15, 38, 22, 60])[:n_classes]
    lengths = np.log([1.2, 3.5, 9, 6, 25])[:n_classes]
    stops = np.array([0.3, 0.5, 0.7, 1.8, 0.15])[:n_classes]  # per kilometre
    slowed = np.array([0.0, 0.1, 0.8, 0.6, 0.05])[:n_classes]  # in a jam, in logarithms
    weather = random.dirichlet(np.full(4, 4.0), n_classes)
    priors = random.dirichlet(np.full(n_classes, 4.0))
    jammed = np.log([1 - jams, jams])

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        length = np.exp(lengths[which] + 0.8 * generator.normal(size=n))
        jam = generator.random(n) < jams
        speed = speeds[which] - slowed[which] * jam + blurred * generator.normal(size=n)
        stopped = generator.poisson(0.2 + stops[which] * length * (1 + jam))
        sky = (weather[which].cumsum(axis=1)[:, :3] < generator.random((n, 1))).sum(axis=1)
        X = [length, np.exp(speed), stopped, sky, generator.normal(size=(n, extra))]
        return np.column_stack(X), which

    def scores(X):
        length, speed, stopped, sky = X[:, :4].T
        logs = -0.5 * ((np.log(length)[:, None] - lengths) / 0.8) ** 2
        parts = []
        for jam in (0, 1):
            rates = 0.2 + np.outer(length, stops) * (1 + jam)
            away = (np.log(speed)[:, None] - speeds + slowed * jam) / blurred
            part = stopped[:, None] * np.log(rates) - rates - 0.5 * away**2
            parts.append(part + jammed[jam])
        logs += logsumexp(parts, axis=0)
        return logs + np.log(weather[:, sky.astype(int)]).T + np.log(priors)

    return f"K={n_classes} blurred={blurred:.2f} jams={jams}", Generative(sample, scores)


def volatile_returns(random):
    """Returns of a calm or a nervous market: large moves follow large ones (ARCH)."""
    length, n_classes = int(random.choice([15, 40, 100])), int(random.choice([2, 3]))
    memory = np.sort(random.uniform(0, 0.95, n_classes))
    level = np.exp(random.choice([0.0, 0.3]) * random.normal(size=n_classes))
    base = level * (1 - memory)  # the variance far from the start is the level

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), generator.normal(size=(n, length))
        for t in range(1, length):
            X[:, t] *= np.sqrt(base[which] + memory[which] * X[:, t - 1] ** 2)
        variances = base + memory * X[:, :-1, None] ** 2
        logs = -0.5 * (X[:, 1:, None] ** 2 / variances + np.log(variances)).sum(axis=1)
        return X, softmax(logs, axis=1)

    return f"length={length} memory={memory.round(2)} level={level.round(2)}", draw


def scorecards(random):
    """Applicants for credit in bins of age, income and so on: who fails to pay back?"""
    d, rate = int(random.choice([5, 10, 20])), random.choice([0.08, 0.2, 0.5])
    strength, pair = random.uniform(0.5, 3.0), random.choice([0.0, 1.5])
    shown, telling = d < 20 and random.random() < 0.4, int(random.integers(3, d + 1))
    sizes, loads = random.integers(2, 9, d), random.uniform(-0.7, 0.7, d)
    edges = [np.sort(random.normal(size=size - 1)) for size in sizes]
    scores = [np.sort(random.normal(size=size)) for size in sizes]
    for j in np.flatnonzero(random.random(d) < 0.3):  # bad at both ends
        scores[j] = np.abs(scores[j])
    interplay = pair * random.normal(size=(sizes[0], sizes[1]))

    def draw(generator, n):
        X = generator.normal(size=(n, d)) * np.sqrt(1 - loads**2)
        X += generator.normal(size=(n, 1)) * loads
        X = [np.digitize(column, edge) for column, edge in zip(X.T, edges, strict=True)]
        total = sum(scores[j][X[j]] for j in range(telling)) / np.sqrt(telling)
        total += interplay[X[0], X[1]]
        if shown:
            columns = [np.eye(size)[column] for size, column in zip(sizes, X, strict=True)]
            return np.hstack(columns), two_classes(expit(logit(rate) + strength * total))
        return np.stack(X, axis=1) * 1.0, two_classes(expit(logit(rate) + strength * total))

    return f"d={d} telling={telling} rate={rate} strength={strength:.1f} pair={pair}", draw


def card_frauds(random):
    """Amount, shop, hour, distance and time since the last payment by card: is it a fraud?"""
    frauds, shops = int(random.choice([1, 2, 4])), int(random.choice([5, 20]))
    rare, apart = random.choice([0.06, 0.15, 0.4]), random.uniform(0.3, 1.6)
    by_kind, habits = frauds > 1 and random.random() < 0.4, 3
    parts = habits + frauds
    owners = np.append(np.zeros(habits), 1 + by_kind * np.arange(frauds)).astype(int)
    weights = np.append(
        (1 - rare) * random.dirichlet(np.full(habits, 3.0)), np.full(frauds, rare / frauds)
    )
    means = np.array([3.3, 1.5, 10.0]) + apart * random.normal(size=(parts, 3)) * [1, 1.2, 1.5]
    spreads = np.array([0.9, 1.2, 1.5]) * random.uniform(0.6, 1.3, (parts, 3))
    where, hours = random.dirichlet(np.ones(shops), parts), random.dirichlet(np.full(24, 2), parts)
    where, hours = 0.95 * where + 0.05 / shops, 0.95 * hours + 0.05 / 24

    def sample(generator, n):
        part = generator.choice(parts, n, p=weights)
        values = np.exp(means[part] + spreads[part] * generator.normal(size=(n, 3)))
        shop, hour = draw_labels(generator, where[part]), draw_labels(generator, hours[part])
        return np.column_stack([values, shop, hour]), owners[part]

    def scores(X):
        shop, hour = X[:, 3:].T.astype(int)
        logs = normal_scores(np.log(X[:, :3]), means, spreads) + np.log(weights)
        logs = logs + np.log(where[:, shop]).T + np.log(hours[:, hour]).T
        return np.stack([logsumexp(logs[:, owners == k], 1) for k in range(max(owners) + 1)], 1)

    text = f"K={max(owners) + 1} frauds={frauds} shops={shops} rare={rare} apart={apart:.2f}"
    return text, Generative(sample, scores)


def fund_rankings(random):
    """Returns of a fund in past years, its costs and size: in which part of the list is it next?"""
    years, n_classes = int(random.choice([1, 5, 15])), int(random.choice([2, 4]))
    skill, costs = random.choice([0.0, 0.1, 0.3]), random.uniform(0, 0.5)
    styles = int(random.choice([1, 6]))
    turn = 0.8 * random.normal(size=styles) * (styles > 1)  # styles in fashion next year
    cuts = np.array({2: [0.0], 4: [-0.7, 0.0, 0.7]}[n_classes])

    def draw(generator, n):
        style, past = generator.integers(0, styles, n), generator.standard_t(3, (n, years))
        past += skill * generator.normal(size=(n, 1))
        fee, size = generator.gamma(4, 0.3, n), np.exp(generator.normal(5, 2, n))
        # Extreme years say little of skill, costs more, and what is in fashion most.
        edge = skill * np.clip(past, -3, 3).mean(axis=1) - costs * (fee - 1.2) + turn[style]
        below = ndtr(cuts - edge[:, None])
        X = np.column_stack([5 + 8 * past, fee, size, style])
        return X, np.diff(below, axis=1, prepend=0, append=1).clip(0)

    return f"years={years} K={n_classes} skill={skill} costs={costs:.2f} styles={styles}", draw


def invoice_payments(random):
    """Amount, terms, month and earlier bills of a customer: is a bill paid in time, late, never?"""
    n_classes, steady = int(random.choice([2, 3])), random.choice([0.6, 2.0, 8.0])
    most, trades = int(random.choice([2, 10, 60])), int(random.choice([1, 6, 30]))
    prompt, effect = random.uniform(0.55, 0.97), random.uniform(0.0, 1.2)
    trade = np.clip(prompt + 0.12 * random.normal(size=trades), 0.1, 0.97)
    never = random.uniform(0.02, 0.3)

    def draw(generator, n):
        kind, earlier = generator.integers(0, trades, n), generator.integers(0, most + 1, n)
        amount = np.exp(generator.normal(6.5, 1.2, n)).round(2)
        terms, month = generator.choice([10, 14, 30, 60], n), generator.integers(1, 13, n)
        # Each customer has a share of bills that are paid in time, of which the earlier ones tell.
        share = generator.beta(steady * trade[kind], steady * (1 - trade[kind]))
        kept = generator.binomial(earlier, share)
        # The mean share, given these; every chance below is linear in the share.
        a, b = steady * trade[kind] + kept, steady * (1 - trade[kind]) + earlier - kept
        hard = effect * (0.5 * (np.log(amount) - 6.5) - 0.02 * (terms - 30) + 0.6 * (month == 12))
        late = 1 - a / (a + b) * np.exp(-np.maximum(hard, 0))
        late *= np.exp(np.minimum(hard, 0))
        X = np.column_stack([kind, amount, terms, month, earlier, earlier - kept]) * 1.0
        if n_classes == 2:
            return X, two_classes(late)
        lost = late * never * (1 + (earlier == 0))
        return X, np.stack([1 - late, late - lost, lost], axis=1)

    text = f"K={n_classes} steady={steady} most={most} trades={trades} prompt={prompt:.2f}"
    return text, draw
