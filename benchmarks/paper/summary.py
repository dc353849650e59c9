"""From records to numbers: means over the splits, standard errors, what is capped or missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import published
from .record_file import latest

MEASURES = ("ari", "accuracy", "tune_s", "configuration_s", "fit_s", "predict_s", "hierarchy_s")


@dataclass(frozen=True)
class Cell:
    """One method on one set: mean over the splits, its standard error, and warnings."""

    mean: float | None
    error: float | None
    n_splits: int
    capped: int  # splits that were cut short
    subsampled: bool


class Summary:
    """Every measure of every method on every set of a run."""

    def __init__(self, records):
        self.records = latest(records)
        self._cells = {}
        for record in self.records:
            self._cells.setdefault((record["set"], record["method"]), []).append(record)
        present = {record["set"] for record in self.records}
        self.sets = [name for name in published.names() if name in present]
        self.sets += sorted(present - set(self.sets))
        self.methods = list(dict.fromkeys(record["method"] for record in self.records))

    def cell(self, name, method, measure):
        """The Cell of a measure, or None if the method was not run on the set."""
        records = self._cells.get((name, method))
        if not records:
            return None
        values = [r[measure] for r in records if r.get(measure) is not None]
        mean = float(np.mean(values)) if values else None
        error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
        return Cell(
            mean,
            error,
            len(values),
            sum(bool(r["capped"]) for r in records),
            any(r["subsampled"] for r in records),
        )

    def means(self, measure, methods, *, capped=True):
        """Set to {method: mean} of those that have one; without capped cells if asked."""
        table = {}
        for name in self.sets:
            found = {method: self.cell(name, method, measure) for method in methods}
            table[name] = {
                method: cell.mean
                for method, cell in found.items()
                if cell is not None and cell.mean is not None and (capped or not cell.capped)
            }
        return table

    def nodes(self):
        """Nodes of the faithful hierarchies, by set: a list of lists in preorder, one a split."""
        found = {}
        for record in self.records:
            if "nodes" in record:
                found.setdefault(record["set"], []).append(record["nodes"])
        return {name: found[name] for name in self.sets if name in found}

    def node_pairs(self, error="normalised"):
        """Every node but the roots with the error of the node above it."""
        pairs = []
        for name, trees in self.nodes().items():
            for nodes in trees:
                path = []  # errors from the root to the node; a tree in preorder walks down it
                for node in nodes:
                    del path[node["depth"] :]
                    if path:
                        pairs.append({"set": name, "above": path[-1], "below": node[error]})
                    path.append(node[error])
        return pairs

    def versions(self):
        """Distinct versions and machines behind the records, and the first and last date."""
        kinds = {
            ", ".join(f"{k} {v}" for k, v in r["versions"].items()) + f"; {r['machine']}"
            for r in self.records
        }
        dates = sorted(r["date"] for r in self.records)
        return sorted(kinds), (dates[0][:10], dates[-1][:10]) if dates else ("", "")
