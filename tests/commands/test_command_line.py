"""The command line, as a stranger runs it."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import smartsvm
from smartsvm.__main__ import main
from smartsvm.commands import demo
from smartsvm.commands.start_up import quiet_imports
from smartsvm.report import samples


def test_demo(tmp_path, capsys, monkeypatch):
    X, y = demo.load_digits(return_X_y=True)
    monkeypatch.setattr(demo, "load_digits", lambda return_X_y: (X[:200], y[:200]))
    (tmp_path / "out").mkdir()  # a folder that is there already is fine
    assert main(["demo", "--out", str(tmp_path / "out")]) == 0
    text = capsys.readouterr().out
    for part in ("labels are wrong?", "precision", "Target accuracy 97%", "RBF", "boosting"):
        assert part in text
    for name in ("report.png", "pairwise-errors.png", "hierarchy.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    assert "</html>" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_planted_errors_are_where_it_says():
    y = np.arange(400) % 7
    given, planted = demo.plant_errors(y, 0.05, np.random.default_rng(0))
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


# A stand-in for a module that the package imports: Ctrl-C comes while it is being loaded.
_INTERRUPTED_IMPORT = """\
import signal, time
signal.raise_signal(signal.SIGINT)
time.sleep(1)
print("imported after all")
"""


def _searching_first(folder):
    """The environment of a process that looks for modules in this folder before all others."""
    places = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)}


@pytest.mark.parametrize(
    ("how", "module"),
    [
        ("module", "threadpoolctl"),
        ("module", "joblib"),
        ("module", "argparse"),
        ("program", "joblib"),
        ("program", "argparse"),
    ],
)
def test_ctrl_c_during_import_ends_quietly(how, module, tmp_path):
    (tmp_path / f"{module}.py").write_text(_INTERRUPTED_IMPORT)
    program = [sys.executable, "-m", "smartsvm"]
    if how == "program":
        # What installers write for an entry point, without the path of this interpreter.
        script = tmp_path / "smartsvm"
        script.write_text("import sys\nfrom smartsvm.__main__ import main\nsys.exit(main())\n")
        program = [sys.executable, str(script)]
    run = subprocess.run(
        [*program, "--version"],
        capture_output=True,
        text=True,
        env=_searching_first(tmp_path),
    )
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "smartsvm: interrupted\n")


def test_ctrl_c_while_a_library_imports_us_is_an_exception(tmp_path):
    (tmp_path / "joblib.py").write_text(_INTERRUPTED_IMPORT)
    code = """
        import signal
        try:
            import smartsvm
        except KeyboardInterrupt:
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
            print("caught")
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=True,
        env=_searching_first(tmp_path),
    )
    assert run.stdout == "caught\n"


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.default_int_handler])
def test_imports_leave_the_handler_of_ctrl_c_as_it_was(handler, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["smartsvm"])
    before = signal.signal(signal.SIGINT, handler)
    try:
        with quiet_imports():
            is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert is_ignored == (handler is signal.SIG_IGN)


@pytest.mark.parametrize(
    ("options", "n_samples"),
    [([], 100), (["--subsample", "all"], 120), (["--subsample", "60"], 60)],
)
def test_of_long_files_a_part_is_looked_at(options, n_samples, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(samples, "MOST_SAMPLES", 100)
    lines = [f"{i % 2},{(i * 37) % 101},{'ab'[i % 2]}" for i in range(120)]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["x,z,kind", *lines]))
    assert main(["report", str(path), "--target", "kind", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["n_samples"] == n_samples


def test_a_file_that_is_not_there_is_named_without_a_number(capsys):
    assert main(["report", "nowhere.csv", "--target", "kind"]) == 1
    assert capsys.readouterr().err == "smartsvm: nowhere.csv: No such file or directory\n"
