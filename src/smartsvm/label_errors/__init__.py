"""Likely label errors and hard samples.

nearest neighbours → suspect_labels (votes on every label) → ranked suspects
tree edges → sample_difficulty
"""
