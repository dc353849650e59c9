"""The outputs of a report: text, web page, figure, files, dictionary and data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from smartsvm._core.types import Path
from smartsvm.presentation.output_files import check_no_data, check_place, write_file
from smartsvm.report.output import export, figure, html, text
from smartsvm.report.output.formats import Saved, Views
from smartsvm.report.output.sections import document_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame


class Outputs(Saved):
    """The methods of `DifficultyReport` that show or write it."""

    def to_dict(self, *, samples: bool = True) -> dict[str, Any]:
        """The report as plain Python numbers, strings, lists and dictionaries.

        Parameters
        ----------
        samples : bool, default=True
            Whether to include the difficulty of every sample, a long list; suspects are always
            included.

        Returns
        -------
        dict
            Described in Notes; within one format, keys are only ever added.

        Notes
        -----
        ``format``: 4, the version of this layout. The other keys are attributes of the report, and
        theirs are attributes of these, but for what is described here. An interval has ``value``,
        ``low`` and ``high``. Missing numbers are None.

        - ``bayes_error``: an interval.
        - ``verdict``: None or the fields of `Verdict`.
        - ``suspects``: a list of dictionaries of ``row``, ``name``, ``label``, ``suggested``,
          ``sample_difficulty``, ``posterior``, ``margin``, ``error_chance``, ``disagreement``.
        - ``errors``: ``held_out``, ``by_n_neighbors`` (errors by number), ``baseline``,
          ``balanced``, ``reweighted``, ``learning_curve``, ``forward_in_time``, ``statistics`` by
          name, of "bayes_error" and of "balanced_bayes_error", and ``rows_needed``, what the method
          of this name gives for the target accuracy; None without one.
        - ``classes``: ``names``, ``counts``; ``hardest``, a list of dictionaries, hardest first, of
          ``class``, ``n_samples``, ``recall``, ``low``, ``high``, ``mistaken_for``, and by the
          trees ``bound_lower``, ``bound_upper``; ``merge_advice``, of ``groups``, ``accuracy``,
          ``merged_accuracy``, ``too_small``, ``least_samples``;
          ``found``, how well a smaller class is found.
        - ``pairs``: ``hardest``, a list of dictionaries, hardest first, of ``classes``,
          ``confused`` (fraction of their samples taken for each other), ``low``, ``high``, and by
          the trees ``bound_value`` (1 is chance), ``bound_lower``, ``bound_upper``, ``score``,
          ``inseparable``.
        - ``labels``: ``error_rate``, ``n_suspects``, ``n_likely``, ``supports``; ``ranking``, rows
          as in ``suspects`` of the first 100; with `samples`, ``posterior``.
        - ``trees``: ``lower``, ``upper``, ``cross_share``, ``cross_limit``, ``n_trees``,
          ``n_tie_orders``, ``between_groups``; with `samples`, ``sample_difficulty``.
        - ``data``: ``n_samples``, ``n_features``, ``signal``, ``signal_columns``, ``equal_rows``,
          ``repeats``, ``repeated_rows``, ``dependence``, ``doubtful_columns``, ``ranking``,
          ``rows_left_out``, ``subsample``, ``splits``, ``preparation``.
        - ``models``: by name, ``error``, ``gain``, ``chance``, ``cross_validated``,
          ``rows_needed``, ``n_improvable``, ``n_doubtful`` and ``where``: a list of dictionaries
          of ``model``, ``part`` ("class", "pair", "row" or "doubtful label"), ``label``,
          ``predicted``, ``row``, ``name``, ``n_samples``, ``model_error``, ``combined_error``,
          ``lost`` (fraction of all samples) and ``posterior``.
        - ``flags``: a list of ``code``, ``title``, ``message``, ``against_bounds``,
          ``against_reached``, ``step``, ``page`` (where the guide explains it).
        - ``settings``: ``confidence``, ``scale``, ``random_state``, ``priors``.
        """
        return export.to_dict(self, samples=samples)

    def to_json(self, *, samples: bool = False, indent: int | None = 2) -> str:
        """The dictionary of `to_dict` as JSON.

        Parameters
        ----------
        samples : bool, default=False
            As in `to_dict`.
        indent : int or None, default=2
            Spaces of indentation; None writes one line.

        Returns
        -------
        str
            Valid JSON without NaN.
        """
        return export.to_json(self, samples=samples, indent=indent)

    def to_frame(
        self,
        which: Literal[
            "pairs", "classes", "samples", "suspects", "classifiers", "flags", "headroom"
        ] = "pairs",
    ) -> DataFrame:
        """One of the tables as a pandas DataFrame.

        Parameters
        ----------
        which : str, default="pairs"
            "pairs" or "classes", the hardest first; "samples", in the order of the rows;
            "suspects", the most suspicious first; "classifiers", the best first; "flags";
            "headroom", the classes, pairs and rows on which the `models` could do better.

        Returns
        -------
        pandas.DataFrame
            Its columns are the keys of `to_dict`.
        """
        return export.to_frame(self, which)

    def to_html(self, path: Path | None = None, *, title: str | None = None) -> str:
        """A web page, with the figure if matplotlib is installed.

        Parameters
        ----------
        path : str, Path or None, default=None
            File to write the page to, if any; written whole or not at all. Files of arrays and
            compressed files are not overwritten.
        title : str or None, default=None
            Name of the data set, shown on top.

        Returns
        -------
        str
            An HTML document that loads nothing from elsewhere.
        """
        if path is not None:
            check_no_data(path)
            check_place(path)
        page = html.page(document_of(self, title))
        if path is not None:
            write_file(path, page)
        return page

    def plot(
        self,
        which: str | None = None,
        *,
        ax: Axes | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Figure:
        """Draw the report on one page, or one of its panels.

        Parameters
        ----------
        which : str or None, default=None
            A panel: "errors", "convergence", "pairs", "classes", "samples", "neighbors", or
            "headroom" for a report with models. None draws the four that suit the number of
            classes.
        ax : matplotlib Axes or None, default=None
            Where to draw the panel; a new figure by default.
        figsize : tuple of float or None, default=None
            Width and height of a new figure in inches.

        Returns
        -------
        matplotlib Figure
            The figure, also that of `ax`.
        """
        return figure.plot(self, which, ax, figsize)

    def _views(self, title):
        return Views(
            document=lambda: document_of(self, title),
            text=lambda: text.page(document_of(self, title)),
            json=lambda: export.to_json(self, samples=True),
            rows=lambda: export.to_frame(self, "samples").to_dict("records"),
            figure=self.plot,
        )

    def _repr_html_(self) -> str:
        return html.fragment(document_of(self))

    def __str__(self) -> str:
        return text.page(document_of(self))
