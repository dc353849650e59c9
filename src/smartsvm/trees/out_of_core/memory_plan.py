"""In memory or in blocks, and in how many: from a limit of memory and what one point costs."""

from __future__ import annotations

import math
import os
import re
import sys

from smartsvm._core.scaling import ScaledPoints, are_safe, scale_to_safe_range
from smartsvm._core.sources import is_dask, is_source, open_source
from smartsvm._core.validation import check_array, check_int, describe, is_plain
from smartsvm.trees.out_of_core.cluster import dask_client

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_UNITS |= {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_TASKS_FOR_A_WORKER = 4  # blocks for each, so that none waits long for the last


def open_points(X, n_trees, memory_limit, checkpoint, n_threads=1, *, for_later=False):
    """X opened, and copied, checked and scaled if it need not be cut into blocks.

    Blocks are made for a source that does not fit, for any data that does not fit a
    limit, for a Dask array if joblib works on its cluster, and if there is a checkpoint.

    Parameters
    ----------
    X : source, array or ScaledPoints
        See `open_source`. What this function has returned is opened, or scaled, already.
    n_trees : int
        Orthogonal trees.
    memory_limit : int or None
        Bytes.
    checkpoint : path or None
        Folder for finished work.
    n_threads : int, default=1
        Threads that look at the points.
    for_later : bool, default=False
        The points are kept: a copy in the type that they have, and a file where it is.

    Returns
    -------
    ScaledPoints or Source
        The points, or where blocks of them are read from.
    """
    if isinstance(X, ScaledPoints):
        return X
    if memory_limit is None and checkpoint is None and is_plain(X):
        own = X.copy()
        if are_safe(own, n_threads):
            return ScaledPoints(own, 0)
        return scale_to_safe_range(check_array(own, "X", copy=False), n_threads)
    source = open_source(X)
    if not is_source(source) and memory_limit is None and checkpoint is None:
        return _in_memory(source, n_threads, for_later)
    limit = default_limit() if memory_limit is None else memory_limit
    needed = direct_bytes(source.n_rows, source.n_features, n_trees)
    on_cluster = dask_client() is not None and (is_dask(source) or memory_limit is not None)
    if checkpoint is not None or on_cluster or needed > limit:
        return source
    return _in_memory(source, n_threads, for_later)


def _in_memory(source, n_threads, for_later):
    """The points of a source, scaled; `for_later` as it is unless it must be scaled."""
    kept = source.kept() if for_later else None
    if kept is not None:
        return ScaledPoints(kept, 0)
    return scale_to_safe_range(source.whole(), n_threads)


def block_options(memory_limit, checkpoint, verbose):
    """The options of a call as they are meant, or an error that names the wrong one."""
    return {
        "memory_limit": parse_bytes(memory_limit),
        "checkpoint": _check_folder(checkpoint),
        "verbose": check_int(verbose, "verbose", least=0),
    }


def _check_folder(checkpoint):
    if checkpoint is None or isinstance(checkpoint, str | os.PathLike):
        return checkpoint
    raise TypeError(f"checkpoint must be the path of a folder or None, got {describe(checkpoint)}.")


def parse_bytes(limit, name="memory_limit"):
    """A number of bytes, from an integer or a text such as "4 GiB".

    Parameters
    ----------
    limit : int, str or None
        What the caller passed; None means no limit.
    name : str, default="memory_limit"
        What errors call it.

    Returns
    -------
    int or None
        Bytes.
    """
    if limit is None:
        return None
    if isinstance(limit, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?i?)b?\s*", limit.lower())
        if match and match[2] in _UNITS and math.isfinite(float(match[1])):
            return check_int(int(float(match[1]) * _UNITS[match[2]]), name, least=1)
        raise ValueError(
            f'{name} must be a number of bytes or a text such as "4 GiB" or "500 MB", '
            f"got {describe(limit)}."
        )
    return check_int(limit, name, least=1)


def default_limit():
    """Half of the memory that is free now."""
    return free_memory() // 2


def free_memory():
    """Bytes of memory that is free; on macOS, which does not say, half of all there is."""
    if sys.platform == "win32":
        return _free_on_windows()
    page = os.sysconf("SC_PAGE_SIZE")
    if "SC_AVPHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_AVPHYS_PAGES") * page
    return os.sysconf("SC_PHYS_PAGES") * page // 2


def _free_on_windows():
    """What GlobalMemoryStatusEx calls the available physical memory."""
    import ctypes

    # MEMORYSTATUSEX: two 32-bit numbers, the first its own length, then seven 64-bit ones, of
    # which the second is the answer.
    status = (ctypes.c_uint64 * 8)()
    status[0] = ctypes.sizeof(status)
    ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status[2])


def direct_bytes(n_rows, n_features, n_trees):
    """Memory of one call over all points, which are loaded for it."""
    return n_rows * (8 * n_features + task_bytes(n_features, n_trees) + 32 * n_trees)


def task_bytes(n_features, n_trees):
    """Memory of a kernel for each point it works on, its copies of the point included.

    Measured, with the points: 172 for 3 features and one tree, 257 for three trees, 267 for
    8 features, 2,010 for 64 and 23,768 for 784.
    """
    return 32 * n_features + 60 + 50 * n_trees


def merge_bytes(n_trees):
    """Memory of the calling process for each point, at most: edges, their order, the result.

    Measured: 131 for one tree.
    """
    return 40 + 96 * n_trees


def plan_blocks(n_rows, n_features, n_trees, *, limit, n_workers, remote):
    """Blocks, and the most rows of one, such that tasks keep to the limit.

    Parameters
    ----------
    n_rows, n_features : int
        Shape of the data.
    n_trees : int
        Orthogonal trees.
    limit : int or None
        Bytes: of the whole call, or of each worker if those are elsewhere.
    n_workers : int
        Tasks at the same time.
    remote : bool
        Whether workers have memory of their own.

    Returns
    -------
    n_blocks, most_rows : int
        Blocks to make; larger ones are divided.
    """
    # Fewer would leave workers idle; a block of one point helps no one.
    wanted = min(_TASKS_FOR_A_WORKER * n_workers, max(1, n_rows // 2)) if n_workers > 1 else 2
    if limit is None:
        return wanted, n_rows
    left = limit if remote else (limit - n_rows * merge_bytes(n_trees)) / n_workers
    # Two blocks and their forests are the most a task holds.
    for_a_row = 2 * (task_bytes(n_features, n_trees) + 16 * n_trees)
    most_rows = int(left // for_a_row)
    if most_rows < 2:
        least = 2 * n_workers * for_a_row + n_rows * merge_bytes(n_trees)
        raise ValueError(
            f"memory_limit must be at least {2 * for_a_row if remote else least:,} bytes for "
            f"{n_rows} rows of {n_features} features and {n_trees} trees, got {limit:,}: the "
            "edges of the trees alone do not fit."
        )
    # Blocks come out a little unequal; the limit holds for the largest.
    n_blocks = max(wanted, math.ceil(1.1 * n_rows / most_rows))
    return min(n_blocks, n_rows), most_rows
