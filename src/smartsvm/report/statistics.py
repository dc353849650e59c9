"""The measurements of a report as a short vector of named numbers: all that the model sees.

Errors are divided by that of the baseline, so that a problem with many classes compares with one of
two. Large cells of equal rows, whose error is known, are first taken out of both. `MEANINGS` says
what each number is and why it should matter.
"""

import numpy as np

from smartsvm.held_out.registry import COMBINED

MEANINGS = {
    "log_samples": "log n, of independent samples: how much any of these numbers can be trusted",
    "log_columns": "log(1 + d): in many columns errors fall more slowly with more samples",
    "best": "smallest held-out error, corrected for the choice: an upper bound",
    "combined": "held-out error of all classifiers combined",
    "log_loss": "log loss of the combined posterior / log K: sees certainty that errors do not",
    "kernel_gap": "error of kernel ridge less that of the combination: are borders smooth?",
    "linear_gap": "the same of LDA: is a straight border enough?",
    "forest_gap": "the same of the forest: does the answer lie in single columns?",
    "one_neighbor": "error of the nearest neighbour, at most twice the Bayes error in the limit",
    "kernel_gain": "error of kernel ridge with a quarter of the samples less that with all of them",
    "tree_limit": "fraction of tree edges between classes with ever more samples / chance",
    "tree_limit_error": "standard error of that: large where labels do not agree at any distance",
    "equal_rows": "fraction of samples with one equal row or a few",
    "contradictions": "fraction of samples outvoted by equal rows: no function of X is right there",
    "no_gain": "0 where the best error is 0.8 of the baseline's, 1 where it is no better",
    "sampling_error": "standard error of the best error",
    "both_wrong": "samples that the two best classifiers get wrong: these are rarely avoidable",
    "half_wrong": "samples that half of all classifiers get wrong: hard ones, or a hard structure",
}
# Limits of the statistics: where the baseline hardly errs, ratios to its error are huge by chance.
_LIMITS = {"log_samples": (3.0, 10.0), "log_columns": (0.0, 8.0)}
_RATIOS = -1.0, 2.0  # of all others
# `tree_limit` and `tree_limit_error` of labels at chance, in units of chance: 1, known to 0.5. They
# count where labels agree more often than by chance by at most 1 standard error; from 2 on those of
# the trees count, and between the two a mixture.
_NOTHING = np.array([1.0, 0.5])


def statistics_of(
    best,
    baseline,
    large_cells=None,
    *,
    n_independent,
    n_columns,
    n_classes,
    errors,
    by_n_neighbors,
    kernel_gain,
    shared_mistakes,
    log_loss,
    tree_limit,
    equal_rows,
):
    """The statistics for an error whose best held-out value and baseline are given.

    `n_independent` counts a group of samples as one; `errors` are held-out errors by classifier,
    `by_n_neighbors` pairs of a number of neighbours and its error, and `shared_mistakes` what
    `Trials` returns.
    """
    # The `large_cells` of equal rows are taken out: their error is estimated by itself.
    n, cell_error = n_independent, 0.0
    if large_cells is not None:
        n, cell_error = max(n * (1 - large_cells.in_large_cells), 1.0), large_cells.large_error
        best, baseline = max(best - cell_error, 0.0), baseline - large_cells.large_baseline
    baseline = max(baseline, 1e-6)
    combined = errors[COMBINED]
    ratios = {
        name: max(errors.get(name, combined) - cell_error, 0.0) / baseline
        for name in (COMBINED, "kernel", "linear", "forest")
    }
    ladder = dict(by_n_neighbors)
    clear = np.clip(tree_limit.clarity - 1, 0, 1)
    limits = clear * np.array([tree_limit.value, tree_limit.error]) / tree_limit.random_share
    limits += (1 - clear) * _NOTHING
    share = best / baseline
    both_wrong, half_wrong = shared_mistakes
    outvoted = max(equal_rows.outvoted - cell_error, 0.0)
    values = {
        "log_samples": np.log(n),
        "log_columns": np.log1p(n_columns),
        "best": share,
        "combined": ratios[COMBINED],
        "log_loss": log_loss / np.log(n_classes),
        "kernel_gap": ratios["kernel"] - ratios[COMBINED],
        "linear_gap": ratios["linear"] - ratios[COMBINED],
        "forest_gap": ratios["forest"] - ratios[COMBINED],
        "one_neighbor": max(ladder[min(ladder)] - cell_error, 0.0) / baseline,
        "kernel_gain": kernel_gain / baseline,
        "tree_limit": limits[0],
        "tree_limit_error": limits[1],
        "equal_rows": equal_rows.in_small_cells,
        "contradictions": outvoted / baseline,
        "no_gain": np.clip((share - 0.8) / 0.2, 0, 1),
        "sampling_error": np.sqrt(best * max(1 - best, 0) / n) / baseline,
        "both_wrong": max(both_wrong - cell_error, 0.0) / baseline,
        "half_wrong": max(half_wrong - cell_error, 0.0) / baseline,
    }
    return {name: float(within_limits(name, value)) for name, value in values.items()}


def within_limits(name, values):
    """A statistic, or an array of it, cut at its limits."""
    return np.clip(values, *_LIMITS.get(name, _RATIOS))
