"""Likely label errors and hard samples.

held-out posterior → noise_models (clean, uniform, by class) → suspect_labels (ranks and counts)
probabilities of any model → label_ranking (calibrates them) → suspect_labels
tree edges → sample_difficulty
"""
