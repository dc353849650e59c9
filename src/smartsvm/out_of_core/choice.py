"""Whether a call works on an array in memory or on blocks, and under which options."""

from __future__ import annotations

import os

from smartsvm._scaling import ScaledPoints, scale_to_safe_range
from smartsvm._validation import check_int, describe
from smartsvm.out_of_core.cluster import dask_client
from smartsvm.out_of_core.memory_plan import default_limit, direct_bytes, parse_bytes
from smartsvm.sources import is_dask, is_source, open_source


def open_points(X, n_trees, memory_limit, checkpoint, n_threads=1):
    """X opened, and checked and scaled if it need not be cut into blocks.

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

    Returns
    -------
    ScaledPoints or Source
        The points, or where blocks of them are read from.
    """
    if isinstance(X, ScaledPoints):
        return X
    source = open_source(X)
    if not is_source(source) and memory_limit is None and checkpoint is None:
        return scale_to_safe_range(source.whole(), n_threads)
    limit = default_limit() if memory_limit is None else memory_limit
    needed = direct_bytes(source.n_rows, source.n_features, n_trees)
    on_cluster = dask_client() is not None and (is_dask(source) or memory_limit is not None)
    if checkpoint is not None or on_cluster or needed > limit:
        return source
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
