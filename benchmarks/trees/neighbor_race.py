"""Race exact nearest neighbours against scikit-learn and faiss's flat index.

    python -m benchmarks.trees.neighbor_race [--threads 1] [--cells real-letter ...] [--page]

Every cell runs as turns.py says, from a float64 array to sorted neighbours, the point itself
left out. scikit-learn chooses its algorithm. faiss computes in float32, so that only its rounding
can be expected of it; without the package faiss-cpu its column is empty. Cells beside the small
ones have 768 columns: `--cells d768-2e4-clustered d768-1e5-clustered d768-1e5-uniform`;
scikit-learn takes no part there.
"""

from __future__ import annotations

import numpy as np

from . import cells
from .race_tables import HERE
from .turns import command_line, ratios, take_turns

RECORDS = HERE / "records" / "table-nearest-neighbours.csv"
K = 10
MADE = ("d3-1e5-uniform", "d10-2e4-clustered", "d64-2e4-clustered", "d64-2e4-uniform")
CELLS = (*MADE, *(f"real-{name}" for name in cells.REAL if name not in ("fars", "mnist")))
LARGE = {
    f"d768-{size}-{name}": cells.Cell("", "trees", kind, n, 768, 0)
    for size, n in (("2e4", 20_000), ("1e5", 100_000))
    for name, kind in (("clustered", "50 clusters"), ("uniform", "uniform"))
}
# scikit-learn is left out of what takes it half a minute and more, by n ** 2 * d.
_SLOW = 2e11
# Squared distances may differ by this fraction of the largest squared norm.
_ROUNDING = {"scikit-learn": 1e-12, "faiss": 1e-5}


def contestants(X, n_jobs):
    """Calls by name, each to the distances of the neighbours."""
    from sklearn.neighbors import NearestNeighbors

    from smartsvm import nearest_neighbors

    calls = {"smartsvm": lambda: nearest_neighbors(X, K, n_jobs=n_jobs).distances}
    if len(X) ** 2 * X.shape[1] < _SLOW:
        calls["scikit-learn"] = lambda: (
            NearestNeighbors(n_neighbors=K, n_jobs=n_jobs).fit(X).kneighbors()[0]
        )
    try:
        import faiss
    except ImportError:
        return calls
    faiss.omp_set_num_threads(n_jobs)

    def by_faiss():
        points = X.astype(np.float32)
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        return np.sqrt(index.search(points, K + 1)[0][:, 1:])

    return calls | {"faiss": by_faiss}


def run(name, n_jobs):
    """The best time of every contestant in one cell, in seconds."""
    X, _ = cells.load(LARGE.get(name) or cells.CELLS[name])
    results, best = take_turns(contestants(X, n_jobs), n_jobs)
    ours = results.pop("smartsvm") ** 2
    largest = np.einsum("ij,ij->i", X, X).max()
    agree = all(
        np.abs(found**2 - ours).max() <= _ROUNDING[each] * largest
        for each, found in results.items()
    )
    return {"cell": name, "seconds": best, "agree": bool(agree)}


def record(result, n_jobs):
    """A row of the records: our seconds, and times of others over ours."""
    seconds = result["seconds"]
    return {
        "cell": result["cell"],
        "threads": n_jobs,
        "smartsvm, s": f"{seconds['smartsvm']:.3g}",
        **ratios(seconds, ("scikit-learn", "faiss")),
        "agree": "yes" if result["agree"] else "no",
    }


def main():
    command_line("neighbor_race", __doc__, CELLS, run, record, RECORDS, "nearest neighbours")


if __name__ == "__main__":
    main()
