"""A temporary folder for the points of blocks."""

import os
import shutil
import tempfile
import weakref

from smartsvm.trees.out_of_core.checkpoint import PREFIX


class Scratch:
    """A new folder, its path in `folder`; deleting this object or calling `remove` removes it.

    A killed process leaves it behind.
    """

    def __init__(self, inside):
        self.folder = tempfile.mkdtemp(prefix=PREFIX, dir=inside)
        self.remove = weakref.finalize(self, _remove, self.folder, os.getpid())


def _remove(folder, process):
    # A forked child has a copy of the object, and the parent still needs the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
