"""The same trees for points that do not fit into memory: on disk, or on a cluster.

    summary → partition, blocks (of rows) → tasks (trees of blocks) → join → forest

workers runs the tasks in threads, processes or on a Dask cluster; a checkpoint keeps what a stopped
run has finished, scratch the files of blocks. memory_plan says into how many blocks points are cut,
from the free_memory. classes has the trees of pairs and unions of classes.
"""
