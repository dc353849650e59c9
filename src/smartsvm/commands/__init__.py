"""The command line.

tables/ reads the file → report (model_columns), compare, demo → text, page, figure, JSON
"""
