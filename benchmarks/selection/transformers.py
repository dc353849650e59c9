"""Does the ranking of transformations before training agree with accuracy after it?

    python -m benchmarks.selection.transformers [--sets ...]

For each set (stratified 70/30) the candidates are ranked on the training part; then a
linear SVM and 5 nearest neighbours are trained after each of them and tested: rank
correlation of estimated error and test error, the accuracy of the transformer that was
chosen, the best there was, and seconds. Below, one-vs-one linear SVMs: on the scaled
points, with one transformer for all pairs, and with a transformer for each pair.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, QuantileTransformer, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC

from smartsvm import PairwiseTransformerClassifier, rank_transformers

from .data import load

SETS = ("satimage", "segment", "texture", "yeast", "pendigits", "optdigits")


def candidates():
    """Scalers, projections and kernel maps, after standardisation where it matters."""
    scaled = StandardScaler()
    return {
        "passthrough": "passthrough",
        "minmax": MinMaxScaler(),
        "standard": scaled,
        "robust": RobustScaler(),
        "quantile": QuantileTransformer(n_quantiles=100, random_state=0),
        "pca 2": make_pipeline(scaled, PCA(2, random_state=0)),
        "pca 5": make_pipeline(scaled, PCA(5, random_state=0)),
        "lda": LinearDiscriminantAnalysis(),
        "rbf map": make_pipeline(scaled, Nystroem(gamma=0.05, n_components=100, random_state=0)),
    }


def main():
    """Both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        "| set | criterion | chosen | ρ with 5-NN | 5-NN, chosen | 5-NN, best | ρ with SVM | "
        "SVM, chosen | SVM, best | CPU s to rank | CPU s, all at once |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|"
    )
    splits = {}
    for name in arguments.sets:
        X, y = load(name)
        splits[name] = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
        ranked(name, *splits[name])
    print("\n| set | OvO, scaled | OvO, one transformer | OvO, one for each pair | used |")
    print("|---|---|---|---|---|")
    for name in arguments.sets:
        one_vs_one(name, *splits[name])


def ranked(name, X, X_test, y, y_test):
    """One line for each criterion."""
    errors = {}
    for label, transformer in candidates().items():
        if transformer == "passthrough":
            train, test = X, X_test
        else:
            fitted = clone(transformer).fit(X, y)
            train, test = fitted.transform(X), fitted.transform(X_test)
        errors[label] = [
            1 - model.fit(train, y).score(test, y_test)
            for model in (KNeighborsClassifier(5), LinearSVC(dual=False))
        ]
    for criterion in ("held_out", "multiclass", "knn"):
        begin = time.process_time()
        halved = rank_transformers(candidates(), X, y, criterion=criterion)
        middle = time.process_time()
        full = rank_transformers(candidates(), X, y, criterion=criterion, halving=False)
        end = time.process_time()
        true = np.array([errors[label] for label in full.names])
        best = halved.names[0]
        cells = []
        for column in (0, 1):
            rho = spearmanr(full.errors, true[:, column]).statistic
            chosen, least = 1 - errors[best][column], 1 - true[:, column].min()
            cells += [f"{rho:.2f}", f"{chosen:.4f}", f"{least:.4f}"]
        print(
            f"| {name} | {criterion} | {best} | {' | '.join(cells)} | {middle - begin:.2f} | "
            f"{end - middle:.2f} |",
            flush=True,
        )


def one_vs_one(name, X, X_test, y, y_test):
    """Accuracy of one-vs-one linear SVMs with and without transformers of their own."""
    scaled = PairwiseTransformerClassifier({"minmax": MinMaxScaler()}).fit(X, y)
    shared = PairwiseTransformerClassifier(candidates(), per_pair=False).fit(X, y)
    own = PairwiseTransformerClassifier(candidates()).fit(X, y)
    names = own.search_.ranking_.names
    used, counts = np.unique(own.pair_index_, return_counts=True)
    order = np.argsort(-counts)
    text = ", ".join(f"{names[used[i]]} {counts[i]}" for i in order)
    cells = " | ".join(f"{m.score(X_test, y_test):.4f}" for m in (scaled, shared, own))
    chosen = shared.search_.best_name_
    print(
        f"| {name} | {cells.replace(' | ', ' | ', 1)} | one: {chosen}; pairs: {text} |", flush=True
    )


if __name__ == "__main__":
    main()
