"""SmartSVM: a hierarchy of binary classifiers.

fit: checked_input → hierarchy_choice (hierarchy_search) → nodes/, called by classifier
predict: prediction → routing (_descent)
tuning: SmartSVMCV
A new routing is one entry of `routing.ROUTINGS`, a new hierarchy one of
`hierarchy_choice.HIERARCHIES`.
"""

from smartsvm.classifier.classifier import SmartSVM
from smartsvm.classifier.tuning import SmartSVMCV

__all__ = ["SmartSVM", "SmartSVMCV"]
