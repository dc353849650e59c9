"""The command line.

file → table_file (bytes) → table_formats (data frame) → tables (points, labels) → report, compare
"""
