"""The command line.

tables/ reads the file → report (model_columns), compare, demo → text, page, figure, JSON
start_up: Ctrl-C while the program is still being imported
"""
