"""The README's code runs as it is written, and prints what stands below it."""

import contextlib
import io
import re
from pathlib import Path

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
# A block of Python, and the output if a plain block follows it at once.
BLOCKS = re.findall(r"```python\n(.*?)```\n(?:\n```\n(.*?)```)?", README, re.DOTALL)


def test_every_block_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    assert len(BLOCKS) > 4
    for code, output in BLOCKS:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        if output and not output.startswith("smartsvm "):  # a command of the shell
            assert printed.getvalue() == output
