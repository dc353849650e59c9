"""The gallery's examples in the order in which questions come up."""

from __future__ import annotations

_ORDER = (
    "report_on_csv",
    "is_95_realistic",
    "headroom",
    "label_errors",
    "merge_classes",
    "more_rows",
    "two_batches",
    "embeddings",
    "many_classes",
    "feature_budget",
    "class_weights",
    "smartsvm_hierarchy",
    "calibration",
    "faster",
    "two_gaussians",
    "orthogonal_trees",
    "single_linkage",
)


class ByQuestion:
    """Key of sphinx-gallery for the files of a folder.

    Parameters
    ----------
    folder : str
        Where the examples are; not needed.
    """

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, file):
        """Place of an example; new ones come last."""
        name = file.removeprefix("plot_").removesuffix(".py")
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), name
