"""An environment for each peer: they do not install together, and some do not install at all."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Peer:
    """A tool: what pip calls it, the race it takes part in, and what its old setup asks for first.

    A package from before build isolation is built with what `first` names, which it needs but
    does not declare.
    """

    name: str
    requirements: tuple
    race: str
    first: tuple = ()


_OLD = ("numpy", "scipy", "scikit-learn", "cython", "wheel", "setuptools<70")
PEERS = (
    Peer("dataeval", ("dataeval==1.1.4", "torch"), "Bayes error"),
    Peer("hyppo", ("hyppo==0.5.2",), "Bayes error"),
    Peer("problexity", ("problexity==0.5.11",), "Bayes error"),
    Peer("pymfe", ("pymfe==0.4.4",), "Bayes error"),
    Peer("hiclass", ("hiclass", "scikit-learn"), "classifiers"),
    Peer("gensvm", ("gensvm",), "classifiers", _OLD),
    Peer("smartsvm-2019", ("smartsvm==1.1.0",), "classifiers", (*_OLD, "networkx", "six")),
)


@dataclass(frozen=True)
class Environment:
    """Where a peer lives, or why it does not."""

    peer: Peer
    python: Path | None
    versions: dict
    problem: str = ""


def make(peer, folder, seconds):
    """Install a peer into a folder of its own, unless it is there already."""
    place = Path(folder) / peer.name
    python, done = place / "bin" / "python", place / "installed"
    try:
        if not done.exists():
            _run([sys.executable, "-m", "venv", "--clear", str(place)], seconds)
            if peer.first:
                _run([*_pip(python), "install", *peer.first], seconds)
            isolation = ["--no-build-isolation"] if peer.first else []
            _run([*_pip(python), "install", *isolation, *peer.requirements], seconds)
            done.touch()
        return Environment(peer, python, _versions(python))
    except subprocess.TimeoutExpired:
        return Environment(peer, None, {}, f"not installed within {seconds:.0f} s")
    except subprocess.CalledProcessError as error:
        return Environment(peer, None, {}, _reason(error.output))


def _pip(python):
    return [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]


def _run(command, seconds):
    return subprocess.run(
        command,
        check=True,
        timeout=seconds,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout


def _versions(python):
    code = (
        "from importlib.metadata import distributions as d; "
        "print(*(f'{x.name}=={x.version}' for x in d()), sep='\\n')"
    )
    return dict(line.split("==", 1) for line in _run([str(python), "-c", code], 120).splitlines())


def _reason(output):
    """The line of pip's complaints that says most."""
    lines = [line.strip() for line in (output or "no message").splitlines() if line.strip()]
    # Of Python ("XError: ..."), before pip's own words about it.
    for word in ("Error", "rror"):
        telling = [i for i, line in enumerate(lines) if word in line and "subprocess" not in line]
        if telling:
            break
    last = telling[-1] if telling else len(lines) - 1
    # An error that ends in a colon goes on in the next line.
    until = last + 2 if lines[last].endswith(":") else last + 1
    return " ".join(lines[last:until])[:160]
