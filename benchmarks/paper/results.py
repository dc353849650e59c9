"""Write RESULTS.md and the figures from the record files; no number in it is typed by hand.

python -m benchmarks.paper.results [--size paper] [--to FOLDER]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from . import bars, claims, draw, protocol, published, ranks, study_sections, tables
from .captions import prose
from .datasets import summary_table
from .methods import IN_PAPER, JOBS, REFERENCES, TITLES, UNTUNED
from .record_file import read
from .run import RECORDS
from .study_sections import NOT_RUN
from .summary import Summary, provenance

HERE = Path(__file__).resolve().parent
ALL_METHODS = (
    *IN_PAPER[:1], "smartsvm-best", "smartsvm-accurate", *IN_PAPER[1:], *REFERENCES,
)  # fmt: skip


def write(summary, studies, size, folder, figures):
    """The page and its pictures; returns the path of the page."""
    link = os.path.relpath(figures, folder)
    data = summary_table(studies["data"]["result"]) if "data" in studies else NOT_RUN
    sections = {
        "In short": in_short(summary, studies),
        "Bars": "Set before the runs.\n\n" + bars.table(summary, studies),
        "Data": data,
        "Predictive performance": ari(summary),
        "Against the paper, set by set": tables.differences(summary),
        "Time": seconds_tables(summary),
        "Time with one and the same solver": study_sections.same_solver(studies),
        "What the paper says in words": words(summary),
        "Ranks": rank_section(summary, figures, link),
        "Do problems get harder down the tree?": node_section(summary, figures, link),
        "All methods": all_methods(summary, size),
        "Prediction": study_sections.prediction(studies),
        "The label among the wines' features": study_sections.wine(studies),
        "Figures": study_sections.figures(studies, figures, link),
        "How it was run": how(summary, studies, size),
    }
    page = [head(summary, size)]
    page += [f"## {title}\n\n{text}" for title, text in sections.items()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(page) + "\n")
    return path


def head(summary, size):
    setting, paper = protocol.SIZES[size], protocol.SIZES["full"]
    n_capped = sum(bool(record["capped"]) for record in summary.records)
    first, last = summary.dates()
    days = f"on {first}" if first == last else f"from {first} to {last}"
    command = "make paper" if size == "paper" else f"make paper-{size}"
    gaps = "; ".join(f"{n} of {TITLES[method]} on {name}" for name, method, n in summary.missing())
    missing = f" Not run, and marked: {gaps}." if gaps else ""
    smoke = "A smoke test on subsamples: its numbers are no results. " if setting.most_rows else ""
    return "# The paper's experiments, run again\n\n" + prose(f"""
        G. J. J. van den Burg and A. O. Hero, *Fast meta-learning for adaptive hierarchical
        classifier design* (2017). Command: `{command}`. This page is written by its last step,
        `python -m benchmarks.paper.results`, from the files in `benchmarks/paper/records`; machine
        and versions stand at its end. The field of other tools has a page of its own: `make peers`,
        `benchmarks/peers/RESULTS.md`.

        {smoke}{len(summary.records)} cells (set, split, method) on {len(summary.sets)} sets, run
        {days}; {n_capped} were ended by the time limit and are marked.{missing}
        {_rows_used(summary)}
        {setting.n_splits} stratified splits, {1 - protocol.TEST_SHARE:.0%} for training, features
        scaled to [-1, 1] on the training part, C from {len(setting.Cs)} values by
        {setting.n_folds}-fold cross-validation on the training part (by ARI), refit, ARI on the
        test part; the paper has {len(paper.Cs)} values and {paper.n_folds} folds. Spanning trees:
        3, and 1 on {" and ".join(protocol.ONE_TREE)}, as in the paper.

        Marks in the tables: {tables.MARKS}
    """)


def _rows_used(summary):
    """Which sets were cut down to how many rows."""
    rows = {
        record["set"]: record["n_train"] + record["n_test"]
        for record in summary.records
        if record["subsampled"] and "n_train" in record
    }
    listed = ", ".join(f"{name} {n:,}" for name, n in sorted(rows.items()))
    return f"Rows of the sets that were cut down: {listed}." if rows else ""


def in_short(summary, studies):
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
        f"{len(timed)} sets, with LibLinear in its nodes as in theirs: that it is fastest on the "
        f"majority is {verdict}{study_sections.with_newton(studies)}.",
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
    return f"Adjusted Rand index on the test part: ours (the paper's).\n\n{table}"


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
        instead of C. Prediction of the validation rows is
        counted and, for SmartSVM, forest and hierarchy.
    """)
    after = prose(f"""
        In the paper the total is {published.N_CONFIGURATIONS} times the average for every method
        but GenSVM, which has another grid, and SmartSVM, whose totals are smaller. If that is
        preprocessing, counted once in the total but in every configuration of the average, it took
        more than a second on: {listed}.
    """)
    return (
        f"{before}\n\n### Total training time, seconds: ours (the paper's)\n\n{total}\n\n"
        f"### Time per value of C, seconds: ours (the paper's)\n\n{each}\n\n{after}"
    )


def words(summary):
    intro = prose("""
        Counts from the published tables and from our run; bold: the paper's own table does not show
        what the paper says. Times of ours that the limit cut short count as they are, so that
        Crammer–Singer took at least as long as is counted.
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
            p_values = "; ".join(f"{t}: {r.p_value:.1g}" for t, r in rankings.items())
            text.append(
                prose(f"""
                    Average ranks of {whose}, 1 is best; bars join methods that the critical
                    difference (Nemenyi, 5 %) does not separate; sets that all methods have; a
                    capped time counts as it is. p-values of Friedman's test. {p_values}.
                """)
                + f"\n\n![Average ranks of {whose}]({link}/ranks-{name}.png)"
            )
    return "\n\n".join(text)


def node_section(summary, figures, link):
    pairs = summary.node_pairs()
    if not pairs:
        return NOT_RUN
    draw.node_errors(pairs, figures)
    harder = np.mean([pair["below"] > pair["above"] for pair in pairs])
    equal = np.mean([pair["below"] == pair["above"] for pair in pairs])
    intro = prose(f"""
        The paper says that the problems of the tree increase in difficulty with depth. Exact
        HP-estimates of all nodes: {harder:.0%} are harder than the node above them, {equal:.0%}
        equal, {1 - harder - equal:.0%} easier. Most of the equal ones are at guessing, which a
        corrected estimate cannot exceed.
    """)
    return (
        f"{intro}\n\n{tables.node_table(summary)}\n\n"
        f"![Errors of nodes against those above them]({link}/node-errors.png)"
    )


def all_methods(summary, size):
    methods = [m for m in ALL_METHODS if m in summary.methods]
    tuned = [m for m in methods if m not in UNTUNED]
    parts = [
        prose(f"""
            Mean and standard error over the splits. The accurate mode is `nodes="forest"`, not
            tuned. The references: one-vs-one on the features and their products (C from three
            values), an RBF SVM (C from three values) where the training part has at most
            {protocol.SIZES[size].rbf_rows:,} rows; and, not tuned, gradient boosting of
            {protocol.SIZES[size].boosting_rounds} rounds (as scikit-learn has it: it stops early
            from 10,000 rows on) and of at most {10 * protocol.SIZES[size].boosting_rounds:,} with
            early stopping, a random forest, extra trees and 5 nearest neighbours.
        """)
    ]
    for title, measure, shown, largest in (
        ("Adjusted Rand index", "ari", methods, True),
        ("Accuracy", "accuracy", methods, True),
        ("Fit with C = 1 (forest and hierarchy included), CPU seconds", "fit_s", methods, False),
        ("Tuning run, CPU seconds", "tune_s", tuned, False),
        ("Prediction of the test part, CPU seconds", "predict_s", methods, False),
    ):
        table = tables.by_method(summary, measure, shown, largest_is_best=largest)
        parts.append(f"### {title}\n\n{table}")
    return "\n\n".join(parts)


def how(summary, studies, size):
    hours = sum(r["tune_s"] for r in summary.records if r.get("tune_s")) / 3600
    cap = protocol.SIZES[size].cap
    limit = (
        "none"
        if cap == float("inf")
        else f"{cap:.0f} s, {JOBS['crammer-singer'].cap_share:.0%} of it for Crammer–Singer"
    )
    lines = [
        *(f"cells: {kind}" for kind in provenance(summary.records)),
        f"times are those of the {summary.machine}",
        f"tuning took {hours:.1f} hours of one core; what one-vs-one and DAG share counts for both",
        f"time limit of a cell: {limit}",
        *(f"studies: {kind}" for kind in provenance(studies.values())),
        *(
            f"study `{name}`: {each['date'][:10]}, {each.get('machine', 'machine not recorded')}"
            for name, each in studies.items()
        ),
        "GenSVM was not run, its column is as published; why its last release does not install is "
        "on the page of the peers",
    ]
    return "\n".join(f"- {line}" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=protocol.SIZES, default="paper")
    parser.add_argument("--to", type=Path, help="folder of the page and its figures")
    options = parser.parse_args()
    summary = Summary(read(RECORDS / f"{options.size}.jsonl"))
    if not summary.records:
        parser.error(
            f"there are no records of size {options.size}: "
            f"`python -m benchmarks.paper.run --size {options.size}` makes them"
        )
    studies = {each["study"]: each for each in read(RECORDS / f"studies-{options.size}.jsonl")}
    folder = options.to or HERE.parent
    figures = folder / "figures" if options.to else HERE / "figures"
    print(write(summary, studies, options.size, folder.resolve(), figures.resolve()))


if __name__ == "__main__":
    main()
