"""The asv suites run with what the group `bench` installs, so that `make bench` cannot break."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from run_suite import CONFIG, Blocked, installed_by, is_size, smallest

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests" / "run_suite.py"
SUITES = sorted(
    path.stem
    for path in (ROOT / "benchmarks" / "suites").glob("*.py")
    if path.stem not in ("__init__", "data")
)


def _text(suite):
    return (ROOT / "benchmarks" / "suites" / f"{suite}.py").read_text()


def test_asv_finds_the_benchmarks_and_nothing_else():
    command = [sys.executable, "-m", "asv", "--config", CONFIG, "check", "--python=same", "-v"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    imports = re.findall(r"^\s*from (\.\S*)", "".join(map(_text, SUITES)), re.MULTILINE)
    assert set(imports) == {".data"}


@pytest.mark.parametrize("suite", SUITES)
def test_every_benchmark_runs_at_its_smallest_size(suite):
    command = [sys.executable, RUNNER, suite]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0


def test_the_runner_blocks_other_packages():
    blocked = Blocked("bench")
    assert {"pytest", "hypothesis", "polars"} <= blocked.modules
    assert not {"numpy", "sklearn", "pandas", "matplotlib", "smartsvm"} & blocked.modules
    with pytest.raises(ModuleNotFoundError, match="does not install polars"):
        blocked.find_spec("polars.io")
    assert {"asv", "pandas", "matplotlib"} <= installed_by("bench")


def test_the_runner_takes_the_smallest_sizes_and_all_methods():
    params = (["fit", "predict"], [4000, 1000], [(9, 2), (3, 8)])
    chosen = [list(itertools.product(*params))[index] for index in smallest(params)]
    assert is_size([1000, 0.5])
    assert chosen == [("fit", 1000, (3, 8)), ("predict", 1000, (3, 8))]
    assert list(smallest(())) == [0]
