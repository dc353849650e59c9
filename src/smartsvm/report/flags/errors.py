"""Warnings about errors: of labels at chance, of later samples, of predictions as given."""

from smartsvm._core.clearly import CLEAR_OF_MANY, is_clear
from smartsvm.held_out.registry import words_of
from smartsvm.presentation.options import spelled
from smartsvm.presentation.wording import percent
from smartsvm.report.flags.flag import REACHED, Check

# Given predictions are too good to be held out if they err 3 standard errors less than the best
# classifier, and the chance of a Bayes error as small as theirs is below 1%.
_IMPLAUSIBLE = 0.01


class NotHeldOut(Check):
    """Predictions of the user that know more than held-out ones can."""

    code, title = "not_held_out", "predictions that are perhaps not held out"

    def flags(self, report, problem):
        """Models that are right where no function of the columns is, or that err too little."""
        end = (
            " Were they made for rows that the model was trained on, or with columns that are not "
            + spelled("in X? Pass the estimator itself, or", "in the table? Use")
            + " predictions of cross-validation."
        )
        for model in report.models.values():
            given = model.as_given
            if given is None:
                continue
            begin = f"The predictions of {model.model} are as given, and they must be held out. "
            behind = given.behind_best
            too_good = is_clear(-behind.value, behind.deviation, CLEAR_OF_MANY)
            if given.n_right > given.most_right:
                yield self.flag(
                    f"{begin}On equal rows with different labels they are right {given.n_right:,} "
                    "times, but no function of the columns can be right more than "
                    f"{given.most_right:,} times.{end}"
                )
            elif too_good and given.chance < _IMPLAUSIBLE:
                yield self.flag(
                    f"{begin}They err {percent(model.error.value)}, far below every classifier "
                    f"here and below what the columns seem to allow.{end}"
                )


class Drift(Check):
    """Errors that grow forward in time: all other errors mix the times."""

    code, title = "drift", "errors grow forward in time"

    def flags(self, report, problem):
        """Errors of training on the past that are clearly larger."""
        forward = report.errors.forward_in_time
        if forward is None or not forward.loses:
            return
        later, shuffled = percent(forward.error.value), percent(forward.shuffled.value)
        yield self.flag(
            f"With {words_of(forward.classifier)} trained on the past, the error on later samples "
            f"is {later}, not {shuffled}. All other errors of this report mix the times of "
            f"{forward.time}: for samples of the future they are too low.",
            against=(REACHED,),
            step="Expect larger errors for samples of the future: trained on the past, the best "
            f"quick classifier errs {later}, on shuffled samples {shuffled}.",
        )


class FlatAtChance(Check):
    """Labels that agree by chance at every distance; the Bayes error allows for it."""

    code, title = "flat_at_chance", "neighbours are no more alike than other samples"

    def flags(self, report, problem):
        """Noise, or detail that is too fine: the sample cannot tell."""
        if not report.trees.cross_limit.refused or report.data.signal.significant:
            return
        consequence = (
            "What the classifiers use does not show between neighbours, so nothing says how much "
            "better the best classifier may be."
            if report.errors.held_out.gain
            else "Either the columns tell nothing about the classes, or only in detail finer than "
            "the distance between neighbours; this sample cannot tell which."
        )
        yield self.flag(f"At no distance do labels agree more often than by chance. {consequence}")
