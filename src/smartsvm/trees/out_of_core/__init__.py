"""The same trees for points that do not fit into memory: on disk, or on a cluster.

    summary → partition, store (blocks of rows) → tasks (trees of blocks) → join → forest

Any joblib backend runs the tasks (task_runner, cluster); a checkpoint keeps what a stopped run has
finished, and scratch removes the files of others. memory_plan says whether to cut points, and into
how many blocks, from the free_memory. classes has the trees of pairs and unions of classes.
"""
