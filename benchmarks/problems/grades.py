"""Ordered grades, also with columns that already say nearly all there is to know."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, softmax
from scipy.stats import norm

from .building import Generative, step_logs, step_scores, two_classes


def _ordered(level, cuts, blur):
    """Chances of grades: the level plus logistic noise of this width, cut."""
    below = expit((cuts - level[:, None]) / blur)
    return np.diff(below, axis=1, prepend=0, append=1)


def _cuts(random, n_grades):
    return np.sort(
        random.normal(size=n_grades - 1) * 0.3 + norm.ppf(np.arange(1, n_grades) / n_grades)
    )


def earlier_grades(random):
    """Grades of other raters, for a quality that all of them see with noise: the next one."""
    raters, n_grades = int(random.choice([2, 4, 8])), int(random.choice([3, 5]))
    noise, steps = random.uniform(0.3, 1.2), int(random.choice([5, 10]))
    quality = np.linspace(-3, 3, 41)
    prior = norm.logpdf(quality)
    prior -= np.log(np.exp(prior).sum())
    strict, cuts = random.normal(scale=0.4, size=raters), _cuts(random, n_grades)
    means = (quality[:, None] + 3) / 6 * (steps - 1) + strict
    logs = step_logs(steps, means, np.full(raters, noise * steps / 6))
    chances = _ordered(quality, cuts, noise / 2)

    def draw(generator, n):
        part = generator.choice(41, n, p=np.exp(prior))
        X = means[part] + noise * steps / 6 * generator.normal(size=(n, raters))
        X = np.clip(X.round(), 0, steps - 1)
        # Of the quality, given the grades.
        posterior = softmax(step_scores(X, logs) + prior, axis=1)
        return X, posterior @ chances

    return f"raters={raters} grades={n_grades} noise={noise:.1f} steps={steps}", draw


def ordered_answers(random):
    """Answers from 1 to 5 to many questions and a graded answer to the last, by a weighted sum."""
    d, n_grades = int(random.choice([4, 10, 25])), int(random.choice([3, 4, 6]))
    weights = random.normal(size=d) * (random.random(d) < 0.6) + 1e-3
    weights /= np.linalg.norm(weights)
    blur, cuts = random.uniform(0.1, 0.6), _cuts(random, n_grades)
    often = random.dirichlet(np.full(5, 3.0), d).cumsum(axis=1)

    def draw(generator, n):
        X = (often[None, :, :-1] < generator.random((n, d, 1))).sum(axis=2).astype(float)
        return X + 1, _ordered((X - 2) @ weights / 1.2, cuts, blur)

    return f"d={d} grades={n_grades} blur={blur:.2f}", draw


def nearly_given(random):
    """A score column that decides the grade but for noise, beside columns that hardly matter."""
    d, n_grades = int(random.choice([2, 6, 15])), int(random.choice([2, 3, 5]))
    blur, cuts = random.uniform(0.03, 0.5), _cuts(random, n_grades)
    steps, small = random.choice([0.0, 0.25, 0.1]), random.uniform(0, 0.2)

    def draw(generator, n):
        X = generator.normal(size=(n, d))
        if steps:
            X[:, 0] = steps * (X[:, 0] / steps).round()
        return X, _ordered(X[:, 0] + small * X[:, -1] * (d > 1), cuts, blur)

    return f"d={d} grades={n_grades} blur={blur:.2f} steps={steps}", draw


def forecasts(random):
    """The chances that several forecasters give for an outcome, from overlapping knowledge."""
    forecasters, facts = int(random.choice([1, 2, 4])), int(random.choice([3, 6]))
    seen = random.random((forecasters, facts)) < 0.7
    seen[0] = True  # the first one knows it all
    weights, sharp = random.normal(size=facts), random.uniform(0.5, 2.5)
    as_chances = random.random() < 0.5

    def draw(generator, n):
        known = generator.normal(size=(n, facts)) * weights
        X = (sharp * known @ seen.T).round(2)
        return expit(X) if as_chances else X, two_classes(expit(X[:, 0]))

    return f"forecasters={forecasters} facts={facts} sharp={sharp:.1f}", draw


def wear_stages(random):
    """Stages of wear by readings that rise with it, each in its own units, some of them capped."""
    d, n_grades = int(random.choice([2, 5, 10])), int(random.choice([3, 5, 8]))
    stages, noise = np.arange(n_grades), random.uniform(0.5, 2.0) * np.sqrt(d) / 2
    slopes = np.abs(random.normal(size=d)) + 0.3
    units, priors = 10.0 ** random.integers(-1, 3, d), random.dirichlet(np.full(n_grades, 4.0))
    means, spread = stages[:, None] * slopes, noise * slopes

    def sample(generator, n):
        which = generator.choice(n_grades, n, p=priors)
        return units * (means[which] + spread * generator.normal(size=(n, d))), which

    def scores(X):
        away = (X[:, None] / units - means) / spread
        return -0.5 * (away**2).sum(axis=2) + np.log(priors)

    return f"d={d} grades={n_grades} noise={noise:.1f}", Generative(sample, scores)


# For evaluation.


def school_marks(random):
    """Marks of earlier years, each near the pupil's ability and the subject's: the final mark."""
    years, subjects, n_grades = (int(random.choice(each)) for each in ([1, 3], [2, 5], [3, 5]))
    noise, share = random.uniform(0.3, 1.0), random.uniform(0.4, 0.9)
    cuts, d = _cuts(random, n_grades), years * subjects

    def draw(generator, n):
        ability = np.sqrt(share) * generator.normal(size=(n, 1))
        own = np.sqrt(1 - share) * generator.normal(size=(n, subjects))
        X = np.repeat(ability + own, years, axis=1) + noise * generator.normal(size=(n, d))
        # The final mark follows what the marks so far tell: their mean, shrunk.
        level = X.mean(axis=1)
        level /= np.sqrt(share + ((1 - share) + noise**2 / years) / subjects)
        return X, _ordered(level, cuts, noise / 2)

    return f"years={years} subjects={subjects} grades={n_grades} noise={noise:.1f}", draw


def likert_scales(random):
    """Three hidden attitudes behind questions in five steps; the grade follows the sum of two."""
    each, n_grades = int(random.choice([3, 6])), int(random.choice([3, 5]))
    blur, cuts = random.uniform(0.1, 0.7), _cuts(random, n_grades)
    shifts, reverse = random.normal(scale=0.5, size=3 * each), random.random(3 * each) < 0.3

    def draw(generator, n):
        Z = np.repeat(generator.normal(size=(n, 3)), each, axis=1)
        X = np.clip((2 + Z + shifts + 0.7 * generator.normal(size=Z.shape)).round(), 0, 4)
        sums = X.reshape(n, 3, each).sum(axis=2) - shifts.reshape(3, each).sum(axis=1) - 2 * each
        level = (sums[:, 0] + sums[:, 1]) / (each * 1.7)
        return np.where(reverse, 4 - X, X), _ordered(level, cuts, blur)

    return f"each={each} grades={n_grades} blur={blur:.2f}", draw


def credit_bands(random):
    """Income, debt, age and history in bins: the band that a scorecard with judgement gives."""
    n_grades, bins = int(random.choice([3, 6])), int(random.choice([4, 10]))
    extra, blur = int(random.choice([0, 6])), random.uniform(0.05, 0.5)
    cuts, weights = _cuts(random, n_grades), random.normal(size=(4, bins))
    if random.random() < 0.5:
        weights = np.sort(weights, axis=1)

    def draw(generator, n):
        place = generator.integers(0, bins, (n, 4))
        level = weights[np.arange(4), place].sum(axis=1) / 2
        X = place + generator.random((n, 4))
        return np.hstack([X, generator.exponential(size=(n, extra))]), _ordered(level, cuts, blur)

    return f"grades={n_grades} bins={bins} extra={extra} blur={blur:.2f}", draw


def triage(random):
    """Vital signs around middles: urgency by the largest departure of any of them."""
    d, n_grades = int(random.choice([3, 6])), int(random.choice([3, 5]))
    middles, units = random.uniform(20, 120, d), random.uniform(1, 15, d)
    blur, quantiles = random.uniform(0.05, 0.4), np.arange(1, n_grades) / n_grades
    cuts = norm.ppf((1 + quantiles ** (1 / d)) / 2)

    def draw(generator, n):
        Z = generator.normal(size=(n, d))
        return (middles + units * Z).round(1), _ordered(np.abs(Z).max(axis=1), cuts, blur)

    return f"d={d} grades={n_grades} blur={blur:.2f}", draw
