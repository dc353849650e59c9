"""Where a call computes: the `device` parameter, and arrays that live on a GPU.

PyTorch and Triton are optional; they are imported only for a GPU or for a tensor.
"""

import re
import sys
from contextlib import contextmanager
from traceback import clear_frames

import numpy as np

from smartsvm._core.parallel import in_threads
from smartsvm._core.validation import describe

_IN_MEMORY = (1, 3, 11)  # DLPack's numbers for memory of the processor, pinned or not
_AT_ONCE = 1 << 25  # numbers copied or checked at a time


def find_device(device, X):
    """The torch.device that computes, by default where X lives, or None for the processor."""
    if device is None:
        place = _place_of(X)
        return None if place is None else _open(f"cuda:{place}", "None")
    if not isinstance(device, str) or not re.fullmatch(r"cpu|cuda(:\d+)?", device):
        raise ValueError(
            f'device must be None, "cpu", "cuda" or "cuda:" and a number, got {describe(device)}.'
        )
    return None if device == "cpu" else _open(device, repr(device))


def device_name(device, X):
    """The name of the device that computes, for calls with X in memory."""
    place = find_device(device, X)
    return "cpu" if place is None else device or str(place)


def on_host(X):
    """X, or if it is a tensor an array of its values in memory; bfloat16 becomes float32."""
    if not _is_tensor(X):
        return X
    if not _is_torch(X):
        if _place_of(X) is None and hasattr(X, "__array__"):
            return X
        if hasattr(X, "get"):  # CuPy's copy to memory
            return X.get()
        X = _torch("X").from_dlpack(X)
    X = X.detach()
    return (X.float() if str(X.dtype) == "torch.bfloat16" else X).cpu().numpy()


def to_device(X, device, name, open_source):
    """A tensor on a device: an array of another library, or else its `Source`, part by part."""
    torch = _torch(name)
    if not _is_tensor(X):
        return _copied(open_source(X, name), device, torch)
    tensor = X.detach() if _is_torch(X) else torch.from_dlpack(X)
    if tensor.ndim != 2:
        raise ValueError(f"{name} must have 2 dimensions, got shape {tuple(tensor.shape)}.")
    if tensor.numel() == 0:
        raise ValueError(f"{name} must not be empty, got shape {tuple(tensor.shape)}.")
    if tensor.is_complex():
        raise TypeError(f"{name} must hold real numbers, got dtype {tensor.dtype}.")
    dtype = None if tensor.is_floating_point() else torch.float64
    return tensor.to(device, dtype=dtype).contiguous()


def magnitudes_of(tensor, name):
    """The largest magnitude of finite values, and the smallest one of float64 besides 0."""
    torch = _torch(name)
    largest = 0.0
    smallest = float("inf")
    step = max(1, _AT_ONCE // tensor.shape[1])
    for start in range(0, len(tensor), step):
        part = tensor[start : start + step].abs()
        if not bool(torch.isfinite(part).all()):
            i, j = (~torch.isfinite(part)).nonzero()[0].tolist()
            raise ValueError(
                f"{name} must be finite, got {float(tensor[start + i, j])} at {[start + i, j]} "
                "(and perhaps elsewhere)."
            )
        largest = max(largest, float(part.max()))
        if tensor.dtype == torch.float64:
            part[part == 0] = float("inf")
            smallest = min(smallest, float(part.min()))
    return largest, smallest


@contextmanager
def enough_memory(device):
    """Turn an error of a GPU without memory into one that says what to do; free what is left."""
    import torch

    try:
        yield
    except torch.OutOfMemoryError as error:
        problem = str(error).partition(". ")[0]
        clear_frames(error.__traceback__)  # which hold tensors
    else:
        return
    torch.cuda.empty_cache()
    raise MemoryError(
        f"the memory of {device} is not enough ({problem}): pass fewer rows, X as float16 or "
        'float32, or device="cpu".'
    )


def beside(array, other):
    """An array as what another one is: an array, or a tensor on its device."""
    return _torch("device").as_tensor(array).to(other.device) if _is_tensor(other) else array


def beside_as_type(array, other):
    """The same, with numbers of the same type."""
    there = beside(array, other)
    return there.to(other.dtype) if _is_tensor(other) else there.astype(other.dtype)


def empty_beside(other, shape, dtype="float64"):
    """An empty array, or a tensor on the device of another one."""
    if not _is_tensor(other):
        return np.empty(shape, dtype=dtype)
    torch = _torch("device")
    return torch.empty(shape, dtype=getattr(torch, dtype), device=other.device)


def fill_rows(fill, other, rows, rows_on_device, n_jobs):
    """Call `fill` with slices of all rows: in threads, or one after the other on a device."""
    if _is_tensor(other):
        rows, n_jobs = rows_on_device, 1
    in_threads(fill, (slice(lo, lo + rows) for lo in range(0, len(other), rows)), n_jobs)


def joined(arrays):
    """The rows of several arrays in memory, or tensors on one device, as one."""
    return (_torch("device").cat if _is_tensor(arrays[0]) else np.concatenate)(arrays)


def are_on_device(arrays, device):
    """Whether there is a device, and all arrays are ones that it takes without a copy of ours."""
    return device is not None and all(map(_is_tensor, arrays))


def free_bytes(device):
    """Memory of a device that this process may still use; None for the processor."""
    if device.type != "cuda":
        return None
    cuda = _torch("X").cuda
    cached = cuda.memory_reserved(device) - cuda.memory_allocated(device)
    return cuda.mem_get_info(device)[0] + cached


def _copied(source, device, torch):
    """A tensor of the rows of a source, copied part by part."""
    array = getattr(source, "array", None)
    if isinstance(array, np.ndarray) and array.dtype in (np.float16, np.float32, np.float64):
        step = max(1, _AT_ONCE // source.n_features)
        starts = range(0, source.n_rows, step)
        parts = ((start, np.array(array[start : start + step])) for start in starts)
        dtype = getattr(torch, array.dtype.name)
    else:
        parts = source.chunks()
        dtype = torch.float64
    tensor = torch.empty((source.n_rows, source.n_features), dtype=dtype, device=device)
    for start, part in parts:
        tensor[start : start + len(part)] = torch.from_numpy(part)
    return tensor


def _is_tensor(X):
    """Whether X is an array of another library that can be handed over without a copy."""
    return hasattr(type(X), "__dlpack_device__") and not isinstance(X, np.ndarray | np.generic)


def _is_torch(X):
    return "torch" in sys.modules and isinstance(X, sys.modules["torch"].Tensor)


def _place_of(X):
    """The number of the GPU that X lives on; None elsewhere."""
    if not _is_tensor(X):
        return None
    kind, place = X.__dlpack_device__()
    return None if int(kind) in _IN_MEMORY else int(place)


def _open(device, given):
    """The torch.device of a GPU that exists."""
    torch = _torch(f"device={given}")
    problem = None
    if not torch.cuda.is_available():
        problem = f"PyTorch {torch.__version__} finds no GPU with CUDA here"
        if torch.version.cuda is None:
            problem = f"PyTorch {torch.__version__} is built without CUDA"
    elif int(device.partition(":")[2] or 0) >= torch.cuda.device_count():
        problem = f"PyTorch finds {torch.cuda.device_count()} of them"
    if problem:
        raise ValueError(f'device must be None, "cpu" or an existing GPU, got {given}: {problem}.')
    try:
        import triton  # noqa: F401
    except ImportError as error:
        raise _missing(f"device={given}", error) from error
    return torch.device(device, 0) if ":" not in device else torch.device(device)


def _torch(what):
    try:
        import torch
    except ImportError as error:
        raise _missing(what, error) from error
    return torch


def _missing(what, error):
    return ImportError(
        f"{what} needs PyTorch and Triton ({error}): pip install 'smartsvm2[gpu]'; "
        'device="cpu" needs neither.'
    )
