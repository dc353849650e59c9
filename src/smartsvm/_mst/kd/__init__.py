"""The kd-tree and the searches of Borůvka's algorithm over it."""
