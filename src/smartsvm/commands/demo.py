"""``smartsvm demo``: a report, label errors and classifiers on scikit-learn's digits."""

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

from smartsvm.classifier.classifier import SmartSVM
from smartsvm.commands.start_up import raise_on_sigterm
from smartsvm.plotting import HierarchyDisplay, PairwiseErrorDisplay
from smartsvm.presentation.output_files import figure_content, write_file
from smartsvm.presentation.wording import percent
from smartsvm.report.measure import difficulty_report

_PLANTED = 0.05  # fraction of labels that are made wrong
_TARGET = 0.97


def run(folder):
    """Print the results, save the report and its figures in a folder, and return their paths."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    X, y = load_digits(return_X_y=True)
    X = X / X.max()
    print(f"digits: {X.shape[0]} samples, {X.shape[1]} columns, 10 classes\n")
    _find_wrong_labels(X, y)
    report = difficulty_report(X, y, target_accuracy=_TARGET)
    print(f"\n{report}\n")
    model = _compare_classifiers(X, y)

    figures = {
        "report.png": report.plot(),
        "pairwise-errors.png": PairwiseErrorDisplay.from_estimate(
            report.pairs.bounds, order="hierarchy"
        ).figure_,
        "hierarchy.png": HierarchyDisplay.from_estimator(model).figure_,
    }
    files = [folder / "report.html", *(folder / name for name in figures)]
    with raise_on_sigterm():  # so that no temporary file is left
        write_file(files[0], report.to_html())
        for name, figure in figures.items():
            write_file(folder / name, figure_content(figure, name, dpi=100))
    print(f"\nWritten: {', '.join(map(str, files))}")
    return files


def plant_errors(y, share, random):
    """Labels of which a fraction is made wrong, and the rows of the wrong ones."""
    classes = np.unique(y)
    planted = random.choice(len(y), size=round(share * len(y)), replace=False)
    wrong = np.array(y)
    for row in planted:
        wrong[row] = random.choice(classes[classes != y[row]])
    return wrong, planted


def _find_wrong_labels(X, y):
    y_given, planted = plant_errors(y, _PLANTED, np.random.default_rng(0))
    report = difficulty_report(X, y_given)
    is_planted = np.isin(report.suspects, planted)
    corrected = (
        report.labels.suggested[report.suspects[is_planted]] == y[report.suspects[is_planted]]
    )
    print(f"Which labels are wrong? {len(planted)} of {len(y)} were changed at random.")
    print(f"  suspected label errors: {len(is_planted)}")
    print(f"  precision:              {percent(is_planted.mean())}")
    print(f"  recall:                 {percent(is_planted.sum() / len(planted))}")
    print(f"  suggested label right:  {percent(corrected.mean())} of the errors found")


def _compare_classifiers(X, y):
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=0
    )
    print("Classifiers with default settings, one thread, trained on 70% of the samples")
    print(f"  {'':<22}{'accuracy':>8}{'fit':>13}{'predict':>13}")
    models = {
        "SmartSVM": SmartSVM(),
        "SmartSVM, accurate": SmartSVM(nodes="forest"),
        "one-vs-one, linear": OneVsOneClassifier(LinearSVC(dual=False)),
        "SVM with RBF kernel": SVC(),
        "gradient boosting": HistGradientBoostingClassifier(max_iter=50, random_state=0),
    }
    for name, model in models.items():
        # On busy cores, boosting with several threads takes minutes.
        with threadpool_limits(1):
            fit = _seconds(model.fit, X_train, y_train)
            predict = _seconds(model.predict, X_test)
        right = percent(model.score(X_test, y_test))
        print(f"  {name:<22}{right:>8}{fit * 1e3:>10.1f} ms{predict * 1e3:>10.2f} ms")
    return models["SmartSVM"]


def _seconds(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start
