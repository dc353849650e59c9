"""The door of the trees: X opened, and in memory copied, checked and scaled."""

from smartsvm._core.safe_range import ScaledPoints, are_safe, scale_to_safe_range
from smartsvm._core.sources import is_dask, is_source, open_source
from smartsvm._core.validation import check_array, is_plain
from smartsvm.trees.out_of_core.cluster import dask_client
from smartsvm.trees.out_of_core.free_memory import default_limit
from smartsvm.trees.out_of_core.memory_plan import direct_bytes, kernel_for, thread_bytes


def open_points(
    X,
    n_trees,
    memory_limit,
    checkpoint,
    n_threads=1,
    algorithm="auto",
    *,
    for_later=False,
    core_neighbors=0,
):
    """X opened, and unless it is cut into blocks copied, checked and scaled: `ScaledPoints`."""
    # Blocks are made for data that does not fit, for a Dask array if joblib works on its cluster,
    # and for a checkpoint. With `for_later`, arrays keep their type, and files stay where they are.
    if isinstance(X, ScaledPoints):
        return X
    if memory_limit is None and checkpoint is None and is_plain(X):
        own = X.copy()
        if are_safe(own):
            return ScaledPoints(own, 0)
        return scale_to_safe_range(check_array(own, "X", copy=False))
    source = open_source(X)
    if not is_source(source) and memory_limit is None and checkpoint is None:
        return _in_memory(source, for_later)
    limit = default_limit() if memory_limit is None else memory_limit
    shape = source.n_rows, source.n_features, n_trees
    kernel = kernel_for(memory_limit, *shape, algorithm, for_later, core_neighbors)
    needed = direct_bytes(*shape, kernel, for_later, core_neighbors)
    needed += thread_bytes(n_threads, source.n_features, limit)
    on_cluster = dask_client() is not None and (is_dask(source) or memory_limit is not None)
    if checkpoint is not None or on_cluster or needed > limit:
        return source
    return _in_memory(source, for_later)


def _in_memory(source, for_later):
    """The points of a source, scaled; `for_later` as it is unless it must be scaled."""
    kept = source.kept() if for_later else None
    if kept is not None:
        return ScaledPoints(kept, 0)
    return scale_to_safe_range(source.whole())
