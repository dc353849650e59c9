"""Blocked matrix products and the searches of Borůvka's algorithm over them."""
