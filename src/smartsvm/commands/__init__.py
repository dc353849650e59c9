"""The command line.

tables/ reads the file → report (model_columns), compare, demo → text, page, figure, JSON
gate: conditions of a pipeline, which end a command with exit code 3
start_up: Ctrl-C while the program is still being imported
"""
