"""All measurements of this folder, and the page of results.

    python -m benchmarks.scaling.run                     # writes benchmarks/scaling/RESULTS.md
    python -m benchmarks.scaling.run --scale 0.1 --output -   # a tenth of the sizes, printed

Data is random and written to a folder of its own (`--data`, default a temporary one).
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from pathlib import Path

import numpy as np

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
        f"Time per point over that of {small:,} in memory: **{ratio:.2f}** (wanted: at most 1.5); "
        f"peak of all resident memory {disk['peak_mib']:,} MiB (wanted: below 4,096). "
        f"Weights agree to {abs(disk['weight'] / whole['weight'] - 1):.0e}."
    )
    return "From disk", rows, text, disk


def high_dimension(data, scale):
    """Eight blocks against one call, where all n² pairs must be looked at."""
    n = round(60_000 * scale)
    path = clusters(data, n)
    direct = measured(CALL, "direct", path)
    blocks = measured(CALL, "blocks", path, "--blocks", 8)
    rows = [
        row(f"{n:,} × 784 directly", n, direct),
        row(f"{n:,} × 784 in 8 blocks", n, blocks),
    ]
    ratio = blocks["seconds"] / direct["seconds"]
    text = f"Blocks over direct: **{ratio:.2f}** (wanted: at most 1.5)."
    return "High dimension", rows, text, blocks


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
        lines.append(f"{backend}: tasks **{ratio:.2f}**, all in all {all_in:.2f}")
    text = f"One worker over two (wanted: at least 1.6): {'; '.join(lines)}."
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
    text = f"Time grows as n to the power **{exponent:.2f}**."
    return "Growth", rows, text, None


def beside_model(data, scale):
    """Two sizes that the model of the guide is compared with: cpu s are those of all phases."""
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
    text = "What the model says of them: `python -m benchmarks.scaling.model`."
    return "Beside the model", rows, text, None


def row(name, n, result):
    phases = [result.get(f"{phase}_s") for phase in ("sort", "within", "pairs", "merge")]
    looked = f"{result['n_looked']} / {result['n_pairs']}" if "n_pairs" in result else ""
    cells = [
        name,
        f"{result['seconds']:.1f}",
        f"{1e6 * result['seconds'] / n:.2f}",
        f"{result['cpu']:.1f}",
        *("" if phase is None else f"{phase:.1f}" for phase in phases),
        looked,
        f"{result['peak_mib']:,}",
    ]
    return "| " + " | ".join(cells) + " |"


HEAD = """| | seconds | µs a point | cpu s | sort | within | pairs | merge | pairs looked at | MiB |
|---|---|---|---|---|---|---|---|---|---|"""
PARTS = {
    "disk": from_disk, "high": high_dimension, "workers": workers, "growth": growth,
    "model": beside_model,
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--data", help="folder for the points")
    parser.add_argument("--output", default="benchmarks/scaling/RESULTS.md")
    given = parser.parse_args()
    command = f"python -m benchmarks.scaling.run --parts {' '.join(given.parts)}"
    pages = [
        "# Forests over blocks: measured\n",
        f"`{command} --scale {given.scale:g}` on {platform.machine()}, two cores. Columns sort to "
        "merge are the seconds of the phases; MiB the peak of the resident memory of all "
        "processes, about 190 of it the interpreter with its libraries.\n",
    ]
    with tempfile.TemporaryDirectory() as own:
        for part in given.parts:
            title, rows, text, _ = PARTS[part](given.data or own, given.scale)
            pages += [
                f"## {title}\n",
                PARTS[part].__doc__ + "\n",
                "\n".join([HEAD, *rows]),
                "",
                text,
                "",
            ]
            print(*pages[-5:], sep="\n", flush=True)
    if given.output != "-":
        Path(given.output).write_text("\n".join(pages))


if __name__ == "__main__":
    main()
