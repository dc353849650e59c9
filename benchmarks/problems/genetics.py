"""Genes: reads, sequences and where they come from."""

from __future__ import annotations

import numpy as np

from .building import Generative, named


def sequencing_pileups(random):
    """Reads at one place of a genome, some of them wrong: neither, one or both copies changed?"""
    deep, known = int(random.choice([3, 10, 40])), random.random() < 0.5
    rare, dirty = random.choice([0.3, 1.0]), random.choice([0.0, 0.05, 0.2])
    errors, extra = np.array([0.1, 0.03, 0.003]), int(random.choice([0, 3]))
    common = (np.arange(20) + 0.5) / 20
    weights = common ** (rare - 1) * (1 - common)
    weights /= weights.sum()
    genotypes = np.stack([(1 - common) ** 2, 2 * common * (1 - common), common**2], axis=1)

    def chance_of_a_changed_read(quality, share):
        own = np.arange(3) / 2 * (1 - 2 * errors[quality])[:, None] + errors[quality][:, None]
        return (1 - dirty) * own + dirty * share[:, None]

    def sample(generator, n):
        place = generator.choice(20, n, p=weights)
        which = (genotypes[place].cumsum(axis=1)[:, :2] < generator.random((n, 1))).sum(axis=1)
        depth, quality = 1 + generator.poisson(deep, n), generator.integers(0, 3, n)
        share = common[place] if known else np.full(n, 0.5)  # in what may have come in
        changed = chance_of_a_changed_read(quality, share)[np.arange(n), which]
        reads = generator.binomial(depth, changed)
        X = [depth, reads, quality, place if known else np.zeros(n)]
        return np.column_stack([*X, generator.normal(size=(n, extra))]), which

    def scores(X):
        depth, reads, quality, place = X[:, :4].T.astype(int)
        share = common[place] if known else np.full(len(X), 0.5)
        changed = chance_of_a_changed_read(quality, share)
        logs = reads[:, None] * np.log(changed) + (depth - reads)[:, None] * np.log1p(-changed)
        return logs + np.log(genotypes[place] if known else weights @ genotypes)

    return f"deep={deep} known={known} dirty={dirty} extra={extra}", Generative(sample, scores)


def quartet_trees(random):
    """Letters of four species at several sites: which two of them are nearest relatives?"""
    sites, shown = int(random.choice([4, 12, 25])), random.random() < 0.4
    inner, outer = random.choice([0.1, 0.3, 1.0]), random.uniform(0.05, 0.5, 4)
    if shown:
        sites = min(sites, 6)
    same = [0.25 + 0.75 * np.exp(-4 / 3 * length) for length in (*outer, inner)]
    moves = [np.full((4, 4), (1 - each) / 3) + np.eye(4) * (each - (1 - each) / 3) for each in same]
    tables = []
    for pairs in ("xa,xb,xy,yc,yd", "xa,xc,xy,yb,yd", "xa,xd,xy,yb,yc"):
        ends = [
            moves["abcd".index(part[1])] if part != "xy" else moves[4] for part in pairs.split(",")
        ]
        tables.append(np.einsum(f"{pairs}->abcd", *ends).ravel() / 4)
    tables = np.array(tables)

    def sample(generator, n):
        which, pattern = generator.integers(0, 3, n), np.empty((n, sites), dtype=int)
        for k, table in enumerate(tables):
            rows = which == k
            pattern[rows] = generator.choice(256, (rows.sum(), sites), p=table / table.sum())
        letters = np.stack(np.unravel_index(pattern, (4, 4, 4, 4)), axis=2).reshape(n, -1)
        return (np.eye(4)[letters].reshape(n, -1) if shown else letters * 1.0), which

    def scores(X):
        letters = X.reshape(len(X), -1, 4).argmax(axis=2) if shown else X.astype(int)
        pattern = letters.reshape(len(X), sites, 4) @ 4 ** np.arange(3, -1, -1)
        return np.log(tables[:, pattern]).sum(axis=2).T

    return f"sites={sites} inner={inner} shown={shown}", Generative(sample, scores)


FAMILIES = named(sequencing_pileups, quartet_trees)
