"""Run every benchmark of one asv suite once, at its smallest size, as an install of `bench` would.

Called as ``run_suite.py SUITE``. asv itself finds the benchmarks, in the folder that its settings
name. Packages that the group `bench` does not install cannot be imported.
"""

import importlib.abc
import importlib.metadata
import itertools
import json
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# What every environment has: pip installs itself, and an editable install compiles on import.
ALWAYS = {"pip", "setuptools", "smartsvm2", "meson", "meson-python", "ninja"}
CONFIG = ROOT / "benchmarks" / "asv.conf.json"


def requirements(groups, name):
    """The requirements of a dependency group and of those that it includes."""
    for each in groups[name]:
        if isinstance(each, str):
            yield each
        else:
            yield from requirements(groups, each["include-group"])


def installed_by(group):
    """Names of all distributions that a group and this project install, as far as known here."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = requirements(pyproject["dependency-groups"], group)
    waiting = [Requirement(each) for each in [*pyproject["project"]["dependencies"], *named]]
    names, seen = set(), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        names.add(name)
        try:
            required = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for each in map(Requirement, required):
            cases = [{"extra": own} for own in requirement.extras] or [{"extra": ""}]
            if each.marker is None or any(each.marker.evaluate(case) for case in cases):
                waiting.append(each)
    return names


class Blocked(importlib.abc.MetaPathFinder):
    """Refuses imports of packages that are installed here, but not by a group."""

    def __init__(self, group):
        allowed = installed_by(group) | ALWAYS
        self.modules = {
            module
            for module, names in importlib.metadata.packages_distributions().items()
            if not allowed.intersection(map(canonicalize_name, names))
        }

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in self.modules:
            raise ModuleNotFoundError(f"The group does not install {fullname}.", name=fullname)


def is_size(values):
    return all(isinstance(value, int | float | tuple) for value in values)


def smallest(params):
    """Places of the parameters to run: the smallest of every size, all names of methods."""
    kept = [{min(each)} if is_size(each) else set(each) for each in params]
    for index, chosen in enumerate(itertools.product(*params)):
        if all(value in values for value, values in zip(chosen, kept, strict=True)):
            yield index


def run(benchmark):
    """Run one of asv's benchmarks once for each choice of parameters."""
    for index in smallest(benchmark._params):
        benchmark.set_param_idx(index)
        if benchmark.do_setup():
            raise RuntimeError(f"{benchmark.name}: setup says that there is no such thing to time")
        result = benchmark.func(*benchmark._current_params)
        if benchmark.name.split(".")[-1].startswith("timeraw_"):
            exec(result, {})
        benchmark.do_teardown()


def main(suite):
    folder = (CONFIG.parent / json.loads(CONFIG.read_text())["benchmark_dir"]).resolve()
    sys.path[:] = [str(folder.parent), *(p for p in sys.path if Path(p) != Path(__file__).parent)]
    sys.meta_path.insert(0, Blocked("bench"))
    from asv_runner.discovery import disc_benchmarks

    found = {}
    for benchmark in disc_benchmarks(str(folder)):
        if benchmark.name.split(".")[0] == suite:
            # A second name for a method, as peakmem_ has, runs it once.
            found.setdefault((type(benchmark.func.__self__), benchmark.func.__func__), benchmark)
    for benchmark in found.values():
        run(benchmark)
    print(len(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
