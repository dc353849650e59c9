"""The directive ``run``: code of a page is executed, and what it prints or draws stands below it.

Pages hold no output of their own, so no number on them can be out of date. The blocks of
a page share one namespace and one empty folder, in the order in which they stand.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives


class Session:
    """Runs the blocks of one page."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="smartsvm-page-")
        self.names = {"__name__": "__main__"}

    def python(self, code):
        """Execute a block and return what it printed."""
        printed = io.StringIO()
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error")
            exec(compile(code, "page", "exec"), self.names)
        return printed.getvalue()

    def shell(self, code):
        """Run a block of commands, and return what they printed."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["sh", "-e", "-c", code],
            cwd=self.folder,
            env=os.environ | {"PATH": path, "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"exit code {done.returncode}:\n{code}\n{done.stdout}")
        return done.stdout

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Run(Directive):
    """Show a block of Python, or with ``:shell:`` of commands, and what it printed and drew."""

    has_content = True
    option_spec: ClassVar = {
        "shell": directives.flag,
        "hide-code": directives.flag,
        "figure": directives.unchanged_required,  # its alternative text
    }

    def run(self):
        env = self.state.document.settings.env
        session = env.temp_data.setdefault("run_code_session", None) or Session()
        env.temp_data["run_code_session"] = session
        code = "\n".join(self.content)
        try:
            printed = (session.shell if "shell" in self.options else session.python)(code)
        except Exception as error:
            raise self.error(f"a block of {env.docname} failed: {error!r}") from error
        shown = []
        if "hide-code" not in self.options:
            block = nodes.literal_block(code, code)
            block["language"] = "console" if "shell" in self.options else "python"
            shown.append(block)
        if printed:
            block = nodes.literal_block(printed, printed, classes=["run-output"])
            block["language"] = "none"
            shown.append(block)
        if "figure" in self.options:
            shown.append(self._figure(env, code))
        return shown

    def _figure(self, env, code):
        from matplotlib import pyplot as plt

        name = f"{env.docname.replace('/', '-')}-{hashlib.sha256(code.encode()).hexdigest()[:10]}"
        path = Path(env.srcdir) / "_generated" / "figures" / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        plt.savefig(path, bbox_inches="tight", metadata={"Date": None})
        plt.close("all")
        image = nodes.image(uri=f"/{path.relative_to(env.srcdir)}", alt=self.options["figure"])
        return nodes.container("", image, classes=["run-figure"])


def _end(app, doctree):
    session = app.env.temp_data.pop("run_code_session", None)
    if session is not None:
        session.close()


def setup(app):
    """Register the directive."""
    app.add_directive("run", Run)
    app.connect("doctree-read", _end)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
