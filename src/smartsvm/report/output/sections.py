"""The sections of a report, in the order of all outputs.

A section has a title, blocks for people, and what `to_dict` and JSON have of it. Each output
renders the kinds of blocks; none has an order or a table of its own.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial

from smartsvm._core.version import __version__
from smartsvm.presentation.wording import percent
from smartsvm.report.output import label_sentences, sentences
from smartsvm.report.output.blocks import (
    Code,
    Document,
    Drawing,
    Items,
    Lead,
    Part,
    Sentence,
    Target,
    Warnings,
)
from smartsvm.report.output.drawings import drawings
from smartsvm.report.output.figure import PANELS, alternative_text, panels_of_page
from smartsvm.report.output.headroom import (
    CLASS,
    DOUBTFUL,
    PAIR,
    ROW,
    TITLE,
    headroom_rows,
    headroom_sentences,
)
from smartsvm.report.output.next_steps import next_steps
from smartsvm.report.output.rows import (
    MOST_RANKED,
    class_rows,
    pair_rows,
    sample_rows,
    suspect_rows,
)
from smartsvm.report.output.rows_needed import rows_for_target, rows_sentences
from smartsvm.report.output.tables import (
    class_table,
    column_table,
    doubtful_table,
    error_table,
    headroom_table,
    label_table,
    pair_table,
    recall_table,
    suspect_table,
)

_SUSPECTS_SHOWN = 3  # as rows with what speaks against their labels
_PANEL_SIZE = (5.6, 4.0)  # inches; a phone is about as wide


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str  # empty for what stands under the title of the whole
    blocks: Callable[..., Iterable]  # of a report; a section without any is left out
    # data(report, samples): entries of the dictionary, named like the attributes of the report.
    # None where the section only says in words what another one has in numbers.
    data: Callable[..., dict] | None = None
    folded: bool = False  # whether a page shows it only when opened


def _best_possible(report):
    yield Lead(sentences.headline(report))
    if report.settings.priors is not None:
        yield Sentence(sentences.priors_sentence(report))
    left_out = sentences.many_rows_left_out(report)
    if left_out is not None:
        yield Sentence("", strong=left_out)
    repeats = report.data.repeats
    if repeats is not None and not repeats.is_table_of_cells:
        yield Sentence(" ".join(repeats.sentences()))
    yield from map(Sentence, sentences.left_out(report))


def _target(report):
    if report.verdict is not None:
        line = sentences.target_line(report.verdict)
        yield Target(report.verdict.answer, line, report.verdict.reason)


def _models(report):
    short = sentences.short_classes(report)
    for found in report.models.values():
        first, *more = headroom_sentences(report, found, short)
        yield Sentence(" ".join(more), strong=first)
    if report.models:
        yield headroom_table(report)


def _model_data(report, samples):
    """Of single samples only the first."""
    found = {}
    for name, headroom in report.models.items():
        rows = headroom_rows(report, name)
        whole = [row for row in rows if row["part"] in (CLASS, PAIR)]
        found[name] = {
            "error": headroom.error,
            "gain": headroom.gain,
            "chance": headroom.chance,
            "cross_validated": headroom.cross_validated,
            "rows_needed": rows_for_target(report, name),
            "n_improvable": len(headroom.improvable),
            "n_doubtful": len(headroom.doubtful),
            "where": whole + [r for r in rows if r["part"] in (ROW, DOUBTFUL)][:MOST_RANKED],
        }
    return {"models": found}


def _next_steps(report):
    steps = tuple(next_steps(report))
    if steps:
        yield Items(steps)


def _doubtful_columns(report):
    if report.data.doubtful_columns:
        yield Sentence(sentences.doubtful_sentence(report))
        yield doubtful_table(report)


def _picture(report):
    """The one that says what the first line says."""
    yield from _drawing(report, panels_of_page(report)[:1], sentences.PICTURE)


def _drawing(report, names, caption=""):
    def panels():
        return [partial(PANELS[name], report) for name in names]

    words = partial(alternative_text, report)
    yield Drawing(lambda: drawings(panels(), _PANEL_SIZE), words, caption)


def _columns(report):
    if report.data.ranking is not None:
        yield Sentence(sentences.ranking_sentence(report))
        if sentences.columns_matter(report):
            yield column_table(report)


def _errors(report):
    yield error_table(report)
    yield from map(Sentence, sentences.error_remarks(report))


def _error_data(report, samples):
    """All errors but the distributions, whose chances `judge` gives."""
    # JSON keys are strings; the same here, so that both read alike.
    by_n_neighbors = {str(k): error for k, error in report.errors.by_n_neighbors}
    found = _without(report.errors, "distributions", "priors")
    found |= {"by_n_neighbors": by_n_neighbors, "rows_needed": rows_for_target(report)}
    return {"errors": found}


def _more_rows(report):
    sentence = sentences.more_rows_sentence(report)
    if sentence is not None:
        yield Sentence(sentence)
    yield from map(Sentence, rows_sentences(report))


def _forward_in_time(report):
    if report.errors.forward_in_time is not None:
        yield Sentence(report.errors.forward_in_time.sentence())


def _signal(report):
    words = f"{sentences.signal_sentence(report)} {sentences.columns_sentence(report) or ''}"
    yield Sentence(words.rstrip())


def _data(report, samples):
    return {"data": _without(report.data, "rows", "row_names")}


def _pairs(report):
    unknown = sentences.one_answer_sentence(report)
    if unknown is not None:
        yield Sentence(unknown)
        return
    yield pair_table(report)
    sentence = sentences.small_classes_sentence(report)
    if sentence is not None:
        yield Sentence(sentence)


def _classes(report):
    yield Sentence(sentences.recall_sentence(report))
    yield class_table(report)


def _class_data(report, samples):
    found = {
        "names": report.classes.names,
        "counts": report.classes.counts,
        "hardest": class_rows(report),
        "merge_advice": report.merge_advice(),
        "found": report.classes.found,
    }
    return {"classes": found}


def _found_classes(report):
    for found in report.classes.found:
        yield Sentence(sentences.found_class_sentence(report, found))
        if found.is_found:
            yield recall_table(report, found)


def _labels(report):
    yield Sentence(label_sentences.suspects_sentence(report))
    yield label_table(report)
    for found in report.labels.rows[:_SUSPECTS_SHOWN]:
        if found.against:
            yield Sentence(label_sentences.suspect_row_sentence(report, found))
            yield suspect_table(report, found)


def _label_data(report, samples):
    found = {
        "error_rate": report.labels.error_rate,
        "n_suspects": report.labels.n_suspects,
        "n_likely": report.labels.n_likely,
        "supports": report.labels.supports,
        "ranking": sample_rows(report, report.labels.ranking[:MOST_RANKED]),
    }
    if samples:
        found["posterior"] = report.labels.posterior
    return {"suspects": suspect_rows(report), "labels": found}


def _trust(report):
    yield Warnings(report.flags)
    yield from map(Sentence, sentences.trust_paragraphs(report))


def _flag_data(report, samples):
    return {"flags": [vars(flag) | {"page": flag.page} for flag in report.flags]}


def _details(report):
    yield Sentence(sentences.bounds_sentence(report))
    yield Sentence(sentences.settings_sentence(report))
    yield from _drawing(report, panels_of_page(report)[1:])


def _detail_data(report, samples):
    left_out = () if samples else ("sample_difficulty",)
    return {"trees": _without(report.trees, *left_out), "settings": report.settings}


def _repeat(report):
    yield Code(sentences.lines_to_repeat(report))


def _preparation(report):
    notes = tuple(sentences.notes_on_table(report))
    if notes:
        yield Items(notes)


def _without(result, *names):
    """The attributes of a result but these."""
    return {name: value for name, value in vars(result).items() if name not in names}


SECTIONS = (
    Section("", _best_possible, lambda report, samples: {"bayes_error": report.bayes_error}),
    Section("", _target, lambda report, samples: {"verdict": report.verdict}),
    Section(TITLE, _models, _model_data),
    Section("", _picture),
    Section("What to do next", _next_steps),
    Section("Columns that may not be known when you predict", _doubtful_columns),
    Section("Errors", _errors, _error_data),
    Section("Which columns matter?", _columns),
    Section("Would more rows help?", _more_rows),
    Section("Does it hold forward in time?", _forward_in_time),
    Section("Is there any signal?", _signal, _data),
    Section(
        "Hardest pairs of classes (how often the two are taken for each other)",
        _pairs,
        lambda report, samples: {"pairs": {"hardest": pair_rows(report)}},
    ),
    Section("Recall of each class", _classes, _class_data),
    Section("How well is a smaller class found?", _found_classes),
    Section("Possible label errors", _labels, _label_data),
    Section("Can this be trusted?", _trust, _flag_data),
    Section("Details", _details, _detail_data, folded=True),
    Section("How the table was read", _preparation, folded=True),
    Section("To repeat it", _repeat, folded=True),
)


def document_of(report, name=None):
    """The report as a document; `name` is that of the data."""
    # The date and the version are for pages that are kept; a text is read at once.
    facts = (
        sentences.size_of_problem(report),
        date.today().isoformat(),
        f"smartsvm {__version__}",
        f"{percent(report.settings.confidence)} intervals",
        f"seed {report.settings.random_state}",
    )
    parts = (Part(each.title, tuple(each.blocks(report)), each.folded) for each in SECTIONS)
    title = f"{name}: how hard is this problem?" if name else "How hard is this problem?"
    return Document(title, facts, tuple(part for part in parts if part.blocks))


def data_of(report, samples):
    """The entries of all sections, as results and arrays."""
    found = {}
    for section in SECTIONS:
        if section.data is not None:
            found |= section.data(report, samples)
    return found
