"""Labels that are probably wrong, and samples that are hard.

nearest neighbours → suspect_labels (votes on every label) → ranked suspects
tree edges → sample_difficulty
"""
