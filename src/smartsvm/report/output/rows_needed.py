"""How many rows the target of a report takes: what all outputs say, and what JSON has."""

from smartsvm.report.output.headroom import subject_of


def rows_for_target(report, model=None):
    """The rows needed for the target of a report, if that is an accuracy; else None."""
    verdict = report.verdict
    if verdict is None or verdict.target_metric != "accuracy":
        return None
    return report.rows_needed(verdict.target_accuracy, model)


def rows_sentences(report):
    """A sentence for the best classifier and one for each model, if there is a target."""
    needed = rows_for_target(report)
    if needed is None:
        return
    yield needed.sentence()
    for name, headroom in report.models.items():
        subject = subject_of(report, headroom)
        yield rows_for_target(report, name).sentence(f"{subject[0].lower()}{subject[1:]}")
