"""Figures within a page, as SVG."""

import io
import re

from smartsvm.plotting.fonts import readers_fonts


def drawings(panels, size):
    """Each panel, a function of axes, drawn for itself; none without matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return []
    # Not pyplot figures, which would appear among the user's open ones. Text stays text, so that
    # it can be searched, read aloud and enlarged. A drawing for each panel: a phone stacks them.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "smartsvm", "font.family": "sans-serif"}
    found = []
    with rc_context(settings), readers_fonts():
        for draw in panels:
            figure = Figure(figsize=size, layout="constrained")
            draw(figure.subplots())
            data = io.StringIO()
            facts = {"Date": None, "Creator": None}
            figure.savefig(data, format="svg", metadata=facts, transparent=True)
            found.append(_bare(data.getvalue()))
    return found


def _bare(drawing):
    """A drawing within a page needs neither a header nor XML namespaces nor names of groups."""
    unused = r"<metadata>.*?</metadata>| xmlns(:xlink)?=\"[^\"]*\"|(?<=<g) id=\"[^\"]*\""
    return re.sub(unused, "", drawing[drawing.index("<svg") :], flags=re.DOTALL)
