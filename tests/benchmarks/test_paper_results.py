"""From records to the page: means, marks, claims, bars, and that nothing is left out silently."""

import re

import numpy as np
import pytest

from benchmarks.paper import bars, captions, claims, draw, methods, published, results, tables
from benchmarks.paper.summary import Summary


def record(name, split, method, ari, seconds, **more):
    return {
        "set": name,
        "split": split,
        "method": method,
        "ari": ari,
        "accuracy": ari,
        "tune_s": seconds,
        "configuration_s": seconds / 10,
        "fit_s": seconds / 50,
        "predict_s": seconds / 1000,
        "hierarchy_s": None,
        "capped": False,
        "subsampled": False,
        "date": "2026-01-02T00:00:00Z",
        "versions": {"python": "3"},
        "machine": "toy",
    } | more


@pytest.fixture
def summary():
    """Our run of three sets: SmartSVM is fastest on two, near the paper on two."""
    found = []
    for name, near, fast in (("letter", 0.0, 1.0), ("yeast", 0.0, 1.0), ("flare", 0.2, 9.0)):
        paper = published.table("ari")[name]
        for split in range(2):
            for method, other in methods.PAPER_NAME.items():
                ari = paper[other] - near * (method == "smartsvm-faithful") + 0.01 * split
                seconds = fast if method == "smartsvm-faithful" else 5.0
                found.append(record(name, split, method, ari, seconds))
    for each in found:
        if (each["set"], each["method"]) == ("letter", "crammer-singer"):
            each.update(capped=True, ari=None, accuracy=None, tune_s=120.0)
        if each["set"] == "yeast":
            each["subsampled"] = True
        if each["method"] == "smartsvm-faithful":
            each["nodes"] = [
                {"depth": 0, "error": 0.1, "normalised": 0.2, "n": 9, "classes": [1, 3]},
                {"depth": 1, "error": 0.2, "normalised": 0.4, "n": 6, "classes": [1, 2]},
                {"depth": 2, "error": 0.1, "normalised": 0.3, "n": 4, "classes": [1, 1]},
                {"depth": 1, "error": 0.3, "normalised": 0.1, "n": 4, "classes": [1, 1]},
            ]
    return Summary(found)


def test_means_over_splits(summary):
    cell = summary.cell("yeast", "one-vs-one", "ari")
    assert cell.mean == pytest.approx(0.2587 + 0.005)
    assert (cell.capped, cell.missing, cell.subsampled) == (0, 0, True)
    assert summary.cell("letter", "crammer-singer", "ari").mean is None
    assert summary.cell("letter", "crammer-singer", "tune_s").capped == 2
    assert summary.cell("letter", "rbf-svm", "ari") is None
    assert summary.sets == ["flare", "letter", "yeast"]


def test_a_later_record_replaces_an_earlier_one():
    both = [record("yeast", 0, "dag", 0.1, 1.0), record("yeast", 0, "dag", 0.5, 1.0)]
    assert Summary(both).cell("yeast", "dag", "ari").mean == 0.5


def test_a_split_that_was_not_run_is_marked(summary):
    gone = ("yeast", 1, "dag")
    kept = [r for r in summary.records if (r["set"], r["split"], r["method"]) != gone]
    shorter = Summary(kept)
    assert shorter.missing() == [("yeast", "dag", 1)]
    assert summary.missing() == []
    table = tables.beside_paper(shorter, "ari", "ari", largest_is_best=True)
    assert table.count(tables.MISSING) == 1
    assert "1 of DAG on yeast" in results.head(shorter, {}, "quick")


def test_times_of_two_machines_are_not_mixed():
    here = [record("yeast", split, "dag", 0.1, 1.0) for split in (0, 1)]
    there = record("yeast", 2, "dag", 0.4, 50.0, machine="another")
    found = Summary([*here, there])
    assert found.machine == "toy"
    assert found.cell("yeast", "dag", "ari").mean == pytest.approx(0.2)
    assert found.cell("yeast", "dag", "tune_s").mean == 1.0


def test_only_times_of_the_search_are_lower_bounds(summary):
    capped = summary.cell("letter", "crammer-singer", "fit_s")
    assert tables.shown(capped, "seconds") == f"0.1{tables.CAPPED}"
    assert tables.shown(capped, "seconds", bound=True) == f"≥ 0.1{tables.CAPPED}"


def test_nodes_are_paired_with_the_node_above(summary):
    pairs = [p for p in summary.node_pairs() if p["set"] == "letter"][:3]
    assert [(p["above"], p["below"]) for p in pairs] == [(0.2, 0.4), (0.4, 0.3), (0.2, 0.1)]


def test_tables_mark_capped_subsampled_leaked_and_best(summary):
    table = tables.beside_paper(summary, "tune_s", "total_seconds", largest_is_best=False)
    letter = next(line for line in table.splitlines() if line.startswith("| letter"))
    assert "≥ 120†" in letter
    assert "**1** (652)" in letter
    assert "(*382*)" in letter
    assert letter.endswith("44,960 |")
    assert "| yeast‡ |" in table
    ari = tables.beside_paper(summary, "ari", "ari", largest_is_best=True)
    assert "† (.617)" in ari
    assert tables.set_name(summary, "wine_red") == "wine_red§"


def test_one_row_for_each_method(summary):
    lines = tables.overall(summary, ["one-vs-one", "crammer-singer"]).splitlines()
    seconds = "| 0.1 | 5 | 0.005 |"
    assert lines[2].startswith("| one-vs-one | ")
    assert lines[2].endswith(seconds)
    assert lines[3].startswith("| Crammer–Singer | ")
    assert "| ≥ 43.3 |" in lines[3]  # two sets of 5 s, one that was ended after 120


def test_claims_of_the_paper_against_its_own_tables(summary):
    paper = claims.papers_tables()
    counts = {claim.text: claim.count(paper) for claim in claims.CLAIMS}
    assert counts["SmartSVM is the fastest method on 10 out of 16 datasets"] == (10, 16)
    assert counts["OvO is the fastest on the remaining 6 datasets"] == (6, 16)
    assert counts["SmartSVM outperforms One vs. One on 3 datasets"] == (2, 16)
    assert counts["SmartSVM outperforms One vs. Rest on 10 out of 16"] == (10, 16)
    assert "**2 of 16**" in claims.claims_table(summary)
    ours = claims.our_tables(summary)
    assert claims.CLAIMS[0].count(ours) == (2, 3)


def test_counts_of_sets(summary):
    good, sets = bars.within_paper(summary, ("smartsvm-faithful", "one-vs-one"))
    assert (good, sets) == (["letter", "yeast"], ["flare", "letter", "yeast"])
    assert bars.fastest(summary, "smartsvm-faithful")[0] == ["letter", "yeast"]


@pytest.fixture
def coarse(monkeypatch):
    """Pictures of few pixels, which are drawn sooner."""
    monkeypatch.setattr(draw, "DPI", 20)


@pytest.mark.slow
def test_the_page_is_written_whole(summary, tmp_path, coarse):
    at = np.linspace(0, 4, 17).tolist()
    curve = {
        name: [0.3] * 17
        for name in ("plain", "corrected", "true", "bhattacharyya", "jensen_shannon")
    }
    found = {
        "data": {"letter": published.published()["datasets"]["letter"], "yeast": "not found"},
        "bias_correction": {"distances": at, "trials": 2, "curves": {"0.15": curve, "0.33": curve}},
        "tree_variance": {"distances": at, "trials": 2, "variance": [[0.1] * 17] * 10},
        "chess": {
            "classes": ["a", "b"],
            "n_train": 5,
            "n_test": 5,
            "guess": [0.5, 0.5],
            "estimate": {"value": [0.1, 0.2], "lower": [0.1, 0.1]},
            "pca": {"value": [0.2, 0.3]},
            "test_error": {"one": [0.2, 0.3], "two": [0.3, 0.1]},
        },
        "mnist": {
            "rows": 10,
            "errors": (np.ones((10, 10)) * 0.1).tolist(),
            "classifier": "toy",
            "mistakes": 5,
            "n_test": 50,
            "confusion": np.eye(10).tolist(),
            "rank_correlation": 0.5,
        },
        "prediction": {
            "rows": 10,
            "seconds": {"one-vs-one": [2.0], "a, hard": [0.1], "b, soft": [0.5]},
            "accuracy": {"one-vs-one": 0.8, "a, hard": 0.7, "b, soft": 0.75},
        },
        "same_solver": {
            "n_folds": 3,
            "n_Cs": 5,
            "rows": [
                {
                    "set": "letter",
                    "n": 4000,
                    "K": 26,
                    "seconds": {"one-vs-one": 2.0, "liblinear": 4.0, "smartsvm-faithful": 0.5},
                },
            ],
        },
        "wine_leak": {
            "rows": [
                {"set": "wine_red", "leaked": leaked, "method": "dag", "ari": 0.5}
                for leaked in (True, False)
            ]
        },
    }
    studies = {
        name: {
            "result": result,
            "cpu_s": 1.0,
            "date": "2026-01-02",
            "versions": {"python": "3"},
            "machine": "toy",
        }
        for name, result in found.items()
    }
    page = results.write(summary, studies, "quick", tmp_path, tmp_path / "figures")
    text = page.read_text()
    for title in ("In short", "Predictive performance", "All methods", "Ranks", "Figures"):
        assert f"## {title}\n" in text
    linked = {
        line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")
    }
    assert linked == {f"figures/{path.name}" for path in (tmp_path / "figures").iterdir()}
    assert linked
    assert not re.search(r"\bnan\b", text)
    assert "with Newton's method in the nodes tuning takes" in text
    assert "the modes of SmartSVM are 4 to 20 times as fast as one-vs-one" in text
    assert "in 0 of 1 cases" in text


@pytest.mark.slow
def test_a_page_without_studies_says_so(summary, tmp_path, coarse):
    page = results.write(summary, {}, "quick", tmp_path, tmp_path / "figures")
    text = page.read_text()
    assert text.count("ot run") >= 5
    # And again: the same records give the same files.
    pictures = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert pictures
    results.write(summary, {}, "quick", tmp_path, tmp_path / "figures")
    assert page.read_text() == text
    assert {p.name: p.read_bytes() for p in (tmp_path / "figures").iterdir()} == pictures
    assert captions.prose("a\n  b\n\n c ") == "a b\n\nc"
