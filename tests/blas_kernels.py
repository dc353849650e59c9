"""Tests whose results go through BLAS, under every kernel this processor can run.

    python tests/blas_kernels.py [arguments of pytest]

Each configuration runs in processes of its own. A kernel that cannot be loaded is skipped, with the
reason; so is one that gives way to another that has been run.
"""

import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parent
THROUGH_BLAS = (
    "held_out",
    "classifier",
    "selection",
    "report",
    "_mst/products",
)
CORE_TYPES = {
    "x86_64": ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX"),
    "aarch64": ("ARMV8", "CORTEXA57", "NEOVERSEN1"),
}
# numpy and scipy may bring a BLAS each. Instructions that are missing show in a product.
PROBE = """
import json
import numpy as np, scipy.linalg, threadpoolctl
for dtype in (np.float32, np.float64):
    for n in (3, 300):
        matrix = np.eye(n, dtype=dtype) + np.ones((n, n), dtype=dtype)
        np.linalg.cholesky(matrix @ matrix)
        scipy.linalg.cholesky(scipy.linalg.blas.dgemm(1, matrix, matrix))
pools = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
names = [pool.get("architecture", pool["internal_api"]) for pool in pools]
threads = {pool["num_threads"] for pool in pools}
print(json.dumps([sorted(names), sorted(threads)]))
"""
NUMPY_LOOPS = """
import json
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(json.dumps([name for name in __cpu_dispatch__ if __cpu_features__.get(name)]))
"""


def printed(code, settings):
    """What a Python process with these settings prints, read as JSON, or why it does not."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode < 0:
        return f"this processor cannot run it ({signal.Signals(-done.returncode).name})"
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.splitlines()[-1]


def configurations():
    """Pairs of settings and of the reason not to run them, if there is one."""
    seen = set()
    for core in (*CORE_TYPES.get(platform.machine(), ()), None):
        for n_threads in (1, 2):
            settings = {} if core is None else {"OPENBLAS_CORETYPE": core}
            settings["OPENBLAS_NUM_THREADS"] = str(n_threads)
            found = printed(PROBE, settings)
            if isinstance(found, str):
                yield settings, found
            elif str(found) in seen:
                yield settings, f"gives {describe(found)}, which has been run"
            else:
                seen.add(str(found))
                yield settings, None
    names = printed(NUMPY_LOOPS, {})
    settings = {"NPY_DISABLE_CPU_FEATURES": " ".join(names)}
    left = printed(NUMPY_LOOPS, settings) if names else []
    yield settings, f"numpy keeps {left}" if left else None if names else "numpy has no others"


def describe(found):
    names, threads = found
    return f"{' and '.join(names)} on {' and '.join(map(str, threads))} threads"


def main(arguments):
    """Run all configurations, a line for each; the exit code."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow",
        *(str(TESTS / name) for name in THROUGH_BLAS),
        *arguments,
    ]
    n_run = n_failed = n_skipped = 0
    for settings, reason in configurations():
        print(
            " ".join(f"{name}={value!r}" for name, value in settings.items()), end=": ", flush=True
        )
        if reason is not None:
            n_skipped += 1
            print("skipped,", reason)
            continue
        loaded = describe(printed(PROBE, settings))
        done = subprocess.run(
            command, env=os.environ | settings, capture_output=True, text=True, check=False
        )
        n_run += 1
        lines = (done.stdout + done.stderr).splitlines()
        print(f"{loaded}: {lines[-1] if lines else 'no output'}")
        if done.returncode:
            n_failed += 1
            print(
                *(line for line in lines if line.startswith(("FAILED", "ERROR", "E  "))), sep="\n"
            )
    print(f"{n_run} configurations run, {n_failed} failed, {n_skipped} skipped")
    return int(n_failed > 0 or n_run == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
