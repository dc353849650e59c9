"""Races of the spanning-forest engine against its peers; see ../README.md."""
