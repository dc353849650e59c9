"""The bars that were set before the runs, and what was measured: met or not, with the sets."""

from __future__ import annotations

from . import published
from .methods import IN_PAPER, PAPER_NAME

COMPARABLE_LIMIT = 0.03
_NAMED = ("letter", "pendigits", "satimage", "segment", "nursery", "shuttle", "abalone")


def within_paper(summary, methods, limit=COMPARABLE_LIMIT):
    """Comparable sets on which each of the methods is as near to the paper as that."""
    table = summary.means("ari", methods)
    good, sets = [], []
    for name, row in table.items():
        paper = published.table("ari").get(name)
        if paper is None or name in published.LEAKED or not all(m in row for m in methods):
            continue
        sets.append(name)
        if all(abs(row[m] - paper[PAPER_NAME[m]]) <= limit for m in methods):
            good.append(name)
    return good, sets


def at_most(summary, measure, first, second):
    """Sets on which the first method takes at most the time of the second."""
    table = summary.means(measure, (first, second))
    sets = [name for name, row in table.items() if len(row) == 2]
    return [name for name in sets if table[name][first] <= table[name][second]], sets


def ari_against(summary, first, second, slack):
    """Sets on which the first is within the slack of the second or better."""
    table = summary.means("ari", (first, second))
    sets = [name for name, row in table.items() if len(row) == 2]
    return [name for name in sets if table[name][first] >= table[name][second] - slack], sets


def mean_ari(summary, methods):
    """Mean ARI over the sets that all the methods have."""
    table = [row for row in summary.means("ari", methods).values() if len(row) == len(methods)]
    return {m: sum(row[m] for row in table) / len(table) if table else None for m in methods}


def table(summary, studies):
    """Markdown: bar, measured, met."""
    faithful, best, pairs = "smartsvm-faithful", "smartsvm-best", "one-vs-one"
    good, sets = within_paper(summary, (faithful,))
    named = [name for name in sets if name in _NAMED]
    lines = [
        "| bar | measured | met |",
        "|---|---|---|",
        _counted(
            f"SmartSVM as in the paper and one-vs-one within {COMPARABLE_LIMIT} ARI of the paper "
            "on at least 9 of the 14 comparable sets",
            9, within_paper(summary, (faithful, pairs)), total=14,
        ),
        _counted(
            f"SmartSVM as in the paper within {COMPARABLE_LIMIT} on {', '.join(_NAMED)}",
            len(_NAMED), ([name for name in named if name in good], named), total=len(_NAMED),
        ),
        _counted(
            "SmartSVM fastest of the paper's methods to tune on the majority of sets",
            9, fastest(summary, faithful),
        ),
        *_mean_line(mean_ari(summary, (best, pairs)), best, pairs),
        _counted(
            "our settings: ARI within .01 of one-vs-one or better on each set",
            16, ari_against(summary, best, pairs, 0.01),
        ),
    ]  # fmt: skip
    for method, title, needed in ((faithful, "as in the paper", 10), (best, "our settings", 12)):
        lines += [
            _counted(
                f"{title}: fit at C = 1 at most the time of one-vs-one on at least {needed} of 16",
                needed, at_most(summary, "fit_s", method, pairs),
            ),
            _counted(
                f"{title}: tuning takes less time than one-vs-one on at least 12 of 16",
                12, at_most(summary, "tune_s", method, pairs),
            ),
        ]  # fmt: skip
    return "\n".join(lines + _prediction(studies))


def _counted(text, needed, found, total=16):
    """The line of a bar that asks for a number of good sets: (good sets, sets)."""
    good, sets = found
    missed = [name for name in sets if name not in good]
    measured = f"{len(good)} of {len(sets)}" + (f"; not {', '.join(missed)}" if missed else "")
    if not sets:
        met = "not run"
    elif len(good) >= needed:
        met = "yes"
    elif len(good) + total - len(sets) >= needed:
        met = "open: not all sets were run"
    else:
        met = "no"
    return f"| {text} | {measured} | {met} |"


def _mean_line(means, first, second):
    if means[first] is None:
        return []
    met = "yes" if means[first] > means[second] else "no"
    measured = f"{means[first]:.3f} and {means[second]:.3f}"
    return [f"| our settings: mean ARI above one-vs-one | {measured} | {met} |"]


def fastest(summary, method):
    """Sets on which a method is the fastest of the paper's methods to tune."""
    table = summary.means("tune_s", IN_PAPER)
    sets = [name for name, row in table.items() if len(row) > 2 and method in row]
    return [name for name in sets if table[name][method] == min(table[name].values())], sets


def _prediction(studies):
    """Bars of prediction, from the study of 100,000 rows of letter."""
    if "prediction" not in studies:
        return []
    found = studies["prediction"]["result"]
    seconds = {name: min(times) for name, times in found["seconds"].items()}
    lines = []
    for routing, needed in (("hard", 10), ("soft", 3)):
        ratios = {
            name: seconds["one-vs-one"] / taken
            for name, taken in seconds.items()
            if name.endswith(f", {routing}")
        }
        listed = "; ".join(f"{name} {ratio:.0f}×" for name, ratio in ratios.items())
        met = "yes" if min(ratios.values()) >= needed else "no"
        lines.append(
            f"| predict {found['rows']:,} rows of letter at least {needed}× faster than "
            f"one-vs-one, {routing} routing | {listed} | {met} |"
        )
    return lines
