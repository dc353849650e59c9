"""The same forests of points that do not fit into memory: from disk, or on a cluster.

Rows are grouped into blocks; forests of the blocks and what joins them are tasks that any
joblib backend can run, and that a stopped run need not repeat.
"""
