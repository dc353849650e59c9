"""Models of the user: estimators, which are cross-validated here, or held-out predictions."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from smartsvm._core.labels import as_labels
from smartsvm._core.sampling import shuffled_by_class
from smartsvm._core.validation import check_array, describe
from smartsvm.held_out.folds import Folds
from smartsvm.held_out.registry import BASELINE, CLASSIFIERS, COMBINED
from smartsvm.presentation.progress import Progress
from smartsvm.presentation.wording import listed
from smartsvm.report.avoidable_error import Fits

# Folds of a cross-validation: a fit to nine tenths errs hardly more often than one to all rows.
_FOLDS = 10
_LEGAL = (
    "an estimator with fit and predict, held-out predictions (one label for each row), or held-out "
    "probabilities (a column for each class, as a data frame or as a pair (probabilities, classes))"
)
# Maximum of |sum of the probabilities of a row - 1|: they may have 16 bits, or be written as text.
_SUM = 1e-3


class Model(NamedTuple):
    """A model of the user, before or after its answers are known."""

    name: str
    estimator: object | None  # None for given answers
    answers: np.ndarray | None = None  # numbers of classes; -1 for rows that are never held out
    fits: Fits | None = None  # that gave the answers; None for those of the user

    @property
    def is_given(self):
        """Whether the answers are the user's, and perhaps not held out."""
        return self.estimator is None


def open_models(models, classes, n_given, rows, index=None):
    """Check `models`; of given answers, take those of some rows. `index` names the rows of X."""
    if not hasattr(models, "items"):
        raise TypeError(
            f"models must be a mapping of names to models, such as {{'mine': model}}, got "
            f"{describe(models)}."
        )
    return tuple(
        _open(name, model, classes, n_given, rows, index) for name, model in models.items()
    )


def _open(name, model, classes, n_given, rows, index):
    reserved = (*CLASSIFIERS, COMBINED, BASELINE)
    if not isinstance(name, str) or not name.strip() or name in reserved:
        raise ValueError(
            f"models must have names that are text and none of {list(reserved)}, got {name!r}."
        )
    shown = f"models[{name!r}]"
    if isinstance(model, type):
        raise TypeError(f"{shown} must be an object, such as {model.__name__}(), not its class.")
    if hasattr(model, "fit") and hasattr(model, "predict"):
        return Model(name, model)
    _check_order(shown, model, index)
    if isinstance(model, tuple) and len(model) == 2 and np.ndim(model[0]) == 2:
        answers = _most_probable(shown, model[0], model[1], classes, n_given)
    elif np.ndim(model) == 2:
        columns = getattr(model, "columns", None)
        answers = _most_probable(shown, model, columns, classes, n_given)
    elif np.ndim(model) == 1:
        _check_length(shown, len(model), n_given)
        answers = codes_of(shown, _labels_of(shown, model, classes), classes)
    else:
        raise TypeError(f"{shown} must be {_LEGAL}, got {describe(model)}.")
    return Model(name, None, answers[rows])


def _check_order(shown, model, index):
    """Refuse an index that names the rows of X in another order: either may be meant."""
    own = getattr(model, "index", None)
    if not (hasattr(own, "equals") and hasattr(index, "equals")) or own.equals(index):
        return
    if len(own) == len(index) and own.sort_values().equals(index.sort_values()):
        raise ValueError(
            f"{shown} must have its rows in the order of X, but its index is that of X in another "
            "order: pass .reindex(X.index), or .to_numpy() if the rows are in the order of X."
        )


def _labels_of(shown, model, classes):
    """Predicted labels; probabilities of one class are refused."""
    labels = as_labels(model, shown)
    other = labels.dtype.kind == "f" and not np.isin(labels, classes).all()
    if other and (labels >= 0).all() and (labels <= 1).all():
        raise ValueError(
            f"{shown} must have the classes of y, {listed(map(repr, classes.tolist()))}, and looks "
            "like the probabilities of one class: pass a column for each class, such as "
            "numpy.column_stack([1 - p, p])."
        )
    return labels


def _check_length(shown, length, n_given):
    if length != n_given:
        raise ValueError(
            f"{shown} must have a row for each of the {n_given} rows of X, got {length}."
        )


def codes_of(shown, labels, classes):
    """Numbers of the classes of labels; other labels are refused."""
    numbers = {label: number for number, label in enumerate(classes.tolist())}
    labels = np.asarray(labels).tolist()
    others = list(dict.fromkeys(label for label in labels if label not in numbers))
    if others:
        raise ValueError(
            f"{shown} must have the classes of y, {listed(map(repr, numbers))}, got "
            f"{listed(map(repr, others), 5)}."
        )
    return np.array([numbers[label] for label in labels], dtype=np.intp)


def _most_probable(shown, probabilities, columns, classes, n_given):
    """The class with the largest probability; ties go to the first."""
    values = check_array(probabilities, shown)
    _check_length(shown, len(values), n_given)
    if columns is None and values.shape[1] != len(classes):
        raise ValueError(
            f"{shown} must have a column for each of the {len(classes)} classes of y, in their "
            f"order, got {values.shape[1]}; pass (probabilities, classes) for others."
        )
    numbers = np.arange(len(classes))
    if columns is not None:
        columns = list(columns)
        if len(columns) != values.shape[1] or len(set(columns)) != len(columns):
            raise ValueError(
                f"{shown} must name the class of each of its {values.shape[1]} columns once, got "
                f"{listed(map(repr, columns))}."
            )
        numbers = codes_of(shown, np.array(columns, dtype=object), classes)
    sums = values.sum(axis=1)
    wrong = np.flatnonzero((np.abs(sums - 1) > _SUM) | (values < 0).any(axis=1))
    if wrong.size:
        row = int(wrong[0])
        what = f"sum {sums[row]:.4g}, smallest {values[row].min():.4g}"
        raise ValueError(
            f"{shown} must have probabilities: none below 0, with a sum of 1 in every row; got "
            f"{wrong.size:,} other rows, such as row {row} ({what}). Turn logits into "
            "probabilities with softmax."
        )
    return numbers[values.argmax(axis=1)]


def folds_of_rows(codes, seed):
    """Ten folds, stratified by class, where neither groups nor a splitter make them."""
    n_folds = min(_FOLDS, len(codes))
    numbers = np.empty(len(codes), dtype=np.intp)
    numbers[shuffled_by_class(codes, seed)] = np.arange(len(codes)) % n_folds
    return Folds(numbers, numbers != np.arange(n_folds)[:, None])


def cross_validated(model, X, codes, classes, folds, *, n_jobs=None, verbose=0):
    """A model with its held-out answers: each fold is predicted by a fit to its training rows."""
    splits = [
        (np.flatnonzero(training), np.flatnonzero(held_out))
        for training, held_out in folds.splits()
    ]
    answers = np.full(len(codes), -1)
    progress = Progress(f"cross-validation of {model.name}, folds", len(splits), verbose)
    tasks = (delayed(_predict_fold)(model, X, classes[codes], *split) for split in splits)
    predictions = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
    for done, ((_, held_out), labels) in enumerate(zip(splits, predictions, strict=True), 1):
        answers[held_out] = codes_of(f"models[{model.name!r}].predict", labels, classes)
        progress.update(done)
    progress.close()
    # A row that was judged counts the rows that its fit saw.
    seen = sum(len(training) * len(held_out) for training, held_out in splits)
    share = seen / (len(codes) * sum(len(held_out) for _, held_out in splits))
    return model._replace(answers=answers, fits=Fits(folds.numbers, share))


def _predict_fold(model, X, labels, training, held_out):
    """Labels of the held-out rows by a fit of a clone to the training rows."""
    own = labels[training]
    if (own == own[0]).all():  # most classifiers refuse one class
        return np.full(len(held_out), own[0], dtype=own.dtype)
    shown = f"models[{model.name!r}]"
    try:
        fitted = clone(model.estimator).fit(_rows_of(X, training), own)
        predicted = np.asarray(fitted.predict(_rows_of(X, held_out)))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{shown} cannot be fitted to {len(training)} rows and predict {len(held_out)} others: "
            f"{error}"
        ) from error
    except Exception as error:
        error.add_note(f"This was raised by {shown}.")
        raise
    if predicted.shape not in ((len(held_out),), (len(held_out), 1)):
        raise ValueError(
            f"{shown}.predict must give one label for each of {len(held_out)} rows, got shape "
            f"{predicted.shape}."
        )
    return predicted.ravel()


def _rows_of(X, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
