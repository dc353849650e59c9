"""Install the peers, run every race, and write what they print as one page.

    python -m benchmarks.peers [--to FOLDER] [--races classifiers "Bayes error"] [--minutes 20]

A peer that does not install, a turn that takes too long and a race that reaches its limit are
named on the page; nothing waits for ever.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from ..page import provenance
from .environments import PEERS, make

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RACES = ("Bayes error", "classifiers")
# Tables of other pages. The race "Bayes error" runs only if asked for: the report's page has it.
ELSEWHERE = (
    "Spanning trees against quitefastmst: [trees](../trees/RESULTS.md). Bayes errors against "
    "dataeval, hyppo, problexity and pymfe: [report](../report/README.md)."
)


def commands(environments):
    """Race to the command that runs it here, with the interpreters of the peers it needs."""
    given = {
        race: [
            f"{each.peer.name}={each.python}"
            for each in environments
            if each.python is not None and each.peer.race == race
        ]
        for race in RACES
    }
    return {
        "Bayes error": [
            "benchmarks.report.peers",
            "--seeds",
            "2",
            "--limit",
            "60",
            *_option("--python", given["Bayes error"]),
        ],
        "classifiers": ["benchmarks.peers.classifiers", *_option("--python", given["classifiers"])],
    }


def _option(name, values):
    return [name, *values] if values else []


def run(module_and_options, seconds):
    """What a race prints, and a word on how it failed or None; ended with all it started."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *module_and_options],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        problem = None
        try:
            if process.wait(timeout=seconds):
                problem = f"ended with exit code {process.returncode}"
        except subprocess.TimeoutExpired:
            problem = f"was ended at its limit of {seconds / 60:.0f} minutes; the rest is missing"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        output.seek(0)
        return output.read().strip(), problem


def peer_table(environments):
    """Markdown: every peer with its version, or why it is missing."""
    lines = ["| peer | race | version | missing because |", "|---|---|---|---|"]
    for each in environments:
        version = each.versions.get(each.peer.requirements[0].split("==")[0], "")
        lines.append(f"| {each.peer.name} | {each.peer.race} | {version} | {each.problem} |")
    return "\n".join(lines)


def shown(module_and_options):
    """A command as a reader can repeat it: interpreters live elsewhere on another machine."""
    words = [
        each.split("=")[0] + "=PYTHON" if each.endswith("/bin/python") else shlex.quote(each)
        for each in module_and_options
    ]
    return " ".join(["python -m", *words])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, default=HERE, help="folder of the page")
    parser.add_argument("--races", nargs="+", choices=RACES, default=["classifiers"])
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers")
    parser.add_argument("--seconds", type=float, default=900, help="most for installing one peer")
    parser.add_argument("--minutes", type=float, default=20, help="most for one race")
    options = parser.parse_args()
    environments = []
    for peer in PEERS:
        if peer.race in options.races:
            print(f"installing {peer.name} ...", file=sys.stderr, flush=True)
            environments.append(make(peer, options.environments, options.seconds))
    lines = [
        "# Other tools",
        ELSEWHERE,
        provenance(shown(["benchmarks.peers", *sys.argv[1:]])),
        peer_table(environments),
    ]
    options.to.mkdir(parents=True, exist_ok=True)
    page = options.to / "RESULTS.md"
    problems = []
    for race, command in commands(environments).items():
        if race not in options.races:
            continue
        print(f"{race} ...", file=sys.stderr, flush=True)
        text, problem = run(command, 60 * options.minutes)
        lines += [f"## {race.capitalize()}", f"`{shown(command)}`", text]
        if problem:
            lines.append(f"This race {problem}.")
            problems.append(f"{race} {problem}")
        page.write_text("\n\n".join(lines) + "\n")
    print(page, *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
