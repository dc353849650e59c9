"""Warnings about errors: of labels at chance, of later samples, of predictions as given."""

from smartsvm.held_out.registry import words_of
from smartsvm.presentation.options import spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.flags.flag import REACHED, Check

# Given predictions are too good to be held out if they err 3 standard errors less than the best
# classifier, and the chance of a Bayes error as small as theirs is below 1%.
_IMPLAUSIBLE = 0.01
_CLEAR = 3.0


class NotHeldOut(Check):
    """Predictions of the user that know more than held-out ones can."""

    code, title = "not_held_out", "predictions that are perhaps not held out"

    def find(self, measured):
        """Models that are right where no function of the columns is, or that err too little."""
        for given in measured.given_answers:
            behind = given.behind_best
            too_good = behind.value < -_CLEAR * behind.deviation
            if given.n_right > given.most_right or (too_good and given.chance < _IMPLAUSIBLE):
                yield given

    def message(self, flaw):
        """What they know, and what to pass instead."""
        begin = f"The predictions of {flaw.model} are as given, and they must be held out. "
        end = (
            " Were they made for rows that the model was trained on, or with columns that are not "
            + spelled("in X? Pass the estimator itself, or", "in the table? Use")
            + " predictions of cross-validation."
        )
        if flaw.n_right > flaw.most_right:
            return (
                f"{begin}On equal rows with different labels they are right {flaw.n_right:,} "
                "times, but no function of the columns can be right more than "
                f"{flaw.most_right:,} times.{end}"
            )
        return (
            f"{begin}They err {percent(flaw.error.value)}, far below every classifier here and "
            f"below what the columns seem to allow.{end}"
        )


class Drift(Check):
    """Errors that grow forward in time."""

    code, title = "drift", "errors grow forward in time"

    def find(self, measured):
        """Errors of training on the past that are clearly larger."""
        forward = measured.errors.forward_in_time
        if forward is not None and forward.loses:
            yield forward

    def message(self, flaw):
        """All other errors mix the times."""
        return (
            f"With {words_of(flaw.classifier)} trained on the past, the error on later samples is "
            f"{percent(flaw.error.value)}, not {percent(flaw.shuffled.value)}. All other errors "
            f"of this report mix the times of {flaw.time}: for samples of the future they are too "
            "low."
        )

    def step(self, flaw):
        """Expect larger errors."""
        return (
            "Expect larger errors for samples of the future: trained on the past, the best quick "
            f"classifier errs {percent(flaw.error.value)}, on shuffled samples "
            f"{percent(flaw.shuffled.value)}."
        )

    def against(self, flaw):
        """Later errors are larger."""
        return (REACHED,)


class FlatAtChance(Check):
    """Labels that agree by chance at every distance; the Bayes error allows for it."""

    code, title = "flat_at_chance", "neighbours are no more alike than other samples"

    def find(self, measured):
        """How much better than the baseline a classifier is all the same."""
        if measured.extrapolation.limit.refused and not measured.trees.signal.significant:
            yield measured.errors.held_out.gain

    def message(self, flaw):
        """Noise, or detail that is too fine: the sample cannot tell."""
        consequence = (
            "What the classifiers use does not show between neighbours, so nothing says how much "
            "better the best classifier may be."
            if flaw
            else "Either the columns tell nothing about the classes, or only in detail finer than "
            "the distance between neighbours; this sample cannot tell which."
        )
        return f"At no distance do labels agree more often than by chance. {consequence}"
