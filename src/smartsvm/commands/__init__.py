"""The command line.

tables/ reads the file → report, compare, demo → text, page, figure, JSON
"""
