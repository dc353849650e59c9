"""One BLAS thread while our own threads call it.

The number of threads is a property of the process, and calls may overlap: the
first one in sets it, the last one out restores it.
"""

import os
import threading
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


class _Users:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.before: list = []


_users = _Users()
if hasattr(os, "register_at_fork"):
    # A child must not inherit a lock that a thread of its parent holds.
    os.register_at_fork(after_in_child=_users.reset)


@cache
def _libraries():
    # Looking for libraries takes milliseconds; the one we call is loaded with us.
    return ThreadpoolController().select(user_api="blas").lib_controllers


def _set_threads(numbers):
    # Not by `limit` of the controller, which describes all libraries at each call.
    for library, n_threads in numbers:
        # In newer threadpoolctl one thread owns the number, and calls by others do nothing:
        # products in our threads then used all BLAS threads, a hundred times slower.
        release = getattr(library, "clear_controlling_thread", lambda force: None)
        release(force=True)
        library.set_num_threads(n_threads)
        release(force=True)


@contextmanager
def single_blas_thread():
    with _users.lock:
        if _users.count == 0:
            _users.before = [(library, library.num_threads) for library in _libraries()]
            _set_threads((library, 1) for library, before in _users.before if before != 1)
        _users.count += 1
    try:
        yield
    finally:
        with _users.lock:
            _users.count -= 1
            if _users.count == 0:
                _set_threads(pair for pair in _users.before if pair[1] != 1)
