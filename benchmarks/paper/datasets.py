"""The 16 sets of the paper and MNIST: found in a folder or fetched, and always verified.

    python -m benchmarks.paper.datasets [--folder FOLDER] [--fetch]

prints the summary table beside the paper's and says where and why they differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import published, sources

FOLDER_VARIABLE = "SMARTSVM_DATA"
CACHE_VARIABLE = "SMARTSVM_CACHE"
EXPECTED_FILE = Path(__file__).with_name("datasets.json")
NAMES = published.names()


class Unavailable(OSError):
    """A set is not here and could not be fetched."""


class WrongData(Unavailable):
    """A set was found, but it is not the one the results are about."""


@dataclass(frozen=True)
class Dataset:
    """Points, class codes and what they are called, rows in the canonical order."""

    name: str
    X: np.ndarray
    y: np.ndarray
    classes: tuple

    def summary(self):
        """The columns of the paper's table of data sets."""
        counts = np.bincount(self.y)
        return {
            "n": len(self.X),
            "d": self.X.shape[1],
            "K": len(counts),
            "min": int(counts.min()),
            "max": int(counts.max()),
        }


def canonical(X, y):
    """Rows sorted by their features, then by class, as float64 and int64.

    Every source then gives the same array, whatever the order of its rows, so that
    hashes and random splits do not depend on where the data came from.
    """
    X, y = np.ascontiguousarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)
    order = np.lexsort((y, *X.T[::-1]))
    return X[order], y[order]


def content_hash(X, y):
    """SHA-256 of the canonical rows."""
    X, y = canonical(X, y)
    digest = hashlib.sha256(repr(X.shape).encode())
    digest.update(X.astype("<f8").tobytes())
    digest.update(y.astype("<i8").tobytes())
    return digest.hexdigest()


def expected():
    """Hash, source and remark of every set, from `datasets.json`."""
    return json.loads(EXPECTED_FILE.read_text())


def load(name, folder=None, *, fetch=True, expect=None):
    """One set from the folder, the cache or its public source.

    Parameters
    ----------
    name : str
        A name of the paper's table (`NAMES`), "mnist" or "mnist_test".
    folder : path-like, default=None
        Folder of npz files with X, y and classes; by default the one that the environment
        variable SMARTSVM_DATA names.
    fetch : bool, default=True
        Whether to fetch what neither the folder nor the cache has.
    expect : dict, default=None
        Hashes to hold the data against; those of `datasets.json` by default.

    Returns
    -------
    Dataset
        Verified by hash.

    Raises
    ------
    Unavailable
        Says why, and what to do about it.
    """
    expect = expected() if expect is None else expect
    if name not in expect:
        raise ValueError(f"name must be one of {sorted(expect)}, got {name!r}.")
    folder = folder or os.environ.get(FOLDER_VARIABLE)
    places = [Path(each) / f"{name}.npz" for each in (folder, cache_folder()) if each]
    path = next((each for each in places if each.exists()), None)
    if path is not None:
        with np.load(path) as arrays:
            X, y, classes = arrays["X"], arrays["y"], arrays["classes"]
    else:
        missing = f"{name}: not found as {' or '.join(map(str, places))}"
        if not fetch:
            raise Unavailable(f"{missing}. Name its folder by {FOLDER_VARIABLE}.")
        try:
            X, y, classes = sources.fetch(name, cache_folder())
        except sources.FAILURES as error:
            raise Unavailable(
                f"{missing}, and not fetched: {error}. Run again with a connection, or name a "
                f"folder that has it by {FOLDER_VARIABLE}."
            ) from error
    X, y = canonical(X, y)
    found = content_hash(X, y)
    if found != expect[name]["sha256"]:
        raise WrongData(
            f"{name}: the content has hash {found[:12]}, not {expect[name]['sha256'][:12]}; "
            f"its shape is {X.shape}. It came from {path or 'its public source'}."
        )
    if path is None:
        cache_folder().mkdir(parents=True, exist_ok=True)
        np.savez_compressed(cache_folder() / f"{name}.npz", X=X, y=y, classes=np.array(classes))
    return Dataset(name, X, y, tuple(map(str, classes)))


def cache_folder():
    """Where fetched sets are kept."""
    given = os.environ.get(CACHE_VARIABLE)
    return Path(given) if given else Path.home() / ".cache" / "smartsvm-benchmarks"


def summaries(folder=None, *, fetch=False):
    """Set to its summary, or to the reason why it could not be loaded."""
    found = {}
    for name in NAMES:
        try:
            found[name] = load(name, folder, fetch=fetch).summary()
        except Unavailable as error:
            found[name] = str(error)
    return found


def summary_table(found):
    """The table of data sets beside the paper's, in Markdown; differences are explained."""
    lines = [
        "| set | n | d | K | smallest class | largest class | as in the paper | remark |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, ours in found.items():
        paper = published.published()["datasets"][name]
        if isinstance(ours, str):
            lines.append(f"| {name} | | | | | | not loaded | {ours} |")
            continue
        cells = [
            f"{ours[key]}" if ours[key] == paper[key] else f"**{ours[key]}** (paper {paper[key]})"
            for key in ("n", "d", "K", "min", "max")
        ]
        same = "yes" if ours == paper else "no"
        lines.append(f"| {name} | {' | '.join(cells)} | {same} | {expected()[name]['remark']} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help=f"by default ${FOLDER_VARIABLE}")
    parser.add_argument("--fetch", action="store_true", help="fetch what is missing")
    options = parser.parse_args()
    print(summary_table(summaries(options.folder, fetch=options.fetch)))


if __name__ == "__main__":
    main()
