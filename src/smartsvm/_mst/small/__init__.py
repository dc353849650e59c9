"""Few points: Prim's loops in vectors, all `pairs` of small sets in one call, `nearest` points."""
