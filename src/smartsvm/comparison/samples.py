"""Several samples as one set of points with a number for each sample."""

from typing import NamedTuple

import numpy as np

from smartsvm._core.checked_labels import number_names
from smartsvm._core.devices import are_on_device, find_device, joined, on_host
from smartsvm._core.labels import as_labels
from smartsvm._core.points import Points, points_on_device, scale_points
from smartsvm._core.validation import check_mask, describe
from smartsvm.held_out.scale_choice import usual_scale
from smartsvm.tables.column_readers import import_pandas
from smartsvm.tables.frames import as_frame, is_table
from smartsvm.tables.preparation import TablePreparation
from smartsvm.trees.open_points import open_points

# Rows that the spreads of the columns are computed from, at most.
_ROWS_FOR_SCALE = 10_000
# A sample of one row has no edge and no distance within it.
_LEAST_ROWS = 2
# Four groups have 6 divisions into two samples of two: fewer have hardly any besides their own.
_LEAST_GROUPS = 4


class Samples(NamedTuple):
    """The rows of all samples, one sample after the other."""

    points: Points
    codes: np.ndarray  # number of the sample of each row
    sizes: np.ndarray
    scale: str


def open_samples(samples, scale, device, n_jobs=None):
    """Read, check, join and scale the samples."""
    if len(samples) < 2:
        raise ValueError(
            f"two_sample_test needs two samples or more, got {len(samples)}: call "
            "two_sample_test(X, Y)."
        )
    tensors = None
    if all(is_table(each) for each in samples):
        X, sizes = _joined_tables(samples)
    else:
        tensors = _tensors(samples, find_device(device, samples[0]))
        arrays = tensors or [
            open_points(each, f"samples[{k}]").read() for k, each in enumerate(samples)
        ]
        for k, each in enumerate(arrays):
            if each.shape[1] != arrays[0].shape[1]:
                raise ValueError(
                    f"samples[{k}] must have the {arrays[0].shape[1]} columns of samples[0], got "
                    f"shape {tuple(each.shape)}."
                )
        X = joined(arrays)
        sizes = np.array([len(each) for each in arrays])
    for k, size in enumerate(sizes):
        if size < _LEAST_ROWS:
            raise ValueError(f"samples[{k}] must have at least {_LEAST_ROWS} rows, got {size}.")
    if scale == "auto":
        sampled = X[:: -(-len(X) // _ROWS_FOR_SCALE)]
        scale = usual_scale(_numbers(sampled) if tensors else sampled)
    if tensors and scale == "none":
        points = Points(tensor=X)
    else:
        points = scale_points(_numbers(X) if tensors else X, scale, device=device, n_jobs=n_jobs)
    return Samples(points, np.repeat(np.arange(len(sizes)), sizes), sizes, scale)


def _tensors(samples, device):
    """The samples on a GPU, where they are all there already and need no power of two."""
    if not are_on_device(samples, device):
        return None
    points = [
        points_on_device(each, device, name=f"samples[{k}]") for k, each in enumerate(samples)
    ]
    if any(each.exponent for each in points) or len({each.tensor.dtype for each in points}) > 1:
        return None
    return [each.tensor for each in points]


def _numbers(tensor):
    return on_host(tensor).astype(np.float64)


def _joined_tables(samples):
    """The tables as one, prepared together, so that equal values stay equal."""
    frames = [as_frame(each) for each in samples]
    names = frames[0].columns
    for k, frame in enumerate(frames[1:], 1):
        other = set(frame.columns) ^ set(names)
        if other:
            raise ValueError(
                f"samples[{k}] must have the columns of samples[0], got "
                f"{describe(sorted(other))} in one of them only."
            )
    joined = import_pandas().concat([frame[names] for frame in frames], ignore_index=True)
    # No column is a label here; ids are left out, because they tell nothing about a row.
    X = TablePreparation(scale="none").fit_transform(joined)
    return np.asarray(X, dtype=np.float64), np.array([len(frame) for frame in frames])


def number_groups(groups, samples, codes):
    """Numbers of the groups of all rows; no group may have rows in two samples."""
    if len(groups) != len(samples):
        raise ValueError(
            f"groups must have one array for each of the {len(samples)} samples, got {len(groups)}."
        )
    for k, each in enumerate(groups):
        check_mask(each, f"groups[{k}]")
        size = np.count_nonzero(codes == k)
        if np.shape(each) != (size,):
            raise ValueError(
                f"groups[{k}] must have one value for each of the {size} rows of samples[{k}], "
                f"got shape {np.shape(each)}."
            )
    joined = as_labels([value for each in groups for value in np.asarray(each).tolist()], "groups")
    names, numbers = number_names(joined)
    pairs = np.unique(np.column_stack([numbers, codes]), axis=0)
    shared = pairs[:-1, 0][pairs[1:, 0] == pairs[:-1, 0]]
    if len(shared):
        raise ValueError(
            "groups must not have rows in two samples, got "
            f"{describe(names[np.unique(shared)].tolist())}: name the groups of each sample apart "
            "if they are independent, or compare the differences within each group."
        )
    if len(names) < _LEAST_GROUPS:
        raise ValueError(
            f"groups must name at least {_LEAST_GROUPS} groups, got {describe(names.tolist())}."
        )
    return numbers
