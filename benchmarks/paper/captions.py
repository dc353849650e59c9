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
        **Bias correction.** Two Gaussians in the plane, 1,000 points, {result["trials"]} trials,
        three trees. Largest error of the estimate: {"; ".join(worst)}. The corrected estimate is
        nearer to the Bayes error than the Bhattacharyya and Jensen–Shannon bounds in {nearer} of
        {total} comparisons.
    """)


def tree_variance(result):
    variance = np.array(result["variance"])
    ratio = (variance / variance[0]).mean(axis=1)
    listed = ", ".join(f"{k} trees {ratio[k - 1]:.2f}" for k in (2, 3, 5, 10))
    return prose(f"""
        **Orthogonal trees.** Variance over {result["trials"]} trials relative to one tree, mean
        over the distances, without bias correction: {listed}.
    """)


def mnist(result):
    return prose(f"""
        **MNIST.** Left: estimated errors of all pairs of digits, {result["rows"]:,} training
        digits. Right: test errors of an {result["classifier"]} (the paper used LeNet-5). Rank
        correlation over the pairs: {result["rank_correlation"]:.2f}.
    """)


def chess(result):
    value, pca, guess = (
        np.array(each)
        for each in (result["estimate"]["value"], result["pca"]["value"], result["guess"])
    )
    lower = np.array(result["estimate"]["lower"])
    listed = "; ".join(
        f"{title} {np.corrcoef(value, rates)[0, 1]:.2f} (fewer errors than the lower bound in "
        f"{int((np.array(rates) < lower).sum())} of {len(value)} classes)"
        for title, rates in result["test_error"].items()
    )
    at_guess, pca_at_guess = (int(np.isclose(e, guess, rtol=0.01).sum()) for e in (value, pca))
    changed = int((~np.isclose(value, pca, rtol=0.01)).sum())
    grown = int((pca > 1.01 * value).sum())
    return prose(f"""
        **Chess.** Left: one-vs-rest estimates on {result["n_train"]:,} samples beside the confusion
        rate of each class on {result["n_test"]:,} others. Correlation with the estimate: {listed}.
        Right: after PCA to 2 components {changed} estimates change by more than 1%, {grown} of
        them upwards. But {at_guess} of {len(value)} equal the baseline before and {pca_at_guess}
        after it; a corrected estimate cannot exceed the baseline, so it cannot show what PCA loses.
    """)
