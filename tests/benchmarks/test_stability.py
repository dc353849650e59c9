"""How much a chance moves with seed, order and names: records and table."""

from benchmarks.report import stability


def test_a_table_counts_steady_chances():
    records = [
        {"family": "a", "size": "100", "fixed": "0.0100", "estimate": "0.1000"},
        {"family": "b", "size": "100", "fixed": "0.0500", "estimate": "0.0000"},
        {"family": "a", "size": "400", "fixed": "0.0900", "estimate": "0.0200"},
    ]
    assert stability.table(records)[2:] == [
        "| 100 | 2 | 1.00 | 0.030 | 0.50 | 0.050 |",
        "| 400 | 1 | 0.00 | 0.090 | 1.00 | 0.020 |",
        "| all | 3 | 0.67 | 0.050 | 0.67 | 0.040 |",
    ]


class Report:
    """Stands for a report whose chances grow with the seed."""

    bayes_error = type("Estimate", (), {"value": 0.2})

    def __init__(self, X, y, random_state, n_jobs):
        self.seed = random_state

    def chance(self, target):
        return (0.1 if target == stability.FIXED else 0.01) * self.seed


def test_the_deviation_is_that_of_the_chances(monkeypatch):
    monkeypatch.setattr(stability, "difficulty_report", Report)
    found = stability.look(("shift", 60))
    # The numbers from 0 to 9 have the standard deviation 2.872.
    assert (found["fixed"], found["estimate"]) == ("0.2872", "0.0287")
