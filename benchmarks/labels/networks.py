"""Wrong labels of images, by the probabilities of networks: 20 settings, beside cleanlab.

    pip install cleanlab
    python -m benchmarks.labels.networks FOLDER [--page benchmarks/labels/README.md]

The settings are those of the public repository `cleanlab/label-error-detection-benchmarks`, which
is cloned into FOLDER (1 GB) unless it is there: CIFAR-10 with labels by people (CIFAR-10N,
aggregate and worst) and with made noise, and roman numerals, with the held-out probabilities of
five networks each. Without cleanlab its columns are empty.
"""

from __future__ import annotations

import argparse
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import average_precision_score

from smartsvm import rank_label_errors

from ..page import markdown_table, update_records, write_table

ADDRESS = "https://github.com/cleanlab/label-error-detection-benchmarks"
RECORDS = Path(__file__).parent / "records" / "networks.csv"
SETS = {"aggre": "aggregate", "worst": "worst", "noise_amount": "made noise", "roman": "roman"}
NETWORKS = "resnet18", "resnet50d", "swin", "efficientnet_b1", "twins"
BINS = (0.5, 0.8, 0.95, 1.01)  # of the chance that a label is wrong
CLEANLAB_SCORES = "self_confidence", "normalized_margin", "confidence_weighted_entropy"


class Setting(NamedTuple):
    """Labels, held-out probabilities, and which labels are wrong."""

    labels: str
    network: str
    y: np.ndarray
    probabilities: np.ndarray
    wrong: np.ndarray


def settings(folder):
    """All settings in the clone of the repository."""
    for path in sorted(Path(folder).rglob("pred_probs.npy")):
        place = path.parent
        labels = next((SETS[key] for key in SETS if key in place.name), None)
        network = next((name for name in NETWORKS if name in place.name), None)
        if labels is None or network is None:
            continue
        if labels == "roman":
            y, wrong = (np.load(place / f"{n}.npy") for n in ("labels", "label_errors_mask"))
        else:
            y, true = (np.load(place / f"{name}_labels.npy") for name in ("noisy", "true"))
            wrong = y != true
        yield Setting(labels, network, y, np.load(path).astype(float), wrong.astype(bool))


def fetched(folder):
    """The folder with the clone; clones it if it is not there."""
    place = Path(folder) / ADDRESS.rsplit("/", 1)[1]
    if not place.exists():
        subprocess.run(["git", "clone", "--depth", "1", ADDRESS, str(place)], check=True)
    return place


def measure(setting):
    """Numbers of one setting as a dictionary of text."""
    y, wrong = setting.y, setting.wrong
    total = setting.probabilities.sum(axis=1, keepdims=True)
    probabilities = setting.probabilities / total
    row = {"labels": setting.labels, "network": setting.network, "wrong": wrong.sum()}
    row["AP 1-p"] = average_precision_score(wrong, 1 - probabilities[np.arange(len(y)), y])
    for overlap in ("rare", "unknown"):
        found = rank_label_errors(y, probabilities, overlap=overlap)
        places = np.empty(len(y))
        places[found.ranking] = -np.arange(len(y))
        row["AP"] = average_precision_score(wrong, places)
        row |= _of_list(overlap, found.listed, wrong)
        row |= {
            f"{overlap} {name}": getattr(found.range, name) for name in ("value", "low", "high")
        }
        if overlap == "rare":
            for low, (number, said, so) in zip(BINS, of_bins(found.chance, wrong), strict=False):
                row |= {f"{low} n": number, f"{low} said": said, f"{low} wrong": so}
    row |= cleanlab_numbers(y, probabilities, wrong)
    return {key: f"{v:.4f}" if isinstance(v, float) else str(v) for key, v in row.items()}


def of_bins(chance, wrong):
    """Number of labels, sum of their chances and number of wrong ones for each bin of chances."""
    inside = [(chance >= low) & (chance < high) for low, high in pairwise(BINS)]
    return [(int(i.sum()), float(chance[i].sum()), int(wrong[i].sum())) for i in inside]


def reliability_line(name, bins):
    """A line of a table: the mean chance, and the share that is wrong, in each bin."""
    cells = (f"{said / n:.3f} → {so / n:.3f} ({n:.0f})" if n else "" for n, said, so in bins)
    return [name, *cells]


def _of_list(name, listed, wrong):
    hits = wrong[listed].sum()
    return {
        f"{name} listed": len(listed),
        f"{name} precision": float(hits / max(len(listed), 1)),
        f"{name} recall": float(hits / max(wrong.sum(), 1)),
    }


def cleanlab_numbers(y, probabilities, wrong):
    """Its list, and the best average precision of its three scores; nothing without cleanlab."""
    try:
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_label_quality_scores
    except ImportError:
        return {}
    scores = (get_label_quality_scores(y, probabilities, method=m) for m in CLEANLAB_SCORES)
    best = np.nan
    if wrong.any():
        best = max(average_precision_score(wrong, -score) for score in scores)
    listed = np.flatnonzero(find_label_issues(y, probabilities, n_jobs=1))
    return {"AP cleanlab": float(best)} | _of_list("cleanlab", listed, wrong)


def page_table(rows):
    """A line for each setting."""
    head = (
        *("labels", "network", "wrong", "AP", "AP 1 − p", "AP cleanlab, best of three"),
        *("rare: range", "rare: list (precision, recall)", "unknown: range"),
        *("unknown: list (precision)", "cleanlab: list (precision, recall)"),
    )
    lines = []
    for row in rows:
        value = {key: float(v) for key, v in row.items() if key not in ("labels", "network") and v}
        ranges = {
            name: f"{value[f'{name} value']:,.0f} "
            f"({value[f'{name} low']:,.0f} to {value[f'{name} high']:,.0f})"
            for name in ("rare", "unknown")
        }
        aps = (f"{value[k]:.3f}" if k in value else "" for k in ("AP", "AP 1-p", "AP cleanlab"))
        rare, peer = (
            f"{value[f'{name} listed']:,.0f} ({value[f'{name} precision']:.3f}, "
            f"{value[f'{name} recall']:.3f})"
            if f"{name} listed" in value
            else ""
            for name in ("rare", "cleanlab")
        )
        unknown = f"{value['unknown listed']:,.0f} ({value['unknown precision']:.3f})"
        first = row["labels"], row["network"], f"{value['wrong']:,.0f}"
        lines.append([*first, *aps, ranges["rare"], rare, ranges["unknown"], unknown, peer])
    return markdown_table(head, lines)


def reliability_table(rows):
    """Mean chance under "rare" and actual share of wrong labels: each kind of labels, and all."""
    kinds = {kind: [row for row in rows if row["labels"] == kind] for kind in SETS.values()}
    lines = []
    for kind, own in (*kinds.items(), ("all", rows)):
        bins = [
            [sum(float(row[f"{low} {name}"]) for row in own) for name in ("n", "said", "wrong")]
            for low in BINS[:-1]
        ]
        lines.append(reliability_line(kind, bins))
    return markdown_table(
        ("labels", "chance 50% to 80%", "80% to 95%", "95% and more"),
        lines,
    )


def main():
    """Measure all settings; print both tables, and write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the repository is, or is cloned to")
    parser.add_argument("--page", help="results page to write the table into")
    options = parser.parse_args()
    rows = []
    for setting in settings(fetched(options.folder)):
        rows.append(measure(setting))
        print(*rows[-1].values(), flush=True)
    order = {name: place for place, name in enumerate((*SETS.values(), *NETWORKS))}
    rows.sort(key=lambda row: (order[row["labels"]], order[row["network"]]))
    RECORDS.parent.mkdir(exist_ok=True)
    update_records(RECORDS, rows, 2)
    if options.page:
        write_table(options.page, "networks", page_table(rows))
        write_table(options.page, "networks-reliability", reliability_table(rows))


if __name__ == "__main__":
    main()
