"""Jobs that the tests of the benchmark harness give to its worker processes."""

import os
import signal
import time


def work(report, value=0, sleep=0.0, partial=None, fail=None):
    """One record; or what a job may do wrong."""
    if partial is not None:
        report([{"value": partial}])
    if fail == "raise":
        raise ValueError("this job was asked to fail")
    if fail == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(sleep)
    return [{"value": value, "threads": os.environ.get("OMP_NUM_THREADS"), "pid": os.getpid()}]
