"""Work on edges that are already known: canonical order, peeling, bottlenecks."""
