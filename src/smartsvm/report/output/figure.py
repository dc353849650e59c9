"""The report as one figure: error and target, more rows, pairs, classes."""

import numpy as np

from smartsvm._core.validation import check_choice
from smartsvm.plotting import PairwiseErrorDisplay
from smartsvm.plotting.axes import ink, on_dark, short_names
from smartsvm.plotting.fonts import drawn_width
from smartsvm.presentation.display_names import shorten_distinct, shown
from smartsvm.presentation.wording import percent
from smartsvm.report.output.rows import class_rows, pair_rows
from smartsvm.report.output.sentences import (
    classifier_row,
    headline,
    one_answer_sentence,
    shown_errors,
    size_of_problem,
    span,
    target_line,
)

_MOST_BARS = 15  # in a panel: names of more do not fit beside them
_MOST_MAPPED = 40  # classes on a map: a larger one cannot be read
_LONGEST_LABEL = 16  # characters of a class beside an axis
_CONFUSED = "samples taken for the other class"
_GREY = "0.5"  # visible on white and on black


def plot(report, which, ax, figsize):
    """See `DifficultyReport.plot`."""
    if which is None and ax is not None:
        raise ValueError(f"which must be one of {list(PANELS)} to draw into ax, got None.")
    if which is not None:
        check_choice(which, "which", PANELS)
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("The figure needs matplotlib: install smartsvm2[plot].") from error
    if which is None:
        return draw(report, plt.figure(figsize=figsize or (12, 8), layout="constrained"))
    if ax is None:
        ax = plt.figure(figsize=figsize or (6.4, 4.4), layout="constrained").subplots()
    PANELS[which](report, ax)
    return ax.figure


def draw(report, figure):
    """Draw the report into a figure and return it."""
    axes = figure.subplots(2, 2, height_ratios=(1, 1.25))
    figure.suptitle(
        f"How hard is this problem?   {size_of_problem(report)}", fontsize=14, fontweight="bold"
    )
    for name, ax in zip(panels_of(report), axes.flat, strict=True):
        PANELS[name](report, ax)
    return figure


def panels_of(report):
    """The four panels that suit the number of classes, and whether any pair can be compared."""
    pairs = len(report.classes.names) > 2 and one_answer_sentence(report) is None
    more = ("pairs", "classes") if pairs else ("samples", "neighbors")
    return ("errors", "convergence", *more)


def panels_of_page(report):
    """Those that the web page shows: also that of models, and none that would be empty."""
    panels = [*panels_of(report), "headroom"]
    empty = {"convergence": not report.errors.learning_curve, "headroom": not report.models}
    return [name for name in panels if not empty.get(name, False)]


def alternative_text(report):
    """What the figure shows, in words."""
    words = [f"The report as a figure. {headline(report)}"]
    if report.verdict is not None:
        words.append(f"{target_line(report.verdict)}.")
    if one_answer_sentence(report) is None:
        pairs = (" and ".join(map(shown, pair)) for pair in report.hardest_pairs(3))
        words.append(f"Hardest pairs: {'; '.join(pairs)}.")
    return " ".join(words)


def _errors(report, ax):
    """The best possible error, held-out errors, the trees' bounds, baseline and target."""
    lower, upper = report.trees.lower, report.trees.upper
    held_out = shown_errors(report)
    rows = {
        "best possible": (report.bayes_error, "D"),
        **{classifier_row(each): (each.error, "o") for each in held_out},
    }
    for place, (interval, marker) in enumerate(rows.values()):
        _whiskers(ax, interval, -place, marker)
    ends, bottom, names = [each.high for each, _ in rows.values()], 1 - len(rows), [*rows]
    if report.settings.priors is None:  # the bounds are for the shares of the sample
        bottom, names = bottom - 1, [*rows, "bounds (trees)"]
        width = upper.value - lower.value
        ax.barh(bottom, width, left=lower.value, height=0.5, color=_filling(), edgecolor=ink())
        for interval in (lower, upper):
            _whiskers(ax, interval, bottom, "|")
        ends.append(upper.high)
    if report.verdict is not None:
        allowed = 1 - report.verdict.target_accuracy
        ends.append(allowed)
        ax.axvline(allowed, color=ink(), linestyle="--", linewidth=1.5)
    if report.errors.baseline.value < 1.6 * max(ends):
        ax.axvline(report.errors.baseline.value, color=_GREY, linestyle=":", linewidth=1.5)
        _beside(ax, report.errors.baseline.value, bottom - 0.75, "baseline", left=True)
        ends.append(report.errors.baseline.value)
    if report.verdict is not None:
        words = f"target {percent(1 - allowed)}: {report.verdict.answer}"
        _beside(ax, allowed, 0.85, words, left=allowed >= max(ends) / 2)
    ax.set_yticks(range(0, bottom - 1, -1), names)
    ax.set_ylim(bottom - 1.1, 1.2)
    ax.set_xlim(0, 1.05 * max(ends))
    ax.tick_params(axis="y", labelsize=9)
    _percents_below(ax)
    title = f"The best possible error: {span(report.bayes_error)}"
    _label(ax, title, f"error (lines: {percent(report.settings.confidence)} intervals)")


def _beside(ax, x, y, words, *, left):
    """Words beside a vertical line."""
    ax.annotate(
        words,
        (x, y),
        xytext=(-4 if left else 4, 0),
        textcoords="offset points",
        ha="right" if left else "left",
        va="center",
        fontsize=9,
    )


def _whiskers(ax, interval, y, marker):
    half = [[interval.value - interval.low], [interval.high - interval.value]]
    ax.errorbar(
        interval.value,
        y,
        xerr=np.maximum(half, 0),
        color=ink(),
        capsize=4,
        marker=marker,
        linewidth=1.5,
        clip_on=False,
    )


def _convergence(report, ax):
    """The error of the best classifier now and with more rows."""
    curve = report.errors.learning_curve
    if curve is None:
        _title(ax, "More rows? None beats the baseline")
        ax.set_axis_off()
        return
    value, low, high = np.array(curve.errors).T
    half = np.maximum([value - low, high - value], 0)
    ax.errorbar(curve.sizes, value, yerr=half, color=ink(), marker="o", capsize=4)
    ax.set_xscale("log")
    ax.set_xticks(curve.sizes, [f"{size:,}" for size in curve.sizes])
    ax.minorticks_off()
    ax.set_ylim(0, max(1.25 * high.max(), 1e-3))
    ax.yaxis.set_major_formatter(_percent_axis)
    title = f"With ten times the rows: {percent(value[2])}"
    _label(ax, title, "samples", "held-out error of the best classifier")


def _pairs(report, ax):
    if len(report.classes.names) > _MOST_MAPPED:
        return _hard_pairs(report, ax)
    names = shorten_distinct(report.classes.names, _LONGEST_LABEL, drawn_width)
    confused = report.pairs.confused.value.copy()
    np.fill_diagonal(confused, 0.0)
    display = PairwiseErrorDisplay(confused, classes=names)
    display.plot(ax, order="hierarchy", cmap="Blues_r" if on_dark() else "Blues", colorbar=False)
    ax.figure.colorbar(display.im_, ax=ax, shrink=0.85, label=_CONFUSED, format=_percent_axis)
    ax.set(xlabel="", ylabel="", title="")  # the display's own title is centred
    if len(ax.get_xticks()) < len(names):  # long names of groups: one axis is enough
        ax.set_xticks([])
    _title(ax, "Which pairs are hard to separate?")
    return None


def _hard_pairs(report, ax):
    """Bars of the hardest pairs, where a map of all would be unreadable."""
    rows = pair_rows(report, _MOST_BARS)
    short, families = short_names(report.classes.names, 12)
    short = dict(zip(report.classes.names.tolist(), short, strict=True))
    names = [" and ".join(short[label] for label in row["classes"]) for row in rows]
    places = np.arange(len(rows))
    ax.barh(places, [row["confused"] for row in rows], color=_filling(), edgecolor=ink())
    ax.set_yticks(places, names, fontfamily=families)
    ax.invert_yaxis()
    _percents_below(ax)
    _label(ax, "Which pairs are hard to separate?", _CONFUSED)


def _classes(report, ax):
    rows = class_rows(report, _MOST_BARS)
    recall, low, high = (
        np.array([row[name] for row in rows]) for name in ("recall", "low", "high")
    )
    value = 1 - recall
    order = [report.classes.names.tolist().index(row["class"]) for row in rows]
    names, families = short_names(report.classes.names, _LONGEST_LABEL)
    places = np.arange(len(order))
    ax.barh(places, value, color=_filling(), edgecolor=ink())
    half = np.maximum([high - recall, recall - low], 0)
    ax.errorbar(value, places, xerr=half, fmt="none", ecolor=ink(), capsize=3)
    ax.set_yticks(places, [names[k] for k in order], fontfamily=families)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    _percents_below(ax)
    some = len(order) < len(report.classes.names)
    which = f" First {len(order)} of {len(report.classes.names)}" if some else ""
    _label(ax, f"Which classes are hard?{which}", "samples of a class taken for another one")


def _samples(report, ax):
    """Histogram of the difficulty of samples."""
    ax.hist(
        report.trees.sample_difficulty,
        bins=np.linspace(0, 1, 11),
        color=_filling(),
        edgecolor=ink(),
        weights=np.full(report.data.n_samples, 1 / report.data.n_samples),
    )
    ax.yaxis.set_major_formatter(_percent_axis)
    wrong = f" {len(report.suspects):,} may have wrong labels" if len(report.suspects) else ""
    edges = "fraction of a sample's tree edges to the other class"
    _label(ax, f"Which samples are hard?{wrong}", edges, "fraction of the samples")


def _ladder(report, ax):
    k, errors = zip(*report.errors.by_n_neighbors, strict=True)
    ax.plot(np.arange(len(k)), errors, marker="o", color=ink(), clip_on=False)
    ax.set_xticks(np.arange(len(k)), k)
    ax.set_ylim(0, 1.25 * max(*errors, 1e-3))
    ax.yaxis.set_major_formatter(_percent_axis)
    _label(ax, "Held-out error of k nearest neighbours", "number of neighbours k", "error")


# The panel has room for at least this many bars, so that few are not thick.
_LEAST_BARS = 3


def _headroom(report, ax):
    """The error of each model: what the best classifier avoids, what it may avoid, and the rest."""
    if not report.models:
        raise ValueError("which='headroom' needs a report with models, and this one has none.")
    models = list(report.models.values())
    colors = {"can be gained": _filling(), "perhaps": "none", "cannot": _GREY}
    for place, found in enumerate(models):
        low, high = (min(end, found.error.value) for end in (found.gain.low, found.gain.high))
        begins = (0.0, low, high)
        ends = (low, high, found.error.value)
        for (label, color), left, right in zip(colors.items(), begins, ends, strict=True):
            ax.barh(
                -place,
                right - left,
                left=left,
                height=0.5,
                color=color,
                edgecolor=ink(),
                label=label if place == 0 else None,
            )
    names, families = short_names([found.model for found in models], _LONGEST_LABEL)
    ax.set_yticks(range(0, -len(models), -1), names, family=families)
    around = 0.7 + max(_LEAST_BARS - len(models), 0) / 2  # few bars are no thicker than several
    ax.set_ylim(1 - len(models) - around, around)
    ax.set_xlim(0, 1.05 * max(max(found.error.value for found in models), 1e-3))
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=9)
    _percents_below(ax)
    _label(ax, "", "error of the model")


def _title(ax, text):
    """A title that fits its half of the page."""
    ax.set_title(text, loc="left", fontsize=11, pad=12)


def _label(ax, title, x, y=""):
    """A title, the names of the axes, and no frame."""
    _title(ax, title)
    ax.set(xlabel=x, ylabel=y)
    ax.spines[["top", "right"]].set_visible(False)


def _filling():
    """The colour of bars, on which lines stay visible."""
    return "#2f5d86" if on_dark() else "#b3d0ea"


def _percents_below(ax):
    """Percentages along the lower axis, few enough for a browser with wider letters."""
    ax.locator_params(axis="x", nbins=6)
    ax.xaxis.set_major_formatter(_percent_axis)


def _percent_axis(value, _):
    return f"{100 * value:g}%"


PANELS = {
    "errors": _errors,
    "convergence": _convergence,
    "pairs": _pairs,
    "classes": _classes,
    "samples": _samples,
    "neighbors": _ladder,
    "headroom": _headroom,
}
