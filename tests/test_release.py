"""Workflows, addresses and compilers: what a release needs."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import check_release
import cross_compile
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SYSTEMS = {"ubuntu-latest", "ubuntu-24.04-arm", "macos-latest", "macos-15-intel", "windows-latest"}


def workflow(name):
    return yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))


def systems(job):
    return set(job.get("strategy", {}).get("matrix", {}).get("os", [job["runs-on"]]))


def uses(text):
    return re.findall(r"uses: (.*)", text)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_hash(path):
    text = path.read_text(encoding="utf-8")
    assert uses(text)
    for action in uses(text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", action), action


def test_an_action_has_one_hash():
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    pinned = dict(action.split("@") for text in texts for action in uses(text))
    assert {f"{name}@{version}" for name, version in pinned.items()} == {
        action for text in texts for action in uses(text)
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_keep_no_token_and_may_read_only(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"secrets\.|password|token:(?! write)|username", text, re.IGNORECASE)
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_only_the_last_jobs_may_write():
    found = {
        (path.stem, name): job["permissions"]
        for path in WORKFLOWS
        for name, job in workflow(path.name)["jobs"].items()
        if "permissions" in job
    }
    assert found == {
        ("wheels", "publish"): {"id-token": "write"},
        ("site", "deploy"): {"pages": "write", "id-token": "write"},
    }


def test_every_system_runs_the_tests():
    jobs = workflow("tests.yml")["jobs"]
    assert systems(jobs["tests"]) | systems(jobs["windows"]) == SYSTEMS
    assert jobs["windows"]["env"]["CC"] == "clang"
    assert systems(jobs["free-threaded"]) == SYSTEMS
    assert "3.14t" in str(jobs["free-threaded"]["steps"])
    assert "make test-compilers" in str(jobs["compilers"]["steps"])


def test_nothing_is_published_unchecked():
    jobs = workflow("wheels.yml")["jobs"]
    assert systems(jobs["wheels"]) == SYSTEMS | {"windows-11-arm"}
    assert set(jobs["publish"]["needs"]) == set(jobs) - {"publish"}
    assert jobs["publish"]["if"] == "startsWith(github.ref, 'refs/tags/v')"
    assert "make lint-release" in str(jobs["release-check"]["steps"])
    assert workflow("site.yml")["jobs"]["deploy"]["needs"] == "build"


def test_one_wheel_serves_the_declared_versions_and_the_newest_is_tested():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    label = "Programming Language :: Python :: "
    minors = [
        each.removeprefix(label)
        for each in pyproject["project"]["classifiers"]
        if each.startswith(f"{label}3.")
    ]
    assert pyproject["project"]["requires-python"] == f">={minors[0]}"
    assert pyproject["tool"]["meson-python"]["limited-api"] is True
    settings = pyproject["tool"]["cibuildwheel"]
    assert "build" not in settings
    assert not any(f"cp{minor.replace('.', '')}-" in str(settings["skip"]) for minor in minors)
    (free_threaded,) = [each for each in settings["overrides"] if each["select"] == "cp31?t-*"]
    assert "allow_limited_api=false" in free_threaded["config-settings"]
    jobs = workflow("tests.yml")["jobs"]
    for name in ("tests", "windows"):
        tested = jobs[name]["strategy"]["matrix"]["python"]
        assert {minors[0], minors[-1]} <= set(tested) <= set(minors)


def test_direct_builds_need_the_same_cython():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    build = (ROOT / "meson.build").read_text(encoding="utf-8")
    (needed,) = re.findall(r"^cython_needed = '(.*?)'", build, re.MULTILINE)
    assert build.index("version_compare(cython_needed)") < build.index("subdir(")
    assert f"cython{needed}" in pyproject["build-system"]["requires"]
    assert f"cython{needed}" in pyproject["dependency-groups"]["dev"]


# Addresses


def run_check(file):
    command = [sys.executable, ROOT / "build_tools" / "check_release.py", file]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_placeholder_fails_the_release_check(tmp_path):
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nurls.Repository = "https://repository.invalid"\n')
    done = run_check(file)
    assert done.returncode == 1
    assert "Repository in [project.urls] must be" in done.stdout
    assert "got 'https://repository.invalid'" in done.stdout
    assert "Documentation in [project.urls] must be" in done.stdout
    file.write_text(
        '[project.urls]\nRepository = "https://example.org/a"\n'
        'Documentation = "https://example.org/b"\n'
    )
    done = run_check(file)
    assert (done.returncode, done.stdout) == (0, "")
    assert "build_tools/check_release.py" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_addresses_stand_in_one_place():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    addresses = pyproject["project"]["urls"]
    assert set(addresses) >= set(check_release.NEEDED)
    for name in ("README.md", "CITATION.cff", "conda/recipe.yaml", "SECURITY.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not any(address in text for address in addresses.values()), name


# Compilers

C_FILES = {
    "good": "#include <pyconfig.h>\nint size[SIZEOF_LONG == 4 ? 1 : -1];\n",
    "broken": "#include <pyconfig.h>\nint size[SIZEOF_LONG == 8 ? 1 : -1];\n",
}


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_what_does_not_compile_is_named(tmp_path, monkeypatch):
    """On Windows `long` has 4 bytes: with its `pyconfig.h`, one of two files is wrong."""
    headers = tmp_path / "python"
    headers.mkdir()
    (headers / "pyconfig.h").write_text("#define SIZEOF_LONG 8\n")
    monkeypatch.setattr(cross_compile.sysconfig, "get_path", lambda name: str(headers))
    commands = []
    for name, text in C_FILES.items():
        (tmp_path / f"{name}.c").write_text(text)
        command = f"ccache gcc -I{headers} -fPIC -MD -MQ {name}.o -o {name}.o -c {name}.c"
        commands.append({"directory": str(tmp_path), "command": command, "output": f"{name}.o"})
    windows = cross_compile.TARGETS[0]
    n_files, failures = cross_compile.compile_for(windows, commands, tmp_path, lambda _: ["cc"])
    assert n_files == 2
    assert [name for name, _ in failures] == ["broken.o"]
    assert "size" in failures[0][1]


def test_each_processor_gets_its_own_loops():
    command = "cc -O3 -DSMARTSVM_AVX -mavx2 -mfma -DKIND=avx2 -o a.o -c a.c"
    _, intel, arm = cross_compile.TARGETS
    assert cross_compile.cross_arguments(command, arm, "include") is None
    assert "-mavx2" in cross_compile.cross_arguments(command, intel, "include")
    plain = command.replace("-mavx2 -mfma -DKIND=avx2", "-DKIND=plain")
    assert "-DSMARTSVM_AVX" not in cross_compile.cross_arguments(plain, arm, "include")


def test_hooks_of_pre_commit_are_those_of_make_lint():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^lint: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    (own,) = yaml.safe_load(hooks)["repos"]
    tool = r"(ruff \w+|[\w-]+)"
    names = [re.match(tool, hook["entry"])[0] for hook in own["hooks"]]
    assert names == re.findall(rf'(?:\.venv-test/bin/|\$PATH" ){tool}', recipe)
