"""The words under the figures, with their numbers taken from the studies."""

from __future__ import annotations

import numpy as np


def prose(text):
    """Paragraphs of one line each: line breaks inside them are only for the source."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def bias_correction(result):
    worst = []
    for prior, curves in result["curves"].items():
        true = np.array(curves["true"])
        gaps = [np.abs(np.array(curves[kind]) - true).max() for kind in ("plain", "corrected")]
        worst.append(f"p = {float(prior):.2g}: {gaps[0]:.3f} without, {gaps[1]:.3f} with")
    nearer, total = 0, 0
    for curves in result["curves"].values():
        true = np.array(curves["true"])
        ours = np.abs(np.array(curves["corrected"]) - true)
        for bound in ("bhattacharyya", "jensen_shannon"):
            nearer += int((ours < np.abs(np.array(curves[bound]) - true)).sum())
            total += len(true)
    return prose(f"""
        **Bias correction.** Two Gaussians in the plane, 1,000 points, mean of {result["trials"]}
        trials, three trees. Largest distance of the estimate from the Bayes error:
        {"; ".join(worst)}. The corrected estimate is nearer to the Bayes error than the
        Bhattacharyya and the Jensen–Shannon bound, which need the true distributions, in {nearer}
        of {total} comparisons.
    """)


def tree_variance(result):
    variance = np.array(result["variance"])
    ratio = (variance / variance[0]).mean(axis=1)
    listed = ", ".join(f"{k} trees {ratio[k - 1]:.2f}" for k in (2, 3, 5, 10))
    return prose(f"""
        **Orthogonal trees.** Variance over {result["trials"]} trials, p = .33, without bias
        correction (which makes it zero at small distances). Variance relative to one tree, mean
        over the distances: {listed}.
    """)


def mnist(result):
    return prose(f"""
        **MNIST.** Left: estimated errors of all pairs of digits from {result["rows"]:,} training
        digits. Right: mistakes on the test set of another classifier than the paper's LeNet-5:
        {result["classifier"]}. Rank correlation over the pairs:
        {result["rank_correlation"]:.2f}.
    """)


def chess(result):
    value, pca, guess = (
        np.array(each)
        for each in (result["estimate"]["value"], result["pca"]["value"], result["guess"])
    )
    lower = np.array(result["estimate"]["lower"])
    listed = "; ".join(
        f"{title} {np.corrcoef(value, rates)[0, 1]:.2f}, with fewer mistakes than the estimate in "
        f"{int((np.array(rates) < value).sum())} of {len(value)} classes and fewer than its lower "
        f"bound in {int((np.array(rates) < lower).sum())}"
        for title, rates in result["test_error"].items()
    )
    at_guess, pca_at_guess = (int(np.isclose(e, guess, rtol=0.01).sum()) for e in (value, pca))
    changed = int((~np.isclose(value, pca, rtol=0.01)).sum())
    grown = int((pca > 1.01 * value).sum())
    return prose(f"""
        **Chess.** Left: OvR estimates on {result["n_train"]:,} samples beside the confusion rate of
        each class on {result["n_test"]:,} others (the paper used GenSVM). Correlation with the
        estimate: {listed}. For {at_guess} of {len(value)} classes the estimate is that of guessing:
        between one-hot points there are few distinct distances, and the trees cross classes as if
        at random. The paper calls the estimates accurate predictors of test performance; they are
        in order, as the sizes of the classes are, but no bound for a classifier that is not linear.

        Right: the paper says that PCA to 2 components only slightly increases the estimates of two
        classes. Here {changed} estimates change by more than 1 %, {grown} of them upwards, and
        after PCA {pca_at_guess} are those of guessing. A corrected estimate cannot exceed guessing,
        so that one which is there already cannot show what PCA loses.
    """)


CUTS = (
    "**Cuts of a graph of seven classes, and their tree.** Width of a line: estimated error of the "
    "pair; dashed: cut."
)
