"""The command line, as a stranger runs it."""

import subprocess
import sys

import numpy as np
import pytest

import smartsvm
from smartsvm.__main__ import main
from smartsvm.commands.demo import plant_errors


def test_demo(tmp_path, capsys):
    (tmp_path / "out").mkdir()  # a folder that is there already is fine
    assert main(["demo", "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    for part in ("labels are wrong?", "precision", "Target accuracy 97 %", "RBF", "boosting"):
        assert part in text
    for name in ("report.png", "pairwise-errors.png", "hierarchy.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    assert "</html>" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_planted_errors_are_where_it_says():
    y = np.arange(400) % 7
    given, planted = plant_errors(y, 0.05, np.random.default_rng(0))
    assert sorted(planted) == np.flatnonzero(given != y).tolist()
    assert len(planted) == 20


def test_demo_that_cannot_write_says_so(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["demo", "--out", str(tmp_path / "file")]) == 1
    assert "smartsvm: " in capsys.readouterr().err


def test_wrong_command_lines():
    with pytest.raises(SystemExit, match="2"):
        main([])
    with pytest.raises(SystemExit, match="2"):
        main(["paint"])


def test_module_runs():
    version = subprocess.run(
        [sys.executable, "-m", "smartsvm", "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout.strip() == f"smartsvm {smartsvm.__version__}"
