"""A limit of memory is kept, copies of X and any number of threads included."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

STATUS = Path("/proc/self/status")
MIB = 1 << 20
SCRIPT = """
import ctypes, re, sys
import numpy as np
from smartsvm import ClassForest, difficulty_report, euclidean_mst

def status(key):
    return 1024 * int(re.search(key + r":\\s+(\\d+)", open("/proc/self/status").read())[1])

what, n, d, n_trees, n_jobs, limit = sys.argv[1], *map(int, sys.argv[2:])
random = np.random.default_rng(0)
X, y = random.random((n, d)), random.integers(0, 30, n)
if d > 6:
    X += random.integers(0, 4, (n, 1))
options = {"n_trees": n_trees, "n_jobs": n_jobs, "memory_limit": limit}
if what == "words":  # those with an even number of bits: neighbours are two bits apart
    words = np.arange(2 * n, dtype=np.uint32)[:, None] >> np.arange(d, dtype=np.uint32) & 1
    X = words[words.sum(axis=1) % 2 == 0].astype(float)
    del words
before = status("VmHWM")
if what in ("trees", "words"):
    euclidean_mst(X, **options)
elif what == "mutual":
    euclidean_mst(X, core_neighbors=5, **options)
elif what == "report":
    difficulty_report(X, y, **options)
else:
    ClassForest(X, y, **options).pairwise()
print(status("VmHWM") - before)
"""


@pytest.mark.skipif(
    not STATUS.exists() or "VmHWM" not in STATUS.read_text(), reason="no peak of memory in /proc"
)
@pytest.mark.parametrize(
    ("what", "n", "d", "n_trees", "n_jobs", "limit"),
    [
        ("trees", 20_000, 16, 1, 4, 26),
        ("trees", 300, 20_000, 1, 2, 104),  # directly, with little beside a copy
        ("mutual", 40_000, 16, 1, 2, 62),  # directly, as always
        ("classes", 12_000, 3, 3, 4, 24),
        ("report", 6_000, 10, 3, 2, 54),
        ("words", 1 << 15, 16, 1, 1, 36),  # directly, by a kernel
        *(
            pytest.param(*cell, marks=pytest.mark.slow)
            for cell in [
                ("trees", 300_000, 3, 1, 4, 40),
                ("trees", 300_000, 3, 3, 4, 110),
                ("trees", 200_000, 2, 1, 1, 40),
                ("trees", 50_000, 6, 2, 4, 40),
                ("trees", 100_000, 8, 1, 2, 64),
                ("trees", 100_000, 8, 1, 1, 90),  # directly
                ("trees", 20_000, 16, 3, 2, 36),
                ("trees", 30_000, 64, 1, 2, 60),
                ("trees", 30_000, 64, 3, 2, 80),
                ("trees", 2_000, 3_000, 1, 2, 100),
                ("classes", 60_000, 3, 3, 4, 90),
                ("classes", 60_000, 3, 3, 4, 150),
                ("classes", 30_000, 16, 1, 2, 64),
                ("report", 40_000, 10, 3, 4, 158),
                ("report", 3_000, 1000, 3, 4, 330),
            ]
        ),
    ],
)
def test_the_peak_keeps_to_the_limit(what, n, d, n_trees, n_jobs, limit):
    settings = [what, *map(str, (n, d, n_trees, n_jobs, limit * MIB))]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *settings], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"\d+", done.stdout)[0]) <= limit * MIB
