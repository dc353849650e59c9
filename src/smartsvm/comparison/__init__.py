"""Comparisons: `two_sample_test` of data sets, `compare_representations` of columns or labels."""
