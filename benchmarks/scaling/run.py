"""All measurements of this folder, and the page of results.

    python -m benchmarks.scaling.run                     # writes benchmarks/scaling/RESULTS.md
    python -m benchmarks.scaling.run --scale 0.1 --output -   # a tenth of the sizes, printed

Data is random and written to a folder of its own (`--data`, default a temporary one).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.page import provenance
from benchmarks.scaling.watch import measured

CALL = "benchmarks.scaling.call"


def uniform(folder, n, d=3):
    """Path of n uniform points, written in pieces."""
    path = Path(folder) / f"uniform-{n}-{d}.npy"
    if not path.exists():
        rng = np.random.default_rng(0)
        file = np.lib.format.open_memmap(path, "w+", np.float64, (n, d))
        for start in range(0, n, 1 << 20):
            file[start : start + (1 << 20)] = rng.random((min(1 << 20, n - start), d))
        del file
    return path


def clusters(folder, n, d=784):
    """Path of n points in ten clusters that overlap, of about 30 effective dimensions."""
    path = Path(folder) / f"clusters-{n}-{d}.npy"
    if not path.exists():
        rng = np.random.default_rng(0)
        mixing = rng.normal(size=(30, d))
        centres = 2 * rng.normal(size=(10, 30))
        X = (centres[rng.integers(0, 10, size=n)] + rng.normal(size=(n, 30))) @ mixing
        np.save(path, X + rng.normal(size=(n, d)))
    return path


def from_disk(data, scale):
    """A memory-map ten times as large as an array in memory."""
    small, large = round(1e6 * scale), round(1e7 * scale)
    limit = round(2.4 * 2**30 * max(scale, 0.01))
    memory = measured(CALL, "direct", uniform(data, small))
    whole = measured(CALL, "direct", uniform(data, large))
    disk = measured(CALL, "blocks", uniform(data, large), "--limit", limit)
    rows = [
        row(f"{small:,} × 3 in memory, directly", small, memory),
        row(f"{large:,} × 3 in memory, directly", large, whole),
        row(f"{large:,} × 3 from a memory-map, limit {limit / 2**30:.2g} GiB", large, disk),
    ]
    ratio = disk["seconds"] / large / (memory["seconds"] / small)
    text = (
        f"a point takes {ratio:.2f} times as long as one of {small:,} in memory. The "
        f"weights of both trees differ by {abs(disk['weight'] / whole['weight'] - 1):.0e}."
    )
    return "From disk", rows, text, disk


def high_dimension(data, scale):
    """784 features, eight blocks against one call; all n² pairs of points count."""
    n = round(60_000 * scale)
    path = clusters(data, n)
    direct = measured(CALL, "direct", path)
    blocks = measured(CALL, "blocks", path, "--blocks", 8)
    rows = [
        row(f"{n:,} × 784 directly", n, direct),
        row(f"{n:,} × 784 in 8 blocks", n, blocks),
    ]
    ratio = blocks["seconds"] / direct["seconds"]
    text = f"blocks take {ratio:.2f} times as long."
    return "784 features", rows, text, blocks


def workers(data, scale):
    """One and two workers, on three backends."""
    n = round(4e6 * scale)
    path = uniform(data, n)
    rows, lines = [], []
    for backend in ("threading", "loky", "dask"):
        found = []
        for jobs in (1, 2):
            result = measured(
                CALL, "blocks", path, "--blocks", 16, "--jobs", jobs, "--backend", backend
            )
            found.append(result)
            rows.append(row(f"{n:,} × 3, 16 blocks, {backend}, {jobs}", n, result))
        tasks = [each["within_s"] + each["pairs_s"] for each in found]
        ratio, all_in = tasks[0] / tasks[1], found[0]["seconds"] / found[1]["seconds"]
        lines.append(f"{backend}: tasks {ratio:.2f}, whole call {all_in:.2f}")
    text = f"speed-up by the second one with {'; '.join(lines)}."
    return "Workers", rows, text, None


def growth(data, scale):
    """Four sizes, blocks of the same size."""
    rows, times = [], []
    sizes = [round(each * scale) for each in (1e6, 2e6, 4e6, 8e6)]
    for n in sizes:
        result = measured(CALL, "blocks", uniform(data, n), "--blocks", round(n / sizes[0]) * 4)
        rows.append(row(f"{n:,} × 3 in {result['n_blocks']} blocks", n, result))
        times.append(result["seconds"])
    exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    text = f"time grows as n to the power {exponent:.2f}."
    return "Growth", rows, text, None


def beside_model(data, scale):
    """Two sizes to compare with the cost model of the guide."""
    low, high = round(3e6 * scale), round(12_000 * scale)
    rows = [
        row(
            f"{n:,} × {d} in {blocks} blocks", n, measured(CALL, "blocks", path, "--blocks", blocks)
        )
        for n, d, blocks, path in (
            (low, 3, 4, uniform(data, low)),
            (high, 784, 8, clusters(data, high)),
        )
    ]
    text = "`python -m benchmarks.scaling.model` predicts the last two rows."
    return "Cost model", rows, text, None


def row(name, n, result):
    looked = f"{result['n_looked']}/{result['n_pairs']}" if "n_pairs" in result else ""
    cells = [
        name,
        f"{result['seconds']:.1f}",
        f"{1e6 * result['seconds'] / n:.2f}",
        f"{result['cpu']:.1f}",
        looked,
        f"{result['peak_mib']:,}",
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = """| | seconds | µs per point | CPU s | block pairs | MiB |
|---|---|---|---|---|---|"""
TITLE = "# Trees from disk and on a cluster"
READING = (
    "Each call runs in a fresh process. CPU seconds are those of the calling process, so they "
    "leave out workers in other processes. *Block pairs* are those that could share an edge, of "
    "all. *MiB* is the peak of the resident memory of all processes, about 190 of it the "
    "interpreter with its libraries."
)
PARTS = {
    "disk": from_disk,
    "high": high_dimension,
    "workers": workers,
    "growth": growth,
    "model": beside_model,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--data", help="folder for the points")
    parser.add_argument("--output", default="benchmarks/scaling/RESULTS.md")
    given = parser.parse_args()
    command = f"python -m benchmarks.scaling.run --parts {' '.join(given.parts)}"
    rows, texts = [], []
    with tempfile.TemporaryDirectory() as own:
        for part in given.parts:
            title, found, text, _ = PARTS[part](given.data or own, given.scale)
            rows += found
            texts.append(f"- {title}: {text}")
            print(*found, texts[-1], sep="\n", flush=True)
    page = [TITLE, READING, provenance(f"{command} --scale {given.scale:g}")]
    page += ["\n".join([HEAD, *rows]), "\n".join(texts)]
    if given.output != "-":
        Path(given.output).write_text("\n\n".join(page) + "\n")


if __name__ == "__main__":
    main()
