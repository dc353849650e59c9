"""Trees of many small pairs of sets in one call."""
