"""A worker script in another Python, with one thread and a time limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def answer_of(python, script, name, path, limit):
    """The JSON that a script prints last for a contestant and a file, or in words why none."""
    environment = os.environ | dict.fromkeys(_THREADS, "1")
    if str(python) != sys.executable:
        environment.pop("PYTHONPATH", None)  # our package must not be found in the place of theirs
    try:
        done = subprocess.run(
            [str(python), str(script), name, str(path)],
            capture_output=True,
            text=True,
            env=environment,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"more than {limit} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["killed"])[-1][:80]
    return json.loads(done.stdout.strip().splitlines()[-1])
