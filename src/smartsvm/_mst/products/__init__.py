"""Blocked matrix products, lists of the shortest edges, and Kruskal's algorithm over them."""
