"""The asv suites; run them with `make bench`."""
