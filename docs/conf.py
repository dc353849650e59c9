"""How the site is built: ``make docs``."""

import sys
from pathlib import Path

import matplotlib as mpl

import smartsvm
from smartsvm.held_out.registry import REGISTRY

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
mpl.use("agg")
mpl.rcParams["svg.fonttype"] = "none"
mpl.rcParams["svg.hashsalt"] = "smartsvm"

project = "smartsvm"
author = "the smartsvm developers"
project_copyright = author
version = release = smartsvm.__version__

extensions = [
    "committed_pages",
    "internal_links",
    "mathml",
    "notebook",
    "run_code",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_ext", "gallery", "_generated/gallery/*.ipynb", "**.ipynb"]
templates_path = ["_templates"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
# What pages show for {{ classifiers }}: the list of the report's classifiers.
myst_substitutions = {
    "classifiers": "\n".join(f"- `{each.name}`: {each.about}" for each in REGISTRY.values())
}
myst_heading_anchors = 3
nitpicky = False
# A function among gallery settings is no reason to rebuild.
suppress_warnings = ["config.cache"]

autosummary_generate = True
toc_object_entries_show_parents = "hide"  # names of methods fit beside a page
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_generated/gallery",
    "filename_pattern": r"/plot_",
    "backreferences_dir": "_generated/backreferences",
    "doc_module": ("smartsvm",),
    "reference_url": {"smartsvm": None},
    "within_subsection_order": "gallery_order.ByQuestion",
    "remove_config_comments": True,
    "capture_repr": ("_repr_html_",),  # not what a last line happens to return
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 15,
    "abort_on_example_error": True,
    "download_all_examples": False,
    "plot_gallery": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "smartsvm"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_favicon = "_static/logo.svg"
html_theme_options = {
    "logo": {
        "text": "smartsvm",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "glossary": [], "_generated/pages/CHANGELOG": []}
html_math_renderer = "mathml"


def skip_fields(app, what, name, member, skip, options):
    """Leave out what Python calls "alias for field number 0": attributes say what fields are."""
    return True if type(member).__name__ == "_tuplegetter" else None


def setup(app):
    app.connect("autodoc-skip-member", skip_fields)
