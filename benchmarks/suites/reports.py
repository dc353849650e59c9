"""What a person asks before training: report, test, suspects; and rates after it."""

import numpy as np

from smartsvm import (
    TablePreparation,
    compare_representations,
    confusion_rate,
    difficulty_report,
    prepare_table,
    rank_label_errors,
    sample_difficulty,
    two_sample_test,
)

from .data import classes, table


class Reports:
    params = ([1000, 4000], [2, 16], [2, 10])
    param_names = ("n", "d", "n_classes")
    timeout = 300

    def setup(self, n, d, n_classes):
        self.X, self.y = classes(n, d, n_classes)

    def time_difficulty_report(self, n, d, n_classes):
        difficulty_report(self.X, self.y)

    peakmem_difficulty_report = time_difficulty_report

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
    params = ([10_000, 1_000_000], [2, 30])
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


class LargeReports:
    """As many rows as users have: points, and tables with texts, dates and gaps."""

    params = ([1000, 8000, 100_000],)
    param_names = ("n",)
    timeout = 300

    def setup(self, n):
        self.X, self.y = classes(n, 4, 2)
        self.table = table(n)

    def time_report_of_points(self, n):
        difficulty_report(self.X, self.y)

    peakmem_report_of_points = time_report_of_points

    def time_report_of_table(self, n):
        difficulty_report(self.table, "sick", subsample=2000)

    peakmem_report_of_table = time_report_of_table


class Tables:
    params = (1000, 100_000)
    param_names = ("n",)

    def setup(self, n):
        self.table = table(n)

    def time_prepare_table(self, n):
        prepare_table(self.table, "sick")

    peakmem_prepare_table = time_prepare_table

    def time_fit_table_preparation(self, n):
        TablePreparation().fit_transform(self.table.drop(columns="sick"))


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
            found.append(two_sample_test(X[:100], X[100:], n_permutations=99).significant)
        return float(np.mean(found))
