"""The tables of the race, made from its records.

    python -m benchmarks.trees.race_tables [--page benchmarks/trees/RESULTS.md]

A row of the records is one cell on one processor; `race.py` adds rows with ``--page``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from ..page import markdown_table, read_records, write_table

HERE = Path(__file__).parent
RECORDS = HERE / "records" / "race.csv"
PAGE = HERE / "RESULTS.md"
PROCESSORS = ("Neoverse-N1", "Xeon")
TASKS = {"as it is": "", "in [0, 1]": "-scaled", "three trees": "-three-trees", "pairs": "-pairs"}


class Race:
    """The records of the race with one thread."""

    def __init__(self, records):
        self._found = {
            (each["processor"], each["cell"]): each for each in records if each["threads"] == "1"
        }
        self.cells = list(dict.fromkeys(cell for _, cell in self._found))

    def get(self, processor, cell, field):
        """A field of a record as text; a dash if there is none."""
        return self._found.get((processor, cell), {}).get(field) or "–"

    def mean(self, processor, cells):
        """Geometric mean of the ratios that were measured."""
        ratios = [self.get(processor, cell, "ratio") for cell in cells]
        known = [float(ratio) for ratio in ratios if ratio != "–"]
        return f"**{np.exp(np.mean(np.log(known))):.1f}**" if known else "–"

    def names(self, prefix):
        """Data sets whose cells begin with the prefix."""
        names = (cell.removeprefix(prefix) for cell in self.cells if cell.startswith(prefix))
        return [name for name in names if not name.endswith(tuple(TASKS.values())[1:])]


def made_data(race):
    """Seconds on the first processor and ratios on both, of all cells without real sets."""
    columns = [(PROCESSORS[0], "smartsvm_s"), *((each, "ratio") for each in PROCESSORS)]
    rows = [
        [cell, *(race.get(processor, cell, field) for processor, field in columns)]
        for cell in race.cells
        if not cell.startswith(("real-", "keel-"))
    ]
    head = ["cell", f"{PROCESSORS[0]}, s", *(f"ratio, {each}" for each in PROCESSORS)]
    return markdown_table(head, rows)


def real_sets(race):
    """Ratios on the paper's sets by task, and the geometric means of these and of KEEL's sets."""
    columns = [(p, task, ending) for p in PROCESSORS for task, ending in TASKS.items()]
    names = race.names("real-")
    rows = [
        [name, *(race.get(p, f"real-{name}{ending}", "ratio") for p, _, ending in columns)]
        for name in names
    ]
    means = [race.mean(p, [f"real-{name}{ending}" for name in names]) for p, _, ending in columns]
    rows.append(["geometric mean", *means])
    keel = race.names("keel-")
    endings = {"-scaled": "", "-pairs": "-pairs"}  # all of KEEL's sets are scaled
    means = [
        race.mean(p, [f"keel-{name}{endings[ending]}" for name in keel])
        if ending in endings
        else "–"
        for p, _, ending in columns
    ]
    rows.append([f"{len(keel)} sets of KEEL", *means])
    return markdown_table(["set", *(f"{p}, {task}" for p, task, _ in columns)], rows)


TABLES = {"made data": made_data, "real sets": real_sets}


def write(page):
    """Write the tables into the page."""
    race = Race(read_records(RECORDS))
    for name, table in TABLES.items():
        write_table(page, name, table(race))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", default=PAGE)
    write(parser.parse_args().page)


if __name__ == "__main__":
    main()
