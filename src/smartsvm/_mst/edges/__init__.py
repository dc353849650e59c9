"""Work on edges that are already known: sorting, peeling, bottlenecks."""
