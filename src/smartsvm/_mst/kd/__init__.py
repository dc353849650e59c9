"""The kd-tree, the searches of Borůvka's algorithm over it, and trees of corners of a cube."""
