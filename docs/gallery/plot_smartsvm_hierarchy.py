"""
The hierarchy of SmartSVM
=========================

`SmartSVM` splits the classes into two groups, splits each group again, and trains one small
classifier per split. The splits show which classes resemble each other, and each node
shows how hard its decision is.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from smartsvm import HierarchyDisplay, SmartSVM, class_hierarchy, pairwise_bayes_error

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, stratify=y, random_state=0)
model = SmartSVM(bayes_error_samples=2000).fit(X_train, y_train)
print(model.to_text())
print(f"test accuracy: {model.score(X_test, y_test):.1%}")

# %%
# The same as a figure.
HierarchyDisplay.from_estimator(model)
plt.show()

# %%
# A :class:`~smartsvm.ClassHierarchy` needs no classifier, only the pairwise errors. You can also
# pass a hierarchy of your own to ``SmartSVM(hierarchy=...)``. :class:`~smartsvm.SmartSVMCV` tunes
# the nodes.
pairs = pairwise_bayes_error(X_train, y_train, normalize=True)
display = HierarchyDisplay(class_hierarchy(pairs))
display.plot()
plt.show()
