"""Write RESULTS.md and the figures from the record files; no number in it is typed by hand.

python -m benchmarks.paper.results [--size paper] [--to FOLDER]
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np

from ..page import commit_of
from . import bars, claims, draw, protocol, ranks, study_sections, tables
from .captions import prose
from .methods import IN_PAPER, JOBS, REFERENCES, TITLES
from .record_file import read
from .run import RECORDS
from .summary import Summary

HERE = Path(__file__).resolve().parent
ALL_METHODS = (
    *IN_PAPER[:1],
    "smartsvm-best",
    "smartsvm-accurate",
    *IN_PAPER[1:],
    *REFERENCES,
)


def write(summary, studies, size, folder, figures):
    """The page and its pictures; returns the path of the page."""
    link = os.path.relpath(figures, folder)
    sections = {
        "In short": in_short(summary, studies),
        "Predictive performance": ari(summary),
        "All methods": all_methods(summary, size),
        "Claims of the paper": words(summary),
        "Ranks": rank_section(summary, figures, link),
        "Figures": study_sections.figures(studies, figures, link),
    }
    page = [head(summary, studies, size)]
    page += [f"## {title}\n\n{text}" for title, text in sections.items()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "RESULTS.md"
    path.write_text("\n\n".join(page) + "\n")
    return path


def head(summary, studies, size):
    """Title, protocol, provenance and marks."""
    setting, paper = protocol.SIZES[size], protocol.SIZES["full"]
    n_capped = sum(bool(record["capped"]) for record in summary.records)
    first, last = summary.dates()
    days = first if first == last else f"{first} to {last}"
    command = "make paper" if size == "paper" else f"make paper-{size}"
    gaps = "; ".join(f"{n} of {TITLES[method]} on {name}" for name, method, n in summary.missing())
    missing = f" Not run, and marked: {gaps}." if gaps else ""
    smoke = "A smoke test on subsamples: its numbers are no results. " if setting.most_rows else ""
    return "# The paper's experiments, repeated\n\n" + prose(f"""
        G. J. J. van den Burg and A. O. Hero, *Fast meta-learning for adaptive hierarchical
        classifier design* (2017). {smoke}{len(summary.records)} cells (set, split, method) on
        {len(summary.sets)} sets; {n_capped} hit the time limit of
        {_limit(size)}.{missing} {_rows_used(summary)}
        {setting.n_splits} stratified splits, {1 - protocol.TEST_SHARE:.0%} for training, features
        scaled to [-1, 1], C from {len(setting.Cs)} values by {setting.n_folds}-fold
        cross-validation (by ARI), then ARI on the test part; the paper has {len(paper.Cs)} values
        and {paper.n_folds} folds. Spanning trees: 3, and 1 on
        {" and ".join(protocol.ONE_TREE)}, as in the paper. Times are CPU seconds of one thread on
        the {summary.machine}; they are not comparable with the paper's.

        Provenance: {days}, commit {commit_of(RECORDS)}, `{command}`, from the files in
        `benchmarks/paper/records`, which have the versions and the processor of every cell; studies
        and figures: {_studies_from(studies)}.

        Marks: {tables.MARKS}
    """)


def _limit(size):
    """The time limit of a cell in words."""
    cap = protocol.SIZES[size].cap
    share = JOBS["crammer-singer"].cap_share
    return "a cell (none)" if cap == float("inf") else f"{cap:.0f} s (Crammer–Singer {share:.0%})"


def _studies_from(studies):
    """Days and processors of the studies."""
    found = {
        f"{each['date'][:10]}, {each.get('machine', 'processor not recorded')}"
        for each in studies.values()
    }
    return "; ".join(sorted(found)) or "not run"


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
        f"Accuracy: SmartSVM as in the paper is within {bars.COMPARABLE_LIMIT} ARI of the "
        f"published number on {len(smart)} of {len(sets)} comparable sets (not the wines), "
        f"one-vs-one on {len(pairs)}, both on {len(both)}.",
        f"Time: SmartSVM is the fastest of the paper's methods to tune on {len(fastest)} of "
        f"{len(timed)} sets, with LibLinear in its nodes as in theirs; the paper's claim that it "
        f"is fastest on the majority is {verdict}{study_sections.with_newton(studies)}.",
        f"Difficulty: {harder:.0%} of the nodes are harder than the node above them.",
    ]
    means = bars.mean_ari(summary, ("smartsvm-best", "one-vs-one", "smartsvm-faithful"))
    if means["smartsvm-best"] is not None:
        lines.append(
            f"Our settings: mean ARI {means['smartsvm-best']:.3f}, one-vs-one "
            f"{means['one-vs-one']:.3f}, SmartSVM as in the paper {means['smartsvm-faithful']:.3f}."
        )
    lines += study_sections.in_short(studies)
    return "\n".join(f"- {line}" for line in lines)


def ari(summary):
    table = tables.beside_paper(summary, "ari", "ari", largest_is_best=True)
    return f"Adjusted Rand index (ARI) on the test part: ours (the paper's).\n\n{table}"


def words(summary):
    intro = prose("""
        Counts from the published tables and from our run. Bold: the paper's own table does not
        support the claim. Times that hit the limit count as they are.
    """)
    return f"{intro}\n\n{claims.claims_table(summary)}"


def rank_section(summary, figures, link):
    text = [
        "Average ranks, 1 is best; bars join methods that the critical difference (Nemenyi, 5%) "
        "does not separate. p-values are those of Friedman's test."
    ]
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
            picture = f"![Average ranks of {whose}]({link}/ranks-{name}.png)"
            text.append(f"{whose.capitalize()}: {p_values}.\n\n{picture}")
    return "\n\n".join(text)


def all_methods(summary, size):
    setting = protocol.SIZES[size]
    methods = [m for m in ALL_METHODS if m in summary.methods]
    intro = prose(f"""
        Means over the sets. *Fit* is at C = 1 with trees and hierarchy, *tune* the search over C.
        "Accurate" is `nodes="forest"`. Not tuned: the accurate mode, boosting
        ({setting.boosting_rounds} rounds, or at most {10 * setting.boosting_rounds:,} with early
        stopping), the forests, nearest neighbours. The RBF SVM ran where the training part has at
        most {setting.rbf_rows:,} rows. The records have every set and split.
    """)
    return f"{intro}\n\n{tables.overall(summary, methods)}"


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
