"""How much memory is free, on each kind of system."""

import ctypes
import os
import sys
import types

import pytest

from smartsvm.trees.out_of_core.free_memory import default_limit, free_memory


def test_here():
    assert 0 < default_limit() < free_memory()


def test_where_the_system_does_not_say_half_is_taken_as_free(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}.get)
    assert free_memory(tmp_path) == 4096 * 500


def test_windows_is_asked_by_its_own_call(monkeypatch):
    def status(reference):
        numbers = reference._obj
        assert numbers[0] == ctypes.sizeof(numbers) == 64  # the length of the structure
        numbers[1], numbers[2] = 1 << 34, 1 << 33  # all, available

    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=status)
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    assert free_memory() == 1 << 33


def make_group(root, path, limit, used, cached=0):
    """The files of a control group below a root."""
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\ninactive_file {cached}\n")
    (root / "proc/self/cgroup").write_text(f"1:cpu:/other\n0::/{path}\n")


@pytest.fixture
def root(tmp_path):
    """A machine with 900 KiB of free memory, of a system that says so."""
    (tmp_path / "proc/self").mkdir(parents=True)
    text = "MemFree:      70 kB\nMemAvailable:    900 kB\n"
    (tmp_path / "proc/meminfo").write_text(text)
    return tmp_path


def test_cached_files_are_free(root):
    assert free_memory(root) == 1024 * 900


def test_a_control_group_leaves_less(root):
    make_group(root, "a/b", limit=1000, used=400, cached=50)
    assert free_memory(root) == 650


def test_the_groups_above_count(root):
    make_group(root, "a", limit=500, used=450)
    make_group(root, "a/b", limit=1000, used=400)
    assert free_memory(root) == 50
    make_group(root, "a", limit=500, used=501)
    make_group(root, "a/b", limit=1000, used=400)
    assert free_memory(root) == 0


def test_a_group_without_a_limit_leaves_all(root):
    make_group(root, "a/b", limit="max", used=400)
    assert free_memory(root) == 1024 * 900


def test_in_a_container_the_top_is_the_own_group(root):
    """The path of the group is that outside of the container."""
    make_group(root, "", limit=1000, used=400)
    (root / "proc/self/cgroup").write_text("0::/docker/0123\n")
    assert free_memory(root) == 600
