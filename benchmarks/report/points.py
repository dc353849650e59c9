"""Could the point estimate be better? Candidates from the same two rules, side by side.

    python -m benchmarks.report.points [--samples 300 1000 4000] [--seeds 2]
        [--page benchmarks/report/README.md]

Root mean square error against the known Bayes error, for normal and heavy-tailed
classes and for classes of two clusters each; 2, 3, 10 classes, 2, 10, 50 dimensions,
separations 1, 2, 3, and on their own the problems without any signal. Candidates:

smallest
    The smallest leave-one-out error over the numbers of neighbours k.
1-NN formula
    The middle between the error of 31 neighbours and Cover and Hart's lower bound,
    which holds for one neighbour; for two classes 1 / (1 + 1/√k) of the error. This is
    the middle of dataeval's bounds.
factor
    The middle between the smallest error and 1 / (1 + 1/√31) of it, whatever K.
limit
    Where a line through the errors of five and more neighbours, over 1/√k, meets 0,
    if it falls: what ever more votes would reach.
half way
    The middle between the smallest error and the limit.
linear
    The smallest leave-one-out error of the linear rule over its shrinkages.
its mean
    The middle between that and the error on the samples it was made from.
its limit
    What the linear rule would reach with ever more samples (`LinearLeaveOneOut.limit`).
smaller
    The smaller one of "half way" and "linear".
report
    "its limit" where the linear rule errs less than the neighbours and clearly beats
    guessing, else "half way": what the report gives, but for its cut at the upper bound.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
from scipy.stats import t as student

from smartsvm.henze_penrose import lower_bound
from smartsvm.left_out.linear import linear_leave_one_out
from smartsvm.neighbors import ladder_for, leave_one_out, neighbor_labels
from smartsvm.report.reached import point_estimate, reached_errors

from ..page import write_table
from .problems import class_means, draw

DIMENSIONS = (2, 10, 50)
KINDS = ("gauss", "heavy", "clusters")


def centres_of(kind, means):
    """The middle of each cluster: one for a class, or two at distance 2 from its mean."""
    if kind != "clusters":
        return means[None]
    away = np.random.default_rng(7).normal(size=means.shape)
    away *= 2 / np.linalg.norm(away, axis=1, keepdims=True)
    return np.stack([means + away, means - away])


def sample(kind, centres, n, random):
    """Points, labels, and the chance of error of the best classifier at each point."""
    y = random.choice(centres.shape[1], n)
    chosen = centres[random.integers(0, len(centres), n), y]
    noise, _ = draw(
        "heavy" if kind == "heavy" else "gauss", np.zeros((1, chosen.shape[1])), n, random
    )
    X = noise + chosen
    density = (lambda u: student.logpdf(u, 3)) if kind == "heavy" else (lambda u: -(u**2) / 2)
    logs = np.array(
        [
            np.logaddexp.reduce([density(X - each).sum(axis=1) for each in centres[:, k]])
            for k in range(centres.shape[1])
        ]
    )
    posterior = np.exp(logs - logs.max(axis=0))
    return X, y, 1 - posterior.max(axis=0) / posterior.sum(axis=0)


def problems():
    """Yield (kind, classes, dimensions, separation, centres, Bayes error); 0 apart: no signal."""
    for kind, n_classes, d, separation in product(KINDS, (2, 3, 10), DIMENSIONS, (0, 1, 2, 3)):
        centres = centres_of(kind, class_means(n_classes, d, separation))
        if separation == 0:
            centres = np.repeat(centres[:, :1], n_classes, axis=1)  # all classes alike
        *_, chances = sample(kind, centres, 20_000, np.random.default_rng(9))
        yield kind, n_classes, d, separation, centres, chances.mean()


def candidates(X, y, n_classes):
    """Point estimates by name."""
    ladder = ladder_for(len(X))
    votes = leave_one_out(neighbor_labels(X, y, int(ladder[-1])), y, n_classes, ladder)
    smallest, last = votes.errors.min(), votes.errors[-1]
    factor = 1 / (1 + 1 / np.sqrt(ladder[-1]))
    bound = last * factor if n_classes == 2 else lower_bound(last, (n_classes - 1) / n_classes)
    many = ladder >= 5
    slope, limit = np.polyfit(ladder[many] ** -0.5, votes.errors[many], 1)
    limit = min(max(limit, 0), smallest) if slope > 0 else smallest
    linear = linear_leave_one_out(X, y, n_classes)
    straight, fitted = linear.errors[linear.best], linear.fitted_errors[linear.best]
    return {
        "smallest": smallest,
        "1-NN formula": (last + bound) / 2,
        "factor": smallest * (1 + factor) / 2,
        "limit": limit,
        "half way": (smallest + limit) / 2,
        "linear": straight,
        "its mean": (straight + fitted) / 2,
        "its limit": linear.limit,
        "smaller": min((smallest + limit) / 2, straight),
        "report": point_estimate(votes, linear, reached_errors(votes, linear, 0.0), 1.0),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[300, 1000, 4000])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    errors = {}
    for kind, n_classes, d, separation, centres, truth in problems():
        for n, seed in product(options.samples, range(options.seeds)):
            random = np.random.default_rng([seed, n_classes, d, separation])
            X, y, _ = sample(kind, centres, n, random)
            for name, value in candidates(X, y, n_classes).items():
                key = (kind if separation else "no signal", n, d, name)
                errors.setdefault(key, []).append(value - truth)
    names = list(dict.fromkeys(name for *_, name in errors))
    lines = [f"| data | n | d | {' | '.join(names)} |", "|---" * (3 + len(names)) + "|"]
    for cell in product((*KINDS, "no signal"), options.samples, DIMENSIONS):
        found = (np.sqrt(np.mean(np.square(errors[*cell, name]))) for name in names)
        numbers = " | ".join(f"{each:.4f}" for each in found)
        lines.append(f"| {' | '.join(map(str, cell))} | {numbers} |")
    print("\n".join(lines))
    if options.page:
        write_table(options.page, "points", lines)


if __name__ == "__main__":
    main()
