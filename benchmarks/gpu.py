"""Embeddings on a GPU and on the processor: simulated, 768 columns, 1,000 classes.

    python -m benchmarks.gpu trees --rows 10000 100000 1000000 1300000
    python -m benchmarks.gpu trees --rows 10000 100000 --threads 16
    python -m benchmarks.gpu pairs --rows 1300000 --closeness 1 0.44
    python -m benchmarks.gpu limits --rows 1300000
    python -m benchmarks.gpu report --rows 100000 --threads 16 --closeness 1 0.44 0.3
    python -m benchmarks.gpu classifier --rows 50000 --threads 16 --closeness 1 0.44
    python -m benchmarks.gpu page

Times are those of calls after the first one, with the input on the GPU unless said otherwise; with
`--threads`, those of the processor with as many threads. `--closeness` draws the centres of classes
together by the given factors. `pairs` counts the cross edges of all pairs of classes. `limits`
computes one tree with less and less memory beside X, and the full pass alone. `classifier` fits
SmartSVM on the processor and compares its accuracy on as many new rows with that of logistic
regression. Results go to ``records/gpu.csv``; `page` writes the tables of ``docs/benchmarks.md``
from it.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path

import numpy as np

from smartsvm import ClassForest, SmartSVM, difficulty_report, euclidean_mst

from .page import commit_of, markdown_table, read_records, update_records, write_table

COLUMNS, CLASSES, LATENT = 768, 1000, 32
ROOT = Path(__file__).parents[1]
RECORDS, PAGE = Path(__file__).parent / "records" / "gpu.csv", ROOT / "docs" / "benchmarks.md"


def embeddings(n, closeness=1.0, device="cuda"):
    """Unit vectors around bent, low-dimensional classes, plus noise; and the classes."""
    import torch

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


def measured(what, n, threads, call, note=""):
    """The record of a call, and its result."""
    import torch

    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    torch.cuda.synchronize()
    start = time.perf_counter()
    result = call()
    torch.cuda.synchronize()
    taken = time.perf_counter() - start
    where = f"{threads} threads" if threads else torch.cuda.get_device_name()
    record = {
        "what": what,
        "rows": n,
        "where": "GPU" if threads is None else threads,
        "seconds": f"{taken:.3g}",
        "gigabytes": f"{torch.cuda.max_memory_allocated() / 1e9:.3g}",
        "note": note,
        "machine": where,
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit_of(ROOT / "src"),
    }
    print(record, flush=True)
    return record, result


def trees(n, threads):
    """Records of one tree and of three, and by mutual reachability; from memory, too."""
    X, _ = embeddings(n)
    if threads:
        in_memory = X.cpu().numpy()
        here = {"n_jobs": threads, "device": "cpu"}
        found, there = measured("one tree", n, threads, lambda: euclidean_mst(in_memory, **here))
        same = euclidean_mst(X)
        assert np.array_equal(there.edges, same.edges), "other edges"
        assert np.array_equal(there.weights, same.weights), "other lengths"
        return [found]
    out, repeats = [], 3 if n <= 200_000 else 1
    for what, options in (
        ("one tree", {}),
        ("three trees", {"n_trees": 3}),
        ("one tree, `core_neighbors=15`", {"core_neighbors": 15}),
    ):
        call = partial(euclidean_mst, X, **options)
        runs = [measured(what, n, None, call)[0] for _ in range(repeats)]
        out.append(min(runs, key=lambda each: float(each["seconds"])))
    call = partial(euclidean_mst, X.cpu().numpy(), device="cuda")
    return [*out, measured("one tree, from memory", n, None, call)[0]]


def pairs(n, closeness, threads=None):
    """The record of all pairs of classes."""
    X, y = embeddings(n, closeness)
    device = "cpu" if threads else None
    forest = ClassForest(X, y, n_trees=1, n_jobs=threads or 16, device=device)
    what = f"cross edges of all pairs of classes, centres at {closeness:g} of their distance"
    found, counts = measured(what, n, threads, lambda: forest._counts.of_pairs)
    cross = counts.cross[0][np.triu_indices(CLASSES, 1)]
    return [found | {"note": f"{np.mean(cross > 1):.1%} of them overlap"}]


def limits(n, threads):
    """Records of one tree with tables of fewer, larger chunks, and of the table alone."""
    from smartsvm._mst.gpu import rounds, trees

    X, _ = embeddings(n)
    out, fixed = [], n * (4 * COLUMNS + 100) + trees.FIXED
    for chunk in (16_384, 65_536, 262_144):
        limit = fixed + 8 * n * -(-n // chunk)
        what, call = "one tree, `memory_limit` {:.3g} GB", partial(euclidean_mst, X)
        found = measured(what.format(limit / 1e9), n, None, partial(call, memory_limit=limit))
        out.append(found[0])
    table = rounds.Table(trees.Points(X, np.arange(n), trees.CHUNK))
    found = measured("full pass of one tree", n, None, table.fill)[0]
    rate = n * n * COLUMNS / float(found["seconds"]) / 1e12
    return [*out, found | {"note": f"{rate:.0f} TFLOP/s"}]


def report(n, closeness, threads):
    """Records of a report, with the GPU and without."""
    X, y = embeddings(n, closeness)
    what = "report" if closeness == 1 else f"report, centres at {closeness:g} of their distance"
    X, y = X.cpu().numpy(), y.cpu().numpy()

    def call(device, rows=slice(None)):
        return difficulty_report(X[rows], y[rows], device=device, n_jobs=16)

    call("cuda", slice(5000))  # compiles the other kernels
    places = [(None, "cuda"), *([(threads, "cpu")] if threads else [])]
    return [measured(what, n, number, partial(call, device))[0] for number, device in places]


def classifier(n, closeness, threads):
    """The record of fitting SmartSVM; its accuracy and that of logistic regression on new rows."""
    X, y = embeddings(2 * n, closeness)
    train, test = (X[:n].cpu().numpy(), y[:n].cpu().numpy()), (X[n:].cpu().numpy(), y[n:].cpu())
    what = f"fit of SmartSVM, centres at {closeness:g} of their distance"
    fit = partial(SmartSVM(n_jobs=threads).fit, *train)
    found, model = measured(what, n, threads, fit)
    guesses = logistic_regression(X[:n].double(), y[:n])(X[n:].double())
    ours, theirs = model.score(*test), float((guesses == y[n:]).double().mean())
    note = f"accuracy {ours:.4f}, logistic regression {theirs:.4f}"
    return [found | {"gigabytes": "", "note": note}]


def logistic_regression(X, y, C=1.0):
    """Multinomial regression with the loss of scikit-learn's, fitted on a GPU; its predictor."""
    import torch

    weights = torch.zeros(X.shape[1] + 1, CLASSES, dtype=X.dtype, device=X.device)
    weights.requires_grad_()
    optimizer = torch.optim.LBFGS(
        [weights], max_iter=500, tolerance_grad=1e-7, line_search_fn="strong_wolfe"
    )

    def loss():
        optimizer.zero_grad()
        scores = torch.addmm(weights[-1], X, weights[:-1])
        value = torch.nn.functional.cross_entropy(scores, y)
        value = value + weights[:-1].square().sum() / (2 * C * len(X))
        value.backward()
        return value

    optimizer.step(loss)
    return lambda points: torch.addmm(weights[-1], points, weights[:-1]).argmax(dim=1)


def tables(records):
    """The tables of the page."""
    known = {(each["what"], int(each["rows"]), each["where"]): each for each in records}

    def cell(field, *key):
        return (known[key][field] if key in known else "") or "–"

    columns = {
        "one tree": ("seconds", "one tree", "GPU"),
        "three trees": ("seconds", "three trees", "GPU"),
        "one, from an array in memory": ("seconds", "one tree, from memory", "GPU"),
        "peak memory, GB": ("gigabytes", "three trees", "GPU"),
        "one, 16 threads": ("seconds", "one tree", "16"),
        "one, one thread": ("seconds", "one tree", "1"),
    }
    sizes = sorted({n for what, n, _ in known if what == "one tree"})
    shown = {(what, n, where) for _, what, where in columns.values() for n in sizes}
    rows = [
        [f"{n:,}", *(cell(field, what, n, where) for field, what, where in columns.values())]
        for n in sizes
    ]
    yield "GPU trees", markdown_table(["rows", *columns], rows)
    rows = [
        [
            what + (f" ({found['note']})" if found["note"] else ""),
            f"{n:,}",
            cell("seconds", what, n, "GPU"),
            cell("gigabytes", what, n, "GPU"),
            cell("seconds", what, n, "16"),
        ]
        for (what, n, where), found in known.items()
        if (what, n, where) not in shown and (where == "GPU" or (what, n, "GPU") not in known)
    ]
    head = ["what", "rows", "seconds", "peak memory, GB", "seconds, 16 threads"]
    yield "GPU classes", markdown_table(head, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", choices=["trees", "pairs", "limits", "report", "classifier", "page"]
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--threads", type=int)
    parser.add_argument("--closeness", type=float, nargs="+", default=[1.0])
    parser.add_argument("--records", type=Path, default=RECORDS)
    options = parser.parse_args()
    if options.what == "page":
        for name, lines in tables(read_records(options.records)):
            write_table(PAGE, name, lines)
        return
    small, classes = embeddings(5000)  # compiles the kernels
    for core_neighbors in (0, 5):
        euclidean_mst(small, n_trees=2, core_neighbors=core_neighbors)
    ClassForest(small, classes % 20, n_trees=1)._counts_of_pairs()
    for n in options.rows:
        if options.what in ("pairs", "report", "classifier"):
            function = {"pairs": pairs, "report": report, "classifier": classifier}[options.what]
            found = [r for c in options.closeness for r in function(n, c, options.threads)]
        else:
            function = {"trees": trees, "limits": limits}[options.what]
            found = function(n, options.threads)
        options.records.parent.mkdir(exist_ok=True)
        update_records(options.records, found, 3)


if __name__ == "__main__":
    main()
