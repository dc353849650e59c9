"""SmartSVM: a hierarchy of binary machines, from its search to the descent at prediction."""

from smartsvm.classifier.classifier import SmartSVM
from smartsvm.classifier.tuning import SmartSVMCV

__all__ = ["SmartSVM", "SmartSVMCV"]
