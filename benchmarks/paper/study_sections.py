"""Parts of the page that come from studies: the solver, prediction, wines, figures."""

from __future__ import annotations

import numpy as np

from . import captions, draw, published, tables
from .bars import COMPARABLE_LIMIT
from .methods import PAPER_NAME

_SHOWS = {  # the figures in words
    "bias_correction": (
        "Error over the distance of two Gaussians: the truth, the estimate with "
        "and without the correction, and other bounds"
    ),
    "tree_variance": "Variance of the estimate over the distance, for 1 to 10 orthogonal trees",
    "mnist": (
        "Heat maps of the digits: estimated errors of all pairs, and the mistakes of a classifier"
    ),
    "chess": (
        "Bars of the estimated error of each class of Chess beside what classifiers "
        "get wrong, and before and after PCA"
    ),
    "graph-cut": "Cuts of a graph of seven classes",
    "class-tree": "The tree of these cuts",
}


def with_newton(studies):
    """The end of a sentence about time: what our own solver changes."""
    if "same_solver" not in studies:
        return ""
    result = studies["same_solver"]["result"]
    ratios = [
        row["seconds"]["liblinear"] / row["seconds"]["smartsvm-faithful"] for row in result["rows"]
    ]
    return (
        f"; with Newton's method in the nodes tuning takes 1/{max(ratios):.1f} to "
        f"1/{min(ratios):.1f} of the time with LibLinear"
    )


def in_short(studies):
    """Sentences on prediction and on the label among the wines' features."""
    lines = []
    if "prediction" in studies:
        found = studies["prediction"]["result"]
        best = {name: min(seconds) for name, seconds in found["seconds"].items()}
        ratios = [best["one-vs-one"] / each for name, each in best.items() if name != "one-vs-one"]
        least, most = (tables.number(each, "seconds") for each in (min(ratios), max(ratios)))
        lines.append(
            f"Prediction of {found['rows']:,} rows of letter: the modes of SmartSVM are {least} to "
            f"{most} times as fast as one-vs-one."
        )
    if "wine_leak" in studies:
        rows = studies["wine_leak"]["result"]["rows"]
        pairs = list(dict.fromkeys((row["set"], row["method"]) for row in rows))
        near = 0
        for name, method in pairs:
            leaked = [
                row["ari"]
                for row in rows
                if (row["set"], row["method"], row["leaked"]) == (name, method, True)
            ]
            paper = published.table("ari")[name][PAPER_NAME[method]]
            near += bool(abs(np.mean(leaked) - paper) <= COMPARABLE_LIMIT)
        lines.append(
            "Wines: the paper counts 12 features, the data have 11. With the label as the 12th we "
            f"come within {COMPARABLE_LIMIT} of the published ARI in {near} of {len(pairs)} cases; "
            "the wines are left out of all comparisons."
        )
    return lines


def figures(studies, folder, link):
    """The figures, drawn, with the words under them."""
    parts = []
    for name in ("bias_correction", "tree_variance", "mnist", "chess"):
        if name not in studies:
            parts.append(f"{name}: not run.")
            continue
        result = studies[name]["result"]
        drawn = getattr(draw, name)(result, folder)
        parts += [getattr(captions, name)(result), f"![{_SHOWS[name]}]({link}/{drawn.name})"]
    parts += [f"![{_SHOWS[path.stem]}]({link}/{path.name})" for path in draw.cuts(folder)]
    return "\n\n".join(parts)
