"""What a report advises to do next."""

from smartsvm.held_out.registry import BASELINE, REGISTRY, words_of
from smartsvm.presentation.display_names import shorten
from smartsvm.presentation.options import option
from smartsvm.presentation.wording import counted, listed, percent
from smartsvm.report.output.label_sentences import caveat_of_many, row_name
from smartsvm.report.output.rows import suspect_rows
from smartsvm.report.output.sentences import (
    LONGEST_NAME,
    columns_sentence,
    merge_sentence,
    name_columns,
    short_classes,
)

_VERY_MANY_LISTED = 0.1  # fraction from which on they may be overlap, whatever the data support


def next_steps(report):
    """Sentences on what to do: columns and groups, labels, classes to merge, a model."""
    # What changes the errors themselves comes first.
    yield from (flag.step for flag in report.flags if flag.step is not None)
    joint = [each.name for each in report.data.doubtful_columns if each.is_joint]
    if joint and not any(flag.code == "few_errors" for flag in report.flags):
        names = listed([shorten(name, LONGEST_NAME) for name in joint], 5, " and ")
        yield f"Ask whether {names} are known before the label: together they tell it."
    # Labels are judged by all columns: those that may be the label come first.
    if not any(each.is_used for each in report.data.doubtful_columns):
        yield from _steps_for_labels(report)
    advice = merge_sentence(report)
    if advice is not None:
        yield advice
    found = report.data.signal_columns
    disguised = any(flag.code == "label_columns" for flag in report.flags)
    if found is not None and found.better and not disguised and columns_sentence(report):
        errors = f"{percent(found.full_error)} instead of {percent(found.error)}"
        yield (
            f"Try a model on {name_columns(found.columns)} alone: the other columns make "
            f"classifiers err {errors}."
        )
    answer, best = getattr(report.verdict, "answer", None), report.errors.held_out
    if not (report.data.signal.significant or best.gain):
        yield "Find other columns: nothing about the classes shows in these."
    elif answer in ("unlikely", "out of reach"):
        yield (
            "Add columns that tell the classes apart, or lower the target: a larger model will "
            f"{'hardly' if answer == 'unlikely' else 'not'} help."
        )
    elif answer in ("reachable", "likely") and best.classifier == BASELINE:
        yield (
            "Set a target of balanced accuracy: no classifier clearly beats always answering the "
            "largest class."
        )
    elif answer in ("reachable", "likely"):
        single = min(
            (each for each in best.classifiers if each.classifier in REGISTRY),
            key=lambda each: each.error.value,
        )
        yield (
            "Train a model. One that errs clearly more often than the best single classifier has "
            f"a flaw: the held-out error of {words_of(single.classifier)} is "
            f"{percent(single.error.value)}."
        )


def _steps_for_labels(report):
    suspects, n_likely = suspect_rows(report, 1), report.labels.n_likely
    if not suspects or not n_likely:  # any other label is more likely right than wrong
        return
    facts = (
        "labels are facts of record (bought, left, died), none is wrong: pass "
        f"{option('overlap', 'all')}"
    )
    many = n_likely > _VERY_MANY_LISTED * report.data.n_samples
    supported = report.labels.supports == "wrong labels" and not many
    if caveat_of_many(report) and not supported:
        yield f"Ask whether the classes overlap: {n_likely:,} labels look wrong. If {facts}."
        return
    row, short = suspects[0], short_classes(report)
    given, suggested = short(row["label"]), short(row["suggested"])
    check = (
        f"Check {counted(n_likely, 'label')}, such as {shorten(row_name(row), 40)}: labelled "
        f"{given}, looks like {suggested}"
    )
    yield f"{check.rstrip('.')}. If {facts}."
