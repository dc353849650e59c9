"""How much memory is free, on each kind of system."""

import ctypes
import os
import sys
import types

from smartsvm.trees.out_of_core.memory_plan import default_limit, free_memory


def test_here():
    assert 0 < default_limit() < free_memory()


def test_where_the_system_does_not_say_half_is_taken_as_free(monkeypatch):
    names = {key: value for key, value in os.sysconf_names.items() if key != "SC_AVPHYS_PAGES"}
    monkeypatch.setattr(os, "sysconf_names", names)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}.get)
    assert free_memory() == 4096 * 500


def test_windows_is_asked_by_its_own_call(monkeypatch):
    def status(reference):
        numbers = reference._obj
        assert numbers[0] == ctypes.sizeof(numbers) == 64  # the length of the structure
        numbers[1], numbers[2] = 1 << 34, 1 << 33  # all, available

    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    assert free_memory() == 1 << 33
