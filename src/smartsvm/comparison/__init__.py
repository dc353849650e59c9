"""Comparisons: `two_sample_test` of data sets, `compare_representations` of columns or labels.

two_sample       samples → the test of estimation/ → likeness of rows → two_sample_result
representations  entries → held_out/ → paired_differences → representation_result (page)
"""
