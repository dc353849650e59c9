"""What a report looks like.

sections    what a report says, in one order for all outputs
sentences, rows, headroom    the words and the tables of it
text, markdown, html (page_tables, page_assets), export    outputs: each renders all sections
figure      the drawing
formats     which suffix of a file writes which of them
"""
