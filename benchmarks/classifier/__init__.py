"""How fast SmartSVM predicts, and what many classes cost."""
