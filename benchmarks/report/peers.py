"""The report beside other tools on the same data: what each says, how wrong, time, memory.

    python -m benchmarks.report.peers --python dataeval=ENV/bin/python hyppo=... [--part speed]

Each tool runs in the environment of the interpreter given for it (they do not all
install together): dataeval 1.1.4 with torch, hyppo 0.5.2, problexity 0.5.11, pymfe
0.4.4. A tool without an interpreter is reported as missing. Ours run in this one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from ..page import write_table
from ..peers.worker_process import answer_of
from .problems import class_means, draw, gaussian_bayes_error

TOOLS = {
    "ours_tree": "smartsvm, one tree",
    "ours_report": "smartsvm, whole report",
    "dataeval": "dataeval ber_mst",
    "dataeval_knn": "dataeval ber_knn (k=31)",
    "hyppo": "hyppo Friedman–Rafsky, 10 permutations",
    "problexity": "problexity N1",
    "pymfe": "pymfe N1",
}
SLOW = ("hyppo", "problexity", "pymfe")  # one turn is enough
CALLS = 3  # in one process
WORKER = Path(__file__).with_name("peer_worker.py")


def run(tool, sets, pythons, limit):
    """Results of one tool on several data sets, or a word why there are none."""
    python = sys.executable if tool.startswith("ours") else pythons.get(tool.split("_")[0])
    if python is None:
        return "not installed"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        arrays = {}
        for i, (X, y) in enumerate(sets):
            arrays |= {f"X{i}": X, f"y{i}": y}
        np.savez(path, **arrays)
        return answer_of(python, WORKER, tool, path, limit)


def accuracy(pythons, seeds, page):
    """Error of the point estimates over Gaussian problems with a known Bayes error."""
    cells = [(K, d, s) for K in (2, 3, 10) for d in (2, 10, 50) for s in (1, 2, 3)]
    sets, truth = [], []
    for K, d, separation in cells:
        means = class_means(K, d, separation)
        truth += [gaussian_bayes_error(means)] * seeds
        sets += [draw("gauss", means, 1000, np.random.default_rng([s, K, d])) for s in range(seeds)]
    truth = np.array(truth)
    print(
        f"Gaussian classes, n = 1000, K = 2, 3, 10, d = 2, 10, 50, separations 1, 2, 3; {seeds} "
        "samples each. Root mean square error of the point estimate against the Bayes error,\n"
        "and how often the truth lies between the bounds.\n"
    )
    table = _Table(
        "| tool | all | d = 2 | d = 10 | d = 50 | truth between bounds |",
        "|---|---|---|---|---|---|",
    )
    dimension = np.repeat([d for _, d, _ in cells], seeds)
    for tool in ("ours_report", "ours_tree", "dataeval", "dataeval_knn"):
        found = run(tool, sets, pythons, 3000)
        if isinstance(found, str):
            table.add(f"| {TOOLS[tool]} | {found} | | | | |")
            continue
        values = {
            key: np.array([each["values"][key] for each in found]) for key in found[0]["values"]
        }
        squares = (values["point"] - truth) ** 2
        parts = [squares, *(squares[dimension == d] for d in (2, 10, 50))]
        inside = ((values["lower"] <= truth) & (truth <= values["upper"])).mean()
        cells_of_row = [f"{np.sqrt(part.mean()):.4f}" for part in parts]
        table.add(f"| {TOOLS[tool]} | {' | '.join(cells_of_row)} | {inside:.2f} |")
    table.write(page, "accuracy")


def answers(pythons):
    """What each tool says about the same few problems."""
    problems = {
        "two classes, no difference": ("gauss", 2, 3, 0.0),
        "two classes, separation 2": ("gauss", 2, 3, 2.0),
        "ten classes, separation 3": ("gauss", 10, 10, 3.0),
    }
    sets, truth = [], []
    for kind, K, d, separation in problems.values():
        means = class_means(K, d, separation)
        sets.append(draw(kind, means, 300, np.random.default_rng(1)))
        truth.append(gaussian_bayes_error(means))
    print("\nWhat each says, n = 300 (p: p-value of a test for any difference).\n")
    table = _Table("| tool | " + " | ".join(problems) + " |", "|---|" + "---|" * len(problems))
    table.add("| Bayes error | " + " | ".join(f"{each:.3f}" for each in truth) + " |")
    for tool in ("ours_report", "dataeval", "hyppo", "problexity", "pymfe"):
        cells = []
        for problem in sets:
            if tool == "hyppo" and len(np.unique(problem[1])) > 2:
                cells.append("two classes only")
                continue
            found = run(tool, [problem], pythons, 300)
            if isinstance(found, str):
                cells.append(found)
            else:
                values = found[0]["values"]
                cells.append(", ".join(f"{key} {_number(value)}" for key, value in values.items()))
        table.add(f"| {TOOLS[tool]} | {' | '.join(cells)} |")


def speed(pythons, repeats, limit, page):
    """CPU seconds and memory at two sizes, one thread, best of several; tools take turns."""
    print(
        f"\nCPU seconds (best of {repeats}) and growth of peak memory, one thread, ten classes.\n"
    )
    sets = []
    for n, d in ((4000, 10), (20_000, 16)):
        sets.append(draw("gauss", class_means(10, d, 3.0), n, np.random.default_rng(0)))
    found = {(tool, size): [] for tool in TOOLS for size in range(len(sets))}
    for turn in range(repeats):
        for (tool, size), results in found.items():
            if turn and (tool in SLOW or isinstance(results[0], str)):
                continue
            X, y = sets[size]
            if tool == "hyppo":
                y = (y > 4).astype(int)  # it knows two classes
            # The first call of a process also pays for fresh memory: its growth is what counts.
            calls = 1 if tool in SLOW else CALLS
            result = run(tool, [(X, y)] * calls, pythons, limit)
            results += [result] if isinstance(result, str) else [_best_call(result)]
    table = _Table("| tool | n = 4,000, d = 10 | n = 20,000, d = 16 |", "|---|---|---|")
    for tool, name in TOOLS.items():
        cells = [_speed_cell(found[tool, size]) for size in range(len(sets))]
        table.add(f"| {name} | {' | '.join(cells)} |")
    table.write(page, "speed")


def _best_call(calls):
    """The first call, with the time of the fastest one."""
    return calls[0] | {"seconds": min(each["seconds"] for each in calls)}


def _speed_cell(results):
    if isinstance(results[0], str):
        return results[0]
    if "failed" in results[0]["values"]:
        return results[0]["values"]["failed"]
    seconds = min(each["seconds"] for each in results)
    memory = np.median([each["mebibytes"] for each in results])
    return f"{seconds:.3g} s, {memory:.1f} MiB"


class _Table:
    """Lines that are printed as they come and written to a page at the end."""

    def __init__(self, *head):
        self._lines = []
        for line in head:
            self.add(line)

    def add(self, line):
        self._lines.append(line)
        print(line, flush=True)

    def write(self, page, name):
        if page:
            write_table(page, name, self._lines)


def _number(value):
    return f"{value:.3f}" if isinstance(value, float) and value >= 0.001 else f"{value:.1g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", nargs="+", default=[], metavar="TOOL=INTERPRETER")
    parser.add_argument("--part", choices=("accuracy", "answers", "speed", "all"), default="all")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=int, default=180, help="seconds for one tool and size")
    parser.add_argument("--page", help="results page to write the tables into")
    options = parser.parse_args()
    pythons = dict(each.split("=", 1) for each in options.python)
    if options.part in ("accuracy", "all"):
        accuracy(pythons, options.seeds, options.page)
    if options.part in ("answers", "all"):
        answers(pythons)
    if options.part in ("speed", "all"):
        speed(pythons, options.repeats, options.limit, options.page)


if __name__ == "__main__":
    main()
