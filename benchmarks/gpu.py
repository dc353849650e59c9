"""Trees of embeddings on a GPU and on the processor: simulated, 768 columns, 1,000 classes.

    python -m benchmarks.gpu --rows 10000 100000 1300000 --threads 16 --most-cpu 100000
    python -m benchmarks.gpu --rows 1300000 --pairs 1 0.4

Times are those of calls after the first, the input on the device unless said otherwise. `--pairs`
counts the cross edges of all pairs of classes, their centres drawn together by the given factors.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch

from smartsvm import ClassForest, euclidean_mst

COLUMNS, CLASSES, LATENT = 768, 1000, 32


def embeddings(n, closeness=1.0, device="cuda"):
    """Unit vectors around bent, low-dimensional classes, plus noise; and the classes."""
    generator = torch.Generator(device=device).manual_seed(0)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, device=device)

    lift, spread = normal(64, COLUMNS) / 8, normal(LATENT, COLUMNS) / LATENT**0.5
    centres = closeness * normal(CLASSES, 64)
    y = torch.randint(CLASSES, (n,), generator=generator, device=device)
    X = torch.empty(n, COLUMNS, device=device)
    for start in range(0, n, 1 << 17):
        part = y[start : start + (1 << 17)]
        inside = 0.7 * normal(len(part), LATENT) @ spread
        X[start : start + len(part)] = torch.tanh(centres[part] @ lift + inside)
        X[start : start + len(part)] += 0.1 * normal(len(part), COLUMNS)
    return torch.nn.functional.normalize(X, dim=1), y


def seconds(X, repeats=2, **options):
    """Seconds of the last of some calls, and its trees."""
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        result = euclidean_mst(X, **options)
        torch.cuda.synchronize()
        taken = time.perf_counter() - start
    return taken, result


def trees(n, n_threads, most_cpu):
    """A line of times for the trees of n rows."""
    X, _ = embeddings(n)
    torch.cuda.reset_peak_memory_stats()
    repeats = 2 if n <= 200_000 else 1
    one, found = seconds(X, repeats)
    three, _ = seconds(X, repeats, n_trees=3)
    peak = torch.cuda.max_memory_allocated() / 1e9
    in_memory = X.cpu().numpy()
    del X
    torch.cuda.empty_cache()
    host, _ = seconds(in_memory, 1, device="cuda")
    cells = [f"{n:,}", f"{one:.2f}", f"{three:.2f}", f"{host:.2f}", f"{peak:.1f}"]
    for threads, most in ((n_threads, most_cpu), (1, most_cpu // 10)):
        if n > most:
            cells.append("–")
            continue
        taken, same = seconds(in_memory, 1, n_jobs=threads)
        assert np.array_equal(found.edges, same.edges), "other edges"
        assert np.array_equal(found.weights, same.weights), "other lengths"
        cells.append(f"{taken:.2f}")
    return f"| {' | '.join(cells)} |"


def pairs(n, closeness):
    """A line of times for all pairs of classes."""
    X, y = embeddings(n, closeness)
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    counts = ClassForest(X, y, n_trees=1, n_jobs=16).pair_counts()
    taken = time.perf_counter() - start
    cross = counts.cross[0][np.triu_indices(CLASSES, 1)]
    peak = torch.cuda.max_memory_allocated() / 1e9
    overlap = f"{np.mean(cross > 1):.1%}"
    return f"| {n:,} | {closeness} | {overlap} | {taken:.1f} | {peak:.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_300_000])
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--most-cpu", type=int, default=100_000, help="rows for the processor")
    parser.add_argument("--pairs", type=float, nargs="+", help="count in pairs of classes instead")
    options = parser.parse_args()
    euclidean_mst(embeddings(5000)[0], n_trees=2)  # compiles the kernels
    if options.pairs:
        print("| rows | closeness | overlapping pairs | GPU, s | peak, GB |\n|---|---|---|---|---|")
        for n in options.rows:
            for closeness in options.pairs:
                print(pairs(n, closeness), flush=True)
        return
    print(
        "| rows | GPU, s | three trees | from memory | peak, GB "
        f"| {options.threads} threads | one thread |\n|---|---|---|---|---|---|---|"
    )
    for n in options.rows:
        print(trees(n, options.threads, options.most_cpu), flush=True)


if __name__ == "__main__":
    main()
