"""Exact forests over blocks: from disk, on several workers, at growing sizes."""
