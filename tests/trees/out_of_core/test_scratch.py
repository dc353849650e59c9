"""The folder of blocks goes with the run that made it."""

import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from smartsvm import euclidean_mst
from smartsvm.trees.out_of_core.forest import BlockForest
from smartsvm.trees.out_of_core.scratch import Scratch


def test_a_folder_goes_with_its_object(tmp_path):
    scratch = Scratch(tmp_path)
    assert os.path.isdir(scratch.folder)
    del scratch
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_folders_in_use_stay(tmp_path):
    first, second = Scratch(tmp_path), Scratch(tmp_path)
    assert os.path.isdir(first.folder)
    first.remove()
    assert [str(path) for path in tmp_path.iterdir()] == [second.folder]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_leaves_the_folder_to_its_parent(tmp_path):
    code = f"""
        import os, sys
        from smartsvm.trees.out_of_core.scratch import Scratch
        scratch = Scratch({str(tmp_path)!r})
        if os.fork() == 0:
            sys.exit(0)  # runs the exit handlers of the child
        os.wait()
        assert os.path.isdir(scratch.folder)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert not list(tmp_path.iterdir())


def test_an_error_leaves_no_folder(tmp_path, monkeypatch):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).random((300, 3)))
    monkeypatch.setattr(BlockForest, "whole", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        euclidean_mst(tmp_path / "X.npy", checkpoint=tmp_path / "run")
    gc.collect()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["problem.json"]
