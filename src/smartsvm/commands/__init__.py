"""The command line.

tables/ reads the file → report, compare → text, page, figure, JSON
"""
