"""One measured call in a fresh process: wall time, processor time and resident memory.

Memory is the sum over the process and all its children, looked at every few milliseconds, so
shared pages count more than once: an upper bound. Linux only.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path


def measured(module, *arguments, env=None):
    """Run `python -m module arguments` and return the dictionary that it prints, and its peak."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | (env or {})
    )
    peak = 0
    done = threading.Event()

    def look():
        nonlocal peak
        while not done.wait(0.02):
            peak = max(peak, sum(map(_resident, _family(process.pid))))

    thread = threading.Thread(target=look)
    thread.start()
    output, _ = process.communicate()
    done.set()
    thread.join()
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return json.loads(output.splitlines()[-1]) | {"peak_mib": peak >> 20}


def timed(call):
    """Seconds and processor seconds of a call, children included, and what it returned."""
    start, before = time.perf_counter(), _cpu()
    result = call()
    return {"seconds": time.perf_counter() - start, "cpu": _cpu() - before}, result


def _cpu():
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(who)[:2]) for who in both)


def _family(pid):
    yield pid
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                yield from _family(int(child))
    except OSError:
        return


def _resident(pid):
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0
