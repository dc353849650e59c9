"""A process that forks, apart from that of pytest (forks.py)."""

import os
import subprocess
import sys

import forks
import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_may_fork():
    done = subprocess.run(
        [sys.executable, forks.__file__, *forks.CASES],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "2"},  # its threads do not survive a fork
    )
    assert done.returncode == 0, done.stdout + done.stderr
