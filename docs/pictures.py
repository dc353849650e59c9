"""The README's picture: python docs/pictures.py draws it anew."""

from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import load_digits

from smartsvm import difficulty_report

mpl.use("agg")


def main():
    """Draw the report on the digits."""
    report = difficulty_report(*load_digits(return_X_y=True), target_accuracy=0.97)
    report.plot().savefig(Path(__file__).parent / "digits-report.png", dpi=90)


if __name__ == "__main__":
    main()
