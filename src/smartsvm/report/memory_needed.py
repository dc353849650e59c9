"""How much memory a report takes, and the errors where there is less."""

from bisect import bisect_right
from functools import partial

from smartsvm.held_out.folds import LEAST_SAMPLES
from smartsvm.held_out.registry import extra_bytes, judged_rows
from smartsvm.trees.out_of_core.free_memory import free_memory
from smartsvm.trees.out_of_core.memory_plan import direct_bytes

_MIB = 1 << 20  # bytes
# Bytes of each pair of classes: twelve numbers, in matrices of errors, bounds and scores.
_PAIR_BYTES = 96
# Bytes of each sample and class, and of each judged sample and class, measured at many sizes.
_CLASS_BYTES, _SCORE_BYTES = 12, 90


def check_memory(n_rows, n_features, n_classes, n_trees, memory_limit, *, becomes_dense=False):
    """Raise an error that says what to do if a report does not fit.

    `becomes_dense` is whether X is a sparse matrix, which takes more memory than it did before.
    """
    if memory_limit is None:
        _check_classes(n_rows, n_classes)
        if not becomes_dense:
            return
    needed = _report_bytes(n_rows, n_features, n_classes, n_trees)
    limit = free_memory() if memory_limit is None else memory_limit
    if needed > limit:
        takes = partial(_report_bytes, d=n_features, n_classes=n_classes, n_trees=n_trees)
        most = bisect_right(range(n_rows), limit, key=takes) - 1
        fewer = f"pass subsample={most} or fewer, or " if most >= LEAST_SAMPLES else ""
        if becomes_dense:
            raise MemoryError(
                f"X is a sparse matrix, and distances need dense rows: a report on {n_rows} rows "
                f"of {n_features} features takes about {needed:,} bytes, more than the {limit:,} "
                f"that {'are free' if memory_limit is None else 'memory_limit allows'}: {fewer}"
                "reduce the columns, for instance by "
                "sklearn.decomposition.TruncatedSVD(n_components=100).fit_transform(X)."
            )
        raise MemoryError(
            f"A report on {n_rows} rows of {n_features} features takes about {needed:,} bytes, "
            f"more than memory_limit={memory_limit:,}: {fewer}raise the limit. "
            "bayes_error, pairwise_bayes_error and ovr_bayes_error work in "
            "blocks, within any such limit."
        )


def _report_bytes(n, d, n_classes, n_trees):
    """Bytes that a report takes at most, measured at many sizes, with modules and copies of X."""
    n_fitted = min(n, judged_rows(n))
    # Lists of neighbours and held-out scores are gone when the trees are computed.
    lists = 1400 * n + n_fitted * (3000 + 60 * d + _SCORE_BYTES * n_classes)
    lists += extra_bytes(n, d, n_classes)
    fixed = 24 * _MIB + n * (16 * d + _CLASS_BYTES * n_classes) + _PAIR_BYTES * n_classes**2
    return fixed + max(lists, direct_bytes(n, d, n_trees))


def _check_classes(n, n_classes):
    """Raise if scores and pairs of so many classes alone take more than the free memory."""
    n_fitted = min(n, judged_rows(n))
    needed = n_classes * (_CLASS_BYTES * n + _SCORE_BYTES * n_fitted + _PAIR_BYTES * n_classes)
    free = free_memory()
    if needed > free:
        raise MemoryError(
            f"A report on {n_classes:,} classes and {n:,} samples takes about "
            f"{needed / 2**30:.1f} GiB of memory, but only {free / 2**30:.1f} GiB are free: use "
            "fewer classes, for instance by merging or leaving out rare ones."
        )
