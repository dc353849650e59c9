"""Genes: reads, sequences and where they come from."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, logsumexp, softmax

from .building import (
    Generative,
    class_scores,
    draw_labels,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    two_classes,
)


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


def genotypes(random):
    """Numbers 0, 1, 2 that go together along a chromosome; a few of them act, some in pairs."""
    d, used = int(random.choice([20, 60, 150])), int(random.choice([3, 8]))
    steep, pairs = random.choice([0.7, 1.5, 4.0]), random.choice([0.0, 1.0])
    common, kept = random.uniform(0.15, 0.5, d), random.uniform(0.3, 0.9, d)
    places = random.choice(d, used, replace=False)
    effects = random.normal(size=used)

    def draw(generator, n):
        X = np.zeros((n, d))
        for _ in range(2):
            last = generator.random(n)
            for j in range(d):
                fresh = generator.random(n)
                last = np.where(generator.random(n) < kept[j], last, fresh)
                X[:, j] += last < common[j]
        own = X[:, places] - 2 * common[places]
        scores = own @ effects + pairs * 2 * own[:, 0] * own[:, 1]
        return X, two_classes(expit(steep * scores))

    return f"d={d} used={used} steep={steep} pairs={pairs:.0f}", draw


def populations(random):
    """Where people come from, by up to 200 genes with two variants each."""
    d, n_classes = int(random.choice([20, 60, 200])), int(random.choice([3, 8, 20]))
    apart, priors = random.choice([0.01, 0.04, 0.12]), slowly_falling_priors(random, n_classes)
    common, size = random.uniform(0.1, 0.9, d), (1 - apart) / apart
    rates = np.clip(random.beta(size * common, size * (1 - common), (n_classes, d)), 0.01, 0.99)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        X = generator.binomial(2, rates[which]).astype(float)
        logs = X @ np.log(rates).T + (2 - X) @ np.log1p(-rates).T
        return X, softmax(logs + np.log(priors), axis=1)

    return f"d={d} K={n_classes} apart={apart}", draw


def blood_groups(random):
    """A child's blood group, by those of both parents, the population and perhaps a poor test."""
    question, clear = int(random.integers(3)), random.choice([0.0, 0.7, 1.5, 3.0])
    extra, n_peoples = int(random.choice([0, 3])), int(random.choice([1, 3]))
    alleles = random.dirichlet([8, 4, 18], n_peoples)  # A, B, O
    rhesus = np.sqrt(random.uniform(0.05, 0.3, n_peoples))  # the recessive one
    pairs = list(product(range(3), range(3), range(2), range(2)))
    group = np.array([{0: 1, 1: 2, 3: 3, 2: 0}[_shows(a, b)] for a, b, *_ in pairs])
    sign = np.array([max(r, s) for *_, r, s in pairs])
    of_people = [
        np.array([p[a] * p[b] * _rh(r, q) * _rh(s, q) for a, b, r, s in pairs])
        for p, q in zip(alleles, rhesus, strict=True)
    ]
    # Each parent hands on one allele of either gene.
    gametes = np.array(
        [
            [
                ((a == x) + (b == x)) * ((r == y) + (s == y)) / 4
                for x, y in product(range(3), range(2))
            ]
            for a, b, r, s in pairs
        ]
    )
    kinds = np.array(
        [
            [(group + 4 * sign)[pairs.index((a, b, r, s))] for b, s in product(range(3), range(2))]
            for a, r in product(range(3), range(2))
        ]
    )
    seen = np.eye(8)[group + 4 * sign]
    asked = [np.arange(8) % 4, np.arange(8) // 4, np.arange(8)][question]
    signals = np.array([[k % 2, k // 2 % 2, k // 4] for k in range(8)])  # A, B, rhesus

    def children(genes):
        hands = np.stack([(seen * genes[:, None])[:, k] @ gametes for k in range(8)])
        hands /= hands.sum(axis=1, keepdims=True)
        both = hands[:, None, :, None] * hands[None, :, None, :]
        return np.stack([(both * (kinds == k)).sum(axis=(2, 3)) for k in range(8)], axis=2)

    tables = np.stack([children(genes) for genes in of_people])

    def draw(generator, n):
        people = generator.integers(0, n_peoples, n)
        parents = [draw_labels(generator, (np.array(of_people) @ seen)[people]) for _ in range(2)]
        chances = tables[people, parents[0], parents[1]]
        X = [*(each % 4 for each in parents), *(each // 4 for each in parents)]
        if n_peoples > 1:
            X.append(people)
        if clear:
            tests = clear * signals[draw_labels(generator, chances)] + generator.normal(size=(n, 3))
            logs = clear * tests @ signals.T - 0.5 * clear**2 * signals.sum(axis=1)
            chances = chances * np.exp(logs - logs.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            X.extend(tests.T)
        X = np.column_stack([*X, generator.normal(size=(n, extra))])
        return X, chances @ np.eye(asked.max() + 1)[asked]

    return f"question={question} clear={clear} peoples={n_peoples} extra={extra}", draw


def planted_motifs(random):
    """Sequences of four letters, one-hot, with the motif of a class at any place."""
    length, width = int(random.choice([15, 30, 50])), int(random.choice([4, 6, 9]))
    n_classes, pure = int(random.choice([2, 3, 4])), random.choice([0.6, 0.8, 0.97])
    motifs = random.integers(0, 4, (n_classes, width))
    ratios = np.log(4 * np.where(motifs[:, :, None] == np.arange(4), pure, (1 - pure) / 3))
    starts = length - width + 1

    def draw(generator, n):
        which, place = generator.integers(0, n_classes, n), generator.integers(0, starts, n)
        letters = generator.integers(0, 4, (n, length))
        changed = generator.random((n, width)) >= pure
        own = (motifs[which] + changed * generator.integers(1, 4, changed.shape)) % 4
        letters[np.arange(n)[:, None], place[:, None] + np.arange(width)] = own
        logs = np.zeros((n, n_classes, starts))
        for j in range(width):
            logs += ratios[:, j][:, letters[:, j : j + starts]].transpose(1, 0, 2)
        return np.eye(4)[letters].reshape(n, -1), softmax(logsumexp(logs, axis=2), axis=1)

    return f"length={length} width={width} K={n_classes} pure={pure}", draw


def _shows(one, other):
    """Which of A (0), B (1), O (2) or both (3) two alleles show."""
    return 3 if {one, other} == {0, 1} else min(one, other)


def _rh(allele, recessive):
    """How frequent an allele is, given the frequency of the recessive one."""
    return 1 - recessive if allele else recessive


def kinships(random):
    """Genotypes of two people at several places: strangers, parent and child, siblings, twins?"""
    places, n_classes = int(random.choice([3, 10, 30])), int(random.choice([2, 3, 4]))
    wrong, priors = random.choice([0.0, 0.02, 0.1]), slowly_falling_priors(random, n_classes)
    frequent = random.uniform(0.1, 0.9, places)
    # Chances that two people share none, one or both of their alleles by descent.
    shared = np.array([[1, 0, 0], [0, 1, 0], [0.25, 0.5, 0.25], [0, 0, 1]])
    shared = shared[random.permutation(4)[:n_classes]]
    tables = []
    for p in frequent:
        q, alone = 1 - p, np.array([(1 - p) ** 2, 2 * p * (1 - p), p**2])
        one = np.array([[q**3, p * q**2, 0], [p * q**2, p * q, p**2 * q], [0, p**2 * q, p**3]])
        reads = (1 - wrong) * np.eye(3) + wrong * alone
        pairs = np.tensordot(shared, np.stack([np.outer(alone, alone), one, np.diag(alone)]), 1)
        tables.append((reads.T @ pairs @ reads).reshape(n_classes, 9))

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        codes = np.stack([draw_labels(generator, table[which]) for table in tables], axis=1)
        return np.hstack([codes // 3, codes % 3]) * 1.0, which

    def scores(X):
        codes = (3 * X[:, :places] + X[:, places:]).astype(int)
        logs = [
            np.log(table[:, code] + 1e-300) for table, code in zip(tables, codes.T, strict=True)
        ]
        return sum(logs).T + np.log(priors)

    return f"places={places} K={n_classes} wrong={wrong}", Generative(sample, scores)


def single_cells(random):
    """How often each of many genes is read in a cell, few reads in all: which type of cell?"""
    d, n_classes = int(random.choice([40, 120, 250])), int(random.choice([2, 4, 9]))
    markers, fold = int(random.choice([3, 12])), random.uniform(0.5, 2.0)
    even, depth = random.choice([0.5, 3.0]), random.choice([0.3, 1.5])
    levels = np.tile(np.exp(random.normal(-0.5, 1.2, d)), (n_classes, 1))
    for each in range(n_classes):
        levels[each, random.integers(0, d, markers)] *= np.exp(fold)
    reads = depth * np.exp(np.linspace(-1, 1, 7))  # cells are read more or less deeply
    means = (levels[:, None] * reads[:, None]).reshape(-1, d)
    weights = np.repeat(np.log(slowly_falling_priors(random, n_classes) / 7), 7)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=np.exp(weights))
        busy = generator.gamma(even, 1 / even, (n, d))
        return generator.poisson(means[part] * busy) * 1.0, part // 7

    def scores(X):
        logs = X @ np.log(means / (means + even)).T - even * np.log(means + even).sum(axis=1)
        return logsumexp((logs + weights).reshape(len(X), n_classes, 7), axis=2)

    text = f"d={d} K={n_classes} markers={markers} fold={fold:.1f} even={even} depth={depth}"
    return text, Generative(sample, scores)


def pedigrees(random):
    """Who of a family is ill, and the sexes: is it dominant, recessive, X-linked or no gene?"""
    children, n_classes = int(random.choice([3, 6, 10])), int(random.choice([2, 3, 4]))
    shown, chance = random.uniform(0.6, 1.0), random.uniform(0.005, 0.1)
    modes = np.array(["dominant", "recessive", "linked", "none"])
    modes = modes[np.sort(random.permutation(4)[:n_classes])]
    models = [_families(mode, shown, chance) for mode in modes]
    priors, healthy = slowly_falling_priors(random, n_classes), []
    for weights, (father, mother, *both) in models:
        none = (1 - father) * (1 - mother) * (1 - np.mean(both, axis=0)) ** children
        healthy.append(weights @ none)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        girls, ill = np.zeros((n, children)), np.zeros((n, 2 + children), dtype=bool)
        open_cases = np.arange(n)
        while len(open_cases):  # families without an ill member are never seen
            girls[open_cases] = generator.integers(0, 2, (len(open_cases), children))
            for k, (weights, chances) in enumerate(models):
                rows = open_cases[which[open_cases] == k]
                kind = generator.choice(len(weights), len(rows), p=weights)
                siblings = np.where(
                    girls[rows] == 1, chances[3, kind, None], chances[2, kind, None]
                )
                each = np.column_stack([chances[:2, kind].T, siblings])
                ill[rows] = generator.random(each.shape) < each
            open_cases = open_cases[~ill[open_cases].any(axis=1)]
        return np.column_stack([ill, girls]), which

    def scores(X):
        parents, siblings, girls = X[:, :2], X[:, 2 : 2 + children], X[:, 2 + children :]
        both = [1 - girls, girls]
        sick = np.column_stack([parents, *((siblings * sex).sum(axis=1) for sex in both)])
        well = np.column_stack([1 - parents, *(((1 - siblings) * sex).sum(axis=1) for sex in both)])
        logs = np.empty((len(X), n_classes))
        for k, (weights, chances) in enumerate(models):
            parts = sick @ np.log(chances) + well @ np.log1p(-chances) + np.log(weights)
            logs[:, k] = logsumexp(parts, axis=1) + np.log(priors[k] / (1 - healthy[k]))
        return logs

    text = f"children={children} modes={'/'.join(modes)} shown={shown:.2f} chance={chance:.2f}"
    return text, Generative(sample, scores)


def _families(mode, shown, chance):
    """Weights of the parents' genes; how often father, mother, sons and daughters are then ill."""
    if mode == "none":  # some families live less healthily than others
        return np.array([0.5, 0.5]), np.tile([0.12, 0.5], (4, 1))
    least = {"dominant": (1, 1), "recessive": (2, 2), "linked": (1, 2)}[mode]  # men, women
    ill = np.where(np.arange(3)[:, None] >= least, min(shown, 0.999), chance)
    share = {"dominant": 0.15, "recessive": 0.5, "linked": 0.3}[mode]
    women = np.array([(1 - share) ** 2, 2 * share * (1 - share), share**2])
    men = np.array([1 - share, share]) if mode == "linked" else women
    weights, chances = [], []
    for (of_man, man), (of_woman, woman) in product(enumerate(men), enumerate(women)):
        given = [0, of_man] if mode == "linked" else [of_man / 2] * 2  # to a son, to a daughter
        copies = [np.convolve([1 - g, g], [1 - of_woman / 2, of_woman / 2]) for g in given]
        weights.append(man * woman)
        chances.append([ill[of_man, 0], ill[of_woman, 1], *np.einsum("sc,cs->s", copies, ill)])
    return np.array(weights), np.transpose(chances)


def tumour_mutations(random):
    """Which genes are changed in a tumour, few or many of them, and age: from which organ is it?"""
    d, n_classes = int(random.choice([20, 60, 150])), int(random.choice([3, 6, 12]))
    apart, drivers = random.uniform(0.7, 2.6), 3
    burdens = np.array([-1.0, 0.0, 1.3])  # logarithm of how many changes a tumour has
    often = random.dirichlet([2, 4, 1], n_classes) * 0.97 + 0.01
    passed = random.normal(-4.3, 0.8, d) + 0.5 * apart * random.normal(size=(n_classes, d))
    # One driver of a few sets off a tumour, so two of them are rarely seen in one.
    base = expit(passed[:, None] + burdens[:, None])  # class, burden, gene
    genes = np.array([random.permutation(d)[:drivers] for _ in range(n_classes)])
    chances = np.repeat(base[:, :, None], drivers, axis=2)
    strong = 1 - np.exp(-apart)
    for k, own in enumerate(genes):
        for place, gene in enumerate(own):
            chances[k, :, place, gene] = 1 - (1 - chances[k, :, place, gene]) * (1 - strong)
    first = random.dirichlet(np.full(drivers, 2.0), n_classes) * 0.97 + 0.01
    weights = slowly_falling_priors(random, n_classes)[:, None, None] * often[:, :, None]
    weights = (weights * first[:, None]).ravel()
    weights /= weights.sum()
    chances = chances.reshape(-1, d)
    ages = random.normal(62, 7, n_classes)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        which = part // (3 * drivers)
        X = generator.random((n, d)) < chances[part]
        return np.column_stack([X, ages[which] + 11 * generator.normal(size=n)]), which

    def scores(X):
        logs = X[:, :-1] @ (np.log(chances) - np.log1p(-chances)).T
        logs += np.log1p(-chances).sum(axis=1) + np.log(weights)
        return class_scores(logs, n_classes) - 0.5 * ((X[:, -1:] - ages) / 11) ** 2

    return f"d={d} K={n_classes} apart={apart:.2f}", Generative(sample, scores)


def methylated_sites(random):
    """The share of methyl at places of the genome in a mixed sample: which tissue is most of it?"""
    d, n_classes = int(random.choice([5, 30, 150])), int(random.choice([2, 4, 8]))
    live, noise = min(d, 12), random.uniform(0.2, 0.9)
    apart, reads = random.uniform(0.4, 1.6), random.choice([0, 10, 100])
    states = np.tile(random.normal(0, 1.8, d), (n_classes + 1, 1))  # the last one is blood
    columns = random.permutation(d)[:live]
    states[:, columns] += apart * random.normal(size=(n_classes + 1, live))
    pure = np.array([0.3, 0.45, 0.6, 0.75, 0.9])
    shares = expit(states)
    mixed = pure[:, None] * shares[:-1, None] + (1 - pure[:, None]) * shares[-1]
    mixed = mixed.reshape(-1, d)
    often = random.dirichlet(np.full(5, 3.0)) * 0.95 + 0.01
    weights = part_weights(priors_to_a_tenth(random, n_classes), often)
    means = np.log(mixed / (1 - mixed)) / noise

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        if reads:
            return generator.binomial(reads, mixed[part]) / reads, part // 5
        return expit(noise * (means[part] + generator.normal(size=(n, d)))), part // 5

    def scores(X):
        if reads:
            hits = (X * reads).round()
            logs = hits @ np.log(mixed).T + (reads - hits) @ np.log1p(-mixed).T
        else:
            white = np.log(X / (1 - X)) / noise
            logs = white @ means.T - 0.5 * (means**2).sum(axis=1)
        return class_scores(logs + np.log(weights), n_classes)

    text = f"d={d} K={n_classes} apart={apart:.2f} noise={noise:.2f} reads={reads}"
    return text, Generative(sample, scores)
