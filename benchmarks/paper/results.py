"""Write RESULTS.md and the figures from the record files; no number in it is typed by hand.

python -m benchmarks.paper.results [--size paper] [--to FOLDER]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from . import bars, captions, claims, draw, protocol, published, ranks, tables
from .captions import prose
from .datasets import summary_table
from .methods import IN_PAPER, JOBS, PAPER_NAME, REFERENCES, TITLES
from .record_file import read
from .run import RECORDS
from .summary import Summary

HERE = Path(__file__).resolve().parent
ALL_METHODS = (*IN_PAPER[:1], "smartsvm-best", *IN_PAPER[1:], *REFERENCES)


def write(summary, studies, size, folder, figures):
    """The page and its pictures; returns the path of the page."""
    link = os.path.relpath(figures, folder)
    sections = {
        "In short": in_short(summary),
        "Bars": bars.table(summary, studies),
        "Data": summary_table(studies["data"]["result"]) if "data" in studies else "Not run.",
        "Predictive performance": ari(summary),
        "Against the paper, set by set": tables.differences(summary),
        "Time": seconds_tables(summary),
        "What the paper says in words": words(summary),
        "Ranks": rank_section(summary, figures, link),
        "Do problems get harder down the tree?": node_section(summary, figures, link),
        "All methods": all_methods(summary),
        "The label among the wines' features": wine(studies),
        "Figures": figure_section(studies, figures, link),
        "How it was run": how(summary, studies, size),
    }
    page = [head(summary, size)]
    page += [f"## {title}\n\n{text}" for title, text in sections.items()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(page) + "\n")
    return path


def head(summary, size):
    setting = protocol.SIZES[size]
    n_capped = sum(bool(record["capped"]) for record in summary.records)
    _, (first, last) = summary.versions()
    command = "make paper" if size == "paper" else f"make paper-{size}"
    return "# The paper's experiments, run again\n\n" + prose(f"""
        G. J. J. van den Burg and A. O. Hero, *Fast meta-learning for adaptive hierarchical
        classifier design* (2017). Command: `{command}`. This page is written by its last step,
        `python -m benchmarks.paper.results`, from the files in `benchmarks/paper/records`. The
        field of other tools has a page of its own: `make peers`, `benchmarks/peers/RESULTS.md`.

        {len(summary.records)} cells (set, split, method) on {len(summary.sets)} sets, {first} to
        {last}; {n_capped} were ended by the time limit and are marked. {setting.n_splits}
        stratified splits, {1 - protocol.TEST_SHARE:.0%} for training, features scaled to [-1, 1] on
        the training part, C from {len(setting.Cs)} values by {setting.n_folds}-fold
        cross-validation on the training part (by ARI), refit, ARI on the test part. Spanning trees:
        3, and 1 on fars and shuttle, as in the paper.
    """)


def in_short(summary):
    both, sets = bars.within_paper(summary, ("smartsvm-faithful", "one-vs-one"))
    smart, _ = bars.within_paper(summary, ("smartsvm-faithful",))
    pairs, _ = bars.within_paper(summary, ("one-vs-one",))
    fastest, timed = bars.fastest(summary, "smartsvm-faithful")
    verdict = "confirmed" if len(fastest) > len(timed) / 2 else "refuted"
    harder = np.mean([p["below"] > p["above"] for p in summary.node_pairs()] or [np.nan])
    lines = [
        f"Accuracy: of {len(sets)} comparable sets (not the wines) SmartSVM as in the paper is "
        f"within {bars.COMPARABLE_LIMIT} ARI of the published number on {len(smart)}, one-vs-one "
        f"on {len(pairs)}, both on {len(both)}.",
        f"Time: SmartSVM is the fastest of the paper's methods to tune on {len(fastest)} of "
        f"{len(timed)} sets. That it is fastest on the majority is {verdict}, for classifiers "
        "built on scikit-learn's LibLinear, where each machine has a fixed cost in Python.",
        f"Problems down the tree: {harder:.0%} of the nodes are harder than the node above them.",
    ]
    means = bars.mean_ari(summary, ("smartsvm-best", "one-vs-one", "smartsvm-faithful"))
    if means["smartsvm-best"] is not None:
        lines.append(
            f"Our settings: mean ARI {means['smartsvm-best']:.3f}, one-vs-one "
            f"{means['one-vs-one']:.3f}, SmartSVM as in the paper {means['smartsvm-faithful']:.3f}."
        )
    return "\n".join(f"- {line}" for line in lines)


def ari(summary):
    table = tables.beside_paper(summary, "ari", "ari", largest_is_best=True)
    return f"Adjusted Rand index on the test part: ours (the paper's).\n\n{table}\n\n{tables.NOTES}"


def seconds_tables(summary):
    total = tables.beside_paper(summary, "tune_s", "total_seconds", largest_is_best=False)
    each = tables.beside_paper(
        summary, "configuration_s", "configuration_seconds", largest_is_best=False
    )
    hidden = {k: v for k, v in claims.preprocessing_in_averages().items() if v > 1}
    listed = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in hidden.items())
    before = prose("""
        CPU seconds of one process with one thread. Totals are not comparable with the paper's:
        other machine, another number of values of C and of folds, scikit-learn around LibLinear
        instead of C. The order of the methods is. Prediction of the validation rows is counted and,
        for SmartSVM, forest and hierarchy.
    """)
    after = prose(f"""
        In the paper the total is {published.N_CONFIGURATIONS} times the average for every method
        but GenSVM, which has another grid, and SmartSVM, whose totals are smaller. If that is
        preprocessing, counted once in the total but in every configuration of the average, it took
        more than a second on: {listed}.
    """)
    return (
        f"{before}\n\n### Total training time, seconds: ours (the paper's)\n\n{total}\n\n"
        f"### Time per value of C, seconds: ours (the paper's)\n\n{each}\n\n"
        f"{tables.NOTES}\n\n{after}"
    )


def words(summary):
    intro = prose("""
        Counts from the published tables and from our run; bold: the paper's own table does not show
        what the paper says.
    """)
    return f"{intro}\n\n{claims.claims_table(summary)}"


def rank_section(summary, figures, link):
    text = []
    for name, whose, source in (
        ("paper", "the published numbers", claims.papers_tables()),
        ("ours", "our run", claims.our_tables(summary)),
    ):
        rankings = {}
        for title, table, largest in (
            ("Adjusted Rand index", source.ari, True),
            ("Total training time", source.total_seconds, False),
            ("Time per configuration", source.configuration_seconds, False),
        ):
            try:
                rankings[title] = ranks.rank(table, largest_is_best=largest)
            except ValueError as error:
                text.append(f"{title} of {whose}: {error}")
        if rankings:
            draw.rank_plots(rankings, figures, f"ranks-{name}")
            p_values = ", ".join(f"{t.lower()} {r.p_value:.1g}" for t, r in rankings.items())
            text.append(
                prose(f"""
                    Average ranks of {whose}, 1 is best; bars join methods that the critical
                    difference (Nemenyi, 5 %) does not separate; sets that all methods have; a
                    capped time counts as it is. p-values of Friedman's test:
                    {p_values}.
                """)
                + f"\n\n![Average ranks of {whose}]({link}/ranks-{name}.png)"
            )
    return "\n\n".join(text)


def node_section(summary, figures, link):
    pairs = summary.node_pairs()
    if not pairs:
        return "Not run."
    draw.node_errors(pairs, figures)
    harder = np.mean([pair["below"] > pair["above"] for pair in pairs])
    equal = np.mean([pair["below"] == pair["above"] for pair in pairs])
    intro = prose(f"""
        The paper says that the problems of the tree increase in difficulty with depth. Exact
        HP-estimates of all nodes: {harder:.0%} are harder than the node above them, {equal:.0%}
        equal, {1 - harder - equal:.0%} easier. Equal are those at guessing, which a corrected
        estimate cannot exceed.
    """)
    return (
        f"{intro}\n\n{tables.node_table(summary)}\n\n"
        f"![Errors of nodes against those above them]({link}/node-errors.png)"
    )


def all_methods(summary):
    methods = [m for m in ALL_METHODS if m in summary.methods]
    parts = [
        prose("""
            Mean and standard error over the splits. The references: one-vs-one on the features and
            their products (C from three values), an RBF SVM (C from three values) where the
            training part is small enough, gradient boosting and nearest neighbours as they come.
        """)
    ]
    for title, measure, largest in (
        ("Adjusted Rand index", "ari", True),
        ("Accuracy", "accuracy", True),
        ("Fit with C = 1 (forest and hierarchy included), CPU seconds", "fit_s", False),
        ("Tuning run, CPU seconds", "tune_s", False),
        ("Prediction of the test part, CPU seconds", "predict_s", False),
    ):
        table = tables.by_method(summary, measure, methods, largest_is_best=largest)
        parts.append(f"### {title}\n\n{table}")
    return "\n\n".join([*parts, tables.NOTES])


def wine(studies):
    if "wine_leak" not in studies:
        return "Not run."
    rows = studies["wine_leak"]["result"]["rows"]
    lines = [
        "| set | method | paper (12 features) | with the label as 12th feature | 11 features |",
        "|---|---|---|---|---|",
    ]
    for name, method in dict.fromkeys((row["set"], row["method"]) for row in rows):
        mine = [row for row in rows if (row["set"], row["method"]) == (name, method)]
        with_label, without = (
            np.mean([row["ari"] for row in mine if row["leaked"] == leaked])
            for leaked in (True, False)
        )
        paper = published.table("ari")[name][PAPER_NAME[method]]
        lines.append(
            f"| {name} | {TITLES[method]} | {paper:.3f} | {with_label:.3f} | {without:.3f} |"
        )
    intro = prose("""
        The wine data have 11 features; the paper counts 12. With the label added as a feature its
        numbers come out; without it they are far away. The wines are left out of every comparison
        with the paper.
    """)
    return intro + "\n\n" + "\n".join(lines)


def figure_section(studies, figures, link):
    parts = []
    for name in ("bias_correction", "tree_variance", "mnist", "chess"):
        if name not in studies:
            parts.append(f"{name}: not run.")
            continue
        result = studies[name]["result"]
        drawn = getattr(draw, name)(result, figures)
        parts += [getattr(captions, name)(result), f"![{name}]({link}/{drawn.name})"]
    parts.append(captions.CUTS)
    parts += [f"![{path.stem}]({link}/{path.name})" for path in draw.cuts(figures)]
    return "\n\n".join(parts)


def how(summary, studies, size):
    kinds, _ = summary.versions()
    hours = sum(record["tune_s"] for record in summary.records if record.get("tune_s")) / 3600
    cap = protocol.SIZES[size].cap
    limit = (
        "none"
        if cap == float("inf")
        else f"{cap:.0f} s, {JOBS['crammer-singer'].cap_share:.0%} of it for Crammer–Singer"
    )
    lines = [
        *kinds,
        f"tuning took {hours:.1f} hours of one core",
        f"time limit of a cell: {limit}",
        *(
            f"study `{name}`: {each['seconds']:.0f} s, {each['date'][:10]}"
            for name, each in studies.items()
        ),
        "GenSVM's last release does not build with today's tools; its column is as published",
    ]
    return "\n".join(f"- {line}" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=protocol.SIZES, default="paper")
    parser.add_argument("--to", type=Path, help="folder of the page and its figures")
    options = parser.parse_args()
    summary = Summary(read(RECORDS / f"{options.size}.jsonl"))
    if not summary.records:
        parser.error(f"there are no records of size {options.size}: `make paper` makes them")
    studies = {each["study"]: each for each in read(RECORDS / f"studies-{options.size}.jsonl")}
    folder = options.to or HERE.parent
    figures = folder / "figures" if options.to else HERE / "figures"
    print(write(summary, studies, options.size, folder.resolve(), figures.resolve()))


if __name__ == "__main__":
    main()
