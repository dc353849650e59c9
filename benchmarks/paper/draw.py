"""The paper's figures from records: black and grey, axes in words, in the look of the Displays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from smartsvm import HierarchyDisplay, PairwiseErrorDisplay, class_hierarchy, pairwise_bayes_error

from .methods import TITLES

DPI = 110
_DISTANCE = "Distance between the class means, in standard deviations"
NAMES = TITLES | {"smartsvm": "SmartSVM"}  # of our methods and of the paper's


def _subplots(*arguments, **options):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots(*arguments, layout="constrained", **options)


def _save(figure, folder, name):
    from matplotlib import pyplot

    path = Path(folder) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    # No date inside: the same records give the same file.
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    pyplot.close(figure)
    return path


def _bare(ax):
    ax.spines[["top", "right"]].set_visible(False)


def bias_correction(result, folder):
    """Estimates without and with the correction beside the true error and two bounds."""
    figure, axes = _subplots(1, 2, figsize=(10, 4.2), sharey=True)
    at = result["distances"]
    shades = ("0.0", "0.5")
    for ax, kind, title in zip(
        axes, ("plain", "corrected"), ("Without correction", "With correction"), strict=True
    ):
        for shade, (prior, curves) in zip(shades, result["curves"].items(), strict=True):
            p = f"p = {float(prior):.2g}"
            ax.plot(at, curves["true"], color=shade, label=f"Bayes error, {p}")
            for bound, line, whose in (
                ("bhattacharyya", "--", "Bhattacharyya"),
                ("jensen_shannon", ":", "Jensen–Shannon"),
            ):
                ax.plot(at, curves[bound], line, color=shade, label=f"{whose} bound, {p}")
            ax.plot(
                at,
                curves[kind],
                "o",
                color=shade,
                label=f"HP-estimate, {p}",
                markersize=4.5,
                fillstyle="none",
            )
        ax.set(xlabel=_DISTANCE, title=title)
        ax.set_ylim(bottom=0)
        _bare(ax)
    axes[0].set_ylabel("Error")
    axes[1].legend(frameon=False, fontsize=8)
    return _save(figure, folder, "bias-correction")


def tree_variance(result, folder):
    """Variance of the estimate against the separation, for several numbers of trees."""
    figure, ax = _subplots(figsize=(6.4, 4.2))
    styles = {1: ("-", "o"), 2: ("--", "s"), 3: ("-.", "^"), 5: (":", "v"), 10: ("-", "x")}
    for n_trees, (line, marker) in styles.items():
        variance = np.array(result["variance"][n_trees - 1]) * 1e4
        label = f"{n_trees} tree" + ("s" if n_trees > 1 else "")
        shade = f"{0.06 * n_trees:.2f}"
        ax.plot(result["distances"], variance, line, marker=marker, ms=5, color=shade, label=label)
    ax.set(
        xlabel=_DISTANCE,
        ylabel="Variance of the HP-estimate, in 1/10,000",
        title="What orthogonal trees do to the variance",
    )
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    _bare(ax)
    return _save(figure, folder, "tree-variance")


def mnist(result, folder):
    """Heat map of the errors of all pairs of digits beside that of mistakes on the test set."""
    figure, axes = _subplots(1, 2, figsize=(12, 5.4))
    PairwiseErrorDisplay(result["errors"]).plot(axes[0])
    axes[0].set(xlabel="Digit", ylabel="Digit", title="Before training: estimated Bayes error")
    confusion = np.array(result["confusion"], dtype=float)
    np.fill_diagonal(confusion, np.nan)
    image = axes[1].imshow(confusion, cmap="viridis", vmin=0)
    axes[1].set(
        xlabel="Digit",
        ylabel="Digit",
        title=f"After training: {result['mistakes']} mistakes of {result['n_test']:,}",
    )
    axes[1].set_xticks(range(10))
    axes[1].set_yticks(range(10))
    for i, j in zip(*np.nonzero(~np.isnan(confusion)), strict=True):
        dark = image.norm(confusion[i, j]) < 0.6
        axes[1].text(
            j,
            i,
            f"{confusion[i, j]:.0f}",
            ha="center",
            va="center",
            color="white" if dark else "black",
        )
    figure.colorbar(image, ax=axes[1], shrink=0.85, label="Mistakes on the test set, both ways")
    return _save(figure, folder, "mnist")


def chess(result, folder):
    """Estimates of each class against its error on the test part; and after PCA."""
    figure, axes = _subplots(1, 2, figsize=(11, 5.6), sharex=True, sharey=True)
    classes = result["classes"]
    y = np.arange(len(classes))
    value = np.array(result["estimate"]["value"])
    axes[0].barh(y, value, color="0.8", edgecolor="0.4", label="HP-estimate on the training part")
    axes[0].plot(result["guess"], y, "|", color="black", markersize=13, label="guessing")
    for (title, rates), marker in zip(result["test_error"].items(), "xo", strict=True):
        axes[0].plot(
            rates, y, marker, color="black", fillstyle="none", label=f"test error, {title}"
        )
    axes[1].barh(y - 0.2, value, height=0.38, color="0.8", edgecolor="0.4", label="all 34 features")
    axes[1].barh(
        y + 0.2,
        result["pca"]["value"],
        height=0.38,
        color="0.35",
        edgecolor="0.1",
        label="2 principal components",
    )
    for ax, title in zip(
        axes, ("Each class against the rest", "What two components lose"), strict=True
    ):
        ax.set(xlabel="Share of all samples", title=title)
        ax.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1.0, 0.62))
        _bare(ax)
    axes[0].set_yticks(y, classes)
    axes[0].invert_yaxis()
    axes[0].set_ylabel("Class of the Chess data")
    return _save(figure, folder, "chess")


def seven_classes():
    """Seven Gaussian classes in the plane, for the illustrations: points, labels, centres."""
    centres = np.array(
        [[0, 0.2], [1.9, 0.7], [0.5, 2.5], [5, 0], [6.9, 0.4], [5.4, 2.3], [7.2, 2.8]]
    )
    random = np.random.default_rng(1)
    y = np.repeat(np.arange(1, 8), 150)
    return centres[y - 1] + random.normal(scale=0.95, size=(len(y), 2)), y, centres


def cuts(folder):
    """The graph of classes with its first cuts, and the tree of problems they make."""
    X, y, centres = seven_classes()
    errors = pairwise_bayes_error(X, y, n_trees=3, bias_correction=True, normalize=True)
    tree = class_hierarchy(errors)
    figure, axes = _subplots(1, 2, figsize=(11, 2.8))
    for ax, nodes, title in (
        (axes[0], (0,), "The first cut (dashed)"),
        (axes[1], np.flatnonzero(tree.node_depths <= 1), "Then both sides are cut"),
    ):
        _draw_graph(ax, centres, errors.value, tree, nodes)
        ax.set_title(title)
    graph = _save(figure, folder, "graph-cut")
    display = HierarchyDisplay(tree).plot()
    return [graph, _save(display.figure_, folder, "class-tree")]


def _draw_graph(ax, centres, weights, tree, nodes):
    """Classes as points, errors as widths; edges across the cuts shown are dashed."""
    widest = weights.max()
    for i, j in zip(*np.triu_indices(len(centres), 1), strict=True):
        cut_by = [node for node in nodes if tree.sides[node, i] * tree.sides[node, j] < 0]
        width = 0.4 + 5 * weights[i, j] / widest
        line, shade = ((0, (2, 2)), "0.7") if cut_by else ("-", "0.35")
        ax.plot(*centres[[i, j]].T, linestyle=line, color=shade, linewidth=width, zorder=1)
    ax.scatter(*centres.T, s=420, color="white", edgecolor="black", zorder=2)
    for k, (x, y) in enumerate(centres):
        ax.text(x, y, str(k + 1), ha="center", va="center", zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.08, 0.15)
    ax.axis("off")


def rank_plots(rankings, folder, name):
    """Average ranks with the critical difference: one panel for each {title: Ranking}."""
    figure, axes = _subplots(len(rankings), 1, figsize=(8, 1.9 * len(rankings)))
    for ax, (title, ranking) in zip(np.atleast_1d(axes), rankings.items(), strict=True):
        _draw_ranks(ax, ranking)
        ax.set_title(f"{title} ({ranking.n_sets} sets)", fontsize=10)
    return _save(figure, folder, name)


def _draw_ranks(ax, ranking):
    order = np.argsort(ranking.ranks, kind="stable")
    k = len(order)
    low, high = 0.6, k + 0.4
    ax.hlines(0, 1, k, color="black", linewidth=1)
    for tick in range(1, k + 1):
        ax.vlines(tick, 0, 0.12, color="black", linewidth=1)
        ax.text(tick, 0.2, str(tick), ha="center", va="bottom", fontsize=8)
    ax.text(k + 0.25, 0.2, "average rank, 1 is best", va="bottom", fontsize=8)
    half = (k + 1) // 2
    for place, index in enumerate(order):
        left = place < half
        depth = -(place + 1 if left else k - place) * 0.55 - 0.35
        x = ranking.ranks[index]
        edge = low if left else high
        ax.plot([x, x, edge], [0, depth, depth], color="0.3", linewidth=1)
        ax.plot([x], [0], "o", color="black", markersize=4)
        title = NAMES[ranking.methods[index]]
        label = f"{title}  {x:.2f}" if left else f"{x:.2f}  {title}"
        ax.text(
            edge + (-0.05 if left else 0.05),
            depth,
            label,
            fontsize=8,
            va="center",
            ha="right" if left else "left",
        )
    for row, group in enumerate(ranking.groups()):
        inside = [ranking.ranks[ranking.methods.index(method)] for method in group]
        y = -0.17 - 0.14 * row
        ax.plot([min(inside) - 0.04, max(inside) + 0.04], [y, y], color="black", linewidth=3)
    cd = ranking.critical_difference
    ax.plot([1, 1 + cd], [1.0, 1.0], color="black", linewidth=1.5)
    ax.text(1 + cd + 0.08, 1.0, f"critical difference {cd:.2f}", va="center", fontsize=8)
    ax.set_xlim(low - 0.32 * k, high + 0.32 * k)
    ax.set_ylim(-0.55 * half - 0.7, 1.3)
    ax.axis("off")
