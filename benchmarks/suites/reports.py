"""What a person asks before training: report, test, suspects; and rates after it."""

import numpy as np

from smartsvm import (
    TablePreparation,
    compare_representations,
    confusion_rate,
    difficulty_report,
    friedman_rafsky_test,
    prepare_table,
    rank_label_errors,
    sample_difficulty,
    two_sample_test,
)

from .data import classes


class Reports:
    params = ([1000, 4000], [2, 16], [2, 10])
    param_names = ("n", "d", "n_classes")
    timeout = 300

    def setup(self, n, d, n_classes):
        self.X, self.y = classes(n, d, n_classes)

    def time_difficulty_report(self, n, d, n_classes):
        difficulty_report(self.X, self.y)

    peakmem_difficulty_report = time_difficulty_report

    def time_friedman_rafsky_test(self, n, d, n_classes):
        friedman_rafsky_test(self.X, self.y)

    peakmem_friedman_rafsky_test = time_friedman_rafsky_test

    def time_two_sample_test(self, n, d, n_classes):
        two_sample_test(*(self.X[self.y == k] for k in np.unique(self.y)))

    peakmem_two_sample_test = time_two_sample_test

    def time_compare_representations(self, n, d, n_classes):
        compare_representations({"all": self.X, "half": self.X[:, ::2]}, self.y)

    peakmem_compare_representations = time_compare_representations

    def time_sample_difficulty(self, n, d, n_classes):
        sample_difficulty(self.X, self.y)

    peakmem_sample_difficulty = time_sample_difficulty


class Rates:
    params = ([10_000, 1_000_000], [2, 100])
    param_names = ("n", "n_classes")

    def setup(self, n, n_classes):
        random = np.random.default_rng(0)
        self.y, self.found = random.integers(n_classes, size=(2, n))
        self.probabilities = np.full((n, n_classes), 1 / n_classes)

    def time_rank_label_errors(self, n, n_classes):
        rank_label_errors(self.y, self.probabilities)

    peakmem_rank_label_errors = time_rank_label_errors

    def time_confusion_rate(self, n, n_classes):
        confusion_rate(self.y, self.found)

    peakmem_confusion_rate = time_confusion_rate


class Tables:
    params = (1000, 100_000)
    param_names = ("n",)

    def setup(self, n):
        import pandas as pd

        random = np.random.default_rng(0)
        columns = {"age": random.normal(size=n), "sex": random.choice(["f", "m"], n)}
        self.table = pd.DataFrame(columns | {"kind": random.integers(2, size=n)})
        self.table.loc[::5, "age"] = np.nan

    def time_prepare_table(self, n):
        prepare_table(self.table, "kind")

    peakmem_prepare_table = time_prepare_table

    def time_fit_table_preparation(self, n):
        TablePreparation().fit_transform(self.table.drop(columns="kind"))


class Power:
    """Share of samples with a difference that the test finds at 5 %, and without one."""

    unit = "share"
    params = (0.0, 0.5)
    param_names = ("shift",)

    def track_rejections(self, shift):
        found = []
        for seed in range(100):
            X = np.random.default_rng(seed).normal(size=(200, 2))
            X[100:, 0] += shift
            found.append(friedman_rafsky_test(X, np.arange(200) >= 100).p_value < 0.05)
        return float(np.mean(found))
