"""How much memory is free, and giving back to the system what is no longer used."""

import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

# Of control groups, version 1 and 2: limit, use, and the cached files in it that can be dropped.
_V1 = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
_V2 = "memory.max", "memory.current", "inactive_file"


def default_limit():
    """Half of the memory that is free now."""
    return free_memory() // 2


def free_memory(root="/"):
    """Bytes that this process can still take; on macOS, which does not say, half of all memory."""
    if sys.platform == "win32":
        return _free_on_windows()
    page = os.sysconf("SC_PAGE_SIZE")
    if "SC_AVPHYS_PAGES" in os.sysconf_names:
        free = _available(Path(root)) or os.sysconf("SC_AVPHYS_PAGES") * page
        return min([free, *_left_in_groups(Path(root)), *_left_of_addresses()])
    return os.sysconf("SC_PHYS_PAGES") * page // 2


def _available(root):
    """Bytes that Linux can give, cached files dropped; None from another system."""
    with suppress(OSError, StopIteration):
        lines = (root / "proc/meminfo").read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if "MemAvailable" in line)


def _left_of_addresses():
    """Bytes left below the limit that `ulimit -v` sets."""
    import resource  # not on Windows

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY:
        with suppress(OSError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            yield max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def _left_in_groups(root):
    """Bytes left in each control group around this process: its own and those above it."""
    try:
        groups = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return
    for line in groups:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        names, top = (_V1, "memory") if controllers else (_V2, "")
        top = root / "sys/fs/cgroup" / top
        group = top / path.lstrip("/")
        # In a container the path may be that outside of it: only the top exists then.
        for folder in (group, *group.parents):
            try:
                limit, used = ((folder / name).read_text().strip() for name in names[:2])
                stat = dict(
                    each.split() for each in (folder / "memory.stat").read_text().splitlines()
                )
                if limit != "max":
                    yield max(0, int(limit) - int(used) + int(stat.get(names[2], 0)))
            except (OSError, ValueError):
                pass  # the topmost group has no such files
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
