"""Conditions that end a command with exit code 3, and the scripts of the guide in a shell."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from table_files import write_csv

from smartsvm.__main__ import main
from smartsvm.report.flags.registry import CHECKS

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "pipelines.md"
QUICK = ["--target", "kind", "--classifier", "linear", "--quiet"]


@pytest.fixture
def overlapping(tmp_path):
    """Two normal classes: the best possible accuracy is 84%."""
    return _normal_classes(tmp_path / "data.csv", 2)


def _normal_classes(path, apart):
    random = np.random.default_rng(0)
    kind = np.arange(400) % 2
    x, z = random.normal(size=(2, 400))
    return write_csv(path, {"x": x + apart * kind, "z": z, "kind": kind})


@pytest.mark.parametrize(
    ("accuracy", "condition", "code"),
    [
        ("0.6", "reachable", 0),
        ("0.6", "likely", 0),
        ("0.99", "reachable", 3),
        ("0.99", "likely", 3),
    ],
)
def test_a_target_that_is_out_of_reach_fails(overlapping, capsys, accuracy, condition, code):
    given = ["report", str(overlapping), *QUICK, "--target-accuracy", accuracy]
    assert main([*given, "--json"]) == 0
    plain = capsys.readouterr().out
    assert main([*given, "--json", "--fail-unless", condition]) == code
    said = capsys.readouterr()
    assert said.out == plain
    reasons = [line for line in said.err.splitlines() if line.startswith("smartsvm: failed:")]
    assert len(reasons) == (code == 3)
    if reasons:
        assert "the target accuracy of 99% is out of reach" in reasons[0]
        assert reasons[0].endswith(f"not {condition}")


def test_a_condition_without_a_target_is_refused(overlapping, capsys):
    assert main(["report", str(overlapping), *QUICK, "--fail-unless", "likely"]) == 1
    assert "--fail-unless needs --target-accuracy" in capsys.readouterr().err


def test_named_warnings_fail_and_others_do_not(tmp_path, capsys):
    random = np.random.default_rng(0)
    kind = np.arange(300) % 2
    x = random.normal(size=300)
    leaking = write_csv(tmp_path / "leak.csv", {"x": x, "copy": 2.5 * kind, "kind": kind})
    given = ["report", str(leaking), *QUICK, "--json"]
    assert main(given) == 0
    raised = [flag["code"] for flag in json.loads(capsys.readouterr().out)["flags"]]
    assert raised
    others = [check.code for check in CHECKS if check.code not in raised]
    assert main([*given, "--fail-on", ",".join(others)]) == 0
    capsys.readouterr()
    assert main([*given, "--fail-on", others[0], "--fail-on", f"{others[1]},{raised[0]}"]) == 3
    assert f"smartsvm: failed: the report warns of {raised[0]}\n" in capsys.readouterr().err


def test_an_unknown_warning_is_refused_with_those_that_exist(overlapping, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["report", str(overlapping), *QUICK, "--fail-on", "copies,leaks"])
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert "got 'leaks'" in said
    assert all(check.code in said for check in CHECKS)


@pytest.mark.parametrize("paired", [True, False])
def test_versions_that_differ_fail(tmp_path, capsys, paired):
    before = _normal_classes(tmp_path / "before.csv", 2)
    after = _normal_classes(tmp_path / "after.csv", 6)
    if not paired:
        for path in (before, after):
            lines = path.read_text().splitlines()
            path.write_text("\n".join(lines[: -1 if path == before else None]))
    for versions, code in (((before, before), 0), ((before, after), 3)):
        command = ["compare", *map(str, versions), *QUICK, "--fail-if", "different"]
        if code == 0 and not paired:
            continue  # the same file matches itself
        assert main(command) == code
        assert ("smartsvm: failed: the " in capsys.readouterr().err) == (code == 3)


def recipes():
    """The shell scripts of the guide's page."""
    return re.findall(r"^```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.M | re.DOTALL)


@pytest.mark.parametrize(("apart", "code"), [(5, 0), (0.5, 3)])
def test_the_scripts_of_the_guide_stop_bad_data(tmp_path, apart, code):
    _normal_classes(tmp_path / "data.csv", apart)
    _normal_classes(tmp_path / "released.csv", 5)
    scripts = recipes()
    assert len(scripts) == 2
    program = f'smartsvm() {{ "{sys.executable}" -m smartsvm "$@"; }}\n'
    for script in scripts:
        done = subprocess.run(
            ["sh", "-e", "-c", program + script], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr
        assert (tmp_path / "report.json").exists()
