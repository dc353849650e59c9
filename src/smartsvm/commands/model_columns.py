"""Columns of a file that hold what a model predicts: ``--predicted`` and ``--probabilities``."""

from contextlib import suppress

import numpy as np

from smartsvm.tables.hints import TableError, about_missing_column


def add_model(parser):
    """Add the options that name these columns."""
    parser.add_argument(
        "--predicted",
        metavar="NAME",
        help="the column of held-out predictions of your model, left out of the table: how much "
        "of its error can be gained?",
    )
    parser.add_argument(
        "--probabilities",
        metavar="PREFIX",
        help="the same from columns of held-out probabilities: p_ for p_yes and p_no",
    )


def columns_of_model(options):
    """A function that gives the names of these columns from all names, or None without any."""
    if options.predicted is None and options.probabilities is None:
        return None

    def choose(names):
        chosen = []
        if options.predicted is not None:
            if options.predicted == options.target:
                raise TableError(
                    f"--predicted {options.predicted} is the target: name the column of what the "
                    "model predicts."
                )
            if options.predicted not in names:
                raise TableError(
                    f"no column {options.predicted!r} with predictions."
                    + about_missing_column(options.predicted, names)
                )
            chosen.append(options.predicted)
        if options.probabilities is not None:
            columns = [name for name in names if name.startswith(options.probabilities)]
            others = options.target, *chosen, *(options.drop or ())
            columns = [name for name in columns if name not in others]
            if not columns:
                raise TableError(f"no column begins with {options.probabilities!r}.")
            chosen += columns
        return chosen

    return choose


def models_of(options, beside, labels):
    """The models that these columns hold, by name, and the option that each comes from."""
    models, sources = {}, {}
    if options.predicted is not None:
        answers = _as_classes(beside[options.predicted].tolist(), labels)
        models[options.predicted] = answers
        sources[options.predicted] = f"--predicted {options.predicted}"
    if options.probabilities is not None:
        prefix = options.probabilities
        columns = [name for name in beside.columns if name.startswith(prefix)]
        columns = [name for name in columns if name != options.predicted]
        classes = _as_classes([name.removeprefix(prefix) for name in columns], labels)
        _check_others(columns, np.isin(np.array(classes, dtype=object), np.unique(labels)), prefix)
        name = prefix.rstrip("_-.: ") or prefix
        models[name] = beside[columns].to_numpy(), classes
        sources[name] = f"--probabilities {prefix}"
    return models, sources


def _check_others(columns, is_class, prefix):
    """Refuse columns that begin like the probabilities of the classes and are none."""
    if is_class.all() or not is_class.any():
        return
    other = columns[int(np.flatnonzero(~is_class)[0])]
    raise TableError(
        f"--probabilities {prefix} takes all columns that begin so, and {other!r} ends with no "
        f"class of y: leave it out with --drop {other!r}."
    )


def _as_classes(values, labels):
    """Values as the labels that they stand for: 1, "1" and 1.0 may be one class; others stay."""
    label_of, as_numbers = {}, {}
    for label in np.unique(labels).tolist():
        label_of |= {label: label, str(label): label}
        with suppress(ValueError):
            as_numbers.setdefault(float(label), []).append(label)
    for number, same in as_numbers.items():
        if len(same) == 1:
            label_of.setdefault(number, same[0])
    return [label_of.get(value, label_of.get(str(value).strip(), value)) for value in values]
