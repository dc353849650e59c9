"""The difficulty report as an object: what was found, and its outputs."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from smartsvm._core.validation import check_share
from smartsvm.estimation.extrapolation import ConvergenceCurve, CrossLimit
from smartsvm.estimation.results import ErrorEstimate, Interval
from smartsvm.estimation.signal_test import INSEPARABLE, SignalTest
from smartsvm.hierarchy.class_hierarchy import class_hierarchy
from smartsvm.report.held_out_errors import HeldOutErrors, Recall
from smartsvm.report.output import export, figure, html, text
from smartsvm.report.verdict import Grounds, Verdict, judge


@dataclass(frozen=True)
class SubsampleNote:
    """What it cost to use only some of the samples.

    Attributes
    ----------
    n_given : int
        Samples that were passed.
    n_used : int
        Samples that were used.
    added_error : float
        Standard error of the share of cross edges that all samples would not have.
    fall : float
        How much that share falls with every doubling of the samples, so how much too high the
        upper bound may be; NaN if there were too few samples to see.
    """

    n_given: int
    n_used: int
    added_error: float
    fall: float

    @classmethod
    def of(cls, n_given, n_used, standard_error, fall):
        """From the standard error at the size that was used, which goes as 1/√n."""
        return cls(n_given, n_used, float(standard_error * np.sqrt(1 - n_used / n_given)), fall)


@dataclass(frozen=True, eq=False, repr=False)
class DifficultyReport:
    """What `difficulty_report` found; immutable.

    Errors are shares between 0 and 1. An `Interval` has ``value``, ``low`` and
    ``high``.

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
        Orthogonal trees made, for the test and the samples.
    counted_trees : int
        Trees that the bounds are read off.
    n_tie_orders : int
        Orders among equal distances that were averaged.
    confidence : float
        Level of the intervals.
    random_state : int
        Seed of all that was random; passed again it gives the same report.
    bayes_error : Interval
        The error of the best possible classifier: an interval for the truth.
    lower : Interval
        The trees' lower bound at this sample size.
    upper : Interval
        The trees' upper bound at this sample size.
    cross_share : Interval
        Tree edges between classes over the samples: what the intervals of the bounds are
        made for.
    cross_limit : CrossLimit
        What that share would be with ever more data, with its standard error.
    held_out : HeldOutErrors
        What classifiers reach on samples that they have not seen.
    recall : Recall
        The same if all classes count alike: ``balanced_error``, and the share of each class
        that is found.
    baseline : Interval
        Error of always answering the largest class.
    neighbor_ladder : tuple of tuple
        Numbers of neighbours tried and the error of each.
    signal : SignalTest
        Whether the labels have anything to do with the points.
    pairs : ErrorEstimate
        Errors of all pairs, 1 being as bad as guessing.
    pair_scores : ndarray of shape (K, K)
        Scores z of the test for each pair; near 0 if nothing tells the two apart, NaN if they
        have too few samples to tell.
    by_class : ErrorEstimate
        Error of each class against the rest.
    class_limits : ndarray of shape (K, 2)
        Confidence limits of ``by_class.value``.
    labels : ndarray of shape (n_samples,)
        Label of each sample.
    sample_difficulty : ndarray of shape (n_samples,)
        Share of each sample's tree edges that lead to other classes.
    label_posterior : ndarray of shape (n_samples,)
        Probability of each sample's label at its place, seen from the other samples; see
        the function `sample_difficulty`.
    label_margin : ndarray of shape (n_samples,)
        Share of trusted votes of neighbours for the label less that of the strongest other one,
        between -1 and 1. Suspects are ranked by it and twice the posterior.
    n_wrong_labels : int
        About how many labels are wrong, as far as wrong labels can be told from places where
        classes overlap; 0 where there is no signal. Classes that show no sign of any
        difference are not suggested for each other.
    suspects : ndarray of int
        Positions of likely label errors, the most suspicious first, `n_wrong_labels` of
        them or fewer.
    suggested : ndarray of shape (n_samples,)
        Label that a sample's neighbours favour, near ones and those whose own neighbours
        agree with them before others; never the given one for a suspect.
    disagreement : ndarray of shape (n_samples,)
        Share of a sample's neighbours that have other labels.
    rows : ndarray of shape (n_samples,)
        Row of X behind each sample; another numbering only after subsampling.
    row_names : ndarray of shape (n_samples,)
        What the page calls each sample: names that were passed, the index of a data frame,
        or `rows`.
    curve : ConvergenceCurve
        Share of cross edges over growing parts of the data.
    flags : tuple of Flag
        Reasons not to believe all this.
    verdict : Verdict or None
        Answer about the target accuracy, if one was given.
    subsample : SubsampleNote or None
        What subsampling cost, if it was asked for.
    """

    n_samples: int
    n_features: int
    classes: np.ndarray
    class_counts: np.ndarray
    n_trees: int
    counted_trees: int
    n_tie_orders: int
    confidence: float
    random_state: int
    bayes_error: Interval
    lower: Interval
    upper: Interval
    cross_share: Interval
    cross_limit: CrossLimit
    held_out: HeldOutErrors
    recall: Recall
    baseline: Interval
    neighbor_ladder: tuple
    signal: SignalTest
    pairs: ErrorEstimate
    pair_scores: np.ndarray
    by_class: ErrorEstimate
    class_limits: np.ndarray
    labels: np.ndarray
    sample_difficulty: np.ndarray
    label_posterior: np.ndarray
    label_margin: np.ndarray
    n_wrong_labels: int
    suspects: np.ndarray
    suggested: np.ndarray
    disagreement: np.ndarray
    rows: np.ndarray
    row_names: np.ndarray
    curve: ConvergenceCurve
    flags: tuple
    verdict: Verdict | None
    subsample: SubsampleNote | None

    def __post_init__(self):
        for field in fields(self):
            _freeze(getattr(self, field.name))

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.__post_init__()  # pickled arrays come back writable

    @property
    def guess_error(self):
        """Error of always answering the largest class."""
        return self.baseline.value

    @property
    def hierarchy(self):
        """The classes grouped by how hard they are to tell apart, as a `ClassHierarchy`."""
        return class_hierarchy(self.pairs)

    def judge(self, target_accuracy):
        """Whether another target accuracy is realistic.

        Parameters
        ----------
        target_accuracy : float
            Between 0 and 1.

        Returns
        -------
        Verdict
            The answer, as ``verdict`` has it for the target of the report.
        """
        grounds = Grounds(
            self.held_out, self.baseline, self.bayes_error, self.flags, self.n_samples,
            self.curve.dimension,
        )  # fmt: skip
        return judge(check_share(target_accuracy, "target_accuracy", ends=True), grounds)

    def hardest_pairs(self, most=10):
        """Pairs of labels that are hardest to tell apart, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many pairs to return; None for all.

        Returns
        -------
        list of tuple
            Pairs of labels.
        """
        rows, columns = np.triu_indices(len(self.classes), 1)
        order = np.argsort(-self.pairs.value[rows, columns], kind="stable")[:most]
        labels = self.classes.tolist()
        return [(labels[rows[i]], labels[columns[i]]) for i in order]

    def hardest_classes(self, most=10):
        """Labels that are hardest to tell from the rest, the hardest first.

        Parameters
        ----------
        most : int or None, default=10
            How many labels to return; None for all.

        Returns
        -------
        list
            Labels.
        """
        order = np.argsort(-self.by_class.value, kind="stable")[:most]
        return self.classes[order].tolist()

    def inseparable_pairs(self):
        """Pairs of labels without a sign of any difference: candidates for merging.

        Returns
        -------
        list of tuple
            Pairs of labels whose test is not significant at 5 %; not those that are too small
            for any test, of which nothing is known.
        """
        rows, columns = np.triu_indices(len(self.classes), 1)
        scores = self.pair_scores[rows, columns]
        labels = self.classes.tolist()
        order = np.argsort(-scores, kind="stable")
        return [(labels[rows[i]], labels[columns[i]]) for i in order if scores[i] > INSEPARABLE]

    def to_dict(self, *, samples=True):
        """The report as plain Python numbers, strings, lists and dictionaries.

        Parameters
        ----------
        samples : bool, default=True
            Whether to include the difficulty of every sample, a long list; suspects
            are there in any case.

        Returns
        -------
        dict
            Described in Notes; keys are only ever added.

        Notes
        -----
        ``format``: 3, the version of this layout. ``data``: ``n_samples``,
        ``n_features``, ``classes``, ``class_counts``, ``subsample``. ``settings``:
        ``n_trees``, ``counted_trees``, ``n_tie_orders``, ``confidence``,
        ``random_state``.
        ``bayes_error``: ``value``, ``low``, ``high``, as every interval below.
        ``trees``: ``lower``, ``upper``, ``cross_share``; ``cross_limit`` of ``value``, ``error``
        (None if refused) and ``dimension``. ``held_out``: ``classifier``, ``best``, ``excess``,
        ``limit``, ``limit_error``, ``gain``, ``known``; ``classifiers``, a list of ``classifier``,
        ``error``, ``setting``;
        ``neighbor_ladder``, ``baseline``, ``balanced_error``, ``balanced_classifier``. ``signal``:
        the fields of `SignalTest`. ``pairs``: a list of dictionaries, hardest first, of
        ``classes``, ``error`` (1 = guessing), ``lower``, ``upper``, ``score``, ``inseparable``.
        ``classes``: a list of dictionaries, hardest first, of
        ``class``, ``n_samples``, ``error``, ``low``, ``high``, ``bound_lower``,
        ``bound_upper``, ``recall``, ``recall_low``, ``recall_high``.
        ``n_wrong_labels``: int. ``suspects``: a list of dictionaries of ``row``, ``name``,
        ``label``, ``suggested``, ``difficulty``, ``posterior``, ``margin``,
        ``disagreement``.
        ``sample_difficulty``, ``label_posterior``: lists.
        ``convergence``: ``sizes``, ``cross_shares``. ``flags``: a list of ``code``,
        ``title``, ``message``, ``against_bounds``, ``against_reached``. ``verdict``: None or the
        fields of the verdict. Numbers that do not exist are None.
        """
        return export.to_dict(self, samples=samples)

    def to_json(self, *, samples=False, indent=2):
        """The dictionary of `to_dict` as JSON.

        Parameters
        ----------
        samples : bool, default=False
            As in `to_dict`.
        indent : int or None, default=2
            Spaces of indentation; None puts all on one line.

        Returns
        -------
        str
            Valid JSON: no NaN.
        """
        return export.to_json(self, samples=samples, indent=indent)

    def to_frame(self, which="pairs"):
        """One of the tables as a pandas DataFrame.

        Parameters
        ----------
        which : {"pairs", "classes", "samples"}, default="pairs"
            Hardest pairs or classes first, or all samples in the order of the rows.

        Returns
        -------
        pandas.DataFrame
            Its columns are the keys of `to_dict`.
        """
        return export.to_frame(self, which)

    def to_html(self):
        """A page of its own, with the figure in it if matplotlib is installed.

        Returns
        -------
        str
            A whole HTML document without links to anything.
        """
        return html.document(self)

    def plot(self):
        """Draw the report on one page.

        Returns
        -------
        matplotlib Figure
            Error and target, pairs, classes, and convergence.
        """
        return figure.draw(self)

    def _repr_html_(self):
        return html.fragment(self)

    def __str__(self):
        return text.page(self)

    def __repr__(self):
        return (
            f"DifficultyReport(n_samples={self.n_samples}, n_classes={len(self.classes)}, "
            f"bayes_error={self.bayes_error.value:.4g} ({self.bayes_error.low:.4g} to "
            f"{self.bayes_error.high:.4g}))"
        )


def _freeze(thing):
    """Make every array in a result read-only."""
    if isinstance(thing, np.ndarray):
        thing.setflags(write=False)
    elif isinstance(thing, tuple):
        for part in thing:
            _freeze(part)
    elif isinstance(thing, ErrorEstimate):
        for field in fields(thing):
            _freeze(getattr(thing, field.name))
