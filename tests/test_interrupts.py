"""Ctrl-C at any moment ends a call and nothing else: the process lives, the next result is right.

In processes of their own (torture.py), so that a crash is an exit code and not the end of pytest.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from ast import literal_eval

import pytest
import torture

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no timer signals on this system")


def run_torture(by, n_threads, n_interrupts, seed=0, limit=3000):
    """Interrupts of each call, by its name."""
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        torture.__file__,
        "--by",
        by,
        "--seed",
        str(seed),
        "--threads",
        str(n_threads),
        "--interrupts",
        str(n_interrupts),
        "--limit",
        str(limit),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        errors = []
        reader = threading.Thread(target=lambda: errors.append(child.stderr.read()))
        reader.start()
        for line in child.stdout:  # each one asks for SIGINT
            delay, times = line.split()
            time.sleep(float(delay))
            for _ in range(int(times)):
                child.send_signal(signal.SIGINT)
        child.wait()
        reader.join()
    assert child.returncode == 0, f"exit code {child.returncode}\n{errors[0]}"
    return literal_eval(errors[0].splitlines()[-1])


@pytest.mark.parametrize("n_threads", [2, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("by", torture.SENDERS)
def test_interrupts_leave_the_process_in_order(by, n_threads):
    counts = run_torture(by, n_threads, 32)
    assert sum(counts.values()) >= 32
    assert all(counts.values())


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
@pytest.mark.parametrize("by", torture.SENDERS)
def test_many_interrupts(by, n_threads):
    seed = time.time_ns() % 2**32
    print("seed", seed)
    counts = run_torture(by, n_threads, 500, seed=seed, limit=3600)
    assert sum(counts.values()) >= 500
