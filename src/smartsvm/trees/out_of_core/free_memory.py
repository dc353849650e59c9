"""How much memory is free, and giving back to the system what is no longer used."""

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path


def default_limit():
    """Half of the memory that is free now."""
    return free_memory() // 2


def free_memory(root="/"):
    """Bytes that this process can still take; on macOS, which does not say, half of all memory."""
    if sys.platform == "win32":
        return _free_on_windows()
    root = Path(root)
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
        free = 1024 * next(int(line.split()[1]) for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return min([free, *_left_in_groups(root)])


def _left_in_groups(root):
    """Bytes left in each control group around this process (version 2): its own, those above."""
    top = root / "sys/fs/cgroup"
    with suppress(OSError):
        lines = (root / "proc/self/cgroup").read_text().splitlines()
        # In a container the path may be that outside of it: only the top exists then.
        group = top / next((line[3:] for line in lines if line.startswith("0::")), "").lstrip("/")
        for folder in (group, *group.parents):
            # Neither the topmost group nor one without a limit has a number there.
            with suppress(OSError, ValueError):
                limit = int((folder / "memory.max").read_text())
                used = int((folder / "memory.current").read_text())
                lines = (folder / "memory.stat").read_text().splitlines()
                cached = dict(line.split() for line in lines).get("inactive_file", 0)
                yield max(0, limit - used + int(cached))
            if folder == top:
                break


def _free_on_windows():
    """What GlobalMemoryStatusEx calls the available physical memory."""
    import ctypes

    # MEMORYSTATUSEX: two 32-bit numbers, the first its own length, then seven 64-bit ones, of
    # which the second is the answer.
    status = (ctypes.c_uint64 * 8)()
    status[0] = ctypes.sizeof(status)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status[2])


def release_memory():
    """Give freed memory back to the system: glibc keeps it, for every thread by itself."""
    if _malloc_trim() is not None:
        _malloc_trim()(0)


@cache
def _malloc_trim():
    import ctypes

    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc
        return None
