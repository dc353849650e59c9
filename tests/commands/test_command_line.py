"""The command line, as a stranger runs it."""

import subprocess
import sys

import pytest

import smartsvm
from smartsvm.__main__ import main


def test_demo(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path / "pictures")]) == 0
    text = capsys.readouterr().out
    for part in ("Bayes error about", "ten hardest pairs", "hierarchy", "one-vs-rest", "predict"):
        assert part in text
    for name in ("pairwise-errors.png", "hierarchy.png"):
        assert (tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG")
    assert main(["demo", "--out", str(tmp_path / "pictures")]) == 0  # twice is fine


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
