"""What a report says about labels that may be wrong."""

from smartsvm.presentation.display_names import shorten
from smartsvm.presentation.options import option
from smartsvm.presentation.wording import counted
from smartsvm.report.output.rows import MOST_RANKED, sample_rows
from smartsvm.report.output.sentences import errors_of_sample, short_classes

_MANY_LISTED = 0.02  # fraction of listed labels above which they may be overlap
_OF_OVERLAP = {
    "unknown": ": the fewest if disagreement is overlap of the classes, the most if none is",
    "rare": " if the classes hardly overlap, as given",
    "rate": " if experts disagree as often as given",
}


def suspects_sentence(report):
    """About how many labels are wrong, and what the table below shows."""
    if not report.data.signal.significant:
        return (
            "Unknown: neighbours share a class no more often than by chance, so wrong labels "
            "cannot be told from right ones."
        )
    if not _shows_wrong_labels(report):
        return (
            "Unknown: no classifier clearly beats the baseline, so wrong labels cannot be told "
            "from right ones."
        )
    least = "The labels that the classifiers contradict most, with the probability of each label:"
    if is_all_overlap(report):
        return f"None is counted: all disagreement is overlap, as given. {least}"
    if not ranked_rows(report, 1):
        return "None: the classifiers agree with every label."
    rate, n = report.labels.error_rate, report.data.n_samples
    if rate.value != rate.value:
        return (
            "There are too few samples per class to tell wrong labels from hard samples, so they "
            f"cannot be counted. {least}"
        )
    value, low, high = (round(each * n) for each in rate)
    count = f"About {value:,} of {counted(n, 'label')} ({low:,} to {high:,})"
    if not report.suspects.size:
        if report.labels.supports == "overlap":
            return (
                "None is listed: the classifiers' mistakes look like overlap of the classes. If "
                f"it is not, up to {counted(high, 'label')} of {n:,} are wrong: pass "
                f"{option('overlap', 'rare')}. {least}"
            )
        return f"{count} may be wrong, but none stands out from the hard samples. {least}"
    return (
        f"{count} may be wrong{_OF_OVERLAP[_kind_of_overlap(report)]}. "
        f"{listed_labels(report)}{caveat_of_many(report)} The first, with the probability that the "
        "label is wrong:"
    )


def _kind_of_overlap(report):
    overlap = report.labels.overlap
    return overlap if isinstance(overlap, str) else "rate"


def is_all_overlap(report):
    """Whether labels are facts of record, of which none is wrong."""
    return _kind_of_overlap(report) == "all"


def listed_labels(report):
    """How many labels are listed, and how many of these should be wrong: one number everywhere."""
    number = len(report.suspects)
    wrong = float(report.labels.error_chance[report.suspects].sum())
    return (
        f"{counted(number, 'label')} {'is' if number == 1 else 'are'} listed; "
        f"about {max(round(wrong), 1):,} of them should be wrong."
    )


def caveat_of_many(report):
    if len(report.suspects) <= _MANY_LISTED * report.data.n_samples:
        return ""
    return (
        " So many may just as well be overlap of the classes. If the labels are facts of record "
        f"(bought, left, died), none is wrong: pass {option('overlap', 'all')}."
    )


def _shows_wrong_labels(report):
    """Whether anything shows whose label is wrong."""
    return report.data.signal.significant and errors_of_sample(report).held_out.gain > 0


def ranked_rows(report, most=None):
    """Samples that the classifiers contradict, the most suspicious first."""
    if not _shows_wrong_labels(report):
        return []
    wrong = report.labels.ranking[report.labels.margin[report.labels.ranking] < 0]
    return sample_rows(report, wrong[: most or max(len(report.suspects), MOST_RANKED)])


def shown_labels(report, most=None):
    """The rows of the table of label errors: those that are listed, or else hard samples."""
    n_listed = len(report.suspects)
    return ranked_rows(report, min(most or n_listed, n_listed) or most)


def row_name(row):
    """What a sample is called: "row 3", or the name the user gave it."""
    name = row["name"]
    return f"row {name}" if isinstance(name, int) else str(name)


def suspect_row_sentence(report, found):
    """A label that may be wrong, before the table of what speaks against it."""
    labels, short = report.labels, short_classes(report)
    name = report.data.row_names[found.position]
    name = row_name({"name": name.item() if hasattr(name, "item") else name})
    given, suggested = labels.given[found.position], labels.suggested[found.position]
    return (
        f"What speaks against the label of {shorten(name, 40)} ({short(given)}, looks like "
        f"{short(suggested)}), and the most similar rows of {short(suggested)}:"
    )
