"""What one pass over a source finds out: ranges, scale, a sample, a hash of the values."""

from functools import partial
from typing import NamedTuple

import numpy as np

from smartsvm._core.safe_range import (
    SAFE_SMALLEST,
    Scale,
    is_safe,
    scale_for,
    tiny_values,
    warn_of_lost_differences,
)
from smartsvm._core.sources import for_chunks, ranges_of, warn_of_rounded
from smartsvm.trees.out_of_core.blocks import combine_digests, digest_of, rescale

# Smallest values of each feature that a chunk keeps for the search for lost differences.
_MOST_TINY = 1024


class Summary(NamedTuple):
    """The result of one pass over a source."""

    low: np.ndarray  # smallest value of each feature
    high: np.ndarray
    # how values are scaled, as in `scale_to_safe_range`; None if they need no scaling
    scale: Scale | None
    sample: np.ndarray  # random points, scaled
    sampled: np.ndarray  # their rows
    digests: list  # hashes of the values of each chunk

    @property
    def digest(self):
        """A hash of all values."""
        return combine_digests(self.digests)

    @property
    def exponent(self):
        """Distances in the source are 2^exponent times those computed."""
        return 0 if self.scale is None else self.scale.exponent


class ChunkSummary(NamedTuple):
    """What one chunk contributes to a `Summary`."""

    low: np.ndarray
    high: np.ndarray
    smallest: float
    sample: np.ndarray
    sampled: np.ndarray
    digest: bytes


def summarize(source, plan, run):
    """Check all values and collect what blocks need to know; `run` works on all chunks."""
    share = min(1.0, plan.n_sampled / source.n_rows)
    chunks = run(partial(summarize_chunk, share=share, name=source.name))
    summary = combine_summaries(chunks)
    warn_of_rounded(source, summary.low, summary.high)
    if summary.scale is not None:  # values of unusual size: a second pass
        values = run(partial(tiny_values_of_chunk, exponent=summary.exponent))
        warn_of_lost_differences(values, summary.exponent)
    return summary


def run_in_threads(source, chunk_bytes, n_threads, work):
    """The results of work(start, chunk) for all chunks of a source, in order."""
    with for_chunks(work, source, n_threads, chunk_bytes) as results:
        return list(results)


def tiny_values_of_chunk(start, chunk, exponent):
    """What a chunk contributes to `warn_of_lost_differences`."""
    return tiny_values(chunk, exponent, most=_MOST_TINY)


def summarize_chunk(start, chunk, share, name):
    """The summary of one chunk; a value that is not finite is an error."""
    low, high = ranges_of(chunk)
    # A NaN or an infinity anywhere is in the ranges too.
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        row, column = np.argwhere(~np.isfinite(chunk))[0]
        raise ValueError(
            f"{name} must be finite, got {chunk[row, column]} at "
            f"[{start + row}, {column}] (and perhaps elsewhere)."
        )
    sizes = np.abs(chunk)
    tiny = sizes[(sizes < SAFE_SMALLEST) & (sizes > 0)]
    drawn = np.flatnonzero(np.random.default_rng([start, 0]).random(len(chunk)) < share)
    if start == 0 and not len(drawn):
        drawn = np.zeros(1, dtype=np.intp)  # never none at all
    return ChunkSummary(
        low,
        high,
        float(tiny.min(initial=np.inf)),
        chunk[drawn],
        drawn + start,
        digest_of(chunk),
    )


def combine_summaries(chunks):
    """The summary of a source from those of its chunks, in order."""
    low = np.min([each.low for each in chunks], axis=0)
    high = np.max([each.high for each in chunks], axis=0)
    largest = max(np.abs(low).max(), np.abs(high).max())
    safe = is_safe(largest, min(each.smallest for each in chunks))
    scale = None if safe else scale_for(low, high)
    sample = rescale(np.concatenate([each.sample for each in chunks]), scale)
    sampled = np.concatenate([each.sampled for each in chunks])
    return Summary(low, high, scale, sample, sampled, [each.digest for each in chunks])
