"""Tables of numbers, text, dates and gaps as points and labels.

reading: input_file (bytes) → formats, json_and_excel (data frame) → prepared (points, labels)
preparation: column_readers (numbers, dates and their date_words, clock_times or text)
    → useless_columns → gaps, categories, scale
prepared: labels, groups, time_column, unit_columns, counted_rows (a table of counts as samples),
    and the preparation of all other columns
text_lines, no_header and lines_below_header of a CSV file; hints: what an error suggests;
    named_columns: those to drop and keep
"""
