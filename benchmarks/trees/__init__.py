"""Races of the spanning-tree engine against its peers."""
