"""Install the peers, run every race, and write what they print as one page.

python -m benchmarks.peers [--to FOLDER] [--races trees classifiers] [--seconds 900]
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from pathlib import Path

import smartsvm

from ..paper.cell import machine
from .environments import PEERS, make

ROOT = Path(__file__).resolve().parents[2]
RACES = ("trees", "Bayes error", "classifiers")


def commands(environments):
    """Race to the commands that run it here, with the interpreters of the peers it needs."""
    here = [sys.executable, "-m"]
    pythons = {
        race: [
            f"{each.peer.name}={each.python}"
            for each in environments
            if each.python is not None and each.peer.race == race
        ]
        for race in RACES
    }
    trees = [*here, "benchmarks.trees.race"]
    if not pythons["trees"]:
        trees.append("--no-peer")
    given = {race: ["--python", *found] if found else [] for race, found in pythons.items()}
    return {
        "trees": trees,
        "Bayes error": [*here, "benchmarks.report.peers", *given["Bayes error"]],
        "classifiers": [*here, "benchmarks.peers.classifiers", *given["classifiers"]],
    }


def install_here(environments, seconds):
    """The tree race imports its peer, so that goes into this environment, too."""
    for each in environments:
        if each.peer.race == "trees" and each.python is not None:
            command = [sys.executable, "-m", "pip", "-q", "install", *each.peer.requirements]
            subprocess.run(command, check=False, timeout=seconds, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, help="folder of the page")
    parser.add_argument("--races", nargs="+", choices=RACES, default=list(RACES))
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers")
    parser.add_argument("--seconds", type=float, default=900, help="most for installing one peer")
    options = parser.parse_args()
    environments = []
    for peer in PEERS:
        if peer.race in options.races:
            print(f"installing {peer.name} ...", file=sys.stderr, flush=True)
            environments.append(make(peer, options.environments, options.seconds))
    install_here(environments, options.seconds)
    lines = [
        "# The field",
        f"`make peers`, {time.strftime('%Y-%m-%d', time.gmtime())}; {machine()}, Python "
        f"{platform.python_version()}, smartsvm {smartsvm.__version__}. Below is what each race "
        "printed.",
        "| peer | race | version | missing because |\n|---|---|---|---|\n"
        + "\n".join(
            f"| {each.peer.name} | {each.peer.race} "
            f"| {each.versions.get(each.peer.requirements[0].split('==')[0], '')} "
            f"| {each.problem} |"
            for each in environments
        ),
    ]
    options.to.mkdir(parents=True, exist_ok=True)
    page = options.to / "RESULTS.md"
    failed = 0
    for race, command in commands(environments).items():
        if race not in options.races:
            continue
        print(f"{race} ...", file=sys.stderr, flush=True)
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False,
        )  # fmt: skip
        failed += bool(done.returncode)
        shown = " ".join(["python", *command[1:3]])
        lines += [f"## {race}", f"`{shown}`", done.stdout.strip()]
        page.write_text("\n\n".join(lines) + "\n")
    print(page)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
