"""The nearest class mean against refits."""

import numpy as np
from problems import two_gaussians
from sklearn.neighbors import NearestCentroid

from smartsvm.held_out.nearest_mean import nearest_mean_leave_one_out


def test_leave_one_out_is_that_of_refits():
    X, y = two_gaussians(60, 3, 1.0)
    found = nearest_mean_leave_one_out(X, y, 2)
    others = [np.arange(60) != i for i in range(60)]
    refits = [NearestCentroid().fit(X[o], y[o]).predict(X[~o])[0] for o in others]
    np.testing.assert_array_equal(found.scores(0).argmax(axis=1), refits)
    np.testing.assert_array_equal(found.wrong[0], refits != y)
