"""What a report looks like.

blocks      what a document is made of: sentences, generic tables, drawings
sections    a report as a document: what it says, in one order for all outputs
sentences, label_sentences, next_steps    the words of it
rows, tables, headroom, rows_needed    the tables of it
export      the dictionary, JSON and data frames
figure, drawings    the panels, and a page's drawings of them
formats     which suffix of a file writes what; the outputs that it imports render any document
text        the output that is printed; names: fit its columns; page_tables, page_assets: of html
"""
