"""The peak memory of this process, and of nothing before it.

`resource` counts from the parent on: a process begins with the peak of the one that started it,
and a small growth below that is not seen.
"""

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_bytes():
    """Most memory that this process has had (Linux), else what `resource` says."""
    if _STATUS.exists():
        lines = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        if "VmHWM" in lines:
            return int(lines["VmHWM"].split()[0]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
