"""The same trees for points that do not fit into memory: on disk, or on a cluster.

    summary → partition, store (blocks of rows) → tasks (trees of blocks) → join → forest

Any joblib backend runs the tasks; a checkpoint keeps what a stopped run has finished.
"""
