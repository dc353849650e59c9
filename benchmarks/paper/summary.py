"""From records to numbers: means over the splits, what is capped or missing.

Times of different machines are never mixed: those of the machine that most records are from count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from . import published
from .record_file import latest


@dataclass(frozen=True)
class Cell:
    """One method on one set: mean over the splits, and warnings."""

    mean: float | None
    capped: int  # splits that were cut short
    missing: int  # splits that were not run, though others of the run were
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
        self.n_splits = len({record["split"] for record in self.records})
        machines = Counter(record["machine"] for record in self.records)
        self.machine = machines.most_common(1)[0][0] if machines else None

    def cell(self, name, method, measure):
        """The Cell of a measure, or None if the method was not run on the set."""
        records = self._cells.get((name, method))
        if not records:
            return None
        missing = self.n_splits - len(records)
        if measure.endswith("_s"):
            records = [r for r in records if r["machine"] == self.machine]
        values = [r[measure] for r in records if r.get(measure) is not None]
        mean = float(np.mean(values)) if values else None
        return Cell(
            mean,
            sum(bool(r["capped"]) for r in records),
            missing,
            any(r["subsampled"] for r in records),
        )

    def missing(self):
        """Cells that a method lacks on a set where other splits were run: (set, method, n)."""
        return [
            (name, method, self.n_splits - len(records))
            for (name, method), records in self._cells.items()
            if len(records) < self.n_splits
        ]

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
        """Nodes of the faithful hierarchies, by set: a list of lists in preorder, one per split."""
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

    def dates(self):
        """Days of the first and the last record."""
        days = sorted(record["date"][:10] for record in self.records)
        return days[0], days[-1]
