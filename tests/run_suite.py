"""Run every benchmark of one asv suite once, at its smallest size, as an install of `bench` would.

Called as ``run_suite.py SUITE``. Packages that the extra `bench` does not install cannot be
imported. As asv does, it first imports every module of `benchmarks`.
"""

import importlib
import importlib.abc
import importlib.metadata
import itertools
import pkgutil
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
# What every environment has: pip installs itself, and an editable install compiles on import.
ALWAYS = {"pip", "setuptools", "smartsvm2", "meson", "meson-python", "ninja"}
PREFIXES = ("time_", "timeraw_", "peakmem_", "track_")


def installed_by(extra):
    """Names of all distributions that an extra of this project installs, as far as known here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    waiting = [Requirement(each) for each in [*project["dependencies"], *extras[extra]]]
    names, seen = set(), set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        names.add(name)
        if name == project["name"]:
            waiting += [Requirement(each) for own in requirement.extras for each in extras[own]]
            continue
        try:
            required = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # asv, for one, is not needed to run its benchmarks
        for each in map(Requirement, required):
            cases = [{"extra": own} for own in requirement.extras] or [{"extra": ""}]
            if each.marker is None or any(each.marker.evaluate(case) for case in cases):
                waiting.append(each)
    return names


class Blocked(importlib.abc.MetaPathFinder):
    """Refuses imports of packages that are installed here, but not by an extra."""

    def __init__(self, extra):
        allowed = installed_by(extra) | ALWAYS
        self.modules = {
            module
            for module, names in importlib.metadata.packages_distributions().items()
            if not allowed.intersection(map(canonicalize_name, names))
        }

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in self.modules:
            raise ModuleNotFoundError(f"The extra does not install {fullname}.", name=fullname)


def is_size(values):
    return all(isinstance(value, int | float | tuple) for value in values)


def smallest(benchmark):
    """Parameters of the runs: the smallest of every size, and all names of methods."""
    params = getattr(benchmark, "params", ())
    if params and not isinstance(params[0], list | tuple):
        params = (params,)
    return itertools.product(*([min(each)] if is_size(each) else each for each in params))


def run(benchmark):
    """Run each method of a class once per choice of parameters; return how many ran."""
    methods = {
        method: name  # a second name for a method, as peakmem_ has, runs it once
        for name, method in vars(benchmark).items()
        if name.startswith(PREFIXES)
    }
    for chosen, name in itertools.product(smallest(benchmark), methods.values()):
        instance = benchmark()
        if hasattr(instance, "setup"):
            instance.setup(*chosen)
        result = getattr(instance, name)(*chosen)
        if name.startswith("timeraw_"):
            exec(result, {})
        if hasattr(instance, "teardown"):
            instance.teardown(*chosen)
    return len(methods)


def main(suite):
    sys.path[:] = [str(ROOT), *(path for path in sys.path if Path(path) != Path(__file__).parent)]
    sys.meta_path.insert(0, Blocked("bench"))
    import benchmarks

    for module in pkgutil.walk_packages(benchmarks.__path__, "benchmarks."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    module = importlib.import_module(f"benchmarks.suites.{suite}")
    found = [each for each in vars(module).values() if isinstance(each, type)]
    print(sum(run(each) for each in found if each.__module__ == module.__name__))


if __name__ == "__main__":
    main(*sys.argv[1:])
