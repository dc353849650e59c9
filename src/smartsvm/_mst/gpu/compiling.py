"""A line on standard error while Triton compiles kernels, which takes seconds."""

from contextlib import contextmanager

import triton

from smartsvm.presentation.progress import say

_TEXT = (
    "Compiling kernels for the GPU: the first calls take some 10 seconds longer. "
    "Triton keeps the kernels for later processes."
)
_said = False


@contextmanager
def announced():
    """Say so if a kernel is compiled inside; say nothing if this Triton has no listener."""
    options = getattr(getattr(triton, "knobs", None), "compilation", None)
    if getattr(options, "listener", say) is not None:  # a listener of somebody else stays
        yield
        return
    options.listener = _after_kernel
    try:
        yield
    finally:
        options.listener = None


def _after_kernel(*, cache_hit=True, **_):
    global _said  # once in a process
    if not cache_hit and not _said:
        _said = True
        say(_TEXT)
