"""The report as a page of text, and the sentences that all outputs share."""

from __future__ import annotations

from smartsvm._core.display_names import display_width, padded, shorten, wrap
from smartsvm._core.wording import counted, percent
from smartsvm.held_out.registry import FOREST, IN_WORDS, NEIGHBORS
from smartsvm.report.output.export import class_rows, pair_rows, suspect_rows

WIDTH = 78
MOST_PAIRS, MOST_CLASSES, MOST_SUSPECTS = 5, 5, 5

WHAT_INTERVALS_COVER = (
    "The {confidence} interval of the best possible error is one for the truth. It covers chance, "
    "the size of this sample and the step to ever more data, as long as classes mix below the "
    "smallest distances seen as they do above. All other intervals are for chance alone: how far a "
    "number would move with another sample of this size, drawn in the same way."
)


def span(interval):
    """The limits of an interval in words."""
    return f"{percent(interval.low)} to {percent(interval.high)}"


def headline(report):
    """The one sentence to remember."""
    error = report.bayes_error
    subject = "The best possible classifier on these columns would"
    if percent(error.value) == "0 %":
        return f"{subject} hardly ever be wrong ({span(error)} of the time)."
    return f"{subject} be wrong about {percent(error.value)} of the time ({span(error)})."


def tried(report):
    """What was done, in a few words."""
    n_classifiers = len(report.held_out.classifiers)
    which = (
        "one simple classifier was"
        if n_classifiers == 1
        else f"{n_classifiers} simple classifiers were"
    )
    return f"{which} tried"


def signal_sentence(report):
    """Whether the labels have anything to do with the columns."""
    test = report.signal
    many = test.n_trees > 1
    trees = f"In {test.n_trees} trees, each a short" if many else "In the tree, the shortest"
    counts = (
        f"{trees} network that joins all samples, {'on average ' * many}{test.statistic:.0f} of "
        f"{report.n_samples - 1} tree edges go between classes; {test.expected:.0f} would if the "
        "labels meant nothing."
    )
    chance = f"{test.p_value:.1g}" if test.p_value >= 1e-12 else "less than 1e-12"
    luck = f"The chance of so few by luck is {chance}"
    if test.p_permutation is not None:
        luck += f" ({test.p_permutation:.2g} from {test.n_permutations} shuffles of the labels)"
    return f"{'Yes' if test.significant else 'No sign of any'}. {counts} {luck}."


def error_remarks(report):
    """Sentences on numbers about the whole problem that seem to contradict each other."""
    found, best = [], report.held_out.best.value
    row = report.held_out.of(report.held_out.classifier)
    if row is not None and percent(best) != percent(row.error.value):
        found.append(
            f"The smallest of several errors flatters: allowing for having been picked, that of "
            f"{IN_WORDS[row.classifier][0]} is {percent(best)}."
        )
    if report.bayes_error.value < report.lower.value:
        found.append(
            "The estimate lies below the lower bound of the trees: by chance, or because their "
            "bounds are too high at this sample size. They count long edges, and those that must "
            "join the classes."
        )
    return found


def classifier_remark(each):
    """How a row of the page names a classifier."""
    number = f"{each.setting} " if each.classifier in (NEIGHBORS, FOREST) else ""
    name = IN_WORDS[each.classifier][0]
    return f"by {number}{name.removesuffix('s') if number == '1 ' else name}"


def error_rows(report):
    """(what, value, interval, remark) for the numbers about the whole problem."""
    held_out = sorted(report.held_out.classifiers, key=lambda each: each.error.value)
    lower, upper, baseline = report.lower, report.upper, report.baseline
    return [
        ("best", report.bayes_error.value, report.bayes_error, "the best possible classifier"),
        *(("reached", each.error.value, each.error, classifier_remark(each)) for each in held_out),
        ("baseline", baseline.value, baseline, "by always answering the largest class"),
        ("trees", lower.value, lower, "their lower bound, at this sample size"),
        ("trees", upper.value, upper, "their upper bound, at this sample size"),
    ]


def inseparable_sentence(report, most=5):
    """The hint about classes that cannot be told apart, or None."""
    pairs = report.inseparable_pairs()
    if not pairs:
        return None
    named = ", ".join(
        f"{shorten(first, 30)} and {shorten(second, 30)}" for first, second in pairs[:most]
    )
    more = f" and {len(pairs) - most} more pairs" if len(pairs) > most else ""
    return (
        f"No sign of any difference between {named}{more}: merge them, or find more samples or "
        "columns that tell them apart."
    )


def recall_sentence(report):
    """What is reached if all classes count alike."""
    recall, baseline = report.recall, 1 - 1 / len(report.classes)
    return (
        f"If every class counts alike, however small, the error reached is "
        f"{percent(recall.balanced_error.value)} ({span(recall.balanced_error)}), "
        f"by {IN_WORDS[recall.classifier][0]}; guessing has {percent(baseline)}."
    )


def recall_rows(report, most):
    """The classes with the lowest recall: name, share, limits and size of each."""
    rows = class_rows(report)
    return sorted(rows, key=lambda row: row["recall"])[:most]


def suspects_sentence(report):
    """About how many labels are wrong, and what the list below says."""
    if not report.signal.significant:
        return "None can be told: near samples show no sign of having the same label."
    if not len(report.suspects):
        return "None stands out."
    number = len(report.suspects)
    look, some = ("looks", "It") if number == 1 else ("look", "Some")
    return (
        f"About {number} of {report.n_samples} labels {look} wrong: neighbours agree on another "
        f"class. {some} may be right, where classes overlap. The clearest first, with the share of "
        "neighbours of other classes:"
    )


def row_name(row):
    """What a sample is called: "row 3", or the name the user gave it."""
    name = row["name"]
    return f"row {name}" if isinstance(name, int) else str(name)


def subsample_sentence(report):
    """What looking at a part of the samples cost, or None."""
    note = report.subsample
    if note is None:
        return None
    text = (
        f"Only {note.n_used} of {note.n_given} samples were used. That adds a standard error "
        f"of {percent(note.added_error)} to the share of tree edges between classes"
    )
    if note.fall > 0:
        text += (
            f", and with every doubling of the samples it fell by {percent(note.fall)}: with all "
            "of them it may be lower still"
        )
    return text + "."


def page(report):
    """The whole page, no line longer than a terminal is wide."""
    lines = [
        "HOW HARD IS THIS PROBLEM?",
        f"{report.n_samples} samples, {counted(report.n_features, 'column')}, "
        f"{len(report.classes)} classes; {tried(report)}",
        "=" * WIDTH,
        *_wrapped(headline(report)),
        "",
    ]
    for what, value, interval, remark in error_rows(report):
        limits = f"({span(interval)})"
        lines.append(f"  {what:<9}{percent(value):>7}  {limits:<19} {remark}")
    for remark in error_remarks(report):
        lines += _wrapped(remark, 2)
    lines += _section(
        ""
        if report.verdict is None
        else f"Target accuracy {percent(report.verdict.target_accuracy)}: "
        f"{report.verdict.answer.upper()}",
        [] if report.verdict is None else _wrapped(report.verdict.reason, 2),
    )
    lines += _section(
        "Do the columns say anything about the classes?", _wrapped(signal_sentence(report), 2)
    )
    lines += _section("Hardest pairs of classes (0 = easy, 1 = guessing)", _pair_lines(report))
    if len(report.classes) > 2:
        lines += _section("Hardest classes, each against all others", _class_lines(report))
    lines += _section("How much of each class is found?", _recall_lines(report))
    lines += _section("Samples to look at: the label may be wrong", _suspect_lines(report))
    lines += _section("Can this be trusted?", _flag_lines(report))
    return "\n".join(line.rstrip() for line in lines)


def _pair_lines(report):
    rows = pair_rows(report, MOST_PAIRS)
    names = [" and ".join(shorten(label, 20) for label in row["classes"]) for row in rows]
    width = max(map(display_width, names))
    lines = []
    for name, row in zip(names, rows, strict=True):
        bar = "#" * round(20 * min(row["error"], 1))
        lines.append(f"  {padded(name, width)}  {row['error']:5.3f}  {bar}")
    hint = inseparable_sentence(report)
    return lines + (_wrapped(hint, 2) if hint else [])


def _class_lines(report):
    rows = class_rows(report, MOST_CLASSES)
    names = [shorten(row["class"], 24) for row in rows]
    width = max(map(display_width, names))
    return [
        f"  {padded(name, width)}  {percent(row['error']):>7}  "
        f"({percent(row['low'])} to {percent(row['high'])}), {counted(row['n_samples'], 'sample')}"
        for name, row in zip(names, rows, strict=True)
    ]


def _recall_lines(report):
    rows = recall_rows(report, MOST_CLASSES)
    names = [shorten(row["class"], 24) for row in rows]
    width = max(map(display_width, names))
    return [
        *_wrapped(recall_sentence(report), 2),
        *(
            f"  {padded(name, width)}  {percent(row['recall']):>7}  "
            f"({percent(row['recall_low'])} to {percent(row['recall_high'])}), "
            f"{counted(row['n_samples'], 'sample')}"
            for name, row in zip(names, rows, strict=True)
        ),
    ]


def _suspect_lines(report):
    lines = _wrapped(suspects_sentence(report), 2)
    for row in suspect_rows(report, MOST_SUSPECTS):
        label, other = shorten(row["label"], 13), shorten(row["suggested"], 13)
        lines.append(
            f"  {shorten(row_name(row), 16)}: labelled {label}, looks like {other} "
            f"({percent(row['disagreement'])})"
        )
    return lines


def _flag_lines(report):
    lines = []
    for flag in report.flags:
        lines += _wrapped(f"! {flag.title}: {flag.message}", 2, 4)
    if not report.flags:
        lines.append("  No reason for doubt was found.")
    note = subsample_sentence(report)
    if note:
        lines += _wrapped(note, 2)
    return lines + _wrapped(WHAT_INTERVALS_COVER.format(confidence=percent(report.confidence)), 2)


def _section(title, body):
    return ["", title, *body] if title else []


def _wrapped(text, indent=0, hanging=None):
    """Lines of a sentence; none ends between a number and its percent sign."""
    lines = wrap(text.replace(" %", "\u00a0%"), WIDTH, indent=indent, hanging=hanging)
    return [line.replace("\u00a0%", " %") for line in lines]
