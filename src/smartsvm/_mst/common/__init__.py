"""What every kernel needs: the order of edges, disjoint sets, equal points."""
