"""Networks: how they grow, what spreads in them, links, and codes that name a place in one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import logsumexp, softmax

from .building import (
    Generative,
    draw_labels,
    normal_classes,
    priors_to_a_tenth,
)


def growing_trees(random):
    """To which earlier node each new one is tied: do nodes with many ties attract or repel?"""
    nodes, n_classes = int(random.choice([6, 12, 25])), int(random.choice([2, 3]))
    powers = np.sort(random.uniform(-1.5, 2.0, n_classes))
    pull = np.arange(1, nodes + 1) ** powers[:, None]  # of a node with 1, 2, … ties
    priors = random.dirichlet(np.full(n_classes, 6.0))

    def sample(generator, n):
        which, X = generator.choice(n_classes, n, p=priors), np.zeros((n, nodes - 2))
        ties = np.zeros((n, nodes), dtype=int)
        ties[:, :2] = 1
        for new in range(2, nodes):
            weights = pull[which[:, None], ties[:, :new] - 1]
            old = draw_labels(generator, weights / weights.sum(axis=1, keepdims=True))
            ties[np.arange(n), old] += 1
            ties[:, new] = 1
            X[:, new - 2] = old
        return X, which

    def scores(X):
        n, logs = len(X), np.log(priors) + np.zeros((len(X), n_classes))
        ties = np.zeros((n, nodes), dtype=int)
        ties[:, :2] = 1
        for new, old in enumerate(X.T.astype(int), start=2):
            for k in range(n_classes):
                weights = pull[k, ties[:, :new] - 1]
                logs[:, k] += np.log(weights[np.arange(n), old] / weights.sum(axis=1))
            ties[np.arange(n), old] += 1
            ties[:, new] = 1
        return logs

    return f"nodes={nodes} powers={powers.round(1)}", Generative(sample, scores)


def postal_codes(random):
    """One number whose digits name country, region and town: what do people there buy?"""
    n_classes, split = int(random.choice([2, 3, 8])), random.random() < 0.3
    sizes = [
        random.normal(scale=scale, size=(10**level, n_classes))
        for level, scale in enumerate(random.uniform(0, 1.5, 3), start=1)
    ]
    crowd = random.dirichlet(np.full(1000, random.choice([0.05, 0.5])))
    ages = random.choice([0.0, 0.8]) * random.normal(size=n_classes)
    extra = int(random.choice([0, 0, 3]))

    def draw(generator, n):
        code = generator.choice(1000, n, p=crowd)
        age = generator.integers(18, 90, n)
        scores = sizes[0][code // 100] + sizes[1][code // 10] + sizes[2][code]
        columns = [code // 100, code // 10 % 10, code % 10] if split else [code]
        if ages.any():
            columns.append(age)
        X = np.column_stack([*columns, generator.normal(size=(n, extra))])
        return X * 1.0, softmax(scores + np.outer((age - 54) / 20, ages), axis=1)

    return f"K={n_classes} split={split} ages={ages.any()} extra={extra}", draw


def network_flows(random):
    """Packets, bytes, duration, port and protocol of a connection: what kind of traffic is it?"""
    n_classes, parts, apart = int(random.choice([2, 3, 5])), 3, random.uniform(0.4, 1.3)
    size = n_classes * parts
    packets = np.exp(2.5 + apart * random.normal(size=size))
    bulk = np.exp(5.5 + 0.6 * apart * random.normal(size=size))  # bytes of a packet
    gaps = np.exp(-3 + 1.5 * apart * random.normal(size=size))  # seconds between packets
    ports = softmax(1.2 * apart * random.normal(size=(size, 8)), axis=1)
    protocols = softmax(apart * random.normal(size=(size, 3)), axis=1)
    usual = random.choice([0.5, 0.8, 0.9])  # of the first class
    priors = np.append(usual, random.dirichlet(np.full(n_classes - 1, 4.0)) * (1 - usual))
    weights = (priors[:, None] * random.dirichlet(np.full(parts, 2.0), n_classes)).ravel()
    bunched, spread = random.choice([0.7, 3.0]), random.uniform(0.2, 0.6)

    def draw(generator, n):
        which = generator.choice(size, n, p=weights)
        number = 1.0 + generator.negative_binomial(bunched, bunched / (bunched + packets[which]))
        each = np.log(bulk[which]) + spread * generator.normal(size=n)
        seconds = gaps[which] * generator.gamma(number)
        port, protocol = (draw_labels(generator, table[which]) for table in (ports, protocols))
        more, here = (number - 1)[:, None], number[:, None]
        logs = more * np.log(packets) - (more + bunched) * np.log(bunched + packets)
        logs -= 0.5 * ((each[:, None] - np.log(bulk)) / spread) ** 2
        logs -= here * np.log(gaps) + seconds[:, None] / gaps
        logs += np.log(weights) + np.log(ports[:, port] * protocols[:, protocol]).T
        X = np.stack([number, number * np.exp(each), seconds, port, protocol], axis=1)
        return X, softmax(logs, axis=1).reshape(n, n_classes, parts).sum(axis=2)

    return f"K={n_classes} apart={apart:.2f} usual={usual} bunched={bunched}", draw


def block_networks(random):
    """The edges of small networks: nodes of one half know each other more, or less, or not."""
    nodes, rate = int(random.choice([6, 8, 10])), random.uniform(0.3, 0.6)
    tilts = [(0.0, 0.25), (-0.2, 0.25), (-0.2, 0.0, 0.25)][random.integers(3)]
    others = np.array(list(combinations(range(1, nodes), nodes // 2 - 1)))
    halves = (others[:, :, None] == np.arange(nodes)).any(axis=1)
    halves[:, 0] = True
    rows, columns = np.triu_indices(nodes, 1)
    inside = halves[:, rows] == halves[:, columns]
    chances = np.stack([np.where(inside, rate + tilt, rate - tilt) for tilt in tilts])
    logs_of_one, logs_of_none = np.log(chances), np.log1p(-chances)

    def draw(generator, n):
        which, half = generator.integers(0, len(tilts), n), generator.integers(0, len(halves), n)
        X = (generator.random((n, len(rows))) < chances[which, half]).astype(float)
        logs = [
            logsumexp(X @ (one - none).T + none.sum(axis=1), axis=1)
            for one, none in zip(logs_of_one, logs_of_none, strict=True)
        ]
        return X, softmax(np.stack(logs, axis=1), axis=1)

    return f"nodes={nodes} rate={rate:.2f} tilts={tilts}", draw


def rumour_sources(random):
    """When each member of a small network hears a rumour: which of them has started it?"""
    nodes, n_classes = int(random.choice([5, 10, 20])), int(random.choice([2, 5, 10]))
    n_classes, uneven = min(n_classes, nodes), random.uniform(0.2, 1.2)
    parents = [0, *(int(random.integers(node)) for node in range(1, nodes))]
    way = np.zeros((nodes, nodes))  # the edges from the root to each node
    for node in range(1, nodes):
        way[node] = way[parents[node]]
        way[node, node] = 1
    asked = np.sort(random.permutation(nodes)[: int(random.choice([nodes, max(nodes // 2, 3)]))])
    sources = random.permutation(nodes)[:n_classes]
    paths = [np.abs(way[asked] - way[source]) for source in sources]  # edges passed, each once
    slow = random.uniform(0.5, 1.5, nodes)  # mean hours at each edge
    means = np.array([path @ slow for path in paths])
    covariances = np.array([path * (uneven * slow) ** 2 @ path.T for path in paths])
    # Nobody knows when it began, and clocks differ a little.
    covariances += random.choice([0.0, 4.0]) + 0.05 * np.eye(len(asked))
    text = f"nodes={nodes} asked={len(asked)} K={n_classes} uneven={uneven:.2f}"
    return text, normal_classes(means, covariances, priors_to_a_tenth(random, n_classes))


def phishing_links(random):
    """Counts, flags and amounts of a web page, most of them made from templates: is it honest?"""
    counts, flags, amounts = random.choice([[3, 3, 2], [8, 10, 5], [20, 40, 10]])
    kinds, n_classes = int(random.choice([1, 4])), int(random.choice([2, 3]))
    apart, honest = random.uniform(0.3, 1.2), random.choice([0.5, 0.85, 0.95])
    apart /= np.sqrt((counts + flags + amounts) / 8)
    size = n_classes * kinds
    rates = np.exp(random.normal(0.5, 1, counts) + apart * random.normal(size=(size, counts)))
    odds = random.normal(-0.5, 1, flags) + 1.5 * apart * random.normal(size=(size, flags))
    means = apart * random.normal(size=(size, amounts))
    priors = np.r_[honest, np.full(n_classes - 1, (1 - honest) / (n_classes - 1))]
    weights = np.repeat(np.log(priors / kinds), kinds)

    def sample(generator, n):
        page = generator.choice(size, n, p=np.exp(weights))
        set_flags = generator.random((n, flags)) < 1 / (1 + np.exp(-odds[page]))
        skewed = np.exp(means[page] + generator.normal(size=(n, amounts)))
        return np.column_stack([generator.poisson(rates[page]), set_flags, skewed]), page // kinds

    def scores(X):
        number, flag, amount = np.split(X, [counts, counts + flags], axis=1)
        logs = number @ np.log(rates).T - rates.sum(axis=1) + flag @ odds.T
        logs += np.log(amount) @ means.T - 0.5 * (means**2).sum(axis=1)
        logs += weights - np.log1p(np.exp(odds)).sum(axis=1)
        return logsumexp(logs.reshape(len(X), n_classes, kinds), axis=2)

    text = f"d={counts + flags + amounts} kinds={kinds} K={n_classes} apart={apart:.2f}"
    return f"{text} honest={honest}", Generative(sample, scores)
