"""The difficulty report as an object: its numbers and its outputs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from smartsvm._core.output_files import check_no_data, check_place, write_file
from smartsvm._core.types import Floats, Integers, Labels, Path
from smartsvm._core.validation import check_accuracy, check_choice
from smartsvm.estimation.extrapolation import ConvergenceCurve, CrossLimit
from smartsvm.estimation.friedman_rafsky import INSEPARABLE, SignalTest
from smartsvm.estimation.results import ErrorEstimate, Interval
from smartsvm.hierarchy.class_hierarchy import ClassHierarchy, class_hierarchy
from smartsvm.report.bayes_error import BayesError
from smartsvm.report.confusions import MergeAdvice, PairErrors, Recall, merge_advice
from smartsvm.report.dependence import Dependence
from smartsvm.report.equal_rows import EqualRows
from smartsvm.report.flags import Flag
from smartsvm.report.forward_in_time import ForwardInTime
from smartsvm.report.headroom import Headroom
from smartsvm.report.held_out_errors import HeldOutErrors
from smartsvm.report.learning_curve import LearningCurve
from smartsvm.report.output import export, figure, html, text
from smartsvm.report.pair_separation import SEPARATED
from smartsvm.report.signal_columns import SignalColumns
from smartsvm.report.splits import SplitsNote
from smartsvm.report.verdict import METRICS, Verdict, grounds_of, judge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Metric = Literal["accuracy", "balanced_accuracy"]


@dataclass(frozen=True)
class SubsampleNote:
    """What it costs to use only some of the samples."""

    n_given: int  # samples that were passed
    n_used: int  # samples that were used
    added_error: float  # standard error of the fraction of cross edges that this adds
    fall: float  # of that fraction with every doubling of the samples; NaN with too few


@dataclass(frozen=True, eq=False, repr=False)
class DifficultyReport:
    """The result of `difficulty_report`; immutable.

    Errors are fractions between 0 and 1. An `Interval` has ``value``, ``low`` and ``high``.

    Attributes
    ----------
    n_samples : int
        Samples that were used.
    n_features : int
        Columns.
    classes : ndarray of shape (K,)
        Labels, in the order of all arrays about classes.
    class_counts : ndarray of shape (K,)
        Samples of each class.
    n_trees : int
        Orthogonal trees for the signal test and the samples.
    counted_trees : int
        Trees that the bounds are read off.
    n_tie_orders : int
        Orders among equal distances that were averaged.
    confidence : float
        Level of the confidence intervals.
    scale : str
        Scale of the columns: "none", "standard", "robust", "ranks" or "minmax".
    random_state : int
        Seed of all that is random; passed again it gives the same report.
    bayes_error : Interval
        The error of the best possible classifier: a confidence interval for the truth. Not the
        estimate of the function `bayes_error`, which is from trees alone (`lower`, `upper`).
    distributions : dict of BayesError
        The distributions behind `bayes_error` and the chances: "bayes_error" and
        "balanced_bayes_error", by the fitted model and the limits that need none.
    statistics : dict of dict
        What the fitted model saw, for each of these: statistics by name.
    equal_rows : EqualRows
        Rows that equal others, and what their labels prove.
    learning_curve : LearningCurve or None
        The smallest held-out error of a report with twice and ten times the samples; None where
        no classifier clearly beats the baseline.
    lower : Interval
        The trees' lower bound at this sample size.
    upper : Interval
        The trees' upper bound at this sample size.
    cross_share : Interval
        Tree edges between classes divided by the samples, from which the bounds are computed.
    cross_limit : CrossLimit
        That fraction with infinitely many samples, with its standard error.
    held_out : HeldOutErrors
        Errors of several classifiers on samples that they were not fitted to.
    confusion : ndarray of shape (K, K)
        Samples of each class by the answer of the combined classifiers, on the diagonal the right
        ones. Together the others are the held-out error of "combined".
    recall : Recall
        The recall of each class, and the balanced error, ``balanced_error``.
    pair_errors : PairErrors
        How often the samples of every two classes are taken for each other, with limits.
    baseline : Interval
        Error of always answering the largest class.
    neighbor_ladder : tuple of tuple
        Numbers of neighbours that were tried and the held-out error of each.
    signal : SignalTest
        Whether the labels depend on the points at all.
    signal_columns : SignalColumns or None
        A few columns with which held-out errors are as small as with all, or the best five; None
        without signal or for more than 30 classes.
    pairs : ErrorEstimate
        The trees' errors of all pairs of classes, divided by the error of chance; in many columns
        they are too high.
    pair_scores : ndarray of shape (K, K)
        Scores z of the signal test for each pair; near 0 if nothing separates the two, NaN if
        they have too few samples.
    pair_separation : ndarray of shape (K, K)
        Standard errors by which held-out scores of only these two classes separate them, for pairs
        that the trees do not separate; infinite for others.
    by_class : ErrorEstimate
        The trees' error of each class against the rest.
    labels : ndarray of shape (n_samples,)
        Label of each sample.
    sample_difficulty : ndarray of shape (n_samples,)
        Fraction of each sample's tree edges that lead to other classes.
    label_posterior : ndarray of shape (n_samples,)
        Probability of each sample's label by the combined classifiers, without that label.
    label_margin : ndarray of shape (n_samples,)
        Log odds of each sample's label against the most probable other one.
    label_error_chance : ndarray of shape (n_samples,)
        Probability that a label is wrong, as far as label errors can be told from overlap of the
        classes; 0 where none can.
    wrong_labels : Interval
        Fraction of wrong labels. The high end is NaN where none are found: wrong labels near the
        boundary between classes look like hard samples. All of it is NaN where they cannot be
        counted: without signal, with no classifier that clearly beats the baseline, or with fewer
        than 12 samples per class.
    n_wrong_labels : int
        About how many labels are wrong, at most as many as the high end of `bayes_error` allows.
    label_ranking : ndarray of shape (n_samples,)
        Positions of all samples, the most suspicious label first.
    suspects : ndarray of int
        Positions of the labels that are probably wrong: the first `n_wrong_labels` of the ranking.
    suggested : ndarray of shape (n_samples,)
        The most probable label; never the given one for a suspect.
    disagreement : ndarray of shape (n_samples,)
        Fraction of a sample's neighbours that have other labels.
    rows : ndarray of shape (n_samples,)
        Row of X behind each sample; differs from the position only after subsampling.
    row_names : ndarray of shape (n_samples,)
        Name of each sample: as passed, the index of a data frame, or `rows`.
    curve : ConvergenceCurve
        Fraction of tree edges between classes over growing parts of the data.
    flags : tuple of Flag
        Reasons not to trust the report.
    verdict : Verdict or None
        Answer about the target accuracy, if one was given.
    subsample : SubsampleNote or None
        What subsampling costs, if not all samples were used.
    dependence : Dependence or None
        Rows of a unit, or consecutive ones, that are alike, with the error on new units.
    preparation : tuple of str
        What `prepare_table` did to the columns, if they were read from a table.
    forward_in_time : ForwardInTime or None
        Whether labels drift along time, and the error of training on the past and testing on later
        samples, if times are known.
    splits : SplitsNote or None
        How `cv` held out the samples, and how many it never did, if it was given. Of these,
        `label_posterior` and `label_margin` are NaN.
    models : dict of Headroom
        The error and the headroom of each model that was passed, by name.
    """

    n_samples: int
    n_features: int
    classes: Labels
    class_counts: Integers
    n_trees: int
    counted_trees: int
    n_tie_orders: int
    confidence: float
    scale: str
    random_state: int
    bayes_error: Interval
    distributions: dict[str, BayesError]
    statistics: dict[str, dict[str, float]]
    equal_rows: EqualRows
    learning_curve: LearningCurve | None
    lower: Interval
    upper: Interval
    cross_share: Interval
    cross_limit: CrossLimit
    held_out: HeldOutErrors
    confusion: Integers
    recall: Recall
    pair_errors: PairErrors
    baseline: Interval
    neighbor_ladder: tuple[tuple[int, float], ...]
    signal: SignalTest
    signal_columns: SignalColumns | None
    pairs: ErrorEstimate
    pair_scores: Floats
    pair_separation: Floats
    by_class: ErrorEstimate
    labels: Labels
    sample_difficulty: Floats
    label_posterior: Floats
    label_margin: Floats
    label_error_chance: Floats
    wrong_labels: Interval
    n_wrong_labels: int
    label_ranking: Integers
    suspects: Integers
    suggested: Labels
    disagreement: Floats
    rows: Integers
    row_names: Labels
    curve: ConvergenceCurve
    flags: tuple[Flag, ...]
    verdict: Verdict | None
    subsample: SubsampleNote | None
    dependence: Dependence | None = None
    preparation: tuple[str, ...] = ()
    forward_in_time: ForwardInTime | None = None
    splits: SplitsNote | None = None
    models: dict[str, Headroom] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in fields(self):
            _freeze(getattr(self, each.name))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickled arrays come back writable

    @property
    def guess_error(self) -> float:
        """Error of always answering the largest class."""
        return self.baseline.value

    @property
    def hierarchy(self) -> ClassHierarchy:
        """The classes grouped by how hard they are to separate, as a `ClassHierarchy`."""
        return class_hierarchy(self.pairs)

    def judge(self, target_accuracy: float | str, target_metric: Metric = "accuracy") -> Verdict:
        """Judge whether another target accuracy is realistic.

        Parameters
        ----------
        target_accuracy : float or str
            A fraction from 0 to 1, or a percentage: 0.95, 95 and "95%" mean the same.
        target_metric : {"accuracy", "balanced_accuracy"}, default="accuracy"
            What the target is, as in `difficulty_report`.

        Returns
        -------
        Verdict
            The answer, as ``verdict`` has it for the target of the report.
        """
        target_accuracy = check_accuracy(target_accuracy, "target_accuracy")
        check_choice(target_metric, "target_metric", METRICS)
        return judge(target_accuracy, grounds_of(self, target_metric))

    def chance(self, target_accuracy: float | str, target_metric: Metric = "accuracy") -> float:
        """The chance that some classifier reaches a target accuracy.

        Parameters
        ----------
        target_accuracy, target_metric : object
            As in `judge`.

        Returns
        -------
        float
            The ``chance`` of `judge`.
        """
        return self.judge(target_accuracy, target_metric).chance

    def headroom(self, model: str) -> Headroom:
        """How much of a model's error can be gained, and where.

        Parameters
        ----------
        model : str
            A name in the `models` of `difficulty_report`.

        Returns
        -------
        Headroom
            The model's error, its ``gain`` with an interval, and the rows to look at.
        """
        check_choice(model, "model", tuple(self.models))
        return self.models[model]

    def hardest_pairs(self, most: int | None = 10) -> list[tuple[Any, Any]]:
        """Pairs of labels that are confused most often, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many pairs to return; None for all.

        Returns
        -------
        list of tuple
            Pairs of labels, by the fraction of their samples that are taken for each other.
        """
        rows, columns = np.triu_indices(len(self.classes), 1)
        # The trees rank pairs that no classifier confuses.
        keys = (-each[rows, columns] for each in (self.pairs.value, self.pair_errors.value))
        order = np.lexsort(tuple(keys))[:most]
        labels = self.classes.tolist()
        return [(labels[rows[i]], labels[columns[i]]) for i in order]

    def hardest_classes(self, most: int | None = 10) -> list[Any]:
        """Labels with the lowest recall, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many labels to return; None for all.

        Returns
        -------
        list
            Labels.
        """
        order = np.lexsort((-self.by_class.value, self.recall.by_class))[:most]
        return self.classes[order].tolist()

    def inseparable_pairs(self) -> list[tuple[Any, Any]]:
        """Pairs of labels that nothing separates: candidates for merging.

        Returns
        -------
        list of tuple
            Pairs of labels whose signal test is not significant at 5% and that no classifier
            clearly tells apart, not even one of these two alone, without those that are too small
            for any test.
        """
        alike, labels = self._alike(), self.classes.tolist()
        rows, columns = np.nonzero(np.triu(alike, 1))
        order = np.argsort(-self.pair_scores[rows, columns], kind="stable")
        return [(labels[rows[i]], labels[columns[i]]) for i in order]

    def merge_advice(self) -> MergeAdvice:
        """Groups of classes to merge, and the held-out accuracy before and after that."""
        return merge_advice(
            self._alike(),
            self.pair_scores,
            self.confusion,
            self.class_counts,
            self.classes,
            significant=self.signal.significant,
        )

    def _alike(self):
        """Mask (K, K) of the pairs that nothing separates."""
        return (self.pair_scores > INSEPARABLE) & (self.pair_separation < SEPARATED)

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
        ``format``: 4, the version of this layout. ``data``: ``n_samples``, ``n_features``,
        ``classes``, ``class_counts``, ``subsample``. ``settings``: ``n_trees``,
        ``counted_trees``, ``n_tie_orders``, ``confidence``, ``scale``, ``random_state``.
        ``bayes_error``: ``value``, ``low``, ``high``, as every interval below. ``statistics``: what
        the fitted model sees, numbers by name. ``trees``: ``lower``, ``upper``, ``cross_share``;
        ``cross_limit`` of ``value``, ``error`` (None if unknown) and ``dimension``. ``held_out``:
        ``classifier``, ``best``, ``gain``; ``classifiers``, a list of ``classifier``, ``error``,
        ``setting``; ``neighbor_ladder``, ``baseline``,
        ``balanced_error``, ``balanced_classifier``. ``signal``: the fields of `SignalTest`.
        ``signal_columns``: None or the fields of `SignalColumns`. ``merge``:
        ``groups``, ``accuracy``, ``merged_accuracy``, ``too_small``, ``least_samples``.
        ``pairs``: a list of dictionaries, hardest first, of ``classes``, ``confused`` (fraction of
        their samples taken for each other), ``low``, ``high``; by the trees
        ``error`` (1 is chance), ``lower``, ``upper``, ``score``, ``inseparable``. ``classes``: a
        list of dictionaries, hardest first, of ``class``, ``n_samples``, ``error``, ``low``,
        ``high``, ``recall``, ``recall_low``, ``recall_high``, ``mistaken_for``; by the trees
        ``bound_lower``, ``bound_upper``. ``wrong_labels``: an interval. ``n_wrong_labels``: int.
        ``suspects``: a list of dictionaries of ``row``, ``name``, ``label``, ``suggested``,
        ``difficulty``, ``posterior``, ``margin``, ``chance``, ``disagreement``; ``ranking``: the
        same of the first 100. ``sample_difficulty``, ``label_posterior``: lists. ``convergence``:
        ``sizes``, ``cross_shares``. ``learning_curve``: None, or ``sizes`` and ``errors``.
        ``forward_in_time``: None or the fields of ``ForwardInTime``: ``time``, ``classifier``,
        ``error``, ``shuffled``, ``loss_error``, ``n_tested``, ``p_value``, ``changing``,
        ``first_share``, ``last_share``. ``preparation``: a list of what was done to a table.
        ``flags``: a list of ``code``, ``title``, ``message``, ``against_bounds``,
        ``against_reached``. ``verdict``: None or the fields of `Verdict`. ``dependence``: None or
        the fields of `Dependence`. ``headroom``: a list, for each model, of ``model``, ``error``,
        ``gain``, ``chance``, ``cross_validated``, ``n_improvable``, ``n_doubtful`` and ``where``: a
        list of dictionaries of ``model``, ``part`` ("class", "pair", "row" or "doubtful label"),
        ``label``, ``predicted``, ``row``, ``name``, ``n_samples``, ``model_error``,
        ``combined_error``, ``lost`` (fraction of all samples) and ``posterior``.
        Missing numbers are None.
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
        page = html.document(self, title)
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
            A panel: "errors", "convergence", "pairs", "classes", "samples" or "neighbors". None
            draws the four that suit the number of classes.
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

    def save(self, path: Path) -> None:
        """Write the report to a file whose name says how, whole or not at all.

        Parameters
        ----------
        path : str or Path
            ``.html`` for the web page, ``.json`` for `to_json` with all samples, ``.csv`` for the
            samples, ``.txt`` for the text, ``.md`` for the same in Markdown, and ``.png``,
            ``.svg`` or ``.pdf`` for the figure.
        """
        export.save(self, path)

    def _repr_html_(self) -> str:
        return html.fragment(self)

    def __str__(self) -> str:
        return text.page(self)

    def __repr__(self) -> str:
        return (
            f"DifficultyReport(n_samples={self.n_samples}, n_classes={len(self.classes)}, "
            f"bayes_error={self.bayes_error.value:.3g} ({self.bayes_error.low:.3g} to "
            f"{self.bayes_error.high:.3g}))"
        )


def _freeze(value: object) -> None:
    """Make every array in a result read-only."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, tuple):
        for part in value:
            _freeze(part)
    elif isinstance(value, ErrorEstimate):
        for field in fields(value):
            _freeze(getattr(value, field.name))
