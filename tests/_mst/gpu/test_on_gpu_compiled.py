"""The sum that decides, compiled for a GPU: this needs no GPU either."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.gpu

COMPILE = """
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from smartsvm._mst.gpu.edge_kernels import measure

signature = {
    "X": "*fp32", "row_of": "*i32", "ends_i": "*i32", "ends_j": "*i32", "out": "*fp64",
    "core": "*fp64", "lengths": "*fp64", "component": "*i32", "least": "*i64", "m": "i32",
    "d": "i32", "STEPS": "constexpr", "B": "constexpr",
}
source = ASTSource(fn=measure, signature=signature, constexprs={(11,): 8, (12,): 64})
target = GPUTarget("cuda", 90, 32)
print(triton.compile(source, target=target, options={"enable_fp_fusion": False}).asm["ptx"])
"""


def test_distances_have_no_fused_multiply_add():
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPILE],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert re.search(r"mul\S*\.f64", done.stdout)
    assert not re.search(r"fma\S*\.f64", done.stdout)
