"""Archaeology: sherds of pots, bones, and what teeth tell of the places where people grew up."""

from __future__ import annotations

import numpy as np

from .building import (
    Generative,
    class_scores,
    draw_labels,
    log_between,
    normal_scores,
    part_weights,
    priors_to_a_tenth,
    slowly_falling_priors,
    template_scores,
)


def pot_sherds(random):
    """Wall, rim, temper, hardness, colour and marks of a sherd: from which ware or time is it?"""
    n_classes, tempers, colours = int(random.choice([3, 6, 12])), 5, int(random.choice([4, 9]))
    apart, decorations = random.uniform(0.6, 1.9), int(random.choice([1, 4, 12]))
    walls = np.log(7) + 0.3 * apart * random.normal(size=n_classes)
    rims, spread = 18 + 5 * apart * random.normal(size=n_classes), random.uniform(2, 5)
    is_rim = random.uniform(0.1, 0.4)  # of other pieces the width is not known, and entered as 0
    hard = 3 + 1.1 * apart * random.normal(size=n_classes)
    edges = np.r_[-np.inf, 1.5, 2.5, 3.5, 4.5, np.inf]
    mixed = 1 / (0.3 + apart)
    temper = random.dirichlet(np.full(tempers, mixed), n_classes) * 0.95 + 0.05 / tempers
    colour = random.dirichlet(np.full(colours, 2 * mixed), n_classes) * 0.9 + 0.1 / colours
    marks = random.beta(0.4, 1.8, (n_classes, decorations)) * 0.9 + 0.01
    priors = slowly_falling_priors(random, n_classes)

    def sample(generator, n):
        which = generator.choice(n_classes, n, p=priors)
        wall = np.exp(walls[which] + 0.2 * generator.normal(size=n)).round(1)
        rim = np.maximum((rims[which] + spread * generator.normal(size=n)).round(), 1)
        rim[generator.random(n) >= is_rim] = 0
        grade = np.clip((hard[which] + generator.normal(size=n)).round(), 1, 5)
        codes = [draw_labels(generator, each[which]) for each in (temper, colour)]
        seen = generator.random((n, decorations)) < marks[which]
        return np.column_stack([wall, rim, grade, *codes, seen]), which

    def scores(X):
        wall, rim, grade = X[:, :1], X[:, 1:2], X[:, 2].astype(int)[:, None]
        low, high = np.log(np.maximum(wall - 0.05, 1e-9)), np.log(wall + 0.05)
        logs = log_between((low - walls) / 0.2, (high - walls) / 0.2) + np.log(priors)
        low = np.where(rim <= 1, -np.inf, rim - 0.5)
        width = log_between((low - rims) / spread, (rim + 0.5 - rims) / spread)
        logs += np.where(rim > 0, width, 0)
        logs += log_between(edges[grade - 1] - hard, edges[grade] - hard)
        kinds = X[:, 3:5].astype(int)
        logs += np.log(temper[:, kinds[:, 0]] * colour[:, kinds[:, 1]]).T
        return logs + X[:, 5:] @ np.log(marks).T + (1 - X[:, 5:]) @ np.log1p(-marks).T

    text = f"K={n_classes} colours={colours} marks={decorations} apart={apart:.2f}"
    return text, Generative(sample, scores)


def tooth_isotopes(random):
    """Isotopes in teeth that grew one after the other, some of people who moved: who lies where?"""
    teeth, n_classes = int(random.choice([1, 2, 4])), int(random.choice([2, 3, 6]))
    elements, settled = int(random.choice([1, 2, 4])), random.choice([0.6, 0.85, 0.97])
    apart = random.uniform(1.5, 6.0)
    places = apart * random.normal(size=(n_classes, elements))
    means = []
    for here in range(n_classes):
        for origin in range(n_classes):
            for moves in range(1, teeth + 1):  # before this tooth; at last, after all of them
                home = np.where(np.arange(teeth)[:, None] < moves, places[origin], places[here])
                means.append(home.ravel())
    means = np.array(means)
    stay = np.full((n_classes, n_classes), (1 - settled) / (n_classes - 1))
    np.fill_diagonal(stay, settled)
    priors = priors_to_a_tenth(random, n_classes)
    weights = np.repeat((priors[:, None] * stay).ravel() / teeth, teeth)
    units, levels = random.choice([0.0008, 0.9, 12.0], elements), random.normal(5, 3, elements)
    units, levels = np.tile(units, teeth), np.tile(levels, teeth)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        white = means[part] + generator.normal(size=(n, teeth * elements))
        return levels + units * white, part // (n_classes * teeth)

    def scores(X):
        logs = template_scores((X - levels) / units, means) + np.log(weights)
        return class_scores(logs, n_classes)

    text = f"teeth={teeth} elements={elements} K={n_classes} settled={settled} apart={apart:.1f}"
    return text, Generative(sample, scores)


def bone_lengths(random):
    """Lengths of the bones of a skeleton, 0 where one is lost: which sex, of which people?"""
    bones, n_classes = int(random.choice([3, 8, 24])), int(random.choice([2, 2, 4]))
    lost, apart = random.choice([0.1, 0.4, 0.7]), random.uniform(0.8, 2.8)
    usual = np.exp(random.normal(5, 0.6, bones))  # millimetres
    women, peoples = np.array([0, -1, 0, -1.0])[:n_classes], np.array([0, 0, 1, 1])[:n_classes]
    shape = 0.018 * apart * random.normal(1, 0.7, (2, bones)) * random.choice([-1, 1], (2, 1))
    middles = 0.05 * apart * women[:, None] + peoples[:, None] * shape[0]
    middles = middles + women[:, None] * np.abs(shape[1])
    sizes, own = 0.04 * np.linspace(-2, 2, 9), random.uniform(0.015, 0.05, bones)
    templates = ((middles[:, None] + sizes[:, None]).reshape(-1, bones)) / own
    priors = priors_to_a_tenth(random, n_classes)
    weights = part_weights(priors, np.exp(-0.5 * np.linspace(-2, 2, 9) ** 2))

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        X = usual * np.exp(own * (templates[part] + generator.normal(size=(n, bones))))
        return np.where(generator.random((n, bones)) < lost, 0, X), part // len(sizes)

    def scores(X):
        seen = (X > 0) * 1.0
        white = np.log(np.where(X > 0, X / usual, 1)) / own
        logs = white @ templates.T - 0.5 * seen @ (templates**2).T
        return class_scores(logs + np.log(weights), n_classes)

    text = f"bones={bones} K={n_classes} lost={lost} apart={apart:.2f}"
    return text, Generative(sample, scores)


def coin_hoards(random):
    """Weight, width, silver and die of old coins, worn and clipped: from which mint is each?"""
    n_classes, dies = int(random.choice([2, 4, 8])), int(random.choice([1, 6]))
    apart, worn = random.uniform(0.8, 3.5), random.uniform(0.05, 0.6)
    clipped = random.choice([0.0, 0.25])
    means = apart * random.normal(size=(n_classes, 3))
    kinds = random.dirichlet(np.full(dies, 0.8), n_classes) * 0.9 + 0.1 / dies
    wear = worn * np.array([0, 0.5, 1, 2.0, 4.0])
    cut = np.array([0.0, 2.5])
    parts = means[:, None, None] - wear[:, None, None] * np.array([1, 0.3, 0])
    parts = (parts - cut[:, None] * np.array([0.6, 1, 0])).reshape(-1, 3)
    often = np.outer([3, 4, 3, 2, 1], [1 - clipped, clipped + 1e-12]).ravel()
    priors = slowly_falling_priors(random, n_classes)
    weights, units = part_weights(priors, often), np.array([0.07, 0.05, 0.08])
    levels, spreads = np.log([3.4, 19, 0.7]), np.ones_like(parts)

    def sample(generator, n):
        part = generator.choice(len(weights), n, p=weights)
        which = part // len(often)
        values = np.exp(levels + units * (parts[part] + generator.normal(size=(n, 3))))
        return np.column_stack([values, draw_labels(generator, kinds[which])]), which

    def scores(X):
        white = (np.log(X[:, :3]) - levels) / units
        logs = class_scores(normal_scores(white, parts, spreads) + np.log(weights), n_classes)
        return logs + np.log(kinds[:, X[:, 3].astype(int)]).T

    text = f"K={n_classes} dies={dies} apart={apart:.2f} worn={worn:.2f} clipped={clipped}"
    return text, Generative(sample, scores)
