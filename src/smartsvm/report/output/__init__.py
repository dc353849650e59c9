"""What a report looks like: text, web page, figure and export.

DifficultyReport → text, html (page_tables, page_assets), figure, export
"""
