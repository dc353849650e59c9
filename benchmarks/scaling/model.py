"""The cost model of docs/guide/scaling.md: python -m benchmarks.scaling.model prints its tables.

Rates are processor time on one core of a machine like that of RESULTS.md, one tree. Low dimension
was measured at 3,000,000 uniform points of 3 features in blocks of 750,000:

    python -m benchmarks.scaling.call blocks uniform-3000000-3.npy --blocks 4

high dimension at 60,000 points of 784 features in 8 blocks, with kernels that multiplied all pairs
(98 seconds; those of RESULTS.md exclude most).
"""

from __future__ import annotations

from smartsvm.trees.out_of_core.memory_plan import merge_bytes, row_bytes

SORT, WITHIN, MERGE = 0.28e-6, 2.8e-6, 0.22e-6  # seconds per point
# Seconds per point for each side that a block shares with others, at 750,000 points; those four
# blocks had two such sides each. Less in larger blocks, as the surface is to the volume.
SIDE, SIDE_ROWS = 0.29e-6 / 2, 750_000
TASK = 0.02  # seconds of the calling process for each task sent to a cluster
ENTRY = 54e-9  # seconds per pair of points of 784 features, in blocks


def low_dimension(n, workers, rows):
    """A line of the table for uniform points of 3 features."""
    n_blocks = max(1, round(n / rows))
    sides, neighbours = (6, 26) if n_blocks >= 64 else (3, 7) if n_blocks >= 8 else (2, 3)
    pairs = sides * SIDE * (SIDE_ROWS / rows) ** (1 / 3)
    tasks = n_blocks * (1 + neighbours)  # each pair is looked at up to twice
    work = n * (SORT + WITHIN + pairs)
    # Points to their block and to a worker for each pair, up to twice; edges to the caller.
    moved = n * (28 + 28 * neighbours + 28)
    return {
        "points": f"{n:,}",
        "workers": workers,
        "blocks": n_blocks,
        "tasks": tasks,
        "seconds on workers": work / min(workers, n_blocks),
        "seconds of the caller": n * MERGE + (tasks * TASK if workers > 2 else 0),
        "bytes moved": moved,
        "bytes of a worker": 2 * min(rows, n) * (row_bytes(3, 1, "kdtree") + 16),
        "bytes of the caller": n * merge_bytes(1),
    }


def high_dimension(n, workers, rows):
    """A line of the table for points of 784 features, where nothing can be skipped."""
    n_blocks = max(2, round(n / rows))
    tasks = n_blocks * (n_blocks + 1) // 2
    return {
        "points": f"{n:,}",
        "workers": workers,
        "blocks": n_blocks,
        "tasks": tasks,
        "seconds on workers": n * n / 2 * ENTRY / min(workers, tasks),
        "seconds of the caller": n * MERGE + (tasks * TASK if workers > 2 else 0),
        "bytes moved": (tasks - n_blocks) * rows * 784 * 8.0,
        "bytes of a worker": 2 * rows * (row_bytes(784, 1) + 16),
        "bytes of the caller": n * merge_bytes(1, 784),
    }


def show(lines):
    print("| " + " | ".join(lines[0]) + " |")
    print("|" + "---|" * len(lines[0]))
    for line in lines:
        cells = [
            str(value) if not isinstance(value, float) else f"{value:,.0f}"
            for value in (
                short(value) if "bytes" in name else value for name, value in line.items()
            )
        ]
        print("| " + " | ".join(cells) + " |")
    print()


def short(size):
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 1000:
        size /= 1000
        del units[0]
    return f"{size:.3g} {units[0]}"


def main():
    show(
        [
            low_dimension(3_000_000, 1, 750_000),
            low_dimension(10_000_000, 1, 1_250_000),
            low_dimension(10_000_000, 2, 1_250_000),
            low_dimension(10**8, 10, 2_000_000),
            low_dimension(10**8, 100, 500_000),
            low_dimension(10**9, 100, 2_000_000),
            low_dimension(10**9, 1000, 1_000_000),
        ]
    )
    show(
        [
            high_dimension(12_000, 1, 1_500),
            high_dimension(60_000, 2, 7_500),
            high_dimension(10**6, 100, 20_000),
            high_dimension(10**6, 1000, 20_000),
            high_dimension(10**7, 1000, 50_000),
        ]
    )


if __name__ == "__main__":
    main()
