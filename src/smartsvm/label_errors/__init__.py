"""Likely label errors and hard samples.

held-out posterior → noise_models (clean, uniform, by class) → suspect_labels (ranks and counts)
what is known of the overlap of the classes → overlap (wrong labels if it is known) → suspect_labels
probabilities of any model → label_ranking (calibrates them) → suspect_labels
tree edges → sample_difficulty
"""
