"""Recipes for evaluation only: nothing is chosen by what they show.

As in `recipes`, each gives its parameters in words and a function ``draw(random, n)`` that gives
points and the probabilities of the classes at each. Those here draw a class and then a point;
`evaluation_posterior_recipes` has those that draw a point and then a class.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import expit, gammaln, softmax

from .evaluation_posterior_recipes import POSTERIORS
from .recipes import draw_labels


def gas_sensors(random):
    """Sensors that age from batch to batch: which gas is it, at an unknown concentration?"""
    d, n_classes, batches = int(random.choice([4, 8, 16])), int(random.choice([2, 4, 6])), 10
    apart, noise = random.uniform(0.4, 1.2), random.choice([0.2, 0.5])
    ageing, as_read = random.choice([0.0, 0.3]), random.random() < 0.5
    levels = apart * random.normal(size=(n_classes, d))
    slopes = random.normal(1, 0.3, (n_classes, d))
    moved = ageing * random.normal(size=(batches, d)).cumsum(axis=0)
    fading = np.exp(-ageing * random.uniform(0, 0.4, (batches, d)).cumsum(axis=0))
    humid, priors = 0.5 * random.normal(size=d), _priors(random, n_classes)
    means = fading[:, None] * levels + moved[:, None]
    loads = fading[:, None] * slopes
    shared = noise**2 * np.eye(d) + np.outer(humid, humid)
    covariances = shared + loads[..., None] * loads[:, :, None]
    factors, inverses = np.linalg.cholesky(covariances), np.linalg.inv(covariances)
    volumes = np.linalg.slogdet(covariances)[1]

    def draw(generator, n):
        which, batch = generator.choice(n_classes, n, p=priors), generator.integers(0, batches, n)
        X, logs = generator.normal(size=(n, d)), np.empty((n, n_classes))
        for b, k in product(range(batches), range(n_classes)):
            rows = (which == k) & (batch == b)
            X[rows] = means[b, k] + X[rows] @ factors[b, k].T
        for b, k in product(range(batches), range(n_classes)):
            away = X[batch == b] - means[b, k]
            logs[batch == b, k] = -0.5 * ((away @ inverses[b, k]) * away).sum(axis=1)
        logs += np.log(priors) - 0.5 * volumes[batch]
        return np.column_stack([np.exp(X) if as_read else X, batch]), softmax(logs, axis=1)

    return f"d={d} K={n_classes} apart={apart:.2f} noise={noise} ageing={ageing}", draw


def machine_vibrations(random):
    """Power in frequency bands of a machine at one of several speeds: which part is worn?"""
    bands, n_classes = int(random.choice([8, 20, 50])), int(random.choice([2, 3, 4]))
    strength, freedom = random.uniform(0.5, 4.0), int(random.choice([1, 4]))
    shown, priors = random.random() < 0.5, _priors(random, n_classes)
    speeds, places = np.linspace(0.07, 0.16, 8) * bands, np.arange(bands)
    orders = random.uniform(0.8, 3.0, n_classes)
    peaks = np.zeros((n_classes, len(speeds), bands))
    for k, (s, speed) in product(range(n_classes), enumerate(speeds)):
        peaks[k, s] = sum(np.exp(-0.5 * ((places - h * speed) / 0.6) ** 2) for h in (1, 2)) / 2
        if k:  # the first class is sound
            for h in (1, 2, 3):
                middle = h * orders[k] * speed
                peaks[k, s] += strength / h * np.exp(-0.5 * ((places - middle) / 0.8) ** 2)
    profiles = (0.2 + peaks) * np.exp(-places / bands)

    def draw(generator, n):
        which, pace = generator.choice(n_classes, n, p=priors), generator.integers(0, 8, n)
        power = profiles[which, pace] * generator.gamma(freedom, 1 / freedom, (n, bands))
        fits = -freedom * power @ (1 / profiles).reshape(-1, bands).T
        fits = fits.reshape(n, n_classes, -1) - freedom * np.log(profiles).sum(axis=2)
        if shown:
            fits = np.where(np.arange(8) == pace[:, None, None], fits, -np.inf)
        fits += np.log(priors)[:, None]
        chances = softmax(fits.reshape(n, -1), axis=1).reshape(fits.shape).sum(axis=2)
        X = 10 * np.log10(power)
        return np.column_stack([X, 60 * speeds[pace]]) if shown else X, chances

    return f"bands={bands} K={n_classes} strength={strength:.1f} speed shown={shown}", draw


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


def texture_patches(random):
    """Small grey patches: classes differ in the direction and fineness of their grain."""
    side, n_classes = int(random.choice([3, 5, 7])), int(random.choice([2, 3, 4]))
    freedom, grain = random.choice([4.0, 50.0]), random.choice([0.05, 0.3])
    fine, long = random.uniform(0.7, 2.0), random.uniform(1.5, 5.0)
    places = np.array(list(product(range(side), repeat=2)), dtype=float)
    gaps, d = places[:, None] - places, side**2
    covariances = []
    for angle in random.uniform(0, np.pi) + np.pi * np.arange(n_classes) / n_classes:
        along = gaps @ [np.cos(angle), np.sin(angle)] / (fine * long)
        across = gaps @ [-np.sin(angle), np.cos(angle)] / fine
        covariances.append(np.exp(-np.hypot(along, across)) + grain * np.eye(d) + 0.3)
    covariances = np.array(covariances)
    factors, inverses = np.linalg.cholesky(covariances), np.linalg.inv(covariances)
    volumes = np.linalg.slogdet(covariances)[1]

    def draw(generator, n):
        which, X = generator.integers(0, n_classes, n), generator.normal(size=(n, d))
        for k in range(n_classes):
            X[which == k] = X[which == k] @ factors[k].T
        X *= np.sqrt(freedom / generator.chisquare(freedom, (n, 1)))  # its contrast
        sizes = np.stack([((X @ inverse) * X).sum(axis=1) for inverse in inverses], axis=1)
        logs = -0.5 * (freedom + d) * np.log1p(sizes / freedom) - 0.5 * volumes
        return X, softmax(logs, axis=1)

    return f"side={side} K={n_classes} fine={fine:.1f} long={long:.1f} grain={grain}", draw


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
    gametes = np.array([
        [((a == x) + (b == x)) * ((r == y) + (s == y)) / 4 for x, y in product(range(3), range(2))]
        for a, b, r, s in pairs
    ])  # fmt: skip
    kinds = np.array([
        [(group + 4 * sign)[pairs.index((a, b, r, s))] for b, s in product(range(3), range(2))]
        for a, r in product(range(3), range(2))
    ])  # fmt: skip
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


def _shows(one, other):
    """Which of A (0), B (1), O (2) or both (3) two alleles show."""
    return 3 if {one, other} == {0, 1} else min(one, other)


def _rh(allele, recessive):
    """How frequent an allele is, given the frequency of the recessive one."""
    return 1 - recessive if allele else recessive


def mail_templates(random):
    """Which words are in a mail: most mails follow one of many templates, with words changed."""
    words, n_classes = int(random.choice([15, 30, 60])), int(random.choice([2, 2, 4]))
    templates, changed = int(random.choice([4, 15, 40])), random.uniform(0.05, 0.5)
    common = 0.6 / np.arange(1, words + 1) ** 0.4
    tilted = expit(np.log(common / (1 - common)) + 0.5 * random.normal(size=(n_classes, words)))
    priors = _priors(random, n_classes)
    owners = np.repeat(np.arange(n_classes), templates)
    typical = random.random((len(owners), words)) < tilted[owners]
    rates = np.clip((1 - changed) * typical + changed * tilted[owners], 0.002, 0.998)
    weights = (priors[:, None] * random.dirichlet(np.ones(templates), n_classes)).ravel()

    def draw(generator, n):
        which = generator.choice(len(owners), n, p=weights)
        X = (generator.random((n, words)) < rates[which]) * 1.0
        logs = X @ np.log(rates / (1 - rates)).T + np.log1p(-rates).sum(axis=1) + np.log(weights)
        return X, softmax(logs, axis=1).reshape(n, n_classes, templates).sum(axis=2)

    return f"words={words} K={n_classes} templates={templates} changed={changed:.2f}", draw


def personality_scales(random):
    """Answers on several scales, some items reversed: which type of person is it?"""
    scales, items = int(random.choice([1, 2, 5])), int(random.choice([3, 6, 12]))
    n_classes, steps = int(random.choice([2, 3, 6])), int(random.choice([5, 7]))
    apart, priors = random.uniform(0.7, 2.5), _priors(random, n_classes)
    grid = np.linspace(-5, 5, 25)
    means = apart * random.normal(size=(n_classes, scales))
    traits = softmax(-0.5 * (grid - means[..., None]) ** 2, axis=2)
    slopes = random.uniform(0.6, 2.0, (scales, items)) * random.choice([-1, 1], (scales, items))
    cuts = np.sort(1.7 * random.normal(size=(scales, items, steps - 1)), axis=2)
    below = expit(cuts[:, None] - (grid[:, None] * slopes[:, None])[..., None])
    tables = np.diff(below, axis=3, prepend=0, append=1) + 1e-12
    tables /= tables.sum(axis=3, keepdims=True)

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        chances, columns = np.tile(priors, (n, 1)), []
        for scale in range(scales):
            trait = draw_labels(generator, traits[which, scale])
            answers = [draw_labels(generator, tables[scale, trait, j]) for j in range(items)]
            chosen = np.eye(steps)[np.stack(answers, axis=1)].reshape(n, -1)
            logs = chosen @ np.log(tables[scale]).reshape(len(grid), -1).T
            chances *= np.exp(logs - logs.max(axis=1, keepdims=True)) @ traits[:, scale].T
            columns.extend(answers)
        return 1.0 + np.stack(columns, axis=1), chances / chances.sum(axis=1, keepdims=True)

    return f"scales={scales}x{items} K={n_classes} steps={steps} apart={apart:.2f}", draw


def habitats(random):
    """Which species were seen at a place, each near its best moisture and light: which habitat?"""
    n_species, n_classes = int(random.choice([8, 20, 50])), int(random.choice([2, 3, 6]))
    narrow, found = random.uniform(0.3, 1.0), random.uniform(0.3, 0.95)
    measured, priors = random.random() < 0.4, _priors(random, n_classes)
    grid = np.array(list(product(np.linspace(-2.5, 2.5, 13), repeat=2)))
    centres = 1.2 * random.normal(size=(n_classes, 2))
    places = softmax(-1.5 * ((grid - centres[:, None]) ** 2).sum(axis=2), axis=1)
    best = 1.5 * random.normal(size=(n_species, 2))
    widths = narrow * random.uniform(0.7, 2, n_species)
    rates = found * np.exp(-0.5 * ((grid[:, None] - best) ** 2).sum(axis=2) / widths**2)
    rates = 0.01 + 0.98 * rates

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        place = draw_labels(generator, places[which])
        X = (generator.random((n, n_species)) < rates[place]) * 1.0
        logs = X @ np.log(rates / (1 - rates)).T + np.log1p(-rates).sum(axis=1)
        if measured:  # the moisture, with an error
            moisture = grid[place, 0] + 0.5 * generator.normal(size=n)
            logs -= 0.5 * ((moisture[:, None] - grid[:, 0]) / 0.5) ** 2
            X = np.column_stack([X, moisture])
        chances = priors * (np.exp(logs - logs.max(axis=1, keepdims=True)) @ places.T)
        return X, chances / chances.sum(axis=1, keepdims=True)

    return f"species={n_species} K={n_classes} narrow={narrow:.2f} found={found:.2f}", draw


def sleep_stages(random):
    """Features of the last minutes of a night: which stage is it now?"""
    n_classes, features = int(random.choice([3, 4, 5])), int(random.choice([2, 3, 5]))
    minutes, apart = int(random.choice([1, 4, 10])), random.uniform(0.7, 2.0)
    means = apart * random.normal(size=(n_classes, features))
    spreads = np.exp(0.3 * random.normal(size=(n_classes, features)))
    stay = random.uniform(0.5, 0.95, n_classes)
    others = random.dirichlet(np.ones(n_classes), n_classes) * (1 - np.eye(n_classes))
    steps = (1 - stay[:, None]) * others / others.sum(axis=1, keepdims=True) + np.diag(stay)
    start = np.linalg.matrix_power(steps, 4096)[0]

    def draw(generator, n):
        state, columns = generator.choice(n_classes, n, p=start), []
        chances = np.tile(start, (n, 1))
        for minute in range(minutes):
            if minute:
                state, chances = draw_labels(generator, steps[state]), chances @ steps
            values = means[state] + spreads[state] * generator.normal(size=(n, features))
            logs = -0.5 * ((values[:, None] - means) / spreads) ** 2 - np.log(spreads)
            chances = softmax(logs.sum(axis=2) + np.log(chances + 1e-300), axis=1)
            columns.append(values)
        return np.hstack(columns), chances

    return f"K={n_classes} columns={minutes}x{features} apart={apart:.2f}", draw


def particle_pairs(random):
    """The momenta of two particles: do they come from the decay of a third one, or by chance?"""
    n_classes, rare = int(random.choice([2, 3])), random.choice([0.1, 0.5])
    sharp, boost = random.choice([3.0, 8.0, 25.0]), random.choice([0.3, 1.0, 3.0])
    polar, summed = random.random() < 0.5, random.random() < 0.4
    priors = np.append(1 - rare, np.full(n_classes - 1, rare / (n_classes - 1)))
    shapes = np.append(2.0, np.full(n_classes - 1, sharp**2))
    scales = np.append(1.0, random.uniform(0.6, 3.0, n_classes - 1)) / np.append(1, shapes[1:])

    def draw(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        mass = np.maximum(generator.gamma(shapes[which], scales[which]), 1e-6)
        logs = np.log(mass)[:, None] * (shapes - 1) - mass[:, None] / scales
        logs += np.log(priors) - gammaln(shapes) - shapes * np.log(scales)
        axis, total = generator.normal(size=(n, 3)), boost * generator.normal(size=(n, 3))
        axis *= mass[:, None] / 2 / np.linalg.norm(axis, axis=1, keepdims=True)
        energy = np.hypot(mass, np.linalg.norm(total, axis=1))
        along = (axis * total).sum(axis=1) / mass / (energy + mass)  # Lorentz boost of the axis
        first = axis + (along + 0.5)[:, None] * total
        pair = [first, total - first]
        if polar:
            pair = [_polar(each) for each in pair]
        X = np.hstack([*pair, total[:, :2]] if summed else pair)
        return X, softmax(logs, axis=1)

    return f"K={n_classes} rare={rare} sharp={sharp:.0f} boost={boost} polar={polar}", draw


def _polar(momenta):
    """Size across the beam, how far forward, and the angle around it."""
    x, y, z = momenta.T
    across = np.hypot(x, y)
    return np.stack([across, np.arcsinh(z / np.maximum(across, 1e-9)), np.arctan2(y, x)], axis=1)


def star_types(random):
    """Magnitudes of stars in several filters, at distances that are hardly known: which kind?"""
    filters, n_classes = int(random.choice([2, 3, 5])), int(random.choice([2, 3, 4]))
    noise, far = random.choice([0.05, 0.2, 0.6]), random.choice([0.3, 1.0, 2.5])
    even, way = random.random() < 0.5, np.linspace(0, 1, 40)
    curves = np.array([  # colour and brightness: dwarfs, giants, white dwarfs, supergiants
        [-0.3 + 1.9 * way, 1 + 9 * way - 1.5 * np.sin(np.pi * way)],
        [0.7 + 0.9 * way, 3.2 - 3.5 * way**0.7],
        [-0.2 + 0.9 * way, 10.5 + 4 * way],
        [-0.2 + 1.8 * way, -5 + 0.8 * np.cos(3 * way)],
    ])[[*random.permutation([1, 2, 3])[: n_classes - 1], 0]]  # fmt: skip
    tints = np.linspace(-0.5, 1.0, filters)
    centres = curves[:, 1, :, None] + curves[:, 0, :, None] * tints
    centres = (centres + 0.15 * curves[:, 0, :, None] ** 2 * tints**2).reshape(-1, filters)
    priors = np.full(n_classes, 1 / n_classes)
    if not even:
        priors = np.append(np.full(n_classes - 1, 0.16 / (n_classes - 1)), 0.84)
    crowded = random.dirichlet(np.full(40, 3.0), n_classes)
    weights = (priors[:, None] * crowded).ravel()
    covariance = noise**2 * np.eye(filters) + far**2
    factor, inverse = np.linalg.cholesky(covariance), np.linalg.inv(covariance)
    power = 0.5 * ((centres @ inverse) * centres).sum(axis=1)

    def draw(generator, n):
        X = centres[generator.choice(len(centres), n, p=weights)]
        X = X + generator.normal(size=(n, filters)) @ factor.T
        parts = softmax(X @ inverse @ centres.T - power + np.log(weights), axis=1)
        return X, parts.reshape(n, n_classes, -1).sum(axis=2)

    return f"filters={filters} K={n_classes} noise={noise} far={far} even={even}", draw


def _priors(random, n_classes):
    """Even, or falling from class to class, the last one a tenth as frequent as the first."""
    weights = np.geomspace(1, random.choice([1.0, 1.0, 0.1]), n_classes)
    return weights / weights.sum()


GENERATIVE = (
    gas_sensors, machine_vibrations, network_flows, texture_patches, blood_groups, mail_templates,
    personality_scales, habitats, sleep_stages, particle_pairs, star_types,
)  # fmt: skip
EVALUATION = {recipe.__name__.replace("_", " "): recipe for recipe in (*GENERATIVE, *POSTERIORS)}
