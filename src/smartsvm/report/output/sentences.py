"""The sentences that all outputs of a report share."""

from smartsvm.held_out.registry import NEIGHBORS, with_setting, words_of
from smartsvm.presentation.display_names import as_item, shorten_distinct, shown
from smartsvm.presentation.options import command_line, option, spelled
from smartsvm.presentation.wording import about, counted, listed, percent
from smartsvm.report.output.headroom import AS_GIVEN
from smartsvm.tables.records import BY_VALUE, CHANGE, COUNTED, DROPPED, FAR, LEFT_OUT

BEST, HELD_OUT = "best possible", "held out"
PICTURE = (
    "The diamond is the error of the best possible classifier, as far as these samples show it; "
    "dots are errors of classifiers on samples that they were not fitted to; lines are intervals."
)
# Errors up to 1% are called "hardly ever".
_HARDLY_EVER = 0.01
# A number is stated if the width of its interval is at most value / 4, that clipped to 0.02..0.06.
_NARROW_SHARE = 0.25
_NARROW = 0.02
_WIDE = 0.06
_CLEAR_LOSS = 3.0  # standard errors from which on the loss of a shuffled column is no chance
_SCALES = {
    "none": "not scaled",
    "standard": "standardised",
    "robust": "scaled by quartiles",
    "ranks": "as ranks",
    "minmax": "scaled from 0 to 1",
}
# Classes are uneven if at most this fraction of the samples lies outside the largest one.
_UNEVEN = 0.1
# Kinds of notes that belong to the top of a page: data that are not used as they were.
ON_TOP = frozenset({LEFT_OUT, BY_VALUE, DROPPED, COUNTED})
LONGEST_NAME = 30  # characters of a class in a sentence
_MOST_NAMED = 5  # groups of classes, or small classes, that a sentence names


def span(interval):
    """The limits of an interval in words."""
    return between(interval.low, interval.high)


def between(low, high):
    """Two percentages in words."""
    return f"{percent(low)} to {percent(high)}"


def errors_of_sample(report):
    """The errors under the shares of the sample, which what columns and labels tell is about."""
    return report.errors if report.errors.priors is None else report.errors.priors.in_sample


def is_certain(report):
    """Whether a classifier has learnt something and the interval is narrow: a number is stated."""
    error = report.bayes_error
    most = min(max(_NARROW, _NARROW_SHARE * error.value), _WIDE)
    return report.errors.held_out.gain > 0 and error.low > 0 and error.high - error.low <= most


def headline(report):
    """The most important sentence: a number if it is certain, or else the range."""
    error, best = report.bayes_error, report.errors.held_out
    baseline = percent(report.errors.baseline.value)
    subject = "The best possible classifier on these columns"
    if error.high <= _HARDLY_EVER:
        rarely = f"{subject} hardly ever errs: at most {percent(error.high)} of the time"
        if best.gain:
            return f"{rarely}."
        return f"{rarely}, but so does the baseline: {baseline}."
    reached, classifier = percent(best.best.value), words_of(best.classifier)
    so_far = f"{reached} is already reached by {classifier}"
    if best.best.value > error.high and reached != percent(error.high):
        so_far = f"no classifier reaches that yet: the smallest held-out error is {reached}"
        so_far += f", with {classifier}"
    if not best.gain:
        so_far = f"no classifier clearly beats the baseline of {baseline}"
    if is_certain(report):
        return f"{subject} errs about {percent(error.value)} of the time ({span(error)}); {so_far}."
    return (
        f"{subject} errs between {percent(error.low)} and {percent(error.high)} of the time; "
        f"{so_far}."
    )


def priors_sentence(report):
    """The shares of the classes that errors are for, beside those of the sample."""
    given, counts, short = report.settings.priors, report.classes.counts, short_classes(report)
    largest = sorted(zip(given, counts, strict=True), key=lambda each: -given[each[0]])
    shares = [
        f"{percent(given[label])} {short(label)} ({percent(count / counts.sum())} in the sample)"
        for label, count in largest
    ]
    return f"Errors are for classes in the given shares: {listed(shares, _MOST_NAMED, ' and ')}."


def target_line(verdict):
    """The target, the answer and the chance in a line."""
    metric, target = verdict.target_metric.replace("_", " "), percent(verdict.target_accuracy)
    return f"Target {metric} {target}: {verdict.answer} (chance: {about(verdict.chance)})"


def more_rows_sentence(report):
    """What more samples would bring, or None where that is unknown or there is no error."""
    if report.errors.learning_curve is None or not report.errors.held_out.best.value:
        return None
    now, *later = report.errors.learning_curve.errors
    errors = [f"{percent(each.value)} ({span(each)})" for each in later]
    return (
        f"With twice the rows, the smallest held-out error would be about {errors[0]}, with ten "
        f"times about {errors[1]}; now it is {percent(now.value)}, with "
        f"{words_of(report.errors.held_out.classifier)}."
    )


def size_of_problem(report):
    """Samples, columns and classes, in a few words."""
    return (
        f"{counted(report.data.n_samples, 'sample')}, {counted(report.data.n_features, 'column')} "
        f"({_SCALES[report.settings.scale]}), {len(report.classes.names):,} classes"
    )


def signal_sentence(report):
    """Whether the labels depend on the columns."""
    test = report.data.signal
    p = "p < 0.01" if test.best_p_value < 0.01 else f"p = {test.best_p_value:.2g}"
    if test.significant and test.shared_by_neighbors:
        return f"Yes: neighbours share a class more often than chance allows ({p})."
    if test.significant:
        return f"Yes: the classes differ in where they lie or in how far they spread ({p})."
    classifier = errors_of_sample(report).held_out.classifier
    if errors_of_sample(report).held_out.gain and classifier == NEIGHBORS:
        return (
            f"Perhaps: {words_of(classifier)} clearly beats the baseline, but the trees show no "
            f"more edges within classes than by chance ({p})."
        )
    if errors_of_sample(report).held_out.gain:
        return (
            f"Yes, but not between neighbours, which share a class no more often than by chance "
            f"({p}): {words_of(classifier)} clearly beats the baseline."
        )
    return f"No sign of any: neighbours share a class no more often than by chance ({p})."


def error_remarks(report):
    """Sentences on numbers that seem to contradict each other."""
    best = percent(report.errors.held_out.best.value)
    row = report.errors.held_out.of(report.errors.held_out.classifier)
    if row is not None and best != percent(row.error.value):
        yield (
            "The smallest of several errors is too low by chance: that of "
            f"{words_of(row.classifier)} is corrected for the choice, and was "
            f"{percent(row.error.value)}."
        )


def shown_errors(report):
    """The held-out errors, the smallest first; that one as it is everywhere on the page."""
    found = report.errors.held_out
    return [
        each._replace(error=found.best) if each.classifier == found.classifier else each
        for each in sorted(
            found.classifiers,
            key=lambda each: (each.classifier != found.classifier, each.error.value),
        )
    ]


def error_rows(report):
    """(name, interval, remark) for the errors of the whole problem."""
    held_out = shown_errors(report)
    return [
        (BEST, report.bayes_error, "estimated Bayes error"),
        *((HELD_OUT, each.error, classifier_row(each)) for each in held_out),
        *(
            (AS_GIVEN, each.error, f"your model {shown(each.model)}, must be held out")
            for each in report.models.values()
            if not each.cross_validated
        ),
        ("baseline", report.errors.baseline, "always the largest class"),
    ]


def bounds_sentence(report):
    """The trees' bounds."""
    lower, upper = report.trees.lower, report.trees.upper
    return (
        f"The spanning trees put the best possible error between {percent(lower.value)} "
        f"({span(lower)}) and {percent(upper.value)} ({span(upper)}). These bounds are the "
        "paper's, at this sample size; with many columns both are too high."
    )


def stated(report, name, interval):
    """The number of a row: none for a best possible error that is not certain enough."""
    return "" if name == BEST and not is_certain(report) else percent(interval.value)


def classifier_row(each):
    """How a row names a classifier and its setting."""
    return with_setting(words_of(each.classifier).removeprefix("a "), each.classifier, each.setting)


def merge_sentence(report):
    """The advice to merge classes, or None."""
    advice, short = report.merge_advice(), short_classes(report)
    if not advice.groups:
        return None
    first = "; ".join(_listed(map(short, group)) for group in advice.groups[:_MOST_NAMED])
    n_more = len(advice.groups) - _MOST_NAMED
    if n_more > 0:
        first += f"; and {counted(n_more, 'more group')}"
    accuracies = percent(advice.accuracy), percent(advice.merged_accuracy)
    return (
        f"Nothing separates {first}: merge them, which lifts the held-out accuracy from "
        f"{accuracies[0]} to {accuracies[1]}, or add samples or columns that tell them apart."
    )


def one_answer_sentence(report):
    """That all samples get one label, so that pairs mean nothing; None if they get several."""
    answers = report.classes.confusion.sum(axis=0).nonzero()[0]
    if len(answers) > 1:
        return None
    name = short_classes(report)(report.classes.names.tolist()[answers[0]])
    return (
        f"Unknown: all classifiers combined take every sample for {name}, so they confuse no two "
        "other classes and cannot compare the pairs."
    )


def small_classes_sentence(report):
    """Which classes are too small for advice, or None."""
    advice, short = report.merge_advice(), short_classes(report)
    if not (advice.too_small and report.data.signal.significant):
        return None
    if len(advice.too_small) == len(report.classes.names):
        return (
            f"Every class has fewer than {advice.least_samples} samples, too few to tell whether "
            "anything separates it from others."
        )
    names = _listed(map(short, advice.too_small), _MOST_NAMED)
    return (
        f"Classes with fewer than {advice.least_samples} samples are too small to tell whether "
        f"anything separates them from others: {names}."
    )


def columns_sentence(report):
    """Which columns carry the signal, or None where that is unknown."""
    found = report.data.signal_columns
    if found is None or not (found.columns and report.data.signal.significant):
        return None
    names, baseline = found.columns, errors_of_sample(report).baseline.value
    useless = (
        found.full_error + found.noise >= baseline or not errors_of_sample(report).held_out.gain
    )
    useless &= not found.better
    # An id that says which rows belong together says nothing about a new one: a warning has that.
    unit = None if report.data.dependence is None else report.data.dependence.unit
    if useless or report.data.n_features == 1 or (unit is not None and unit in names):
        return None
    errors = (
        f"{'the best' if found.enough else 'quick'} classifiers on {found.n_samples:,} samples err "
        f"{percent(found.error)}, with all columns {percent(found.full_error)}"
    )
    if len(names) == report.data.n_features:
        return f"All {len(names)} columns carry some of the signal."
    if not found.enough and found.error + found.noise >= baseline:
        return (
            f"The signal is spread over the columns: on {found.n_samples:,} samples, quick "
            "classifiers beat the baseline with all columns, not with the best few."
        )
    named, is_one = f"C{name_columns(names)[1:]}", len(names) == 1
    if found.better:
        return (
            f"{named} alone {'does' if is_one else 'do'} better than all columns: with "
            f"nothing else {errors}."
        )
    if found.enough:
        carry = "carries" if is_one else "carry"
        return f"{named} {carry} nearly all of the signal: with nothing else {errors}."
    best = "the best column alone" if len(names) == 1 else f"the best {len(names)}"
    best = f"with {best} ({_listed(names)})"
    return f"The signal is spread over the columns: {best} {errors}."


def name_columns(names):
    return f"column{'s' * (len(names) > 1)} {_listed(names)}"


def _listed(names, most=8):
    return listed(map(as_item, shorten_distinct(names, 30, dots="...")), most, " and ")


def short_classes(report, width=LONGEST_NAME):
    """A function that shortens names of classes and keeps them distinct."""
    classes = report.classes.names.tolist()
    names = shorten_distinct(classes, width, dots="...")
    return dict(zip(classes, names, strict=True)).__getitem__


def found_class_sentence(report, found):
    """How well held-out probabilities find a class, with the best threshold in cases."""
    name, best = short_classes(report)(found.name), found.best
    weighed = report.settings.priors is not None
    auc = (
        f"{name}, {found.n_samples:,} of {found.n_samples + found.n_others:,} samples: all "
        "classifiers combined rank one of them above another sample with a chance (AUC) of "
        f"{found.auc.value:.3f} ({found.auc.low:.3f} to {found.auc.high:.3f})"
    )
    if not found.is_found:
        return f"{auc}, which may be chance."
    return (
        f"{auc}. With the threshold of the largest F1, a probability of {percent(best.threshold)}, "
        f"they find {best.n_found:,} and miss {found.n_samples - best.n_found:,}; of the others "
        f"they take {best.n_false:,} for {name} and are right about "
        f"{found.n_others - best.n_false:,}."
        + " These are counts of the sample; precisions are for the given shares."
        * weighed
    )


def lines_to_repeat(report):
    """What makes the same report again."""
    settings = report.settings
    given = f"random_state={settings.random_state}"
    if settings.confidence != 0.95:
        given += f", confidence={settings.confidence:g}"
    if settings.priors is not None:
        given += f", priors={settings.priors}"
    python = (
        "from smartsvm import difficulty_report",
        f"page = difficulty_report(X, y, {given})",
        'page.to_html("page.html")',
    )
    command = command_line()
    return python if command is None else (command, "", "# in Python", *python)


def recall_sentence(report):
    """The balanced error, and whether it is the one to look at."""
    error, even = report.errors.balanced, report.errors.reweighted
    text = (
        f"Balanced error, 1 less the mean of the recalls: {percent(error.value)} ({span(error)}); "
        f"chance: {percent(1 - 1 / len(report.classes.names))}."
    )
    if even.value < error.low:
        text += f" Decisions that weigh all classes alike would make it {percent(even.value)}."
    if report.errors.baseline.value <= _UNEVEN:
        text += " For classes of so different sizes, set a target of balanced accuracy."
    return text


def trust_paragraphs(report):
    """How many samples were used and what the intervals cover."""
    data = report.data
    if data.subsample is not None:
        yield f"Only {data.n_samples:,} of {counted(data.subsample.n_given, 'sample')} were used."
    if report.settings.priors is not None:
        yield (
            "Mistakes and answers are weighed by the given shares of the classes. What columns do, "
            "warnings, repeated rows, label errors, the trees' bounds and errors forward in time "
            "are for the shares of the sample."
        )
    hidden = report.errors.distributions["bayes_error"].fitted.hidden
    allows = f"given a chance of {percent(round(hidden, 3))} that" if hidden else "unless"
    yield (
        f"With {percent(report.settings.confidence)} confidence the best possible error lies in "
        f"its range, {allows} the classes differ in detail too fine for this many samples to show. "
        "All other intervals cover chance alone: they are for the mean of a number over many "
        "samples of this size."
    )


def left_out(report):
    """Sentences on columns and rows that were left out of a table, and on folds of a splitter."""
    below = notes_on_table(report)
    aside = {DROPPED} if many_rows_left_out(report) else set()
    notes = [each for each in report.data.preparation if each not in below and each.kind != FAR]
    words = "; ".join(note for note in notes if note.kind not in aside)
    if words:
        yield f"{words[0].upper()}{words[1:]}."
    if report.data.splits is not None:
        yield report.data.splits.sentence()


def is_clear_loss(report, column):
    """Whether a column matters: its loss is no chance, and something was learnt to be lost."""
    something = errors_of_sample(report).held_out.gain > 0 or report.data.signal.significant
    return something and column.loss > _CLEAR_LOSS * column.noise


def columns_matter(report):
    """Whether any column of the ranking does, so that the ranking is more than dashes."""
    return any(is_clear_loss(report, each) for each in report.data.ranking.columns)


def ranking_sentence(report):
    """What the ranking of columns shows."""
    found = report.data.ranking
    if not columns_matter(report):
        return (
            f"No column by itself: with any of them shuffled, {words_of(found.classifier)} does "
            "not clearly give the right class a lower probability."
        )
    return (
        f"On {found.n_samples:,} held-out samples, {words_of(found.classifier)} gives the right "
        f"class a probability of {percent(found.probability)} on average. Each column is shuffled "
        "in turn, and the table shows by how many points that falls. Columns that say the same "
        "share the loss."
    )


def many_rows_left_out(report):
    """The warning on rows that are left out, which stands on the first screen; None for few."""
    return next((flag.message for flag in report.flags if flag.code == "rows_left_out"), None)


def doubtful_sentence(report):
    """What the list of doubtful columns means."""
    found, what = report.data.doubtful_columns, ""
    used = [each.name for each in found if each.is_used]
    if used:
        leave_out = spelled(
            f"prepare_table(..., {option('drop', used[0])})", option("drop", used[0])
        )
        what = (
            "Those that tell the class make every error too low, if they are known only after the "
            f"label: leave them out then ({leave_out}). "
        )
    if len(used) < len(found):
        what += "Those that are left out are no part of any other error here. "
    without, one = percent(found[0].error_without), "it" if len(found) == 1 else "one of them"
    return (
        f"{what}The best quick classifier errs {without} without "
        f"{'it' if len(found) == 1 else 'all of them'}; the table shows its error with {one}."
    )


def notes_on_table(report):
    """What was done to a table, without what was left out of it and what changes that alone."""
    notes = [each for each in report.data.preparation if each.kind not in {*ON_TOP, FAR}]
    return notes if any(note.kind != CHANGE for note in notes) else []


def settings_sentence(report):
    """Trees and seed."""
    tested, counted = report.data.signal.n_trees, report.trees.n_trees
    settings = f"{tested} spanning trees, {counted} for the bounds"
    return f"Settings: {settings}; seed {report.settings.random_state}."
