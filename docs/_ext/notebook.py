"""The tutorial's notebook: run its cells, keep what they print and draw, show it as a page."""

from __future__ import annotations

import ast
import base64
import contextlib
import hashlib
import io
import json
from pathlib import Path

NOTEBOOK = Path(__file__).resolve().parents[1] / "tutorial.ipynb"
_DPI = 70


def read():
    """The notebook as it is stored."""
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def code_cells(notebook):
    """Its cells of code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def digest(notebook):
    """Of the code; the notebook's metadata has that of the code that its outputs belong to."""
    code = "\0".join("".join(cell["source"]) for cell in code_cells(notebook))
    return hashlib.sha256(code.encode()).hexdigest()


def execute(notebook):
    """Replace the outputs of all cells by those of a run from top to bottom."""
    names = {}
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell["execution_count"] = number
        cell["outputs"] = list(_outputs("".join(cell["source"]), names, number))
    notebook["metadata"]["executed"] = digest(notebook)
    return notebook


def _outputs(code, names, number):
    """What Jupyter would store: printed text, a value in the last line, figures."""
    from matplotlib import pyplot as plt

    *statements, last = ast.parse(code).body
    value = None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if not isinstance(last, ast.Expr):
            statements, last = [*statements, last], None
        exec(compile(ast.Module(statements, []), "cell", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        yield {"output_type": "stream", "name": "stdout", "text": text}
    if value is not None:
        data = {"text/html": value._repr_html_(), "text/plain": repr(value)}
        yield {
            "output_type": "execute_result",
            "data": data,
            "metadata": {},
            "execution_count": number,
        }
    for figure in map(plt.figure, plt.get_fignums()):
        image = io.BytesIO()
        figure.savefig(image, dpi=_DPI, metadata={"Software": None})
        data = {"image/png": base64.b64encode(image.getvalue()).decode()}
        yield {"output_type": "display_data", "data": data, "metadata": {}}
    plt.close("all")


def write(notebook):
    """Store the notebook."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(f"{text}\n", encoding="utf-8")


def as_page(folder):
    """The notebook below its title as Markdown in `folder`, pictures beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, heading, n_pictures = [], "", 0
    for cell in read()["cells"][1:]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            heading = source.splitlines()[0].lstrip("# ")
            lines += [source, ""]
            continue
        lines += ["```python", source, "```", ""]
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "text" in output:
                lines += ["```none", "".join(output["text"]), "```", ""]
            elif "text/html" in data:
                lines += ["```{raw} html", data["text/html"], "```", ""]
            else:
                picture = folder / f"tutorial-{(n_pictures := n_pictures + 1)}.png"
                picture.write_bytes(base64.b64decode(data["image/png"]))
                lines += [f"![Figure: {heading}](/_generated/tutorial/{picture.name})", ""]
    (folder / "tutorial.txt").write_text("\n".join(lines), encoding="utf-8")


def setup(app):
    """Write the page before the sources are looked for."""
    as_page(Path(app.srcdir) / "_generated" / "tutorial")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
