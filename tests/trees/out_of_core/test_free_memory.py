"""How much memory is free, on each kind of system."""

import ctypes
import os
import sys
import types

import pytest

from smartsvm.trees.out_of_core.free_memory import default_limit, free_memory


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


def make_group(root, version, path, limit, used, dropped=0):
    """The files of a control group below a root."""
    folder = root / ("sys/fs/cgroup" if version == 2 else "sys/fs/cgroup/memory") / path
    folder.mkdir(parents=True, exist_ok=True)
    names = {1: ("limit_in_bytes", "usage_in_bytes", "total_"), 2: ("max", "current", "")}[version]
    (folder / f"memory.{names[0]}").write_text(f"{limit}\n")
    (folder / f"memory.{names[1]}").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 7\n{names[2]}inactive_file {dropped}\n")
    line = "0::/" if version == 2 else "4:cpu,cpuacct:/x\n3:memory:/"
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/cgroup").write_text(f"{line}{path}\n")


@pytest.fixture
def roomy(monkeypatch):
    """A machine with much free memory, of a system that says so."""
    monkeypatch.setattr(os, "sysconf_names", {"SC_AVPHYS_PAGES": 0})
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_AVPHYS_PAGES": 10**9}.get)
    monkeypatch.setattr(sys, "platform", "linux")
    return 4096 * 10**9


def test_cached_files_are_free(tmp_path, roomy):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemFree:      70 kB\nMemAvailable:    900 kB\n")
    assert free_memory(tmp_path) == 1024 * 900


@pytest.mark.parametrize("version", [1, 2])
def test_a_control_group_leaves_less(tmp_path, roomy, version):
    make_group(tmp_path, version, "a/b", limit=1000, used=400, dropped=50)
    assert free_memory(tmp_path) == 650


@pytest.mark.parametrize("version", [1, 2])
def test_the_groups_above_count(tmp_path, roomy, version):
    make_group(tmp_path, version, "a", limit=500, used=450)
    make_group(tmp_path, version, "a/b", limit=1000, used=400)
    assert free_memory(tmp_path) == 50
    make_group(tmp_path, version, "a", limit=500, used=501)
    make_group(tmp_path, version, "a/b", limit=1000, used=400)
    assert free_memory(tmp_path) == 0


def test_a_group_without_a_limit_leaves_all(tmp_path, roomy):
    make_group(tmp_path, 2, "a/b", limit="max", used=400)
    assert free_memory(tmp_path) == roomy
    assert free_memory(tmp_path / "none") == roomy


def test_in_a_container_the_top_is_the_own_group(tmp_path, roomy):
    """The path of the group is that outside of the container."""
    make_group(tmp_path, 1, "", limit=1000, used=400)
    (tmp_path / "proc/self/cgroup").write_text("3:memory:/docker/0123\n")
    assert free_memory(tmp_path) == 600
