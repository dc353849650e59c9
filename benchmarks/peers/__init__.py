"""The field: every race against other tools from one command, `make peers`."""
