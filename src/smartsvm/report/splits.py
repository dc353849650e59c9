"""The samples that a splitter holds out, and a note about them."""

from typing import NamedTuple

from smartsvm.held_out.folds import Folds, folds_of_cv, name_of_cv
from smartsvm.presentation.wording import counted


class SplitsNote(NamedTuple):
    """How the samples were held out."""

    splitter: str  # the name of its class, or "cv" for an iterable of (train, test)
    n_folds: int
    n_held_out: int  # samples that the held-out errors count
    n_never: int  # samples that are never held out

    def sentence(self):
        """The folds, and the samples that no held-out error counts."""
        folds = f"Held-out errors are those of {self.splitter} in {counted(self.n_folds, 'fold')}"
        if not self.n_never:
            return f"{folds}."
        return (
            f"{folds}. {self.splitter} never holds out {self.n_never:,} of the "
            f"{counted(self.n_held_out + self.n_never, 'sample')}: classifiers may be fitted to "
            "them, but held-out errors, recalls and label errors leave them out."
        )


class Splits(NamedTuple):
    """The folds of a splitter."""

    splitter: str
    folds: Folds

    @classmethod
    def of(cls, cv, *samples, **rows):
        """The folds that `cv` makes of the samples, as `folds_of_cv` takes them."""
        return cls(name_of_cv(cv), folds_of_cv(cv, *samples, **rows))

    def note(self):
        """A note about them, for the report."""
        n, n_folds = len(self.folds.numbers), len(self.folds.training)
        n_held_out = len(self.folds.held_out_rows)
        return SplitsNote(self.splitter, n_folds, n_held_out, n - n_held_out)
