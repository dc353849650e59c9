"""The races against other tools and the asv suites: nothing is left out, nothing waits for ever."""

import ast
import inspect
import os
import sys
import time
from pathlib import Path

import pytest

import smartsvm
from benchmarks.peers import __main__ as field
from benchmarks.peers.classifiers import paths
from benchmarks.peers.environments import PEERS, Environment

SUITES = Path(__file__).resolve().parents[2] / "benchmarks" / "suites"

# asv suites


def test_every_public_function_has_a_suite():
    used = set()
    for path in SUITES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            used |= {getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", "")}
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    public = {name: getattr(smartsvm, name) for name in smartsvm.__all__}
    timed = {n for n, thing in public.items() if inspect.isfunction(thing) or hasattr(thing, "fit")}
    assert timed - used == set()


# Races


def test_paths_of_classes_down_a_hierarchy():
    tree = smartsvm.class_hierarchy([[0, 0.3, 0.1], [0.3, 0, 0.05], [0.1, 0.05, 0]])
    assert paths(tree, [2, 0, 1]).tolist() == [["2", ""], ["0l", "0"], ["0l", "1"]]


def _lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # killed, but nobody may have asked for its exit code
    return not (stat.exists() and " Z " in stat.read_text())


@pytest.mark.slow
def test_a_race_ends_at_its_limit_with_all_it_started(tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(3600)'])\n"
        "print('child', child.pid, flush=True)\n"
        "child.wait()\n"
    )
    (tmp_path / "broken.py").write_text("print('half a table')\nraise SystemExit(3)\n")
    monkeypatch.setattr(field, "ROOT", tmp_path)
    for limit in (3, 30, 300):  # a busy machine may take longer to start the child
        text, problem = field.run(["slow"], limit)
        assert "limit" in problem
        if "child" in text:
            break
    child = int(text.split()[1])
    for _ in range(1200):
        if not _lives(child):
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child of a race outlived it")
    assert field.run(["broken"], 600) == ("half a table", "ended with exit code 3")


def test_every_peer_is_on_the_page_with_its_version_or_why_not():
    there = Environment(PEERS[0], Path(sys.executable), {"dataeval": "1.1.4"})
    missing = Environment(PEERS[-1], None, {}, "no numpy")
    table = field.peer_table([there, missing])
    assert "| dataeval | Bayes error | 1.1.4 |  |" in table
    assert "| smartsvm-2019 | classifiers |  | no numpy |" in table
    commands = field.commands([there, missing])
    assert "--python" in commands["Bayes error"]
    assert "--python" not in commands["classifiers"]
    assert field.shown(["m", "d*", "a=x/bin/python"]) == "python -m m 'd*' a=PYTHON"
