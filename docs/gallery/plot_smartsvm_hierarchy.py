"""
The hierarchy of SmartSVM
=========================

`SmartSVM` splits the classes in two again and again and trains one small machine for each
split. The splits are readable: they say which classes the data group together, and each node
says how hard its decision is.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from smartsvm import HierarchyDisplay, SmartSVM, class_hierarchy, pairwise_bayes_error

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, stratify=y, random_state=0)
model = SmartSVM().fit(X_train, y_train)
print(model.to_text())
print(f"right on the rest: {model.score(X_test, y_test):.1%}")

# %%
# The same as a drawing.
HierarchyDisplay.from_estimator(model)
plt.show()

# %%
# A :class:`~smartsvm.ClassHierarchy` can be had without a classifier, from the errors of all
# pairs; and one of your own, from what you know about the classes, goes into
# ``SmartSVM(hierarchy=...)``. Either way :class:`~smartsvm.SmartSVMCV` tunes the nodes.
display = HierarchyDisplay(class_hierarchy(pairwise_bayes_error(X_train, y_train)))
display.plot()
plt.show()
