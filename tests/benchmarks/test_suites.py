"""The asv suites run with what the extra `bench` installs, so that `make bench` cannot break."""

import subprocess
import sys
from pathlib import Path

import pytest
from run_suite import Blocked, installed_by, is_size, smallest

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests" / "run_suite.py"
SUITES = sorted(
    path.stem
    for path in (ROOT / "benchmarks" / "suites").glob("*.py")
    if path.stem not in ("__init__", "data")
)


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
    class Benchmark:
        params = (["fit", "predict"], [4000, 1000], [(9, 2), (3, 8)])

    assert is_size([1000, 0.5])
    assert list(smallest(Benchmark)) == [("fit", 1000, (3, 8)), ("predict", 1000, (3, 8))]
    assert list(smallest(object)) == [()]
